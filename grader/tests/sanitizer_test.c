/* The program with the sanitizers: each mistake in memory fails the check that meets it, with its sentence and its
 * line, and none of the file's own settings turns that off. */
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/subprocess.h"
#include "base/text.h"
#include "judge/job.h"
#include "sandbox_fixture.h"
#include "toy.h"

/* A submission to the toy lab. */
typedef struct answer {
    lab_parts parts;
    grading_result result;
    char *folder;
} answer;

#define HEAD "#include \"toylab.h\"\n#include <stdlib.h>\n#include <string.h>\n"
#define RUN                                                                                                            \
    "lab_status toy_run(float *out, const float *in, int count)\n"                                                     \
    "{ for (int i = 0; i < count; i++) out[i] = 3 * in[i] + (float)i; return LAB_SUCCESS; }\n"
#define SUM "*sum = 0;\n    for (int i = 0; i < count; i++) *sum += in[i];\n    return LAB_SUCCESS;\n}\n"
#define SUM_HEAD "lab_status toy_sum(float *sum, const float *in, int count)\n{\n"

/* Grades a file that consists of HEAD, `before`, the right toy_run and a toy_sum that begins with `body`. `compiler` is
 * a path, NULL for the usual one. */
static answer grade_by(const char *compiler, const sandbox *box, const char *before, const char *body)
{
    const lab_parts_places places = {.root = ".", .build = toy_build(), .name = "toylab", .folder = TOY_FOLDER};
    answer made = {0};
    grader_fault fault;
    cr_assert(lab_parts_open(&made.parts, &places, &fault), "%s (make builds the toy lab before the tests)",
              fault.text);
    cr_assert(folder_make_private(&made.folder, "sanitizer-test", &fault), "%s", fault.text);
    if (compiler) {
        free(made.parts.compiler);
        made.parts.compiler = strdup(compiler);
    }
    char *text = text_make("%s%s%s%s%s%s", HEAD, before, SUM_HEAD, body, SUM, RUN);
    char *path = folder_path(made.folder, "toylab.c");
    cr_assert(folder_write(path, text, strlen(text), &fault), "%s", fault.text);
    const grading_job job = {.parts = &made.parts,
                             .source = path,
                             .submission = "ada",
                             .out = made.folder,
                             .out_name = "",
                             .seed = 7,
                             .seconds = 20,
                             .sandbox = box};
    job_run(&made.result, &job);
    free(path);
    free(text);
    return made;
}

static answer grade(const sandbox *box, const char *before, const char *body)
{
    return grade_by(NULL, box, before, body);
}

static void release(answer *made)
{
    result_free(&made->result);
    lab_parts_close(&made->parts);
    folder_remove(made->folder);
    free(made->folder);
}

static const json_t *sum_check(const answer *made) { return json_array_get(made->result.checks, 1); }

static void assert_message(const answer *made, const char *message, int line)
{
    const json_t *check = sum_check(made);
    const char *found = result_string(check, "message");
    cr_assert_str_eq(result_verdict_name(made->result.verdict), "crash", "%s", made->result.summary);
    cr_assert_str_eq(result_string(check, "kind"), "crash");
    cr_assert_not_null(strstr(found, message), "no \"%s\" in: %s", message, found);
    cr_assert_eq(result_integer(json_object_get(check, "location"), "line"), line, "%s", found);
    cr_assert_eq(made->result.points, 70, "%d points", made->result.points);
}

static void assert_found(const char *before, const char *body, const char *message, int line)
{
    answer made = grade(NULL, before, body);
    assert_message(&made, message, line);
    release(&made);
}

#define LOCAL "    float copy[4] = {in[0]};\n"

Test(sanitizer, loop_past_a_local_array)
{
    assert_found("static float all(const float *a, int n)\n{\n    float s = 0;\n    for (int i = 0; i < n; i++)\n"
                 "        s += a[i];\n    return s;\n}\n",
                 LOCAL "    if (all(copy, count) == 2) return LAB_ERROR_UNKNOWN;\n",
                 "in all at toylab.c:8, a read of 4 bytes goes past the end of `copy` (16 bytes, line 13)", 8);
}

Test(sanitizer, index_past_a_local_array)
{
    assert_found("", LOCAL "    copy[count] = 3;\n    if (copy[1] > 2) return LAB_ERROR_UNKNOWN;\n",
                 "in toy_sum at toylab.c:7, index 1000 out of bounds for type 'float", 7);
}

Test(sanitizer, write_before_allocated_memory)
{
    assert_found("", "    volatile float *copy = malloc(40);\n    copy[-1] = in[0];\n    free((void *)copy);\n",
                 "in toy_sum at toylab.c:7, a write of 4 bytes goes before the beginning of 40 bytes allocated at "
                 "toylab.c:6",
                 7);
}

