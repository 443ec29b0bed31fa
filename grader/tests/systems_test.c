/* A class of 40 that hands in through seven systems, each in the form that its own documentation, its source or a tool
 * made for it shows: who got what. Everybody is there; some hand in twice, some late, some with a name that two systems
 * write differently. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "course/accept.h"
#include "course/accounts.h"
#include "course/attempts.h"
#include "course/groups.h"
#include "course/roster_doubts.h"
#include "course/roster_match.h"
#include "handed_in.h"

enum { STUDENTS = 40 };

/* The student's names, login and numbers, in the class's order. */
typedef struct pupil {
    char first[24], last[32], login[16], id[16], email[48], github[24];
    int participant, attempts;
} pupil;

static pupil class_of[STUDENTS];
static roster students;

static void make_class(void)
{
    static const char *const firsts[] = {"Ada",     "Grace",          "Zo\u00eb",  "J\u00fcrgen",
                                         "Mei-Lin", "Ana Mar\u00eda", "Se\u00e1n", "Li"};
    static const char *const lasts[] = {"Lovelace", "Hopper", "O'Neill", "M\u00fcller", "de la Cruz"};
    for (int i = 0; i < STUDENTS; i++) {
        pupil *one = &class_of[i];
        snprintf(one->first, sizeof one->first, "%s", firsts[i % 8]);
        snprintf(one->last, sizeof one->last, "%s", lasts[i % 5]);
        snprintf(one->login, sizeof one->login, "st%03d", 7 * i + 3);
        snprintf(one->id, sizeof one->id, "%07d", 41700 + 13 * i);
        snprintf(one->email, sizeof one->email, "st%03d@example.edu", 7 * i + 3);
        snprintf(one->github, sizeof one->github, "%s-%c%d", i % 3 ? "coder" : "octo-cat", 'a' + i % 26, i);
        one->participant = 900100 + 31 * i;
        one->attempts = i % 4 == 1 ? 2 : 1;
    }
}

/* ---- rosters, as the systems export them ------------------------------------------------------------------------- */

static text_buffer table;

static void read_roster(const char *head, void (*write_row)(const pupil *one), const roster_reading *how)
{
    free(table.text);
    table = (text_buffer){0};
    text_format(&table, "%s\r\n", head);
    for (int i = 0; i < STUDENTS; i++) write_row(&class_of[i]);
    cr_assert(roster_parse(&students, how, "class.csv", table.text, table.length, &fault), "%s", fault.text);
    cr_assert_eq(students.count, (size_t)STUDENTS);
}

static void canvas_row(const pupil *one)
{
    text_format(&table, "\"%s, %s\",%d,%s,%s,Section 1,\r\n", one->last, one->first, one->participant, one->id,
                one->login);
}

static void moodle_row(const pupil *one)
{
    text_format(&table, "Teilnehmer/in%d,\"%s %s\",%s,\"Zur Bewertung abgegeben -  - \",,\"100,00\",Ja,-,-,\r\n",
                one->participant, one->first, one->last, one->email);
}

static void gradescope_row(const pupil *one)
{
    text_format(&table, "%s,%s,%s,%s\r\n", one->first, one->last, one->id, one->email);
}

static void github_row(const pupil *one)
{
    text_format(&table, "\"%s\",\"%s\",\"%d\",\"%s %s\"\r\n", one->id, one->github, one->participant, one->first,
                one->last);
}

static void blackboard_row(const pupil *one)
{
    text_format(&table, "\"%s\"\t\"%s\"\t\"%s\"\t\"%s\"\t\"Yes\"\r\n", one->last, one->first, one->login, one->id);
}

static void brightspace_row(const pupil *one)
{
    text_format(&table, "#%s,#%s,%s,%s,%s,#\r\n", one->id, one->login, one->last, one->first, one->email);
}

static void autolab_row(const pupil *one)
{
    text_format(&table, "f26,%s,%s,%s,A\r\n", one->email, one->last, one->first);
}

