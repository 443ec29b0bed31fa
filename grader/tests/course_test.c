/* A course: its file, its times, and what lateness costs. */
#include "test.h"

#include <string.h>

#include "course/course.h"

static course settings;
static grader_fault fault;

static bool parse(const char *text) { return course_parse(&settings, "course.txt", text, strlen(text), &fault); }

static void assert_fault(const char *text, const char *sentence)
{
    cr_assert(!parse(text), "%s", text);
    cr_assert_str_eq(fault.text, sentence);
}

Test(course, labs_inherit_the_keys_before_them)
{
    cr_assert(parse("# autumn\nname = GPUs # 2026\ntime_zone = Europe/Berlin\npenalty = 10\r\ngrace = 15\n\n"
                    "[lab01]\ndue = 2026-11-20 23:59\nweight = 2.5\n[lab02]\npenalty = 0\nvisibility = "
                    "hidden\nattempts = best\n"),
              "%s", fault.text);
    cr_assert_str_eq(settings.name, "GPUs");
    cr_assert_eq(settings.labs, 2u);
    const course_lab *one = course_find(&settings, "lab01"), *two = course_find(&settings, "lab02");
    cr_assert_eq(one->weight, 2.5);
    cr_assert_eq(one->penalty, 10);
    cr_assert_eq(one->due, 1795215540, "22:59 in UTC: %lld", (long long)one->due);
    cr_assert_eq(one->visibility, COURSE_AFTER_DUE);
    cr_assert_eq(two->penalty, 0);
    cr_assert_eq(two->grace, 15);
    cr_assert_eq(two->visibility, COURSE_HIDDEN);
    cr_assert_eq(one->attempts, COURSE_LATEST);
    cr_assert_eq(two->attempts, COURSE_BEST);
    cr_assert_null(course_find(&settings, "lab03"));
}

Test(course, faults_name_file_line_and_key)
{
    assert_fault("name = x\nwieght = 2\n",
                 "course.txt:2: unknown key \"wieght\"; the keys are name, seed, seed_file and time_zone, and, for all "
                 "labs, attempts, due, grace, most, penalty, release, visibility and weight");
    assert_fault("[lab01]\nname = x\n", "course.txt:2: a lab has no key \"name\"; it has attempts, due, grace, most, "
                                        "penalty, release, visibility and weight");
    assert_fault("attempts = first\n", "course.txt:1: attempts: \"first\" is not latest or best");
    assert_fault("release = later\n",
                 "course.txt:1: release: \"later\" is not at_once, held or a time such as 2026-12-01 12:00");
    assert_fault("release = 2026-13-01 12:00\n",
                 "course.txt:1: release: \"2026-13-01 12:00\" is not a time such as 2026-11-20 23:59");
    assert_fault("seed = 0x12\n", "course.txt:1: seed: \"0x12\" is not a whole number from 0 to 18446744073709551615");
    assert_fault("seed = 18446744073709551616\n", "course.txt:1: seed: \"18446744073709551616\" is not a whole number "
                                                  "from 0 to 18446744073709551615");
    assert_fault("seed = 1\nseed_file = x\n", "course.txt: seed and seed_file cannot both be set");
    assert_fault("name =\n", "course.txt:1: name: a text of 1 to 127 bytes is needed");
    assert_fault("penalty = 1\ngrace = 2\npenalty = 3\n", "course.txt:3: penalty is set twice");
    assert_fault("[lab01]\ndue = 2026-11-20 23:59\ndue = 2026-11-21 23:59\n", "course.txt:3: due is set twice");
    assert_fault("due = 2026-11-20 23:59\ntime_zone = Europe/Berlin\n",
                 "course.txt:2: time_zone: it must stand before the first time");
    assert_fault("time_zone = Europe/Berlin\ndue = 2026-03-29 02:30\n",
                 "course.txt:2: due: \"2026-03-29 02:30\" is not a time in Europe/Berlin: the clocks there skip it");
    assert_fault("name = Gr\xFC\xDF\n", "course.txt: this is no text in UTF-8");
    assert_fault("\n[lab01]\ndue = 2026-02-30 10:00\n",
                 "course.txt:3: due: \"2026-02-30 10:00\" is not a time such as 2026-11-20 23:59");
    assert_fault("penalty = -1\n", "course.txt:1: penalty: \"-1\" is not a percentage from 0 to 100");
    assert_fault("penalty = 1e3\n", "course.txt:1: penalty: \"1e3\" is not a percentage from 0 to 100");
    assert_fault("weight =\n", "course.txt:1: weight: \"\" is not a number such as 1 or 2.5");
    assert_fault("time_zone = ../../etc/passwd\n",
                 "course.txt:1: time_zone: \"../../etc/passwd\" is not a time zone such as Europe/Berlin");
    assert_fault("visibility = all\n", "course.txt:1: visibility: \"all\" is not hidden, after_due or visible");
    assert_fault("[lab01]\n[lab01]\n", "course.txt:2: [lab01] occurs twice");
    assert_fault("[../lab]\n", "course.txt:1: \"../lab\" is not the name of a lab, such as lab01");
    assert_fault("[lab01\n", "course.txt:1: a lab is written [lab01]");
    assert_fault("hello\n", "course.txt:1: neither \"key = value\" nor [lab]");
}