Test(sanitizer, loop_past_a_static_array)
{
    assert_found("static float table[8];\n",
                 "    float *volatile copy = table;\n    for (int i = 0; i <= 8; i++) copy[i] = in[i];\n",
                 "a write of 4 bytes goes past the end of `table` (32 bytes)", 8);
}

Test(sanitizer, read_of_freed_memory)
{
    assert_found("",
                 "    float *volatile copy = malloc(40);\n    copy[0] = in[0];\n    free(copy);\n"
                 "    if (copy[0] == 2) return LAB_ERROR_UNKNOWN;\n",
                 "a read of 4 bytes is in memory that was freed at toylab.c:8", 9);
}

Test(sanitizer, memory_freed_twice)
{
    assert_found("", "    float *volatile copy = malloc(40);\n    free(copy);\n    free(copy);\n",
                 "in toy_sum at toylab.c:8, free gets memory that was freed already at toylab.c:7", 8);
}

Test(sanitizer, pointer_to_a_local_of_a_function_that_has_returned)
{
    assert_found("__attribute__((noinline)) static float *first(float x)\n{\n    float mine = x;\n"
                 "    float *volatile kept = &mine;\n    return kept;\n}\n",
                 "    if (*first(in[0]) == 2) return LAB_ERROR_UNKNOWN;\n",
                 "in toy_sum at toylab.c:12, a read of 4 bytes is in `mine` (4 bytes, line 6), a local variable of a "
                 "function that has returned",
                 12);
}

Test(sanitizer, copy_that_the_library_makes_from_too_short_an_array)
{
    assert_found("", LOCAL "    memcpy(sum, copy, 4 * (size_t)count);\n", "goes past the end of `copy`", 7);
}

Test(sanitizer, write_past_an_array_that_the_check_gave)
{
    assert_found("", "    sum[1] = 0;\n",
                 "in toy_sum at toylab.c:6, a write of 4 bytes is outside of the arrays that the function got", 6);
}

Test(sanitizer, signed_overflow)
{
    assert_found("", "    int index = count * 3000000;\n    if (index == 7) return LAB_ERROR_UNKNOWN;\n",
                 "in toy_sum at toylab.c:6, signed integer overflow: 1000 * 3000000 cannot be represented", 6);
}

/* The file may say what it likes: its names are hidden, and it is not asked. */
Test(sanitizer, own_settings_change_nothing)
{
    assert_found("const char *__asan_default_options(void);\n"
                 "const char *__asan_default_options(void) { return \"halt_on_error=0:log_path=/dev/null\"; }\n"
                 "void __asan_on_error(void);\nvoid __asan_on_error(void) { exit(0); }\n"
                 "void *calloc(size_t n, size_t b) { (void)n; (void)b; return 0; }\n",
                 LOCAL "    copy[count] = 3;\n    if (copy[1] > 2) return LAB_ERROR_UNKNOWN;\n",
                 "index 1000 out of bounds", 12);
}

Test(sanitizer, finding_in_the_sandbox_has_its_line_too)
{
    fixture f;
    if (!begin(&f)) return;
    if (geteuid() != 0) f.box.room_bytes = 0; /* only root may mount in a process that has threads, as Criterion's */
    answer made =
        grade(&f.box, "", "    volatile float *copy = malloc(40);\n    free((void *)copy);\n    copy[0] = 2;\n");
    assert_message(&made, "in toy_sum at toylab.c:8, a write of 4 bytes is in memory that was freed at toylab.c:7", 8);
    release(&made);
    end(&f);
}

static void assert_passes(const char *before, const char *body)
{
    answer made = grade(NULL, before, body);
    cr_assert_eq(made.result.points, 100, "%s: %s", made.result.summary, result_string(sum_check(&made), "message"));
    release(&made);
}

/* Not for C's letter, but no compiler here makes anything else of it. */
Test(sanitizer, habits_that_harm_nobody_are_left_alone)
{
    assert_passes("", "    volatile int bit = 31, top = 1 << bit;\n    memcpy(sum, NULL, (size_t)(count - 1000));\n"
                      "    float none[count - 1000];\n    (void)none, (void)top;\n"
                      "    for (const float *at = in + count; at-- > in;) *sum = *at;\n");
}

Test(sanitizer, memory_that_is_never_freed_is_no_finding)
{
    assert_passes("", "    float *volatile copy = malloc(40);\n    copy[0] = 1;\n    copy = NULL;\n");
}

/* A check that measures runs the plain program: its times are not the sanitizer's. The toy lab's first check measures,
 * its second does not. */
Test(sanitizer, is_not_in_measured_runs)
{
    answer made = grade(NULL,
                        "#include <unistd.h>\n#ifdef __SANITIZE_ADDRESS__\n#define BUILT \"sanitized\"\n#else\n"
                        "#define BUILT \"plain\"\n#endif\n__attribute__((constructor)) static void tell(void)\n"
                        "{ if (write(1, BUILT, strlen(BUILT)) < 0) abort(); }\n",
                        "    if (strcmp(BUILT, \"sanitized\") != 0) return LAB_ERROR_UNKNOWN;\n");
    cr_assert_eq(made.result.points, 100, "%s", made.result.summary);
    cr_assert_str_eq(made.result.output, "plain", "the output of the first check");
    release(&made);
}