/* ---- downloads --------------------------------------------------------------------------------------------------- */

/* What the student's attempt holds, and where it lies. */
typedef void name_file(text_buffer *name, const pupil *one, int number, int attempt);

static void put_all(name_file *name_of)
{
    for (int i = 0; i < STUDENTS; i++) {
        for (int attempt = 1; attempt <= class_of[i].attempts; attempt++) {
            text_buffer name = {0}, text = {0};
            text_format(&name, "class/");
            name_of(&name, &class_of[i], i, attempt);
            text_format(&text, "%s %d", class_of[i].id, attempt);
            put(name.text, text.text);
            free(name.text);
            free(text.text);
        }
    }
}

/* The sortable name in lower case, without what is neither a letter, a digit nor "_"; LATE for some; the account; the
 * file's number. https://github.com/instructure/canvas-lms, lib/content_zipper.rb */
static void canvas_file(text_buffer *name, const pupil *one, int number, int attempt)
{
    const char *const parts[] = {one->last, one->first};
    for (int part = 0; part < 2; part++) {
        for (const char *at = parts[part]; *at; at++) {
            const char letter = *at >= 'A' && *at <= 'Z' ? (char)(*at + 32) : *at;
            if (!strchr(" '-", letter)) text_append(name, &letter, 1);
        }
    }
    text_format(name, "%s_%d_%d_lab03%s.c", number % 5 == 2 ? "_LATE" : "", one->participant, 1000 * attempt + number,
                attempt > 1 ? "-1" : "");
}

/* A folder for each; several attempts need another download into the same folder. The worksheet is a German one.
 * https://docs.moodle.org/en/Assignment_FAQ, and lang/de of the language packs for its columns */
static void moodle_file(text_buffer *name, const pupil *one, int number, int attempt)
{
    (void)number;
    text_format(name, "%s %s_%d_assignsubmission_file%s/lab03.c", one->first, one->last, one->participant,
                attempt > 1 ? " (2)" : "");
}

/* https://help.gradescope.com/article/ccbpppziu9-instructor-grade-submissions ("Export Submissions") */
static void gradescope_file(text_buffer *name, const pupil *one, int number, int attempt)
{
    (void)one;
    text_format(name, "submission_%d/lab03.c", 5000 * attempt + number);
}

static void put_gradescope_metadata(void)
{
    text_buffer text = {0};
    text_format(&text, "---\n");
    for (int i = 0; i < STUDENTS; i++) {
        for (int attempt = 1; attempt <= class_of[i].attempts; attempt++) {
            const pupil *one = &class_of[i];
            text_format(&text,
                        "submission_%d:\n  :submitters:\n  - :name: %s %s\n    :sid: '%s'\n    :email: %s\n"
                        "  :created_at: 2026-11-20 2%d:10:00.000000000 Z\n",
                        5000 * attempt + i, one->first, one->last, one->id, one->email, attempt);
        }
    }
    put("class/submission_metadata.yml", text.text);
    free(text.text);
}

/* A repository for each, "assignment-account", as `gh classroom clone student-repos` leaves them: the last push counts.
 * https://github.com/github/gh-classroom; for the roster,
 * https://gist.github.com/stevecassidy/03156eb816959c98c3da62890940ed6f */
static void github_file(text_buffer *name, const pupil *one, int number, int attempt)
{
    const char *const path = number % 2 ? "lab03.c" : "labs/lab03-concurrency/lab03.c";
    text_format(name, "lab-03-%s/%s", one->github, attempt == one->attempts ? path : "README.md");
}

/* https://github.com/kwurst/bb-file-cleanup, https://gist.github.com/wzjoriv/961fcef1b5c3f733c0742afeb8bb7abf */
static void blackboard_file(text_buffer *name, const pupil *one, int number, int attempt)
{
    text_format(name, "Lab 3_%s_attempt_2026-11-2%d-23-%02d-07_lab03.c", one->login, attempt - 1, number);
}

