/* Rosters of a class, in the forms that spreadsheets and learning systems write. */
#include "test.h"

#include <string.h>

#include "course/roster.h"
#include "course/roster_match.h"
#include "course/student_facts.h"
#include "base/csv.h"

static roster students;
static grader_fault fault;

static bool parse(const char *text) { return roster_parse(&students, NULL, "class.csv", text, strlen(text), &fault); }

static void assert_students(const char *text, size_t count)
{
    cr_assert(parse(text), "%s", fault.text);
    cr_assert_eq(students.count, count, "%zu", students.count);
}

static void assert_fault(const char *text, const char *sentence)
{
    cr_assert(!parse(text), "%s", text);
    cr_assert_not_null(strstr(fault.text, sentence), "%s", fault.text);
}

Test(roster, spreadsheet_forms_all_read_the_same)
{
    static const char *const forms[] = {
        "id,name,e-mail,section\n17,Ada Lovelace,ada@x.org,A\n18,\"Hopper, Grace\",g@x.org,B\n",
        "\xEF\xBB\xBFID;Name;Email;Section\r\n17;Ada Lovelace;ada@x.org;A\r\n18;Hopper, Grace;g@x.org;B\r\n\r\n",
        "SIS User ID\tStudent\tE-mail address\tGroup\r17\tAda Lovelace\tada@x.org\tA\r18\tHopper, Grace\tg@x.org\tB",
        "section , \"e-mail\",name,student id\nA,ada@x.org, Ada Lovelace ,17\n,,,\nB,g@x.org,\"Hopper, Grace\",18\n",
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        assert_students(forms[i], 2);
        cr_assert_str_eq(students.student[0].id, "17");
        cr_assert_str_eq(students.student[0].name, "Ada Lovelace");
        cr_assert_str_eq(students.student[1].name, "Hopper, Grace");
        cr_assert_str_eq(students.student[1].email, "g@x.org");
        cr_assert_str_eq(students.student[1].section, "B");
        roster_free(&students);
    }
}

Test(roster, quoted_field_keeps_quotes_and_line_breaks)
{
    assert_students("name,id\n\"Ada \"\"the first\"\"\nLovelace\",1\nGrace,2\n", 2);
    cr_assert_str_eq(students.student[0].name, "Ada \"the first\"\nLovelace");
    roster_free(&students);
}

Test(roster, name_may_be_in_two_columns)
{
    assert_students("First name,Surname,ID number\nAda,Lovelace,4711\n", 1);
    cr_assert_str_eq(students.student[0].name, "Ada Lovelace");
    roster_free(&students);
}

Test(roster, faults_name_file_and_line)
{
    assert_fault("", "class.csv: the roster is empty");
    assert_fault("17,Ada\n", "class.csv:1: the first row must name the columns");
    assert_fault("id,name\n17,\"Ada\n18,Grace\n", "class.csv:2: a quote that is opened here is not closed");
    assert_fault("id,name\n\"1\n7\",Ada\n17,Grace\n17,Ada\n", "class.csv:5: the id 17 occurs twice");
    assert_fault("id,section\n,A\n", "class.csv:2: a student with neither id nor name");
    assert_fault("id,section\n,A\n17,B\n", "class.csv:2: a student with neither id nor name");
    assert_fault("id,section\n17,A\n,B\n", "class.csv:3: a student with neither id nor name");
    assert_fault("id,submitted\n17,yesterday\n", "class.csv:2: \"yesterday\" is not a time such as 2026-11-20 23:59");
    assert_fault("id,name\n17,Ada\n18,Gr\xFC\xDF\n", "class.csv:3: this is no text in UTF-8");
    assert_fault("id,name\n17,Ada\n18,Hopper, Grace\n",
                 "class.csv:3: 3 cells below 2 columns: a cell with a comma in it needs quotes around it");
    cr_assert(!roster_parse(&students, NULL, "class.csv", "i\0d", 3, &fault));
    cr_assert_not_null(strstr(fault.text, "no text in UTF-8"), "%s", fault.text);
}