/* A program that cannot start with the sanitizers runs without. */
Test(sanitizer, plain_program_stands_in_where_the_other_does_not_start)
{
    assert_passes("#ifdef __SANITIZE_ADDRESS__\n"
                  "__attribute__((constructor)) static void fail(void) { abort(); }\n#endif\n",
                  LOCAL "    if (copy[0] == 2) return LAB_ERROR_UNKNOWN;\n");
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

Test(sanitizer, function_in_which_a_mistake_shows_has_the_line_that_called_it)
{
    answer made = grade(NULL, "static float second(const float *a)\n{\n    return a[4];\n}\n",
                        LOCAL "    if (second(copy) == 2) return LAB_ERROR_UNKNOWN;\n");
    const json_t *location = json_object_get(sum_check(&made), "location");
    cr_assert_eq(result_integer(location, "line"), 6);
    cr_assert_eq(result_integer(location, "called_at"), 11);
    release(&made);
}

static void assert_way(const char *compiler)
{
    answer made = grade_by(compiler, NULL, "static int half(int n)\n{\n    return n > 2 ? n / 2 : 0;\n}\n",
                           "    for (int i = 0; half(i) < 3; i++)\n        *sum = 1;\n    if (*sum > 1)\n"
                           "        return LAB_ERROR_UNKNOWN;\n    while (*sum < 4)\n        *sum += half(count);\n"
                           "    if (*sum > 3)\n        return LAB_SUCCESS;\n");
    const json_t *check = sum_check(&made), *location = json_object_get(check, "location");
    const json_t *after = json_object_get(location, "after");
    char *told = json_dumps(location, JSON_COMPACT);
    cr_assert_str_eq(result_string(check, "kind"), "wrong result", "%s", made.result.summary);
    cr_assert_str_eq(result_string(location, "function"), "toy_sum", "%s", told);
    const json_int_t before = json_integer_value(json_array_get(after, 1));
    cr_assert(before >= 14 && before <= 17, "the last of its statements are in lines 14 to 17: %s", told);
    free(told);
    release(&made);
}

/* A function that calls nothing of the library leaves no line in the record. */
Test(sanitizer, wrong_result_has_the_lines_at_which_the_function_was_last)
{
    char *clang = subprocess_find_program("clang");
    assert_way(NULL);
    assert_way(clang);
    free(clang);
}

/* ---- compilers --------------------------------------------------------------------------------------------------- */

Test(sanitizer, clang_finds_it_too)
{
    char *clang = subprocess_find_program("clang");
    cr_assert_not_null(clang, "clang is needed for kernels");
    answer made = grade_by(clang, NULL, "static float table[8];\n",
                           "    float *volatile copy = table;\n    for (int i = 0; i <= 8; i++) copy[i] = in[i];\n");
    assert_message(&made, "in toy_sum at toylab.c:8, a write of 4 bytes goes past the end of `table` (32 bytes)", 8);
    release(&made);
    made = grade_by(clang, NULL, "", LOCAL "    copy[count] = 3;\n    if (copy[1] > 2) return LAB_ERROR_UNKNOWN;\n");
    assert_message(&made, "in toy_sum at toylab.c:7, index 1000 out of bounds", 7);
    release(&made);
    made = grade_by(clang, NULL, "", "    float *volatile copy = malloc(40);\n    free(copy);\n    free(copy);\n");
    assert_message(&made, "in toy_sum at toylab.c:8, free gets memory that was freed already at toylab.c:7", 8);
    release(&made);
    free(clang);
}

/* Without libasan, a right answer has all points, and the build says what it could not do. */
Test(sanitizer, compiler_without_sanitizers_builds_the_plain_program_alone)
{
    static const char script[] = "#!/bin/sh\ncase \"$*\" in *-fsanitize=address*) echo no libasan; exit 1;; "
                                 "esac\nexec gcc \"$@\"\n";
    char *folder;
    grader_fault fault;
    cr_assert(folder_make_private(&folder, "sanitizer-test", &fault), "%s", fault.text);
    char *compiler = folder_path(folder, "cc");
    cr_assert(folder_write(compiler, script, strlen(script), &fault), "%s", fault.text);
    cr_assert_eq(chmod(compiler, 0700), 0);
    answer made = grade_by(compiler, NULL, "", "");
    cr_assert_eq(made.result.points, 100, "%s", made.result.summary);
    cr_assert_not_null(strstr(made.result.build_messages, "note: no second program could be built"), "%s",
                       made.result.build_messages);
    release(&made);
    folder_remove(folder);
    free(compiler);
    free(folder);
}