/* Folders with the numbers of account and assignment, the name and the time, and "index.html" there. D2L does not
 * document these names; they are as public tools read them. For the roster:
 * https://github.com/christopherphan/brightspace-scripts */
static void brightspace_file(text_buffer *name, const pupil *one, int number, int attempt)
{
    text_format(name, "%d-80551 - %s %s - Nov 2%d, 2026 11%02d PM/lab03.c", one->participant, one->first, one->last,
                attempt - 1, number);
}

/* https://github.com/autolab/Autolab/issues/693, app/models/submission.rb: handin_file_long_filename */
static void autolab_file(text_buffer *name, const pupil *one, int number, int attempt)
{
    (void)number;
    text_format(name, "%s_%d_lab03.c", one->email, attempt + 6);
}

/* ---- who got what ------------------------------------------------------------------------------------------------ */

static void take_class(const char *layout)
{
    open_place("class");
    cr_assert_str_eq(taken.layout, layout);
    cr_assert(accounts_find(&taken, &students, &fault), "%s", fault.text);
    cr_assert(groups_share(&taken, &students, &fault), "%s", fault.text);
    cr_assert(attempts_number(&taken, &wanted, &fault), "%s", fault.text);
    roster_doubts_note(&taken, &students);
}

/* What counts for a student: the text of the latest attempt, and the number of attempts. */
static char *counted_for(const pupil *one)
{
    text_buffer got = {0};
    for (size_t i = 0; i < taken.list.count; i++) {
        const submission *entry = &taken.list.entry[i];
        const roster_student *student = roster_find(&students, entry);
        cr_assert_not_null(student, "%s is nobody's", entry->name);
        const bool own = strcmp(student->id, one->id) == 0 || strcmp(student->email, one->email) == 0 ||
                         atoi(student->id) == one->participant;
        char *text = NULL;
        size_t bytes;
        if (!own || entry->attempt != entry->attempts) continue;
        cr_assert_eq(folder_read(&text, &bytes, entry->found.path, 4096, &fault), FOLDER_FILE, "%s", entry->name);
        text_format(&got, "%s%s of %d", got.length ? " and " : "", text, entry->attempts);
        free(text);
    }
    return got.text ? got.text : strdup("nothing");
}

/* Everybody has the latest of their attempts, and nothing of others. */
static void assert_everybody_got_theirs(const char *system, bool keeps_all)
{
    int right = 0;
    for (int i = 0; i < STUDENTS; i++) {
        const pupil *one = &class_of[i];
        char expected[64], *got = counted_for(one);
        snprintf(expected, sizeof expected, "%s %d of %d", one->id, one->attempts, keeps_all ? one->attempts : 1);
        if (strcmp(got, expected) != 0) fprintf(stderr, "%-12s %-30s got %s\n", system, one->email, got);
        right += strcmp(got, expected) == 0;
        free(got);
    }
    cr_assert_eq(right, STUDENTS, "%s: %d of %d have their own", system, right, STUDENTS);
}

static void begin_system(void)
{
    make_class();
    begin();
}

static void end_system(void)
{
    free(table.text);
    table = (text_buffer){0};
    roster_free(&students);
    end();
}

Test(systems, canvas_gives_everybody_their_own)
{
    begin_system();
    read_roster("Student,ID,SIS User ID,SIS Login ID,Section,Lab 3 (9)", canvas_row, NULL);
    put_all(canvas_file);
    take_class("Canvas");
    assert_everybody_got_theirs("Canvas", true);
    end_system();
}

