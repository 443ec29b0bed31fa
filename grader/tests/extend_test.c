/* A due time of a student's or a group's own: lateness follows it without another grading. */
#include "test.h"

#include "adjusted_class.h"

static char *roster, *course, *flat;

/* ada hands in two days late, in group Team with grace, who hands in nothing herself; bob is on time. */
static void late_class(const char *settings)
{
    begin();
    hand_in("ada", "right");
    hand_in("bob", "right");
    hand_in("cid", "wrong");
    roster = put("class.csv", "id,name,section,group,submitted\nada,Ada,A,Team,2026-11-22 12:00\n"
                              "bob,Bob,A,,2026-11-20 11:00\ncid,Cid,B,,2026-11-24 12:00\n"
                              "dan,Dan,B,Team,\n");
    text_buffer text = {0};
    text_format(&text, "time_zone = Europe/Berlin\n[toylab]\ndue = 2026-11-20 12:00\npenalty = 10\n%s", settings);
    course = put("course.txt", text.text);
    free(text.text);
    assert_call("labgrade", WORDS(GRADE, "--roster", roster, "--course", course), 0, "3 submissions");
    flat = out;
}

static void end_late_class(void)
{
    free(roster);
    free(course);
    end();
}

static void assert_late(const char *name, int days, double score)
{
    out = folder_path(flat, "toylab");
    json_t *all = results(), *entry = entry_of(all, name);
    cr_assert_eq(result_integer(json_object_get(entry, "late"), "days"), days, "%s: %d days", name,
                 result_integer(json_object_get(entry, "late"), "days"));
    cr_assert_float_eq(json_number_value(json_object_get(entry, "score")), score, 1e-9, "%s has %g", name,
                       json_number_value(json_object_get(entry, "score")));
    json_decref(all);
    free(out);
    out = flat;
}

Test(extend, lateness_counts_from_the_students_own_due_time)
{
    late_class("");
    assert_late("ada", 2, 80);
    assert_late("cid", 4, 18);
    assert_adjust(ADJUST("--student", "ada", "--due", "2026-11-21 12:00", "--why", "ill", "--who", "ann"), 0,
                  "80 of 100 -> 90 of 100");
    assert_late("ada", 1, 90);
    assert_adjust(ADJUST("--student", "ada", "--due", "2027-03-28 02:30", "--why", "ill"), 2,
                  "due \"2027-03-28 02:30\": the clocks of Europe/Berlin skip this time");
    assert_adjust(ADJUST("--student", "ada", "--due", "2027-10-31 02:30", "--why", "ill"), 2,
                  "the clocks of Europe/Berlin show this time twice; add the offset, such as +0100");
    assert_adjust(ADJUST("--student", "ada", "--due", "2026-11-22 12:00", "--why", "still ill"), 0,
                  "90 of 100 -> 100 of 100");
    assert_late("ada", 0, 100);
    assert_late("cid", 4, 18);
    assert_adjust(ADJUST("--list"), 0, "ada: due 2026-11-22 12:00 Europe/Berlin");
    assert_call("labgrade", WORDS("regrade", "--out", out), 0, "3 submissions");
    assert_late("ada", 0, 100);
    assert_call("labgrade", WORDS(GRADE, "--roster", roster, "--course", course), 0, "3 kept as they were");
    assert_late("ada", 0, 100);
    out = folder_path(flat, "toylab");
    json_t *all = results();
    cr_assert_str_eq(result_string(json_object_get(entry_of(all, "ada"), "adjusted"), "due"), "2026-11-22T11:00:00Z");
    json_decref(all);
    free(out);
    out = flat;
    assert_adjust(ADJUST("--revoke", "2", "--why", "a mistake"), 0, "is revoked");
    assert_late("ada", 1, 90);
    end_late_class();
}

Test(extend, group_and_section_stand_for_their_members)
{
    late_class("");
    assert_adjust(ADJUST("--group", "Team", "--due", "2026-11-23 12:00", "--why", "their machine broke"), 0,
                  "Dan: not handed in -> 0 of 100");
    assert_late("ada", 0, 100);
    assert_adjust(ADJUST("--section", "B", "--due", "2026-11-25 12:00", "--why", "a holiday"), 0,
                  "cid: 18 of 100 -> 30 of 100");
    assert_query("SELECT COUNT(*) FROM adjustment", "4");
    assert_adjust(ADJUST("--group", "Taem", "--due", "2026-11-23 12:00", "--why", "x"), 2,
                  "toylab has nobody in group \"Taem\"");
    assert_adjust(ADJUST("--group", "Team", "--student", "ada", "--resubmission", "--why", "x"), 2,
                  "a student, a group or a section");
    end_late_class();
}

Test(extend, table_can_name_due_times)
{
    late_class("");
    char *table = put("due.csv", "student,due,comment,why\ncid,2026-11-24 12:00,Get well.,ill\n");
    assert_adjust(ADJUST("--csv", table), 0, "18 of 100 -> 30 of 100");
    assert_late("cid", 0, 30);
    free(table);
    end_late_class();
}

Test(extend, time_that_cannot_be_is_refused)
{
    late_class("");
    assert_adjust(ADJUST("--student", "ada", "--due", "2026-11-20 12:00", "--why", "x"), 2,
                  "that is not after the due time, 2026-11-20 12:00 Europe/Berlin");
    assert_adjust(ADJUST("--student", "ada", "--due", "tomorrow", "--why", "x"), 2,
                  "due \"tomorrow\": a time such as 2026-11-27 23:59 is needed");
    end_late_class();
    graded_class();
    assert_adjust(ADJUST("--student", "ada", "--due", "2026-11-27 12:00", "--why", "x"), 2, "toylab has no due time");
    end();
}