Test(roster, gradebook_of_canvas_and_worksheet_of_moodle_are_rosters)
{
    assert_students("Student,ID,SIS User ID,SIS Login ID,Section,Lab 1 (9)\n,,,,,Manual Posting\n"
                    "    Points Possible,,,,,10\n\"Lovelace, Ada\",17,s17,ada,A,\n",
                    1);
    cr_assert_str_eq(students.student[0].id, "17");
    cr_assert_not(students.has_times);
    roster_free(&students);
    assert_students("Identifier,Full name,Email address,Grade\nParticipant 4711,Ada Lovelace,ada@x.org,\n", 1);
    cr_assert_str_eq(students.student[0].id, "4711", "the form that download names use");
    roster_free(&students);
}

Test(roster, column_may_say_who_is_in_which_group)
{
    assert_students("id,name,Group\n17,Ada,Team A\n18,Grace,\n19,Kay,Team A\n17,Ada,Team B\n", 3);
    cr_assert_eq(students.members, 3u);
    bool several;
    const char *group = roster_find_group(&students, "teama", &several);
    cr_assert_str_eq(group, "Team A");
    cr_assert(roster_is_member(&students, &students.student[2], group));
    cr_assert_not(roster_is_member(&students, &students.student[1], group));
    cr_assert(roster_is_member(&students, &students.student[0], "Team B"));
    cr_assert_null(roster_find_group(&students, "", &several));
    roster_free(&students);
    assert_fault("id,group\n17,A\n17,A\n", "class.csv:3: the id 17 occurs twice");
    assert_fault("id,name,email,group\n17,Ada,a@x.org,A\n17,Grace,g@x.org,B\n",
                 "class.csv:3: the id 17 occurs twice, for Ada and for Grace");
    assert_fault("id,name,group\n17,Ada,A\n17,Grace,B\n", "class.csv:3: the id 17 occurs twice, for Ada and for Grace");
    assert_fault("id,name,email,group\n17,Ada,a@x.org,A\n17,Grace,,B\n",
                 "class.csv:3: the id 17 occurs twice, for Ada and for Grace");
    assert_fault("id,name,email,group\n17,Ada,a@x.org,A\n17,Ada L,a@x.org,B\n",
                 "class.csv:3: the id 17 occurs twice, for Ada and for Ada L");
    assert_fault("id,email,group\n17,a@x.org,A\n17,g@x.org,B\n",
                 "class.csv:3: the id 17 occurs twice, for a@x.org and for g@x.org");
    assert_students("id,name,email,group\n17,Ada,a@x.org,A\n17,ADA,ada@x.org,B\n", 1);
    roster_free(&students);
    assert_fault("id,group\n17,\n17,A\n", "class.csv:3: the id 17 occurs twice");
    assert_fault("id,group\n17,A\n17,\n", "class.csv:3: the id 17 occurs twice");
}

Test(roster, column_may_say_when_the_work_was_handed_in)
{
    assert_students("id,submitted\n17,2026-11-20 23:59\n18,\n", 2);
    cr_assert_str_eq(students.student[0].submitted, "2026-11-20 23:59");
    cr_assert(students.has_times);
    roster_free(&students);
}

static int64_t lateness(const char *status)
{
    char text[256];
    snprintf(text, sizeof text, "Identifier,Full name,Status,Grade\nParticipant 4711,Ada,\"%s\",\n", status);
    assert_students(text, 1);
    const int64_t seconds = students.student[0].late;
    cr_assert_eq(students.has_times, seconds > 0);
    roster_free(&students);
    return seconds;
}

Test(roster, status_in_moodles_worksheet_says_how_late_the_work_is)
{
    enum { HOUR = 3600, DAY = 24 * HOUR };
    cr_assert_eq(lateness("Submitted for grading"), 0);
    cr_assert_eq(lateness("Submitted for grading - 2 days 3 hours late"), 2 * DAY + 3 * HOUR);
    cr_assert_eq(lateness("Submitted for grading - Graded - 1 day late"), DAY);
    cr_assert_eq(lateness("Submitted for grading - 5 mins 1 sec late - Extension granted until: Friday"), 301);
    cr_assert_eq(lateness("No submission - Assignment is overdue by: 4 days 2 hours"), ROSTER_UNKNOWN);
    cr_assert_eq(lateness("Zur Bewertung abgegeben - 2 Tage"), ROSTER_UNKNOWN);
    cr_assert_eq(lateness(""), ROSTER_UNKNOWN);
}