Test(systems, moodle_in_german_gives_everybody_their_own)
{
    begin_system();
    read_roster(
        "ID,\"Vollst\u00e4ndiger Name\",E-Mail-Adresse,Status,Bewertung,Bestwertung,\"Bewertung kann ge\u00e4ndert "
        "werden\",\"Zuletzt ge\u00e4ndert (Abgabe)\",\"Zuletzt ge\u00e4ndert (Bewertung)\",\"Feedback als "
        "Kommentar\"",
        moodle_row, NULL);
    put_all(moodle_file);
    take_class("Moodle");
    assert_everybody_got_theirs("Moodle", true);
    cr_assert_eq(taken.notes.count, 0u);
    end_system();
}

Test(systems, gradescope_gives_everybody_their_own)
{
    begin_system();
    read_roster("First Name,Last Name,SID,Email", gradescope_row, NULL);
    put_all(gradescope_file);
    put_gradescope_metadata();
    take_class("Gradescope");
    assert_everybody_got_theirs("Gradescope", true);
    end_system();
}

Test(systems, github_classroom_gives_everybody_their_own)
{
    begin_system();
    read_roster("identifier,github_username,github_id,name", github_row, NULL);
    put_all(github_file);
    take_class("folders");
    assert_everybody_got_theirs("GitHub", false);
    end_system();
}

Test(systems, blackboard_gives_everybody_their_own)
{
    begin_system();
    read_roster("\"Last Name\"\t\"First Name\"\t\"Username\"\t\"Student ID\"\t\"Availability\"", blackboard_row, NULL);
    put_all(blackboard_file);
    put("class/Lab 3_st003_attempt_2026-11-20-23-00-07.txt", "Name: Ada Lovelace (st003)");
    take_class("Blackboard");
    assert_everybody_got_theirs("Blackboard", true);
    cr_assert_str_eq(find("st010")->submitted, "2026-11-20 23:01:07", "the first of two attempts");
    end_system();
}

Test(systems, brightspace_gives_everybody_their_own)
{
    begin_system();
    read_roster("OrgDefinedId,Username,Last Name,First Name,Email,End-of-Line Indicator", brightspace_row, NULL);
    put_all(brightspace_file);
    put("class/index.html", "<html>");
    take_class("Brightspace");
    assert_everybody_got_theirs("Brightspace", true);
    cr_assert_str_eq(students.student[0].id, "0041700", "zeros that \"#\" has kept");
    end_system();
}

Test(systems, autolab_gives_everybody_their_own)
{
    begin_system();
    read_roster("Semester,Email,Last Name,First Name,Section", autolab_row, NULL);
    put_all(autolab_file);
    take_class("Autolab");
    assert_everybody_got_theirs("Autolab", true);
    end_system();
}

/* ---- what a person is told --------------------------------------------------------------------------------------- */

/* https://github.com/instructure/canvas-lms, lib/content_zipper.rb: get_filename */
Test(systems, canvas_that_hides_names_says_so_until_a_column_tells_them)
{
    begin();
    put("class/anon_Xy12z_205_lab03.c", "hers");
    put("class/LATE_anon_ab9Qr_206_lab03-1.c", "his");
    put("class/LATE_anon_ab9Qr_204_lab03.c", "his first");
    cr_assert(roster_parse(&students, NULL, "class.csv", "id,name\n17,Ada\n", 15, &fault), "%s", fault.text);
    take_class("Canvas");
    cr_assert_eq(taken.list.count, 3u);
    cr_assert_eq(find("anon_ab9Qr")->attempts, 2);
    assert_note("anon_ab9Qr", "lab03-1.c is marked as late");
    assert_note("the roster",
                "none of its 1 students is found among the 3 submissions. Its columns: id is \"id\", name "
                "is \"name\"");
    json_t *told = roster_doubts_json(&students, find("anon_Xy12z"));
    char *doubt = json_dumps(told, JSON_COMPACT);
    cr_assert_not_null(strstr(doubt, "Canvas names students in a download after their grades are posted"), "%s", doubt);
    json_decref(told);
    free(doubt);
    roster_free(&students);
    const char known[] = "id,name,anonymous_id\n17,Ada,Xy12z\n18,Alan,ab9Qr\n";
    cr_assert(roster_parse(&students, NULL, "class.csv", known, strlen(known), &fault), "%s", fault.text);
    cr_assert_str_eq(roster_find(&students, find("anon_Xy12z"))->name, "Ada");
    cr_assert_str_eq(roster_find(&students, find("anon_ab9Qr"))->name, "Alan");
    end_system();
}

