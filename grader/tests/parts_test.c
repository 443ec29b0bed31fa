/* A grading in parts: planned, done by several machines, merged. */
#include "test.h"

#include "plan/outcome.h"
#include "plan/plan.h"
#include "toy_class.h"

#define PLAN "plan", "--lab", "toylab", "--submissions", submissions, "--seed", "7", "--out"

static json_t *lasting_results(const char *folder)
{
    char *path = folder_path(folder, "results.json");
    json_t *json = json_load_file(path, 0, NULL);
    cr_assert_not_null(json, "%s", path);
    free(path);
    forget_times(json);
    return json;
}

static void do_part(const char *folder, const char *part)
{
    assert_call("labgrade", WORDS("work", "--out", folder, "--part", part), 0, "part ");
}

Test(parts, merged_parts_are_the_results_of_one_machine)
{
    begin_class();
    char *alone = folder_path(root, "alone");
    assert_call("labgrade",
                WORDS("grade", "--lab", "toylab", "--submissions", submissions, "--seed", "7", "--out", alone), 0,
                "3 submissions of toylab");
    assert_call("labgrade", WORDS(PLAN, out), 0, "3 submissions to grade");
    do_part(out, "2/2");
    assert_call("labgrade", WORDS("merge", out), 3, "1 submissions have no result yet");
    do_part(out, "1/2");
    assert_call("labgrade", WORDS("merge", out), 0, "3 submissions of toylab");
    json_t *one = lasting_results(alone), *parts = lasting_results(out);
    cr_assert(json_equal(one, parts));
    assert_call("labgrade", WORDS("diff", alone, out), 0, "0 of 3 submissions differ");
    assert_call("labgrade", WORDS(PLAN, out), 0, "0 submissions to grade");
    json_decref(one);
    json_decref(parts);
    free(alone);
    end();
}

Test(parts, work_and_merge_again_change_nothing)
{
    begin_class();
    assert_call("labgrade", WORDS(PLAN, out), 0, "3 submissions to grade");
    do_part(out, "1/3");
    assert_call("labgrade", WORDS("work", "--out", out, "--part", "1/3"), 0, "0 submissions to grade");
    assert_call("labgrade", WORDS("merge", out), 3, "2 submissions have no result yet");
    assert_call("labgrade", WORDS("merge", out), 3, "2 submissions have no result yet");
    assert_call("labgrade", WORDS("status", "--out", out, "--parts", "3"), 0, "2-3\n");
    assert_query("SELECT COUNT(*) FROM result", "1");
    do_part(out, "1/1");
    assert_call("labgrade", WORDS("merge", out), 0, "3 submissions of toylab");
    assert_call("labgrade", WORDS("merge", out), 0, "nothing is left to merge");
    assert_query("SELECT COUNT(*) FROM result", "3");
    end();
}

/* ---- several GPUs ------------------------------------------------------------------------------------------------ */

static size_t graded_on(const char *device)
{
    char *path = folder_path(out, "results.json");
    json_t *results = json_load_file(path, 0, NULL), *result;
    size_t index, count = 0;
    json_array_foreach(json_object_get(results, "submissions"), index, result)
    {
        const json_t *name = json_object_get(json_object_get(result, "device"), "name");
        count += strcmp(json_string_value(name), device) == 0;
    }
    json_decref(results);
    free(path);
    return count;
}

Test(parts, each_gpu_has_a_process_that_sees_no_other_and_does_its_share)
{
    begin_class();
    hand_in("hopper", "right");
    assert_call("labgrade", WORDS(PLAN, out), 0, "4 submissions to grade");
    assert_call("labgrade", WORDS("work", "--out", out, "--part", "1/1", "--gpus", "5,MIG-a"), 0, "part 2 of 2, 2 ");
    assert_call("labgrade", WORDS("merge", out), 0, "4 submissions of toylab");
    cr_assert_eq(graded_on("toy device 5"), 2);
    cr_assert_eq(graded_on("toy device MIG-a"), 2);
    end();
}

