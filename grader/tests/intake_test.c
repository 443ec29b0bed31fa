/* Submissions of a class in every form, with untrusted names. */
#include "test.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "course/attempts.h"
#include "handed_in.h"
#include "intake/download_names.h"
#include "intake/file_names.h"
#include "judge/source_file.h"

/* ---- forms ------------------------------------------------------------------------------------------------------- */

Test(intake, folders_and_archives_side_by_side)
{
    begin();
    put("class/ada/lab03.c", "ada's");
    put("class/grace/src/deep/lab03.c", "grace's");
    put("class/notes.txt", "for nobody");
    struct archive *archive = create("class/zuse.zip", true);
    pack_text(archive, "lab03/lab03.c", "zuse's");
    finish(archive);
    archive = create("class/noether.tar.gz", false);
    pack_text(archive, "lab03.c", "noether's");
    finish(archive);
    open_place("class");
    cr_assert_eq(taken.list.count, 4u);
    assert_file("ada", "ada's");
    assert_file("grace", "grace's");
    assert_file("zuse", "zuse's");
    assert_file("noether", "noether's");
    assert_note("notes.txt", "neither a folder nor an archive");
    end();
}

Test(intake, whole_class_in_one_archive)
{
    begin();
    struct archive *archive = create("class.zip", true);
    pack_text(archive, "export/ada/lab03.c", "ada's");
    pack_text(archive,
              "export/gr\xC3\xA4"
              "ce/lab03.c",
              "grace's");
    pack_text(archive, "__MACOSX/export/ada/._lab03.c", "litter");
    finish(archive);
    open_place("class.zip");
    cr_assert_eq(taken.list.count, 2u);
    assert_file("ada", "ada's");
    assert_file("gr\xC3\xA4"
                "ce",
                "grace's");
    cr_assert_eq(taken.notes.count, 0u);
    end();
}

/* The attempts of one student, in order, and the content of each. */
static void assert_attempts(const char *name, const char *const *texts)
{
    cr_assert(attempts_number(&taken, &wanted, &fault), "%s", fault.text);
    int seen = 0, count = 0;
    while (texts[count]) count++;
    for (size_t i = 0; i < taken.list.count; i++) {
        const submission *entry = &taken.list.entry[i];
        char *text = NULL;
        size_t bytes;
        if (strcmp(entry->name, name) != 0) continue;
        cr_assert_not_null(entry->found.path, "%s", entry->found.refusal);
        cr_assert_eq(folder_read(&text, &bytes, entry->found.path, 4096, &fault), FOLDER_FILE, "%s", entry->found.path);
        cr_assert(seen < count, "one more: %s", text);
        cr_assert_str_eq(text, texts[seen]);
        cr_assert_eq(entry->attempt, ++seen);
        cr_assert_eq(entry->attempts, count);
        free(text);
    }
    cr_assert_eq(seen, count, "%s has %d attempts", name, seen);
}
#define ATTEMPTS(...)                                                                                                  \
    (const char *const[]) { __VA_ARGS__, NULL }

Test(intake, canvas_download_gives_all_attempts_of_each_in_their_order)
{
    begin();
    put("class/lovelaceada_17_100_lab03.c", "first");
    put("class/lovelaceada_LATE_17_205_lab03-1.c", "second");
    put("class/hoppergrace_18_150_LAB03.C", "grace's");
    put("class/readme.txt", "not Canvas");
    open_place("class");
    cr_assert_str_eq(taken.layout, "Canvas");
    assert_attempts("lovelaceada", ATTEMPTS("first", "second"));
    assert_attempts("hoppergrace", ATTEMPTS("grace's"));
    cr_assert_eq(taken.list.count, 3u);
    cr_assert_str_eq(find("lovelaceada")->id, "17");
    assert_note("readme.txt", "not one of Canvas");
    end();
}

Test(intake, file_that_only_looks_like_canvas_hides_no_student)
{
    begin();
    put("class/ada/lab03.c", "ada's");
    put("class/grace/lab03.c", "grace's");
    put("class/grades_2026_11_20.csv", "points");
    open_place("class");
    cr_assert_str_eq(taken.layout, "folders");
    cr_assert_eq(taken.list.count, 2u);
    assert_file("ada", "ada's");
    assert_note("grades_2026_11_20.csv", "neither a folder nor an archive");
    end();
}

Test(intake, late_mark_of_canvas_is_reported)
{
    begin();
    put("class/lovelaceada_LATE_17_205_lab03.c", "hers");
    open_place("class");
    assert_note("lovelaceada", "lab03.c is marked as late, and nothing says how late: no points are taken off");
    end();
}