static void open_with(const roster_reading *how, const char *text)
{
    cr_assert(roster_parse(&students, how, "class.csv", text, strlen(text), &fault), "%s", fault.text);
    take_class("folders");
}

Test(systems, roster_in_an_unknown_language_is_told_with_its_columns_once)
{
    const char roster_text[] = "ID,Koko nimi,Arvosana\n4711,Ada Lovelace,\n4712,Grace Hopper,\n";
    begin();
    put("class/Ada Lovelace/lab03.c", "hers");
    put("class/Grace Hopper/lab03.c", "hers");
    open_with(NULL, roster_text);
    assert_note("the roster", "Its columns: id is \"ID\"; not known: \"Koko nimi\", \"Arvosana\". --columns");
    cr_assert_eq(taken.notes.count, 1u, "and not one for everybody");
    end_system();
    begin();
    put("class/Ada Lovelace/lab03.c", "hers");
    put("class/Grace Hopper/lab03.c", "hers");
    open_with(&(roster_reading){.columns = "name=\"Koko nimi\",id=ID"}, roster_text);
    cr_assert_eq(taken.notes.count, 0u);
    cr_assert_str_eq(roster_find(&students, find("Grace Hopper"))->id, "4712");
    end_system();
}

Test(systems, zeros_that_a_spreadsheet_dropped_are_told_and_can_be_accepted)
{
    const char roster_text[] = "id,name\n12345,Ada Lovelace\n777,Grace Hopper\n";
    for (int accepted = 0; accepted < 2; accepted++) {
        begin();
        put("class/0012345/lab03.c", "hers");
        put("class/777/lab03.c", "hers");
        open_with(&(roster_reading){.dropped_zeros = accepted}, roster_text);
        const roster_student *ada = roster_find(&students, find("0012345"));
        cr_assert_eq(ada != NULL, accepted);
        if (!accepted)
            assert_note("0012345", "where Ada Lovelace has the id 12345: spreadsheets drop zeros at the beginning of "
                                   "numbers; --dropped-zeros takes the two as the same");
        end_system();
    }
    begin();
    put("class/012/lab03.c", "whose?");
    put("class/9/lab03.c", "alan's");
    open_with(&(roster_reading){.dropped_zeros = true}, "id,name\n12,Ada\n0012,Grace\n9,Alan\n");
    cr_assert_null(roster_find(&students, find("012")), "two ids are the same without their zeros");
    end_system();
}

Test(systems, submission_of_nobody_is_told_with_the_nearest_names)
{
    begin();
    put("class/Ada Lovelance/lab03.c", "hers");
    put("class/Grace/lab03.c", "hers");
    put("class/zzzz/lab03.c", "nobody's");
    open_with(NULL, "id,name\n17,\"Lovelace, Ada\"\n18,Grace\n19,\"Lovelock, Adam\"\n");
    assert_note("Ada Lovelance",
                "is no student of the roster (nearest: Lovelace, Ada 17; Lovelock, Adam 19): listed by");
    assert_note("zzzz", "is no student of the roster: listed by its own name");
    end_system();
}

