/* Times that cannot be measured cost no points, and impossible times earn none. The lab is fixtures/timelab, graded by
 * labgrade. */
#include "test.h"

#include "toy_class.h"

static void begin_timelab(void)
{
    begin();
    char *labs = folder_path(root, "labs"), *lab = folder_path(labs, "timelab-first");
    char *timelab = absolute("grader/tests/fixtures/timelab");
    cr_assert_eq(symlink(timelab, lab), 0);
    free(labs);
    free(lab);
    free(timelab);
}

/* Submits a file whose toy_sum has this body. */
static void hand_in_sum(const char *name, const char *body)
{
    grader_fault fault;
    text_buffer text = {0};
    char *folder = folder_path(submissions, name), *path = folder_path(folder, "timelab.c");
    text_format(&text,
                "#include \"timelab.h\"\n"
                "lab_status toy_run(float *out, const float *in, int count)\n"
                "{ (void)out, (void)in, (void)count; return LAB_SUCCESS; }\n"
                "lab_status toy_sum(float *sum, const float *in, int count)\n"
                "{ *sum = 0; for (int k = 0; k < count; k++) *sum += in[k]; %s return LAB_SUCCESS; }\n",
                body);
    cr_assert_eq(mkdir(folder, 0700), 0);
    cr_assert(folder_write(path, text.text, text.length, &fault), "%s", fault.text);
    free(text.text);
    free(folder);
    free(path);
}

/* Grades all submissions. Returns the results in order of name. */
static json_t *grade(void)
{
    const char *const words[] = {"grade", "--lab", "timelab", "--submissions", submissions, "--out", out, NULL};
    assert_call("labgrade", words, 0, "of timelab in");
    return results();
}

static const json_t *submission_of(const json_t *class, const char *name)
{
    const json_t *list = json_object_get(class, "submissions"), *entry;
    size_t index;
    json_array_foreach(list, index, entry)
    {
        if (strcmp(result_string(json_object_get(entry, "submission"), "name"), name) == 0) return entry;
    }
    cr_assert(false, "no %s", name);
    return NULL;
}

static const json_t *check_of(const json_t *result, size_t index)
{
    return json_array_get(json_object_get(result, "checks"), index);
}

Test(measured, check_that_comes_after_a_failed_one_does_not_run)
{
    begin_timelab();
    hand_in_sum("wrong", "*sum += 1;");
    json_t *class = grade();
    const json_t *wrong = submission_of(class, "wrong");
    cr_assert_eq(result_integer(wrong, "points"), 0);
    cr_assert_str_eq(result_string(check_of(wrong, 1), "status"), "not run");
    cr_assert_str_eq(result_string(check_of(wrong, 1), "message"), "after \"The sum is right\", which failed");
    json_decref(class);
    end();
}

Test(measured, unmeasurable_times_are_left_out_of_the_score)
{
    begin_timelab();
    hand_in_sum("honest", "");
    hand_in_sum("slow", "if (in[0] == 0 && in[1] == 0) *sum = -7;");
    json_t *class = grade();
    const json_t *honest = submission_of(class, "honest"), *slow = submission_of(class, "slow");
    cr_assert_str_eq(result_string(honest, "verdict"), "not measured");
    cr_assert_str_eq(result_string(honest, "summary"),
                     "2 of 3 checks passed; \"It is fast on a GPU\" was not measured: this machine has no GPU");
    cr_assert_eq(result_integer(honest, "points"), 90);
    cr_assert_eq(result_integer(honest, "max_points"), 90, "all of what could be measured");
    cr_assert_str_eq(result_string(check_of(honest, 2), "status"), "not measured");
    cr_assert_str_eq(result_string(check_of(honest, 2), "kind"), "");
    cr_assert_eq(json_array_size(json_object_get(honest, "review")), 0u);
    cr_assert_str_eq(result_string(slow, "verdict"), "failed", "a failed check still counts as failed");
    cr_assert_eq(result_integer(slow, "points"), 60);
    cr_assert_eq(result_integer(slow, "max_points"), 90);
    json_decref(class);
    end();
}

Test(measured, unstable_times_cost_nothing_where_times_decide)
{
    begin_timelab();
    hand_in_sum("unsteady", "static int calls; if (in[0] == 0 && in[1] == 0) *sum = ++calls % 2 ? -5 : -50;");
    json_t *class = grade();
    const json_t *unsteady = submission_of(class, "unsteady");
    cr_assert_str_eq(result_string(unsteady, "verdict"), "not measured");
    cr_assert_str_eq(result_string(check_of(unsteady, 1), "message"), "the times are unstable");
    cr_assert_eq(result_integer(unsteady, "points"), 60);
    cr_assert_eq(result_integer(unsteady, "max_points"), 60);
    json_decref(class);
    end();
}

Test(measured, impossible_time_earns_nothing_and_is_left_to_a_person)
{
    begin_timelab();
    hand_in_sum("hostile", "if (in[0] == 0 && in[1] == 0) *sum = -1e-6f;");
    hand_in_sum("honest", "");
    json_t *class = grade();
    const json_t *hostile = submission_of(class, "hostile"), *check = check_of(hostile, 1);
    cr_assert_str_eq(result_string(hostile, "verdict"), "not measured", "no accusation");
    cr_assert_str_eq(result_string(check, "status"), "not measured");
    cr_assert_str_eq(result_string(check, "kind"), "impossible time");
    cr_assert_eq(result_integer(check, "points"), 0);
    cr_assert_eq(result_integer(hostile, "points"), 60);
    cr_assert_eq(result_integer(hostile, "max_points"), 90, "the points stay open");
    const char *review = json_string_value(json_array_get(json_object_get(hostile, "review"), 0));
    cr_assert(review && strncmp(review, "It is fast: claimed: a sample took 1e-06 ms, and copying its 67108864 bytes",
                                75) == 0,
              "%s", review);
    const json_t *timing = json_array_get(json_object_get(hostile, "timings"), 0);
    cr_assert(json_is_true(json_object_get(timing, "impossible")));
    cr_assert_gt(json_number_value(json_object_get(timing, "bound_ms")), 1e-6);
    timing = json_array_get(json_object_get(hostile, "timings"), 1);
    cr_assert(json_is_false(json_object_get(timing, "impossible")), "without bytes there is no bound");
    timing = json_array_get(json_object_get(submission_of(class, "honest"), "timings"), 0);
    cr_assert(json_is_false(json_object_get(timing, "impossible")));
    json_decref(class);
    end();
}

/* What a file could win at most: it would fail with the sanitizers. */
Test(measured, points_alone_take_no_sanitizers_and_one_sample)
{
    begin_timelab();
    hand_in_sum("odd", "\n#ifdef __SANITIZE_ADDRESS__\n*sum += 1;\n#endif\n");
    char *source = folder_path(submissions, "odd/timelab.c"), *path = folder_path(out, "result.json");
    assert_call("labcheck", WORDS("--lab", "timelab", "--source", source, "--out", out), 1,
                "toy_sum found a wrong sum");
    assert_call("labcheck", WORDS("--lab", "timelab", "--source", source, "--out", out, "--points-only", "--quiet"), 1,
                "");
    json_t *result = json_load_file(path, 0, NULL);
    cr_assert_eq(result_integer(result, "points"), 90);
    const json_t *timing = json_array_get(json_object_get(result, "timings"), 0);
    cr_assert_eq(result_integer(timing, "samples"), 1);
    json_decref(result);
    free(source);
    free(path);
    end();
}
