/* Proving a lab: which checks run on a starter, a solution and a wrong answer, and what the output says. The lab is the
 * toy lab, whose check every_element_is_right measures times. The tests write its wrong answers, which note each call
 * in a file. */
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/folder.h"
#include "base/text.h"
#include "toy.h"
#include "prove/verify.h"

typedef struct toy_proof {
    lab_parts parts;
    char *folder; /* takes the place of the lab's folder, with wrong/, and of the build folder, with toylab/wrong/ */
    char *called; /* the file in which wrong answers note their calls */
    char *said;
    verify_row row;
    verify_counts counts;
} toy_proof;

static void replace(char **text, const char *replacement)
{
    free(*text);
    *text = strdup(replacement);
}

static toy_proof prepare(void)
{
    toy_proof toy = {0};
    grader_fault fault;
    const lab_parts_places places = {.root = ".", .build = toy_build(), .name = "toylab", .folder = TOY_FOLDER};
    cr_assert(lab_parts_open(&toy.parts, &places, &fault), "%s (make builds the toy lab before the tests)", fault.text);
    cr_assert(folder_make_private(&toy.folder, "verify-test", &fault), "%s", fault.text);
    toy.called = folder_path(toy.folder, "called");
    char *wrong = folder_path(toy.folder, "wrong"), *applied = folder_path(toy.folder, "toylab/wrong");
    cr_assert_eq(mkdir(wrong, 0700), 0);
    cr_assert(folder_make(applied, &fault), "%s", fault.text);
    cr_assert(folder_copy_files(TOY_FOLDER, ".h", toy.folder, &fault), "%s", fault.text);
    replace(&toy.parts.folder, toy.folder);
    replace(&toy.parts.starter, TOY_FOLDER "/class/starter/toylab.c");
    replace(&toy.parts.solution, TOY_FOLDER "/class/right/toylab.c");
    free(wrong);
    free(applied);
    return toy;
}

static void write_file(const toy_proof *toy, const char *folder, const char *name, const char *text)
{
    grader_fault fault;
    text_buffer path = {0};
    text_format(&path, "%s/%s/%s", toy->folder, folder, name);
    cr_assert(folder_write(path.text, text, strlen(text), &fault), "%s", fault.text);
    free(path.text);
}

/* Writes NAME.patch with this heading, and the file that make builds from it. Its functions only note their calls, "r"
 * and "s". */
static void write_wrong_with(const toy_proof *toy, const char *name, const char *heading, const char *statement)
{
    text_buffer patch = {0}, applied = {0}, text = {0};
    text_format(&patch, "%s.patch", name);
    text_format(&applied, "%s.c", name);
    text_format(
        &text,
        "#include \"toylab.h\"\n#include <stdio.h>\n"
        "static void note(char word) { FILE *out = fopen(\"%s\", \"a\"); if (out) fputc(word, out), fclose(out); }\n"
        "lab_status toy_run(float *out, const float *in, int count)\n"
        "{ (void)out, (void)in, (void)count; note('r'); return LAB_SUCCESS; }\n"
        "lab_status toy_sum(float *sum, const float *in, int count)\n"
        "{ (void)in, (void)count; *sum = -1; %s note('s'); return LAB_SUCCESS; }\n",
        toy->called, statement);
    write_file(toy, "wrong", patch.text, heading);
    write_file(toy, "toylab/wrong", applied.text, text.text);
    free(patch.text);
    free(applied.text);
    free(text.text);
}

static void write_wrong(const toy_proof *toy, const char *name, const char *heading)
{
    write_wrong_with(toy, name, heading, "");
}

static void prove_as(toy_proof *toy, verify_options options)
{
    size_t bytes;
    grader_fault fault;
    FILE *out = open_memstream(&toy->said, &bytes);
    options.build = toy->folder;
    options.seed = 7;
    options.out = out;
    cr_assert(verify_lab(&toy->row, &toy->counts, &toy->parts, &options, &fault), "%s", fault.text);
    fclose(out);
}

static void prove(toy_proof *toy) { prove_as(toy, (verify_options){0}); }

static void assert_called(const toy_proof *toy, const char *calls)
{
    char *text = NULL;
    size_t bytes;
    grader_fault fault;
    folder_read(&text, &bytes, toy->called, 1 << 10, &fault);
    cr_assert_str_eq(text ? text : "nothing", calls);
    free(text);
}

static void assert_said(const toy_proof *toy, const char *words)
{
    cr_assert_not_null(strstr(toy->said, words), "no \"%s\" in:\n%s", words, toy->said);
}

static void release(toy_proof *toy)
{
    lab_parts_close(&toy->parts);
    folder_remove(toy->folder);
    free(toy->folder);
    free(toy->called);
    free(toy->said);
}

Test(verify, wrong_answer_meets_the_check_that_it_names_alone)
{
    toy_proof toy = prepare();
    write_wrong(&toy, "no_sum", "Rejected by: the_sum_is_right");
    prove(&toy);
    cr_assert_eq(toy.row.wrong_rejected, 1);
    assert_said(&toy, "ok     wrong    no_sum                        the_sum_is_right\n");
    assert_called(&toy, "s");
    release(&toy);
}