Test(parts, share_of_a_gpu_is_of_the_part_alone)
{
    begin_class();
    hand_in("hopper", "right");
    assert_call("labgrade", WORDS(PLAN, out), 0, "4 submissions to grade");
    assert_call("labgrade", WORDS("work", "--out", out, "--part", "2/2", "--gpus", "0,1"), 0, "part 3 of 4, 1 ");
    assert_call("labgrade", WORDS("status", "--out", out, "--parts", "2"), 0, "1\n");
    end();
}

Test(parts, list_of_gpus_that_is_wrong_is_refused_and_says_how)
{
    begin_class();
    assert_call("labgrade", WORDS(PLAN, out), 0, "3 submissions to grade");
    assert_call("labgrade", WORDS("work", "--out", out, "--part", "1/1", "--gpus", "0,,1"), 2, "such as 0,1,2,3");
    assert_call("labgrade", WORDS("work", "--out", out, "--part", "1/1", "--gpus", "1,0,1"), 2, "GPU 1 twice");
    end();
}

/* ---- machines without a common file system ----------------------------------------------------------------------- */

Test(parts, folders_planned_apart_are_joined)
{
    begin_class();
    char *other = folder_path(root, "other");
    assert_call("labgrade", WORDS(PLAN, out), 0, "3 submissions to grade");
    assert_call("labgrade", WORDS(PLAN, other), 0, "3 submissions to grade");
    do_part(out, "1/2");
    do_part(other, "2/2");
    assert_call("labgrade", WORDS("merge", out, other), 0, "3 submissions of toylab");
    char *there = folder_path(other, "+plan");
    cr_assert_eq(access(there, F_OK), 0, "the other folder is left as it was");
    free(there);
    free(other);
    end();
}

Test(parts, folder_that_was_merged_by_itself_is_refused_and_says_how_to_go_on)
{
    begin_class();
    char *other = folder_path(root, "other"), *nothing = folder_path(root, "nothing"),
         *rest = text_make("labgrade work --out %s --part 1/1", out);
    assert_call("labgrade", WORDS(PLAN, out), 0, "3 submissions to grade");
    assert_call("labgrade", WORDS(PLAN, other), 0, "3 submissions to grade");
    do_part(out, "1/2");
    do_part(other, "1/1");
    assert_call("labgrade", WORDS("merge", other), 0, "3 submissions of toylab");
    assert_call("labgrade", WORDS("merge", out, other), 2, "was merged into the results there, and is gone");
    assert_call("labgrade", WORDS("merge", out, other), 2, rest);
    assert_call("labgrade", WORDS("merge", out, nothing), 2, "there is no plan in ");
    assert_call("labgrade", WORDS("merge", out, submissions), 2, "there is no plan in ");
    do_part(out, "1/1");
    assert_call("labgrade", WORDS("merge", out), 0, "3 submissions of toylab");
    free(rest);
    free(nothing);
    free(other);
    end();
}

/* Plans the class in another folder with other words, and expects the merge to be refused for this reason. */
static void assert_refused(const char *const *words, const char *other, const char *why)
{
    assert_call("labgrade", words, 0, "submissions to grade");
    assert_call("labgrade", WORDS("merge", out, other), 2, why);
}

Test(parts, folder_with_another_seed_version_or_file_is_refused)
{
    begin_class();
    char *other = folder_path(root, "other");
    assert_call("labgrade", WORDS(PLAN, out), 0, "3 submissions to grade");
    assert_refused(WORDS("plan", "--lab", "toylab", "--submissions", submissions, "--seed", "8", "--out", other), other,
                   "toylab has another seed there");
    assert_refused(
        WORDS("plan", "--lab", "toylab", "--submissions", submissions, "--seed", "7", "--seconds", "5", "--out", other),
        other, "its checks have 5 s, these have 0 s");
    assert_refused(WORDS(PLAN, other, "--device", "cpu"), other, "it was planned for the device cpu");
    char *ada = folder_path(submissions, "ada");
    folder_remove(ada);
    hand_in("ada", "starter");
    assert_refused(WORDS(PLAN, other), other, "the submission of ada to toylab is another one there");
    free(ada);
    free(other);
    end();
}