Test(intake, moodle_download_without_folders_is_read)
{
    begin();
    put("class/Ada Lovelace_4711_assignsubmission_file_lab03.c", "ada's");
    put("class/Ada Lovelace_4711_assignsubmission_file_notes.txt", "beside it");
    put("class/Ada Lovelace_4712_assignsubmission_file_lab03.c", "another Ada's");
    put("class/Grace_Hopper_4713_assignsubmission_onlinetext_onlinetext.html", "typed in");
    put("class/readme.txt", "not Moodle");
    open_place("class");
    cr_assert_str_eq(taken.layout, "Moodle");
    cr_assert_eq(taken.list.count, 3u);
    assert_file("Ada Lovelace", "ada's");
    cr_assert_str_eq(find("Grace_Hopper")->id, "4713", "a student without a file is listed without one");
    assert_note("readme.txt", "not one of Moodle");
    end();
}

/* A file-size limit simulates a disk that fills up in the middle of a file. */
Test(intake, copy_that_ends_short_says_why)
{
    struct rlimit limit = {4, RLIM_INFINITY};
    begin();
    put("class/doe_jane_7_9_lab03.c", "jane's");
    put("class/roe_max_8_9_lab03.c", "max's");
    char *path = folder_path(place, "class"), *program = unpack_program();
    const unpack_reader reader = {.program = program};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    bool opened = intake_open(&taken, path, "/nowhere", &reader, &fault);
    limit.rlim_cur = RLIM_INFINITY;
    setrlimit(RLIMIT_FSIZE, &limit);
    cr_assert_not(opened);
    cr_assert_not_null(strstr(fault.text, ": File too large"), "%s", fault.text);
    free(path);
    free(program);
    end();
}

Test(intake, text_typed_into_moodle_is_not_a_second_student)
{
    begin();
    put("class/Ada Lovelace_4711_assignsubmission_file_/lab03.c", "ada's");
    put("class/Ada Lovelace_4711_assignsubmission_onlinetext_/onlinetext.html", "please see the file");
    put("class/Grace Hopper_4712_assignsubmission_onlinetext_/onlinetext.html", "int main");
    open_place("class");
    assert_attempts("Ada Lovelace", ATTEMPTS("ada's"));
    cr_assert_eq(taken.list.count, 2u);
    cr_assert_str_eq(find("Grace Hopper")->id, "4712");
    end();
}

/* The only student must not become several, with names and times of their own choice. */
Test(intake, download_inside_a_folder_is_reported_and_not_entered)
{
    static const char *const inside[][2] = {
        {"class/assignment_5_export/submission_9/lab03.c", "assignment_5_export"},
        {"class/export/Ada Lovelace_9_assignsubmission_file_/lab03.c", "export"},
        {"class/submissions/lovelaceada_9_100_lab03.c", "submissions"},
    };
    for (size_t i = 0; i < sizeof inside / sizeof *inside; i++) {
        begin();
        put(inside[i][0], "hers");
        put("class/.DS_Store", "");
        if (i == 0)
            put("class/assignment_5_export/submission_metadata.yml",
                "submission_9:\n  :submitters:\n  - :name: Ada Lovelace\n");
        open_place("class");
        cr_assert_str_eq(taken.layout, "folders");
        cr_assert_eq(taken.list.count, 1u);
        assert_note(inside[i][1], "looks like a download of a learning system");
        end();
    }
}

Test(intake, download_in_the_one_folder_of_an_archive_is_found)
{
    begin();
    struct archive *archive = create("class.zip", true);
    pack_text(archive, "out/export/Ada Lovelace_9_assignsubmission_file_/lab03.c", "hers");
    finish(archive);
    open_place("class.zip");
    cr_assert_str_eq(taken.layout, "Moodle");
    assert_file("Ada Lovelace", "hers");
    end();
}

Test(intake, class_of_one_student_is_not_a_wrapping_folder)
{
    begin();
    put("class/ada/src/lab03.c", "hers");
    put("class/ada/doc/notes.txt", "");
    open_place("class");
    cr_assert_eq(taken.list.count, 1u);
    cr_assert_eq(taken.notes.count, 0u);
    assert_file("ada", "hers");
    end();
}

Test(intake, file_without_the_labs_name_is_not_an_attempt)
{
    begin();
    put("class/lovelaceada_17_205_lab03.c", "hers");
    put("class/lovelaceada_17_206_notes.txt", "what I thought");
    put("class/hoppergrace_18_150_notes.txt", "nothing else");
    open_place("class");
    assert_attempts("lovelaceada", ATTEMPTS("hers"));
    assert_note("lovelaceada", "an attempt without lab03.c is left out: another one has it");
    cr_assert_eq(find("hoppergrace")->attempts, 1, "it is the student's only attempt");
    end();
}