Test(systems, files_may_be_named_by_any_identifier_of_the_roster)
{
    begin();
    put("class/s17/lab03.c", "by SIS id");
    put("class/GraceH/lab03.c", "by login");
    put("class/kaym/lab03.c", "by the account of the address");
    put("class/King Lovelace Ada/lab03.c", "by the name, whose order a comma tells");
    open_with(NULL, "Student,ID,SIS User ID,SIS Login ID,Email\nAda,1,s17,ada,\nGrace,2,s18,graceh,\n"
                    "Kay,3,s19,k3,kaym@x.org\n\"Lovelace Ada, King\",4,s20,k4,\n");
    cr_assert_str_eq(roster_find(&students, find("s17"))->name, "Ada");
    cr_assert_str_eq(roster_find(&students, find("GraceH"))->name, "Grace");
    cr_assert_str_eq(roster_find(&students, find("kaym"))->name, "Kay");
    cr_assert_str_eq(roster_find(&students, find("King Lovelace Ada"))->id, "4");
    end_system();
}

Test(systems, number_of_one_that_is_the_id_of_another_is_decided_by_the_name)
{
    const char sheet[] = "Identifier,Full name,ID number\nParticipant 17,Ada,99\nParticipant 18,Grace,17\n";
    begin();
    put("class/Ada_17_assignsubmission_file_/lab03.c", "hers");
    cr_assert(roster_parse(&students, NULL, "class.csv", sheet, strlen(sheet), &fault), "%s", fault.text);
    take_class("Moodle");
    cr_assert_str_eq(roster_find(&students, find("Ada"))->name, "Ada");
    cr_assert_eq(taken.notes.count, 0u);
    end_system();
}

Test(systems, repository_belongs_to_the_longest_account_at_its_end)
{
    begin();
    put("class/lab03-ada-love/lab03.c", "hers");
    put("class/lab03-love/lab03.c", "his");
    put("class/lab03-team-a/lab03.c", "theirs");
    open_with(NULL, "identifier,github_username,name,team\n17,Ada-Love,Ada,\n18,love,Tony,\n19,gh,Grace,Team-A\n");
    cr_assert_str_eq(roster_find(&students, find("lab03-ada-love"))->name, "Ada");
    cr_assert_str_eq(roster_find(&students, find("lab03-love"))->name, "Tony");
    assert_file("Grace", "theirs");
    end_system();
}

/* ---- what a person accepts --------------------------------------------------------------------------------------- */

static acceptances accepted;

static bool accept_table(const char *text)
{
    char *path;
    accept_free(&accepted);
    put("accept.csv", text);
    path = folder_path(place, "accept.csv");
    bool read = accept_read(&accepted, path, &fault);
    free(path);
    return read;
}

static void take_accepted_class(const char *roster_text)
{
    cr_assert(roster_parse(&students, NULL, "class.csv", roster_text, strlen(roster_text), &fault), "%s", fault.text);
    open_place("class");
    cr_assert(accept_students(&taken, &accepted, &students, &fault), "%s", fault.text);
    cr_assert(groups_share(&taken, &students, &fault) && accept_files(&taken, &accepted, &fault), "%s", fault.text);
    cr_assert(attempts_number(&taken, &wanted, &fault), "%s", fault.text);
    roster_doubts_note(&taken, &students);
}

Test(systems, accepted_file_and_owner_count)
{
    begin();
    put("class/ada/src/main.c", "hers");
    put("class/zzz/lab03.c", "grace's");
    put("class/kay/lab03.c", "kay's own");
    put("class/kay/old/main.c", "not asked for");
    cr_assert(accept_table("submission,file,student\nada,src/main.c,\nzzz,,Hopper Grace\nalan,lab03.c,\n"));
    take_accepted_class("id,name\n17,ada\n18,Grace Hopper\n19,kay\n");
    assert_file("ada", "hers");
    assert_file("kay", "kay's own");
    cr_assert_str_eq(find("ada")->found.note, "graded: src/main.c, which the instructor accepted");
    cr_assert_str_eq(roster_find(&students, find("zzz"))->name, "Grace Hopper");
    assert_note("alan", "no submission has this name");
    cr_assert_eq(taken.notes.count, 1u, "an accepted owner is no doubt any more");
    accept_free(&accepted);
    end_system();
}