/* Gives the checkout a lab of its own, and changes it. */
static void change_lab(void)
{
    char *lab = folder_path(root, "labs/toylab-first"), *more = folder_path(lab, "more.h");
    grader_fault fault;
    cr_assert_eq(unlink(lab), 0);
    mkdir(lab, 0700);
    cr_assert(folder_copy_files(TOY_FOLDER, ".c", lab, &fault) && folder_copy_files(TOY_FOLDER, ".h", lab, &fault),
              "%s", fault.text);
    cr_assert(folder_write(more, "", 0, &fault), "%s", fault.text);
    free(lab);
    free(more);
}

Test(parts, machine_with_another_version_or_device_does_no_part)
{
    begin_class();
    assert_call("labgrade", WORDS(PLAN, out, "--device", "cuda"), 0, "3 submissions to grade");
    assert_call("labgrade", WORDS("work", "--out", out, "--part", "1/1"), 2,
                "toylab was planned for the device cuda, and this machine has cpu");
    char *other = folder_path(root, "other");
    assert_call("labgrade", WORDS(PLAN, other), 0, "3 submissions to grade");
    change_lab();
    assert_call("labgrade", WORDS("work", "--out", other, "--part", "1/1"), 2, "toylab is not the version here");
    char *third = folder_path(root, "third"), *fourth = folder_path(root, "fourth");
    assert_call("labgrade", WORDS(PLAN, third), 0, "3 submissions to grade");
    assert_call("labgrade", WORDS("merge", third, other), 2, "toylab has another version there");
    free(other);
    free(third);
    free(fourth);
    end();
}

/* ---- outcomes ---------------------------------------------------------------------------------------------------- */

/* A plan with one submission, which no labgrade made. */
static void plan_one(work_plan *work, const char *folder)
{
    grader_fault fault;
    const content_key key = content_key_of("key", 3);
    json_t *job = json_pack("{s:s, s:s}", "lab", "toylab", "directory", "ada");
    cr_assert(plan_begin(work, folder, &fault), "%s", fault.text);
    cr_assert(plan_add(work, job, &key, "toylab.c", "int x;", 6, &fault), "%s", fault.text);
    cr_assert(plan_end(work, json_object(), &fault), "%s", fault.text);
    plan_close(work);
    cr_assert(plan_open(work, folder, &fault), "%s", fault.text);
}

static void publish(const work_plan *work, int points)
{
    char *folder;
    grader_fault fault;
    json_t *result = json_pack("{s:i}", "points", points);
    cr_assert(outcome_begin(&folder, work, 1, &fault), "%s", fault.text);
    cr_assert(outcome_publish(work, 1, folder, result, &fault), "%s", fault.text);
    cr_assert_neq(access(folder, F_OK), 0, "the folder was renamed or removed");
    json_decref(result);
    free(folder);
}

Test(parts, first_outcome_of_a_submission_counts)
{
    work_plan work;
    begin();
    char *folder = folder_path(root, "plan");
    plan_one(&work, folder);
    cr_assert_eq(plan_number(&work, "toylab", "ada"), 1u);
    cr_assert_null(outcome_read(&work, 1));
    publish(&work, 10);
    publish(&work, 20);
    json_t *result = outcome_read(&work, 1);
    cr_assert_eq(result_integer(result, "points"), 10);
    json_decref(result);
    plan_close(&work);
    free(folder);
    end();
}

Test(parts, log_counts_what_began_whatever_the_clocks_say)
{
    work_plan work;
    grader_fault fault;
    begin();
    char *folder = folder_path(root, "plan");
    plan_one(&work, folder);
    static const char text[] = "2099-01-01T00:00:00Z n1 begins\n1970-01-01T00:00:00Z n2 begins\ncut";
    char *log = plan_path(&work, 1, "log");
    cr_assert(folder_write(log, text, strlen(text), &fault), "%s", fault.text);
    outcome_history history = outcome_look_back(&work, 1);
    cr_assert_eq(history.begun, 2);
    cr_assert_str_eq(history.node, "n2");
    cr_assert_not(history.done);
    plan_close(&work);
    free(log);
    free(folder);
    end();
}

Test(parts, parts_cover_every_submission_once)
{
    work_plan work = {.jobs = json_array()};
    for (int i = 0; i < 10; i++) json_array_append_new(work.jobs, json_array());
    for (size_t parts = 1; parts <= 13; parts++) {
        size_t next = 1;
        for (size_t part = 1; part <= parts; part++) {
            size_t first, last;
            plan_range(&first, &last, &work, part, parts);
            cr_assert_eq(first, next, "part %zu of %zu", part, parts);
            next = last + 1;
        }
        cr_assert_eq(next, 11u);
    }
    plan_close(&work);
}