Test(verify, wrong_answer_may_name_a_part_of_the_cause_that_the_check_must_tell)
{
    toy_proof toy = prepare();
    write_wrong(&toy, "a_run", "Rejected by: every_element_is_right\nCause: never wrote to out\n");
    write_wrong(&toy, "b_run", "Rejected by: every_element_is_right\nCause: only the last digits\n");
    prove(&toy);
    cr_assert_eq(toy.row.wrong_rejected, 1, "%s", toy.said);
    assert_said(&toy, "ok     wrong    a_run                         every_element_is_right\n");
    assert_said(&toy, "FAILED wrong    b_run                         every_element_is_right does NOT tell the cause: "
                      "\"toy_run never wrote to out\"\n");
    release(&toy);
}

Test(verify, wrong_answer_that_compiles_with_a_warning_is_a_failure)
{
    toy_proof toy = prepare();
    write_wrong_with(&toy, "no_sum", "Rejected by: the_sum_is_right", "int left;");
    prove(&toy);
    cr_assert_eq(toy.row.wrong_rejected, 0);
    assert_said(&toy, "FAILED wrong    no_sum                        the_sum_is_right; compiles with a warning: "
                      "toylab.c:7:");
    release(&toy);
}

Test(verify, the_turns_of_the_wrong_answers_are_all_of_them)
{
    for (unsigned turn = 1; turn <= 3; turn++) {
        toy_proof toy = prepare();
        const char *const names[] = {"a_sum", "b_sum", "c_run", "d_sum"};
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            write_wrong(&toy, names[i],
                        i == 2 ? "Rejected by: every_element_is_right" : "Rejected by: the_sum_is_right");
        prove_as(&toy, (verify_options){.turn = turn, .turns = 3});
        cr_assert_eq(toy.row.wrong, turn == 1 ? 2 : 1, "%s", toy.said);
        cr_assert_eq(toy.row.wrong_rejected, toy.row.wrong, "%s", toy.said);
        assert_called(&toy, turn == 1 ? "ss" : turn == 2 ? "s" : "r");
        release(&toy);
    }
}

Test(verify, all_checks_can_be_asked_for)
{
    toy_proof toy = prepare();
    write_wrong(&toy, "no_sum", "Rejected by: the_sum_is_right");
    prove_as(&toy, (verify_options){.all_checks = true});
    assert_said(&toy, "every_element_is_right (also fails: the_sum_is_right, the_second_call_is_right_too)\n");
    assert_said(&toy, "the_sum_is_right (also fails: every_element_is_right, the_second_call_is_right_too)\n");
    assert_called(&toy, "rsr");
    release(&toy);
}

Test(verify, check_that_measures_is_run_where_a_wrong_answer_names_it)
{
    toy_proof toy = prepare();
    write_wrong(&toy, "no_run", "Rejected by: every_element_is_right");
    prove(&toy);
    cr_assert_eq(toy.row.wrong_rejected, 1, "%s", toy.said);
    assert_called(&toy, "r");
    release(&toy);
}

Test(verify, wrong_answer_that_names_no_check_of_the_lab_is_a_failure)
{
    toy_proof toy = prepare();
    write_wrong(&toy, "no_run", "Rejected by: nobody");
    prove(&toy);
    cr_assert_eq(toy.row.wrong_rejected, 0);
    assert_said(&toy,
                "FAILED wrong    no_run                        nobody does NOT reject it: there is no such check\n");
    release(&toy);
}

Test(verify, patch_that_is_not_applied_is_a_failure_and_the_others_go_on)
{
    toy_proof toy = prepare();
    write_file(&toy, "wrong", "a_lost_one.patch", "Rejected by: the_sum_is_right");
    write_wrong(&toy, "no_sum", "Rejected by: the_sum_is_right");
    prove(&toy);
    cr_assert_eq(toy.row.wrong, 2);
    cr_assert_eq(toy.row.wrong_rejected, 1);
    assert_said(&toy,
                "FAILED wrong    a_lost_one                    is not applied to the solution: make verify applies");
    assert_called(&toy, "s");
    release(&toy);
}

Test(verify, wrong_answer_that_is_a_whole_file_is_a_failure)
{
    toy_proof toy = prepare();
    write_file(&toy, "wrong", "whole.c", "/* Rejected by: the_sum_is_right */");
    prove(&toy);
    cr_assert_eq(toy.row.wrong_rejected, 0);
    assert_said(&toy, "FAILED wrong    whole.c                       is not a patch against the solution\n");
    release(&toy);
}

Test(verify, starter_runs_to_the_first_failure_without_measuring_checks)
{
    toy_proof toy = prepare();
    prove(&toy);
    cr_assert(toy.row.starter_fails, "%s", toy.said);
    assert_said(&toy, "ok     starter  toylab.c                      the_sum_is_right\n");
    release(&toy);
}

Test(verify, starter_that_only_a_measuring_check_would_fail_is_a_failure)
{
    toy_proof toy = prepare();
    replace(&toy.parts.starter, TOY_FOLDER "/class/right/toylab.c");
    prove(&toy);
    cr_assert_not(toy.row.starter_fails);
    assert_said(&toy, "FAILED starter  toylab.c                      does NOT fail: ");
    release(&toy);
}

Test(verify, solution_is_measured_and_hollow_files_get_no_point)
{
    toy_proof toy = prepare();
    prove(&toy);
    cr_assert(toy.row.solution_passes);
    assert_said(&toy, "ok     solution toylab.c                      passed, 100 of 100 points\n");
    cr_assert_eq(toy.row.hollow_rejected, 2);
    release(&toy);
}