Test(roster, lateness_by_status_costs_what_lateness_by_a_time_costs)
{
    static const course_lab lab = {.name = "lab01", .due = 1795215540, .penalty = 10, .most = 100, .grace = 15};
    assert_students("Identifier,Full name,Status\nParticipant 17,Ada,Submitted for grading - 1 day 2 hours late\n"
                    "Participant 18,Grace,Submitted for grading - 10 mins late\nParticipant 19,Kay,\n",
                    3);
    static const struct {
        const char *name;
        int days;
    } cases[] = {{"Ada", 2}, {"Grace", 0}, {"Kay", -1}};
    for (size_t i = 0; i < 3; i++) {
        const submission entry = {.name = (char *)cases[i].name, .attempt = 1, .attempts = 1};
        json_t *facts = student_facts_submission(&entry, &students, &lab, "UTC"),
               *late = json_object_get(facts, "late");
        if (cases[i].days < 0)
            cr_assert(json_is_null(late), "nothing is known");
        else
            cr_assert_eq(json_integer_value(json_object_get(late, "days")), cases[i].days, "%s", cases[i].name);
        json_decref(facts);
    }
    roster_free(&students);
}

static const char *found_id(submission entry)
{
    const roster_student *student = roster_find(&students, &entry);
    return student ? student->id : "nobody";
}

Test(roster, submission_is_found_by_id_mail_or_name)
{
    char id[] = "18", email[] = "ADA@x.org", canvas[] = "lovelaceada", plain[] = "ada lovelace", number[] = "17",
         other[] = "Grace", empty[] = "";
    assert_students("id,name,email\n17,Ada Lovelace,ada@x.org\n18,Grace,\n", 2);
    cr_assert_str_eq(found_id((submission){.name = other, .id = id}), "18");
    cr_assert_str_eq(found_id((submission){.name = empty, .email = email}), "17");
    cr_assert_str_eq(found_id((submission){.name = canvas}), "17", "as Canvas writes names");
    cr_assert_str_eq(found_id((submission){.name = plain}), "17");
    cr_assert_str_eq(found_id((submission){.name = number}), "17", "a folder named by the id");
    cr_assert_str_eq(found_id((submission){.name = empty}), "nobody", "empty names and mails match no student");
    roster_free(&students);
}

Test(roster, name_that_is_exactly_a_students_is_theirs_and_one_that_fits_several_is_nobodys)
{
    char first[] = "Kim Lee", second[] = "Lee Kim", canvas[] = "kimlee", hyphen[] = "Ann-Marie Wu",
         file[] = "annmarie wu", twin[] = "Jo Li", twins_id[] = "16";
    assert_students("id,name\n11,Kim Lee\n12,Lee Kim\n13,AnnMarie Wu\n14,Ann-Marie Wu\n15,Jo Li\n16,Jo Li\n", 6);
    cr_assert_str_eq(found_id((submission){.name = first}), "11");
    cr_assert_str_eq(found_id((submission){.name = second}), "12");
    cr_assert_str_eq(found_id((submission){.name = hyphen}), "14");
    cr_assert_str_eq(found_id((submission){.name = canvas}), "nobody", "of 11 and 12, in either order");
    cr_assert_str_eq(found_id((submission){.name = file}), "nobody", "of 13 and 14");
    cr_assert_str_eq(found_id((submission){.name = twin}), "nobody", "of 15 and 16");
    cr_assert_str_eq(found_id((submission){.name = twin, .id = twins_id}), "16");
    roster_free(&students);
}

Test(roster, name_with_a_mark_is_the_same_in_one_character_or_two)
{
    char mac[] = "Jose\u0301 Mu\u0308ller", other[] = "Jose Mu\u0308ller", canvas[] = "m\u00dcllerjos\u00c9",
         group[] = "Equipe E\u0301";
    bool several;
    assert_students("id,name,group\n11,Jos\u00e9 M\u00fcller,Equipe \u00c9\n", 1);
    cr_assert_str_eq(found_id((submission){.name = mac}), "11");
    cr_assert_str_eq(found_id((submission){.name = canvas}), "11");
    cr_assert_str_eq(found_id((submission){.name = other}), "nobody", "a mark makes another name");
    cr_assert_not_null(roster_find_group(&students, group, &several));
    roster_free(&students);
}