/* Leaves half an outcome for the first submission, as a file server that failed might. */
static void damage_first_outcome(void)
{
    grader_fault fault;
    char *result = folder_path(out, "+plan/000001/result"), *outcome = folder_path(result, "outcome.json");
    mkdir(result, 0700);
    cr_assert(folder_write(outcome, "{\"key\": ", 8, &fault), "%s", fault.text);
    free(result);
    free(outcome);
}

Test(parts, outcome_that_is_not_whole_is_put_aside_and_graded_again)
{
    begin_class();
    assert_call("labgrade", WORDS(PLAN, out), 0, "3 submissions to grade");
    damage_first_outcome();
    do_part(out, "1/1");
    assert_call("labgrade", WORDS("merge", out), 3, "+plan/000001 was not whole: put aside");
    do_part(out, "1/1");
    assert_call("labgrade", WORDS("merge", out), 0, "1 passed, 1 wrong result, 1 build error");
    end();
}

Test(parts, result_that_is_written_and_not_seen_is_late)
{
    work_plan work;
    grader_fault fault;
    begin_class();
    assert_call("labgrade", WORDS(PLAN, out), 0, "3 submissions to grade");
    char *place = plan_place(out);
    cr_assert(plan_open(&work, place, &fault), "%s", fault.text);
    outcome_note(&work, 2, "n1", "begins");
    outcome_note(&work, 2, "n1", "done");
    outcome_note(&work, 3, "n2", "begins");
    assert_call("labgrade", WORDS("status", "--out", out, "--parts", "3"), 0, "1-3\n1 results are late\n");
    assert_call("labgrade", WORDS("status", "--out", out), 0,
                "0 of 3 submissions done, in parts\n     1 graded on n1\n     1 begun on n2\n");
    plan_close(&work);
    free(place);
    end();
}

Test(parts, submissions_that_nobody_could_grade_become_grader_faults)
{
    begin_class();
    assert_call("labgrade", WORDS(PLAN, out), 0, "3 submissions to grade");
    do_part(out, "1/3");
    assert_call("labgrade", WORDS("merge", out, "--give-up"), 0, "2 grader fault");
    assert_call("labgrade", WORDS("status", "--out", out), 0, "zuse: not graded: no node began it");
    assert_call("labgrade", WORDS(PLAN, out), 0, "2 submissions to grade");
    end();
}

/* ---- words ------------------------------------------------------------------------------------------------------- */

Test(parts, submission_of_a_group_is_graded_once)
{
    begin();
    hand_in("submission_1", "wrong");
    hand_in("submission_2", "right");
    free(put("submissions/submission_metadata.yml",
             "submission_1:\n  :submitters:\n  - :name: Kay\n    :sid: '19'\n  - :name: Joan\n    :sid: '20'\n"
             "submission_2:\n  :submitters:\n  - :name: Ada\n    :sid: '17'\n  - :name: Grace\n    :sid: '18'\n"));
    assert_call("labgrade", WORDS(PLAN, out), 0, "2 submissions to grade");
    do_part(out, "1/1");
    assert_call("labgrade", WORDS("merge", out), 0, "2 passed, 2 wrong result");
    end();
}

Test(parts, unfinished_parts_are_not_graded_otherwise)
{
    begin_class();
    assert_call("labgrade", WORDS(PLAN, out), 0, "3 submissions to grade");
    assert_call("labgrade", WORDS("resume", "--out", out), 2, "is graded in parts: labgrade work --out");
    assert_call("labgrade", WORDS("regrade", "--out", out), 2, "is graded in parts: labgrade work --out");
    assert_call("labgrade", WORDS("work", "--out", out, "--part", "4/3"), 2, "--part 4/3: a part such as 3/40");
    assert_call("labgrade", WORDS("work", "--out", out), 2, "a part such as 3/40 is needed");
    do_part(out, "1/3");
    assert_call("labgrade", WORDS(PLAN, out), 0, "2 submissions to grade");
    assert_call("labgrade", WORDS("merge"), 2, "merge needs a folder of results");
    end();
}
