/* A person's word about results: what it changes, what it outlives, what is refused. */
#include "test.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>

#include "adjusted_class.h"
#include "shell.h"

Test(adjust, points_count_beside_the_graders_own_and_say_who_and_why)
{
    graded_class();
    assert_adjust(ADJUST("--student", "grace", "--points", "80", "--why", "the task was ambiguous", "--who", "ann",
                         "--comment", "Well argued."),
                  0, "    1  toylab  grace: 30 of 100 -> 80 of 100");
    assert_score("grace", 80, 30);
    assert_score("ada", 100, 100);
    json_t *all = results(), *adjusted = json_object_get(entry_of(all, "grace"), "adjusted");
    const json_t *first = json_array_get(json_object_get(adjusted, "list"), 0);
    cr_assert_str_eq(result_string(first, "who"), "ann");
    cr_assert_str_eq(result_string(first, "why"), "the task was ambiguous");
    cr_assert_str_eq(result_string(first, "comment"), "Well argued.");
    cr_assert_str_eq(result_string(first, "what"), "80 of 100 points");
    cr_assert_null(json_object_get(entry_of(all, "ada"), "adjusted"));
    json_decref(all);
    assert_call("labgrade", WORDS("status", "--out", out), 0, "toylab grace: 80 of 100, adjusted by a person");
    end();
}

Test(adjust, word_of_a_person_outlives_regrades_and_gradings)
{
    graded_class();
    assert_adjust(ADJUST("--student", "grace", "--points", "+5", "--why", "style"), 0, "30 of 100 -> 35 of 100");
    assert_call("labgrade", WORDS("regrade", "--student", "grace", "--out", out), 0, "2 kept as they were");
    assert_score("grace", 35, 30);
    assert_call("labgrade", WORDS(GRADE), 0, "3 kept as they were");
    assert_score("grace", 35, 30);
    char *grace = folder_path(submissions, "grace");
    folder_remove(grace);
    hand_in("grace", "right");
    assert_call("labgrade", WORDS(GRADE), 0, "2 passed");
    assert_score("grace", 100, 100);
    free(grace);
    end();
}

Test(adjust, of_two_the_later_counts_and_a_revoked_one_stays_in_the_list)
{
    graded_class();
    assert_adjust(ADJUST("--student", "grace", "--points", "80", "--why", "first"), 0, "80 of 100");
    assert_adjust(ADJUST("--student", "grace", "--points", "60", "--why", "second"), 0, "80 of 100 -> 60 of 100");
    assert_adjust(ADJUST("--student", "grace", "--points", "+5", "--why", "third"), 0, "60 of 100 -> 65 of 100");
    assert_adjust(ADJUST("--revoke", "2", "--why", "a mistake", "--who", "bob"), 0, "adjustment 2 is revoked");
    assert_score("grace", 85, 30);
    assert_adjust(ADJUST("--list"), 0, "grace: 60 of 100 points");
    assert_adjust(ADJUST("--list", "--student", "grace"), 0, "(bob: a mistake)");
    assert_adjust(ADJUST("--list", "--student", "ada"), 0, "nothing is adjusted");
    assert_adjust(ADJUST("--revoke", "2", "--why", "again"), 2, "does not exist or is revoked already");
    assert_adjust(ADJUST("--revoke", "9", "--why", "no such"), 2, "adjustment 9 does not exist");
    end();
}

Test(adjust, points_of_a_check_take_the_place_of_its_own)
{
    graded_class();
    assert_adjust(
        ADJUST("--student", "grace", "--check", "every_element_is_right", "--points", "10", "--why", "half right"), 0,
        "30 of 100 -> 40 of 100");
    assert_adjust(ADJUST("--student", "grace", "--check", "every_element_is_right", "--points", "20", "--why", "more"),
                  0, "40 of 100 -> 50 of 100");
    assert_adjust(
        ADJUST("--student", "grace", "--check", "every_element_is_right", "--points", "99", "--why", "too many"), 2,
        "--beyond allows more than there are");
    assert_adjust(ADJUST("--student", "grace", "--check", "every_element_is_rihgt", "--points", "9", "--why", "typing"),
                  2, "toylab has no check \"every_element_is_rihgt\" (nearest: every_element_is_right)");
    assert_score("grace", 50, 30);
    end();
}

Test(adjust, verdict_set_aside_excuse_and_resubmission_are_kept)
{
    graded_class();
    assert_adjust(
        ADJUST("--student", "zuse", "--points", "60", "--set-aside", "--resubmission", "--why", "our compiler"), 0,
        "0 of 100 -> 60 of 100");
    assert_adjust(ADJUST("--student", "ada", "--excused", "--why", "ill"), 0, "100 of 100 -> excused");
    json_t *all = results(), *zuse = json_object_get(entry_of(all, "zuse"), "adjusted");
    cr_assert(json_is_true(json_object_get(zuse, "set_aside")) && json_is_true(json_object_get(zuse, "resubmission")));
    cr_assert_str_eq(result_string(entry_of(all, "zuse"), "verdict"), "build error");
    cr_assert(json_is_null(json_object_get(entry_of(all, "ada"), "score")));
    json_decref(all);
    assert_adjust(ADJUST("--student", "ada", "--points", "90", "--why", "came after all"), 0, "excused -> 90 of 100");
    end();
}