static int64_t time_of(const char *text, const char *zone)
{
    int64_t seconds = -1;
    return course_time(&seconds, text, zone) ? seconds : -1;
}

Test(course, times_have_a_zone_of_their_own_or_the_courses)
{
    int64_t noon = time_of("2026-07-01 12:00", "UTC");
    cr_assert_eq(noon, 1782907200);
    cr_assert_eq(time_of("2026-07-01 14:00", "Europe/Berlin"), noon, "summer time");
    cr_assert_eq(time_of("2026-07-01 12:00:00.000000000 Z", "Europe/Berlin"), noon, "as Gradescope writes it");
    cr_assert_eq(time_of("2026-07-01T07:00:00-05:00", "UTC"), noon);
    cr_assert_eq(time_of("2026-07-01 17:30 +0530", "UTC"), noon);
    static const char *const wrong[] = {
        "2026-7", "yesterday", "2026-13-01 10:00", "2026-07-01 24:00", "2026-07-01 10:00 CET", "2026-07-01 10:00 +9900",
        ""};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        cr_assert_eq(time_of(wrong[i], "UTC"), -1, "%s", wrong[i]);
}

Test(course, time_that_a_clock_shows_twice_is_the_later_one_whatever_was_asked_before)
{
    static const char *const before[] = {"2026-01-01 00:00", "2026-07-01 00:00"};
    for (size_t i = 0; i < 2; i++) {
        time_of(before[i], "Europe/Berlin");
        cr_assert_eq(time_of("2026-10-25 02:30", "Europe/Berlin"), time_of("2026-10-25 01:30 Z", "UTC"), "%s",
                     before[i]);
        time_of(before[i], "America/New_York");
        cr_assert_eq(time_of("2026-11-01 01:30", "America/New_York"), time_of("2026-11-01 06:30 Z", "UTC"));
    }
    cr_assert_eq(time_of("2026-10-25 03:00", "Europe/Berlin"), time_of("2026-10-25 02:00 Z", "UTC"));
    cr_assert_eq(time_of("2026-03-29 02:30", "Europe/Berlin"), -1, "there is no such time");
}

Test(course, day_of_lateness_ends_at_the_due_time_of_day_also_when_the_clocks_change)
{
    static const struct {
        const char *due, *before, *after; /* half an hour around the end of the first day */
    } cases[] = {
        {"2026-10-24 20:00", "2026-10-25 19:30", "2026-10-25 20:30"},     /* of 25 hours */
        {"2026-03-28 20:00", "2026-03-29 19:30", "2026-03-29 20:30"},     /* of 23 hours */
        {"2026-03-28 02:30", "2026-03-29 03:15", "2026-03-29 03:45"},     /* which ends in the hour that is skipped */
        {"2026-10-24 02:30", "2026-10-25 01:15 Z", "2026-10-25 01:45 Z"}, /* which ends in the hour that comes twice */
        {"2026-12-31 20:00", "2027-01-01 19:30", "2027-01-01 20:30"},
    };
    static const char zone[] = "Europe/Berlin";
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const course_lab lab = {.due = time_of(cases[i].due, zone), .penalty = 10, .most = 100};
        cr_assert_eq(course_late(&lab, time_of(cases[i].before, zone), zone).days, 1, "due %s", cases[i].due);
        cr_assert_eq(course_late(&lab, time_of(cases[i].after, zone), zone).days, 2, "due %s", cases[i].due);
    }
    const course_lab lab = {.due = time_of("2026-10-24 20:00", zone)};
    cr_assert_eq(course_late(&lab, time_of("2027-10-24 20:00", zone), zone).days, 365);
    cr_assert_eq(course_late(&lab, time_of("2026-10-25 19:30", zone), "UTC").days, 2);
    cr_assert_eq(course_late(&lab, INT64_MAX / 2, zone).days, 4000000, "a learning system may say anything");
}