Test(intake, attempts_in_folders_are_marked_by_name)
{
    begin();
    put("class/ada/attempt1/lab03.c", "a1");
    put("class/ada/Attempt 10/lab03.c", "a10");
    put("class/ada/attempt_2/lab03.c", "a2");
    put("class/ada/notes.txt", "beside");
    put("class/grace/lab03.c", "g0");
    put("class/grace-attempt2/lab03.c", "g2");
    struct archive *archive = create("class/grace attempt 3.zip", true);
    pack_text(archive, "lab03.c", "g3");
    finish(archive);
    put("class/reattempt2/lab03.c", "a name");
    put("class/kay/lab03.c", "k1");
    archive = create("class/kay.zip", true);
    pack_text(archive, "lab03.c", "k2");
    finish(archive);
    open_place("class");
    assert_attempts("ada", ATTEMPTS("a1", "a2", "a10"));
    assert_attempts("grace", ATTEMPTS("g0", "g2", "g3"));
    assert_attempts("reattempt2", ATTEMPTS("a name"));
    cr_assert_eq(find("kay")->attempts, 2);
    assert_note("ada", "what lies next to its attempts is left out");
    assert_note("kay", "has several attempts, and nothing says which is later");
    end();
}

Test(intake, attempts_of_one_name_and_two_ids_are_two_students)
{
    begin();
    put("class/Ada Lovelace_4711_assignsubmission_file_/lab03.c", "first");
    put("class/Ada Lovelace_4711_assignsubmission_file_ (2)/lab03.c", "third");
    put("class/Ada Lovelace_4711_assignsubmission_file_attempt1/lab03.c", "second");
    put("class/Ada Lovelace_4712_assignsubmission_file_/lab03.c", "another Ada's");
    open_place("class");
    cr_assert(attempts_number(&taken, &wanted, &fault), "%s", fault.text);
    cr_assert_str_eq(taken.layout, "Moodle");
    cr_assert_eq(taken.list.count, 4u);
    static const int attempt[] = {1, 2, 3, 1}, attempts[] = {3, 3, 3, 1};
    for (size_t i = 0; i < 4; i++) {
        cr_assert_eq(taken.list.entry[i].attempt, attempt[i], "%zu", i);
        cr_assert_eq(taken.list.entry[i].attempts, attempts[i], "%zu", i);
        cr_assert_str_eq(taken.list.entry[i].id, i < 3 ? "4711" : "4712");
        for (size_t k = 0; k < i; k++) cr_assert_str_neq(taken.list.entry[i].safe, taken.list.entry[k].safe);
    }
    end();
}

Test(intake, moodle_download_has_names_and_numbers)
{
    begin();
    put("class/Ada Lovelace_4711_assignsubmission_file_/lab03.c", "ada's");
    put("class/Grace_Hopper_4712_assignsubmission_file/lab03.c", "grace's");
    open_place("class");
    cr_assert_str_eq(taken.layout, "Moodle");
    assert_file("Ada Lovelace", "ada's");
    assert_file("Grace_Hopper", "grace's");
    cr_assert_str_eq(find("Ada Lovelace")->id, "4711");
    end();
}

Test(intake, gradescope_download_is_read_with_its_metadata)
{
    begin();
    put("class/submission_9/lab03.c", "old");
    put("class/submission_12/lab03.c", "new");
    put("class/submission_13/lab03.c", "hers");
    put("class/submission_14/lab03.c", "not listed");
    put("class/submission_metadata.yml",
        "---\nsubmission_9:\n  :submitters:\n  - :name: Ada Lovelace\n    :sid: '0017'\n    :email: ada@example.edu\n"
        "  :created_at: 2026-11-20 10:00:00.000000000 Z\n  :results:\n    :name: not a student\n"
        "submission_12:\n  :submitters:\n  - :name: Ada Lovelace\n    :sid: '0017'\n"
        "submission_13:\n  :submitters:\n  - :name: \"Zuse \\\"Z3\\\"\"\n    :sid: 19\r\nsubmission_77:\n"
        "  :submitters:\n  - :name: Nobody\n");
    open_place("class");
    cr_assert_str_eq(taken.layout, "Gradescope");
    assert_attempts("Ada Lovelace", ATTEMPTS("old", "new"));
    cr_assert_eq(taken.list.count, 4u);
    assert_file("Zuse \"Z3\"", "hers");
    assert_file("submission_14", "not listed");
    cr_assert_str_eq(find("Ada Lovelace")->id, "0017");
    cr_assert_str_eq(find("Zuse \"Z3\"")->id, "19");
    assert_note("submission_77", "its folder is missing");
    end();
}

