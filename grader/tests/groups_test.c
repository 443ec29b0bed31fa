/* A group's work is graded once, and the result goes to each member. */
#include "test.h"

#include "toy_class.h"

/* Grace alone submits a wrong answer in time. Then Ada, Grace and Kay together submit a right one, two days late. */
static void hand_in_as_a_group(void)
{
    hand_in("submission_1", "wrong");
    hand_in("submission_2", "right");
    free(put("submissions/submission_metadata.yml",
             "submission_1:\n  :submitters:\n  - :name: Grace\n    :sid: '18'\n  :created_at: 2026-11-20 10:00:00.0 Z\n"
             "submission_2:\n  :submitters:\n  - :name: Ada\n    :sid: '17'\n  - :name: Grace\n    :sid: '18'\n"
             "  - :name: Kay\n    :sid: '19'\n  :created_at: 2026-11-22 10:00:00.0 Z\n"));
}

/* The results of Ada, Grace and Kay under a course's file. */
static json_t *grade_group(const char *settings)
{
    char *course = put("course.txt", settings), *path = folder_path(out, "toylab/results.json");
    assert_call("labgrade", WORDS("grade", "--course", course, "--submissions", submissions, "--out", out), 0,
                "3 submissions of toylab");
    json_t *class = json_load_file(path, 0, NULL), *list = json_incref(json_object_get(class, "submissions"));
    cr_assert_eq(json_array_size(list), 3u);
    json_decref(class);
    free(course);
    free(path);
    return list;
}

static const json_t *field_of(const json_t *list, size_t student, const char *field)
{
    return json_object_get(json_array_get(list, student), field);
}

/* The results come from one run: even the times are the same to the last digit. */
static bool is_same_run(const json_t *list, size_t student, size_t other)
{
    return json_equal(field_of(list, student, "checks"), field_of(list, other, "checks")) &&
           json_equal(field_of(list, student, "seconds"), field_of(list, other, "seconds"));
}

static double late_points(const json_t *list, size_t student)
{
    return json_number_value(json_object_get(field_of(list, student, "late"), "points"));
}

/* The attempt that counts for a student, and the group that submitted it. */
static const char *group_that_counts(const json_t *list, size_t student)
{
    const json_t *attempt;
    size_t index;
    json_array_foreach(field_of(list, student, "attempts"), index, attempt)
    {
        if (json_is_true(json_object_get(attempt, "counts"))) return result_string(attempt, "group");
    }
    return NULL;
}

static void assert_is_there(const char *name, bool there)
{
    char *path = folder_path(out, name);
    cr_assert_eq(access(path, F_OK) == 0, there, "%s", path);
    free(path);
}

Test(groups, submission_of_a_group_is_graded_once_and_counts_for_each_member)
{
    begin();
    hand_in_as_a_group();
    json_t *list = grade_group("[toylab]\npenalty = 20\ndue = 2026-11-21 00:00\n");
    for (size_t i = 0; i < 3; i++) {
        static const char *const names[] = {"Ada", "Grace", "Kay"}, *const folders[] = {"Ada", "Grace-2", "Kay"};
        const json_t *who = field_of(list, i, "submission");
        cr_assert_str_eq(result_string(who, "name"), names[i]);
        cr_assert_str_eq(result_string(who, "directory"), folders[i]);
        cr_assert_eq(late_points(list, i), 60.0, "two days of twenty percent, as the group's submission was late");
        cr_assert_str_eq(group_that_counts(list, i), "submission_2");
        cr_assert(is_same_run(list, 0, i));
    }
    cr_assert_eq(json_array_size(field_of(list, 1, "attempts")), 2u);
    assert_is_there("toylab/Kay/source/toylab.c", true);
    assert_is_there("toylab/Kay/build.log", true);
    assert_is_there("toylab/Kay/result.json", true);
    assert_query("SELECT COUNT(*) FROM result", "3");
    json_decref(list);
    list = grade_group("[toylab]\npenalty = 20\ndue = 2026-11-21 00:00\n");
    assert_query("SELECT COUNT(*) FROM result", "3");
    json_decref(list);
    end();
}

Test(groups, best_attempt_of_a_member_is_their_own_or_the_groups)
{
    begin();
    hand_in_as_a_group();
    json_t *list = grade_group("attempts = best\npenalty = 30\n[toylab]\ndue = 2026-11-21 00:00\n");
    cr_assert_str_eq(group_that_counts(list, 1), "submission_2", "40 of 100 are more than 30");
    json_decref(list);
    list = grade_group("attempts = best\npenalty = 40\n[toylab]\ndue = 2026-11-21 00:00\n");
    cr_assert_str_eq(group_that_counts(list, 1), "", "30 of 100 are more than 20");
    cr_assert_eq(late_points(list, 1), 30.0);
    cr_assert_eq(late_points(list, 0), 20.0);
    cr_assert_str_eq(group_that_counts(list, 0), "submission_2");
    json_decref(list);
    end();
}

Test(groups, regrade_of_a_groups_member_is_one_of_the_group)
{
    begin();
    hand_in_as_a_group();
    json_decref(grade_group("[toylab]\n"));
    assert_call("labgrade", WORDS("regrade", "--student", "Kay", "--out", out), 0, "3 submissions of toylab");
    assert_query("SELECT COUNT(*) FROM result", "6");
    char *path = folder_path(out, "toylab/results.json");
    json_t *class = json_load_file(path, 0, NULL);
    cr_assert(is_same_run(json_object_get(class, "submissions"), 0, 2));
    json_decref(class);
    free(path);
    end();
}

Test(groups, member_who_is_new_to_a_group_gets_its_result)
{
    begin();
    hand_in_as_a_group();
    json_t *before = grade_group("[toylab]\n");
    char *kay = folder_path(out, "toylab/Kay");
    folder_remove(kay);
    json_t *after = grade_group("[toylab]\n");
    cr_assert(json_equal(before, after), "Kay's folder was made again, but nothing was run");
    assert_is_there("toylab/Kay/build.log", true);
    json_decref(before);
    json_decref(after);
    free(kay);
    end();
}

Test(groups, grades_from_before_groups_are_continued)
{
    begin();
    hand_in("ada", "right");
    assert_call("labgrade", WORDS(GRADE), 0, "1 submission of toylab");
    change("DROP TABLE adjustment; ALTER TABLE job DROP COLUMN group_name; PRAGMA user_version = 1");
    assert_call("labgrade", WORDS("list", "--student", "ada", "--out", out), 0, "passed");
    assert_call("labgrade", WORDS(GRADE), 0, "1 kept as they were");
    assert_query("PRAGMA user_version", "3");
    end();
}