Test(course, due_time_that_the_clocks_skip_or_repeat_is_told)
{
    cr_assert_not(parse("time_zone = Europe/Berlin\n[lab01]\ndue = 2026-03-29 02:30\n"));
    cr_assert_not_null(strstr(fault.text, "the clocks there skip it"), "%s", fault.text);
    cr_assert_not(parse("time_zone = Europe/Berlin\n[lab01]\ndue = 2026-10-25 02:30\n"));
    cr_assert_not_null(strstr(fault.text, "the clocks there show it twice; add the offset, such as +0100"), "%s",
                       fault.text);
    cr_assert(parse("time_zone = Europe/Berlin\n[lab01]\ndue = 2026-10-25 02:30 +0200\n"), "%s", fault.text);
    cr_assert_eq(course_find(&settings, "lab01")->due, time_of("2026-10-25 00:30 Z", "UTC"));
}

Test(course, lateness_begins_after_the_grace_and_ends_at_the_most)
{
    cr_assert(parse("penalty = 20\nmost = 50\ngrace = 10\n[lab01]\ndue = 2026-07-01 12:00\n[lab02]\n"), "%s",
              fault.text);
    const course_lab *lab = course_find(&settings, "lab01");
    int64_t due = lab->due;
    static const struct {
        int64_t after;
        int days;
        double percent;
    } cases[] = {{-5, 0, 0}, {0, 0, 0}, {600, 0, 0}, {601, 1, 20}, {86400, 1, 20}, {86401, 2, 40}, {864000, 10, 50}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        course_lateness late = course_late(lab, due + cases[i].after, "UTC");
        cr_assert_eq(late.days, cases[i].days, "%lld seconds: %d", (long long)cases[i].after, late.days);
        cr_assert_eq(late.percent, cases[i].percent);
    }
    cr_assert_eq(course_late(course_find(&settings, "lab02"), due, "UTC").days, 0, "no due time, never late");
}

Test(course, work_that_is_a_little_too_late_is_known_by_its_seconds)
{
    enum { MOST = 600 };
    static const char zone[] = "Europe/Berlin";
    const course_lab lab = {.due = time_of("2026-10-24 20:00", zone), .penalty = 10, .most = 20, .grace = 15};
    static const struct {
        const char *submitted;
        int over;
    } cases[] = {
        {"2026-10-24 19:59", 0},      {"2026-10-24 20:15:00", 0}, {"2026-10-24 20:15:01", 1},
        {"2026-10-24 20:25:00", 600}, {"2026-10-24 20:25:01", 0}, {"2026-10-25 20:00:00", 0},
        {"2026-10-25 20:02:10", 130}, {"2026-10-26 20:02:10", 0}, /* which costs no more than the day before */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int64_t over = course_seconds_over(&lab, time_of(cases[i].submitted, zone), zone, MOST);
        cr_assert_eq(over, cases[i].over, "%s: %lld", cases[i].submitted, (long long)over);
    }
}

Test(course, results_can_be_held_back_until_a_time)
{
    cr_assert(parse("time_zone = Europe/Berlin\nrelease = 2026-12-01 12:00\n[lab01]\n[lab02]\nrelease = at_once\n"),
              "%s", fault.text);
    cr_assert_eq(course_find(&settings, "lab01")->release, COURSE_HELD);
    cr_assert_eq(course_find(&settings, "lab01")->release_at, time_of("2026-12-01 11:00 Z", "UTC"));
    cr_assert_eq(course_find(&settings, "lab02")->release, COURSE_AT_ONCE);
    cr_assert_eq(course_find(&settings, "lab02")->release_at, 0);
    assert_fault("release = 2026-12-01 12:00\ntime_zone = Europe/Berlin\n",
                 "course.txt:2: time_zone: it must stand before the first time");
}