Test(roster, nearest_names_are_counted_in_characters)
{
    char wrong[] = "\u0418\u0432\u0430\u043d", far[] = "\u0410\u043b\u043b\u043e";
    const roster_student *near[3];
    assert_students("id,name\n11,\u0418\u0432\u0430\u043c\n12,\u0418\u0431\u0431\u0431\n", 2);
    cr_assert_eq(roster_nearest(near, 3, &students, &(submission){.name = wrong}), 1u,
                 "three of four letters differ, which share a byte each");
    cr_assert_str_eq(near[0]->id, "11");
    cr_assert_eq(roster_nearest(near, 3, &students, &(submission){.name = far}), 0u);
    roster_free(&students);
}

Test(roster, last_name_with_a_comma_may_stand_first)
{
    char brightspace[] = "Smith, Jr., Bob", plain[] = "Bob Smith, Jr.";
    assert_students("id,Last Name,First Name\n11,\"Smith, Jr.\",Bob\n", 1);
    cr_assert_str_eq(found_id((submission){.name = brightspace}), "11");
    cr_assert_str_eq(found_id((submission){.name = plain}), "11");
    roster_free(&students);
    assert_students("id,name\n11,\"Smith, Jr., Bob\"\n", 1);
    cr_assert_str_eq(found_id((submission){.name = plain}), "11");
    roster_free(&students);
}

Test(roster, columns_are_known_in_several_languages)
{
    static const char *const worksheets[] = {
        "ID,\"Vollst\u00e4ndiger Name\",E-Mail-Adresse,Status,Bewertung\nTeilnehmer/in4711,Ada Lovelace,ada@x.org,,\n",
        "Identifiant,\"Nom complet\",\"Adresse de courriel\",Statut,Note\nParticipant 4711,Ada Lovelace,ada@x.org,,\n",
        "Identificador,Nombre completo,Direcci\u00f3n de correo,Estado\nParticipante 4711,Ada Lovelace,ada@x.org,\n",
        "Identificador,\"Nome completo\",\"Endere\u00e7o de email\"\nParticipante4711,Ada Lovelace,ada@x.org\n",
        "Matrikelnummer;Vorname;Nachname;E-Mail-Adresse\n4711;Ada;Lovelace;ada@x.org\n",
    };
    for (size_t i = 0; i < sizeof worksheets / sizeof *worksheets; i++) {
        assert_students(worksheets[i], 1);
        cr_assert_str_eq(students.student[0].id, "4711", "%s", worksheets[i]);
        cr_assert_str_eq(students.student[0].name, "Ada Lovelace", "%s", worksheets[i]);
        cr_assert_str_eq(students.student[0].email, "ada@x.org", "%s", worksheets[i]);
        roster_free(&students);
    }
}

static bool parse_as(const char *columns, const char *text)
{
    const roster_reading how = {.columns = columns};
    return roster_parse(&students, &how, "class.csv", text, strlen(text), &fault);
}

static void assert_columns_fault(const char *columns, const char *sentence)
{
    cr_assert(!parse_as(columns, "Kennung,\"Name, voll\",Mail\n17,Ada,a@x.org\n"));
    cr_assert_not_null(strstr(fault.text, sentence), "%s", fault.text);
}

Test(roster, instructor_may_say_which_column_is_what)
{
    cr_assert(parse_as("id=Kennung,name=\"Name, voll\",e-mail=mail", "Kennung,\"Name, voll\",Mail\n17,Ada,a@x.org\n"),
              "%s", fault.text);
    cr_assert_str_eq(students.student[0].id, "17");
    cr_assert_str_eq(students.student[0].name, "Ada");
    roster_free(&students);
    assert_columns_fault("", "class.csv:1: the first row must name the columns, one of them \"id\" or \"name\"; it has "
                             "\"Kennung\", \"Name, voll\", \"Mail\". --columns");
    assert_columns_fault("id=Nummer", "--columns: class.csv has no column \"Nummer\"; it has \"Kennung\", ");
    assert_columns_fault("number=Kennung", "--columns: \"number\" is not one of id, login, github, name, first, ");
    assert_columns_fault("Kennung", "--columns: \"Kennung\" is not one of id, login");
}