Test(intake, submission_of_a_group_belongs_to_each_member)
{
    begin();
    put("class/submission_9/lab03.c", "ada's own");
    put("class/submission_12/lab03.c", "theirs");
    put("class/submission_13/lab03.c", "grace's own");
    put("class/submission_metadata.yml",
        "submission_9:\n  :submitters:\n  - :name: Ada\n    :sid: '17'\n"
        "submission_12:\n  :submitters:\n  - :name: Ada\n    :sid: '17'\n    :email: \n  - :name: Grace\n    :sid: "
        "'18'\n"
        "    :email: grace@example.edu\n  - :name: Ada\n    :sid: '17'\n  - :name: Kay\n  - :name: Kay\n"
        "  :created_at: 2026-11-20 10:00:00.0 Z\n  :history:\n  - :name: Nobody\n    :sid: '99'\n"
        "submission_13:\n  :submitters:\n  - :name: Grace\n    :sid: '18'\n  :results:\n    :email: no@example.edu\n");
    open_place("class");
    assert_attempts("Ada", ATTEMPTS("ada's own", "theirs"));
    assert_attempts("Grace", ATTEMPTS("theirs", "grace's own"));
    cr_assert_eq(taken.list.count, 6u, "two are called Kay, and each is in the group once");
    const submission *kay = find("Kay"), *grace = find("Grace");
    cr_assert_str_eq(kay->group, "submission_12");
    cr_assert_str_eq(kay->submitted, "2026-11-20 10:00:00.0 Z");
    cr_assert_str_neq(kay[0].id, kay[1].id);
    cr_assert_str_eq(grace[0].group, "submission_12");
    cr_assert_null(grace[1].group);
    cr_assert_null(grace[1].email, "other parts of a submission belong to no student");
    cr_assert_eq(taken.notes.count, 0u, "nothing is left out");
    end();
}

Test(intake, characters_that_gradescope_escapes_are_read)
{
    static const char text[] =
        "submission_1:\n  :submitters:\n  - :name: \"M\\u00FCller \\U0001F600 \\xE9\\\"\\uD800\\u12\"\n"
        "submission_2:\n  :submitters:\n  - :name: 'O''Neill \\u00FC'\n"
        "submission_3:\n  :submitters:\n  - :name: \"Ada\\_Augusta\\tLovelace\\/\"\n";
    const char *at = text;
    gradescope_submission next;
    cr_assert(download_names_gradescope_next(&next, &at));
    cr_assert_str_eq(next.submitter[0].name, "M\xC3\xBCller \xF0\x9F\x98\x80 \xC3\xA9\"?u12", "%s",
                     next.submitter[0].name);
    cr_assert(download_names_gradescope_next(&next, &at));
    cr_assert_str_eq(next.submitter[0].name, "O'Neill \\u00FC", "%s", next.submitter[0].name);
    cr_assert(download_names_gradescope_next(&next, &at));
    cr_assert_str_eq(next.submitter[0].name, "Ada Augusta Lovelace/", "%s", next.submitter[0].name);
}

Test(intake, student_archive_in_a_folder_is_opened)
{
    begin();
    mkdir(place, 0700);
    put("class/ada/notes.txt", "see the archive");
    struct archive *archive = create("class/ada/work.zip", true);
    pack_text(archive, "work/lab03 (2).c", "ada's");
    finish(archive);
    open_place("class");
    assert_file("ada", "ada's");
    end();
}

Test(intake, several_candidate_files_are_a_reason_to_refuse)
{
    begin();
    put("class/ada/a/lab03.c", "one");
    put("class/ada/b/lab03.c", "other");
    open_place("class");
    assert_refused("ada", "2 files could be lab03.c: a/lab03.c, b/lab03.c; hand in one");
    end();
}

