/* A graded run checks kernels as a student's own run does, in a process where a hostile kernel harms its own check
 * alone. The tests grade lab 07, one check at a time. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "base/folder.h"
#include "base/text.h"
#include "shell.h"

static char *out;

static void begin(void)
{
    grader_fault fault;
    cr_assert(folder_make_private(&out, "graded-kernels-test", &fault), "%s", fault.text);
    if (system("unshare -U true 2>/dev/null") == 0) return;
    fprintf(stderr, "not run: this machine gives no user namespaces, so that there can be no sandbox\n");
#ifndef LAB_PLAIN_TESTS
    cr_skip_test("this machine gives no user namespaces");
#endif
    exit(0);
}

static void end(void)
{
    folder_remove(out);
    free(out);
}

/* The page about one check of the file lab07.c, which fails. */
static char *page_of(int check, const char *options)
{
    const char *build = getenv("BUILD") ? getenv("BUILD") : "build";
    char *command = text_make("%s/bin/labcheck --root . --build %s --lab lab07 --source %s/lab07.c --out %s --seed 7 "
                              "--one-check --check %d %s",
                              build, build, out, out, check, options);
    char *page = shell(command, 1);
    free(command);
    return page;
}

/* Makes lab07.c from the solution. */
static void edit(const char *script)
{
    char *command = text_make("sed '%s' solutions/lab07-kernels/lab07.c >%s/lab07.c", script, out);
    free(shell(command, 0));
    free(command);
}

Test(graded_kernels, a_missing_barrier_has_the_same_words_as_in_a_students_own_run)
{
    begin();
    edit("s/    if (threadIdx.x == 0) partial.blockIdx.x. = value/    float all = value[0];&/");
    char *own = page_of(3, ""), *graded = page_of(3, "--graded");
    assert_says(graded, "no __syncthreads()");
    cr_assert_str_eq(graded, own);
    free(own);
    free(graded);
    end();
}

/* Grades a kernel of lab 07 that begins with this line. */
static void assert_fails(const char *kernel, const char *says)
{
    begin();
    grader_fault fault;
    char *file = folder_path(out, "kernel"), *script = text_make("/Task 4: begin/r %s/kernel", out);
    cr_assert(folder_write(file, kernel, strlen(kernel), &fault), "%s", fault.text);
    edit(script);
    char *page = page_of(7, "--graded --seconds 5");
    assert_says(page, says);
    cr_assert_null(strstr(page, "not graded"), "%s", page);
    free(page);
    free(script);
    free(file);
    end();
}

Test(graded_kernels, a_kernel_that_writes_over_what_its_checks_know_fails_its_check)
{
    assert_fails("\"if (count) for (volatile long at = (long)&x;; at += 8) *(volatile long *)at = 0x4141;\\n\"\n",
                 "the process of kernels was ended");
}

Test(graded_kernels, a_kernel_with_thousands_of_races_fails_its_check)
{
#define TEN(text) text text text text text text text text text text
    assert_fails(TEN(TEN("\"if (count) x[0] += 1;\\n\"\n")), "a race");
}

Test(graded_kernels, a_kernel_that_never_ends_fails_its_check)
{
    assert_fails("\"for (volatile int i = count; i;) x[0] += 1;\\n\"\n", "did not end within");
}