Test(adjust, what_cannot_be_is_refused_and_changes_nothing)
{
    graded_class();
    assert_adjust(ADJUST("--student", "grase", "--points", "80", "--why", "x"), 2,
                  "toylab has no student \"grase\" (nearest: grace)");
    assert_adjust(ADJUST("--student", "grace", "--points", "80"), 2, "why is needed");
    assert_adjust(ADJUST("--student", "grace", "--why", "x"), 2, "nothing is adjusted");
    assert_adjust(ADJUST("--student", "grace", "--points", "many", "--why", "x"), 2, "points \"many\": a number");
    assert_adjust(ADJUST("--student", "grace", "--points", "101", "--why", "x"), 2, "would have 101 of 100 points");
    assert_adjust(ADJUST("--student", "grace", "--points", "-31", "--why", "x"), 2, "would have -1 points");
    assert_adjust(ADJUST("--student", "grace", "--lab", "lab01", "--points", "1", "--why", "x"), 2,
                  "lab01 was not graded in ");
    assert_adjust(ADJUST("--student", "grace", "--set-aside", "--why", "x"), 2, "needs the points that take its place");
    assert_adjust(ADJUST("--student", "grace", "--waive-lateness", "--why", "x"), 2, "nothing to waive");
    assert_adjust(ADJUST("--student", "grace", "--seed", "1"), 2, "labgrade: there is no option --seed");
    assert_query("SELECT COUNT(*) FROM adjustment", "0");
    assert_adjust(ADJUST("--student", "grace", "--points", "110", "--beyond", "--why", "a bonus"), 0, "-> 110 of 100");
    end();
}

Test(adjust, table_is_taken_whole_or_not_at_all)
{
    graded_class();
    char *bad = put("bad.csv", "student;points;comment;why\ngrace;+7,5;\"Good; careful.\";oral\nadda;10;;typing\n"
                               "zuse;;;\n");
    assert_adjust(ADJUST("--csv", bad), 2, "bad.csv:3: toylab has no student \"adda\" (nearest: ada)");
    assert_adjust(ADJUST("--csv", bad), 2, "bad.csv:4: why is needed");
    assert_adjust(ADJUST("--csv", bad), 2, "2 of 3 rows cannot be taken: nothing is adjusted");
    assert_query("SELECT COUNT(*) FROM adjustment", "0");
    assert_score("grace", 30, 30);
    char *unquoted = put("unquoted.csv", "student,comment\nada,good, but late\n");
    assert_adjust(ADJUST("--csv", unquoted, "--why", "x"), 2, "unquoted.csv:2: 3 cells below 2 columns");
    char *latin = put("latin.csv", "student;comment\nada;gr\xFC\xDF dich\n");
    assert_adjust(ADJUST("--csv", latin, "--why", "x"), 2, "latin.csv:2: this is no text in UTF-8");
    assert_query("SELECT COUNT(*) FROM adjustment", "0");
    char *good = put("good.csv", "student;points;comment;why\ngrace;+7,5;\"Good; careful.\";oral\nada;excused;;\n");
    assert_adjust(ADJUST("--csv", good, "--why", "oral exams"), 0, "100 of 100 -> excused");
    assert_score("grace", 37.5, 30);
    char *wrong = put("wrong.csv", "student,pionts\nada,3\n");
    assert_adjust(ADJUST("--csv", wrong, "--why", "x"), 2, "wrong.csv:1: column \"pionts\": the columns are");
    free(bad);
    free(unquoted);
    free(latin);
    free(good);
    free(wrong);
    end();
}

Test(adjust, student_who_handed_nothing_in_can_have_points_and_keeps_them_with_a_late_submission)
{
    begin();
    hand_in("ada", "right");
    char *roster = put("class.csv", "id,name\nada,Ada\n18,Grace Hopper\n");
    assert_call("labgrade", WORDS(GRADE, "--roster", roster), 0, "1 submission");
    assert_adjust(ADJUST("--student", "Grace Hopper", "--points", "40", "--why", "by e-mail"), 0,
                  "Grace Hopper: not handed in -> 40 of 100");
    json_t *all = results();
    const json_t *absent = json_array_get(json_object_get(all, "not_handed_in"), 0);
    cr_assert_eq(result_integer(absent, "score"), 40);
    cr_assert_eq(result_integer(absent, "full_points"), 100);
    json_decref(all);
    hand_in("18", "wrong");
    assert_call("labgrade", WORDS(GRADE, "--roster", roster), 0, "2 submissions");
    assert_score("18", 40, 30);
    free(roster);
    end();
}