Test(systems, accepted_file_of_all_needs_one_row)
{
    begin();
    put("class/ada@x.org_1_handin.c", "first");
    put("class/ada@x.org_2_handin.c", "second");
    put("class/grace@x.org_1_handin.c", "grace's");
    cr_assert(accept_table("submission,file\n*,handin.c\n"));
    take_accepted_class("email,name\nada@x.org,Ada\ngrace@x.org,Grace\n");
    cr_assert_eq(find("ada@x.org")->attempts, 2);
    assert_file("grace@x.org", "grace's");
    accept_free(&accepted);
    end_system();
}

Test(systems, accepting_never_leaves_the_submission)
{
    begin();
    put("secret.c", "somebody else's");
    put("class/ada/notes.txt", "nothing");
    cr_assert(accept_table("submission,file\nada,../../secret.c\n"));
    take_accepted_class("id,name\n17,ada\n");
    cr_assert_neq(access(find("ada")->found.path, F_OK), 0);
    accept_free(&accepted);
    end_system();
}

Test(systems, accepting_what_is_not_there_is_a_fault_with_its_line)
{
    begin();
    put("class/ada/lab03.c", "hers");
    cr_assert_not(accept_table("name,file\nada,main.c\n"));
    cr_assert_not_null(strstr(fault.text, "the first row must be \"submission,file,student\""), "%s", fault.text);
    cr_assert_not(accept_table("submission,file,student\nada,,\n"));
    cr_assert_not_null(strstr(fault.text, "accept.csv:2: a submission, and its file or its student, are needed"), "%s",
                       fault.text);
    cr_assert(accept_table("submission,student\nada,Zuse\n"));
    const char class_text[] = "id,name\n17,Ada\n";
    cr_assert(roster_parse(&students, NULL, "class.csv", class_text, strlen(class_text), &fault), "%s", fault.text);
    open_place("class");
    cr_assert_not(accept_students(&taken, &accepted, &students, &fault));
    cr_assert_not_null(strstr(fault.text, "accept.csv:2: \"Zuse\" is no student of the roster"), "%s", fault.text);
    accept_free(&accepted);
    end_system();
}

/* ---- the file that it probably is -------------------------------------------------------------------------------- */

static void assert_likely(const char *student, const char *likely)
{
    static const char starter[] = "#include \"lab03.h\"\n\nlab_status lab03_run(const lab03_work *work)\n{\n}\n";
    char text[sizeof starter];
    memcpy(text, starter, sizeof starter);
    const intake_wanted known = {.file = "lab03.c", .starter = text};
    submission_file found;
    cr_assert(intake_find(&found, find(student), &known, &fault), "%s", fault.text);
    if (likely)
        cr_assert_str_eq(found.likely, likely);
    else
        cr_assert_null(found.likely, "%s", found.likely);
    submissions_file_free(&found);
}

Test(systems, missing_file_is_told_with_the_file_that_it_probably_is)
{
    begin();
    put("class/one/main.c", "int main(void) {}");
    put("class/empty/main.c", "");
    put("class/two/a.c", "int a;");
    put("class/two/b.c", "int b;");
    put("class/starter/a.c", "int a; /* more of the lines, none of the lab's */");
    put("class/starter/src/my.c", "lab_status lab03_run(const lab03_work *work)\n{ return 0; }\n");
    put("class/two/copy.c", "int a;");
    put("class/other/lab03.cpp", "int main() {}");
    put("class/page/lab03.html", "<html>");
    put("class/rivals/a/lab03.c", "one");
    put("class/rivals/b/lab03.c", "two");
    put("class/right/lab03.c", "hers");
    put("class/right/main.c", "another");
    open_place("class");
    assert_likely("one", "main.c");
    assert_likely("empty", NULL);
    assert_likely("two", NULL);
    assert_likely("starter", "src/my.c");
    assert_likely("other", "lab03.cpp");
    assert_likely("page", NULL);
    assert_likely("rivals", NULL);
    assert_likely("right", NULL);
    end();
}