/* Where students write into the folder themselves, one may give a file of somebody else a second name there. */
Test(intake, hard_link_is_not_read)
{
    begin();
    put("secret.c", "42");
    put("class/ada/lab03.c", "ada's");
    put("class/eve/readme", "");
    char *secret = folder_path(place, "secret.c"), *link_path = folder_path(place, "class/eve/lab03.c");
    cr_assert_eq(link(secret, link_path), 0);
    struct archive *archive = create("stolen.zip", true);
    pack_text(archive, "lab03.c", "42");
    finish(archive);
    char *stolen = folder_path(place, "stolen.zip"), *link_archive = folder_path(place, "class/mallory.zip");
    cr_assert_eq(link(stolen, link_archive), 0);
    open_place("class");
    source_file file;
    submission_file found = find_file("eve");
    cr_assert(source_file_read(&file, found.path, "lab03.c", &fault));
    cr_assert_null(file.bytes);
    cr_assert_not_null(strstr(file.refusal, "lab03.c has a second name (a hard link)"), "%s", file.refusal);
    assert_file("ada", "ada's");
    assert_note("mallory.zip", "it has a second name (a hard link), so it may be somebody else's");
    cr_assert_eq(count_files(find("mallory")->folder), 0);
    source_file_free(&file);
    submissions_file_free(&found);
    char *const texts[] = {secret, link_path, stolen, link_archive};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) free(texts[i]);
    end();
}

Test(intake, folder_without_submissions_is_explained)
{
    begin();
    put("class/lab03.c", "a file");
    put("other.txt", "no archive");
    char *class = folder_path(place, "class"), *other = folder_path(place, "other.txt");
    cr_assert(!intake_open(&taken, class, "/nowhere", NULL, &fault));
    cr_assert_not_null(strstr(fault.text, "it should hold one subfolder a student, not files"), "%s", fault.text);
    cr_assert(!intake_open(&taken, other, "/nowhere", NULL, &fault));
    cr_assert_not_null(strstr(fault.text, "neither a folder nor an archive"), "%s", fault.text);
    free(class);
    free(other);
    end();
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

Test(intake, names_that_only_look_like_a_systems_are_rejected)
{
    canvas_name canvas;
    moodle_name moodle;
    static const char *const no_canvas[] = {"_1_2_x",         "ada_1_2", "ada_1_2_", "ada_x_2_lab03.c",
                                            "ada_1__lab03.c", "__1_2",   "",         "ada_1234567890123456_2_lab03.c"};
    static const char *const no_moodle[] = {"_assignsubmission_file_", "_1_assignsubmission_file_",
                                            "Ada_1234567890123456_assignsubmission_file_",
                                            "Ada_1_assignsubmission_file_more", "Ada_1_assignsubmission_comments_"};
    static const char *const no_moodle_file[] = {"Ada_1_assignsubmission_file_", "Ada_1_assignsubmission_file",
                                                 "_assignsubmission_file_lab03.c", "lab03.c"};
    for (size_t i = 0; i < sizeof no_canvas / sizeof *no_canvas; i++)
        cr_assert(!download_names_canvas(&canvas, no_canvas[i]), "%s", no_canvas[i]);
    for (size_t i = 0; i < sizeof no_moodle / sizeof *no_moodle; i++)
        cr_assert(!download_names_moodle(&moodle, no_moodle[i]), "%s", no_moodle[i]);
    for (size_t i = 0; i < sizeof no_moodle_file / sizeof *no_moodle_file; i++)
        cr_assert(!download_names_moodle_file(&moodle, no_moodle_file[i]), "%s", no_moodle_file[i]);
}

Test(intake, names_of_copies_are_known_by_rule)
{
    static const char *const renamed[] = {"LAB03.C",     "lab03-1.c",       "lab03-1 (2).c",      "lab03(1).c",
                                          "lab03 (2).c", "lab03 copy.c",    "lab03 - Copy.c",     "lab03 - Kopie (2).c",
                                          "lab03.c.txt", "Lab03 (1).c.txt", "lab03\xE5\x89\xAF.c"};
    static const char *const by_hand[] = {"lab03_final.c", "lab03-x.c", "lab03.old.c", "lab03-.c", "Copy of lab03.c"};
    static const char *const other[] = {"lab03.h", "lab031.c",  "xlab03.c",  "lab03",        "lab03.c~", "lab03.cpp",
                                        "lab0.c",  "lab03.txt", "lab03.c.o", "lab03.c.orig", ".c",       ""};
    cr_assert_eq(file_names_kind("lab03.c", "lab03.c"), FILE_NAME_EXACT);
    for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++)
        cr_assert_eq(file_names_kind(renamed[i], "lab03.c"), FILE_NAME_RENAMED, "%s", renamed[i]);
    for (size_t i = 0; i < sizeof by_hand / sizeof *by_hand; i++)
        cr_assert_eq(file_names_kind(by_hand[i], "lab03.c"), FILE_NAME_BY_HAND, "%s", by_hand[i]);
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        cr_assert_eq(file_names_kind(other[i], "lab03.c"), FILE_NAME_OTHER, "%s", other[i]);
}