Test(adjust, waived_lateness_costs_nothing_and_says_so)
{
    begin();
    hand_in("ada", "right");
    char *roster = put("class.csv", "id,submitted\nada,2026-11-22 12:00\n");
    char *course = put("course.txt", "[toylab]\ndue = 2026-11-20 12:00\npenalty = 10\n");
    assert_call("labgrade", WORDS(GRADE, "--roster", roster, "--course", course), 0, "1 submission");
    char *flat = out;
    assert_adjust(ADJUST("--student", "ada", "--waive-lateness", "--why", "ill"), 0, "80 of 100 -> 100 of 100");
    out = folder_path(out, "toylab");
    json_t *all = results(), *ada = entry_of(all, "ada");
    cr_assert_eq(result_integer(json_object_get(ada, "late"), "days"), 2);
    cr_assert(json_is_true(json_object_get(json_object_get(ada, "adjusted"), "lateness_waived")));
    json_decref(all);
    free(out);
    out = flat;
    free(roster);
    free(course);
    end();
}

Test(adjust, grading_under_way_is_not_disturbed)
{
    graded_class();
    char *path = folder_path(out, "grades.lock");
    int lock = open(path, O_RDWR | O_CLOEXEC);
    cr_assert(lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0);
    assert_adjust(ADJUST("--student", "grace", "--points", "80", "--why", "x"), 2, "another grader is at work in ");
    assert_adjust(ADJUST("--list"), 0, "nothing is adjusted");
    close(lock);
    change("UPDATE grading SET ended = NULL");
    assert_adjust(ADJUST("--student", "grace", "--points", "80", "--why", "x"), 2,
                  "the last grading of toylab was cut short: continue it first");
    free(path);
    end();
}

/* As on a full disk: grades.db takes the word, and there is no room for results.json. */
Test(adjust, word_that_is_kept_without_its_file_is_told_and_resume_writes_the_file)
{
    graded_class();
    char *path = folder_path(out, "results.json");
    cr_assert(unlink(path) == 0 && mkdir(path, 0700) == 0);
    assert_adjust(ADJUST("--student", "grace", "--points", "80", "--why", "x"), 2,
                  "the adjustment is kept, but pages and exports have it only after labgrade resume");
    cr_assert_eq(rmdir(path), 0);
    assert_call("labgrade", WORDS("resume", "--out", out), 0, "3 submissions of toylab");
    assert_score("grace", 80, 30);
    free(path);
    end();
}

/* As after an update: nothing of an ended grading is left to grade, so only its file is written. */
Test(adjust, resume_writes_the_file_of_an_ended_grading_also_when_the_lab_has_changed)
{
    graded_class();
    char *path = folder_path(out, "results.json");
    cr_assert(unlink(path) == 0 && mkdir(path, 0700) == 0);
    assert_adjust(ADJUST("--student", "grace", "--points", "80", "--why", "x"), 2, "the adjustment is kept");
    cr_assert_eq(rmdir(path), 0);
    change("UPDATE lab SET kit = zeroblob(length(kit))");
    assert_call("labgrade", WORDS("resume", "--out", out), 0, "3 submissions of toylab");
    assert_score("grace", 80, 30);
    change("UPDATE grading SET ended = NULL");
    assert_call("labgrade", WORDS("resume", "--out", out), 2, "toylab has changed since that grading began");
    free(path);
    end();
}

/* An archive, a backup: nobody can write there, root neither. The folder's name is one that an address would cut. */
Test(adjust, folder_that_cannot_be_written_is_read)
{
    graded_class();
    assert_adjust(ADJUST("--student", "grace", "--points", "80", "--why", "x"), 0, "-> 80 of 100");
    char *command = text_make("cd '%s' && mv out 'a?b#c%%41' && for ask in 'adjust --list' status list 'diff 1 1'; do "
                              "bwrap --ro-bind / / --dev /dev '%s/bin/labgrade' $ask --out 'a?b#c%%41' || exit; done",
                              root, toy_build());
    char *said = shell(command, 0);
    assert_says(said, "grace: 80 of 100 points");
    assert_says(said, "3 submissions");
    assert_says(said, "0 of 3 submissions differ");
    free(said);
    free(command);
    end();
}

Test(adjust, grades_of_an_older_labgrade_can_be_read_and_adjusted)
{
    graded_class();
    change("DROP TABLE adjustment; PRAGMA user_version = 2");
    assert_adjust(ADJUST("--list"), 0, "nothing is adjusted");
    assert_call("labgrade", WORDS("status", "--out", out), 0, "3 submissions");
    assert_adjust(ADJUST("--student", "grace", "--points", "80", "--why", "x"), 0, "-> 80 of 100");
    end();
}
