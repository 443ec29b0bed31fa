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

/* The page about one check of the file lab07.c: the whole does not pass. */
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

/* Grades a kernel of lab 07 that begins with this line, with so many seconds for a call. */
static void assert_fails(const char *kernel, const char *seconds, const char *says)
{
    begin();
    grader_fault fault;
    char *file = folder_path(out, "kernel"), *script = text_make("/Task 4: begin/r %s/kernel", out);
    cr_assert(folder_write(file, kernel, strlen(kernel), &fault), "%s", fault.text);
    edit(script);
    char *options = text_make("--graded --seconds %s", seconds), *page = page_of(7, options);
    assert_says(page, says);
    cr_assert_null(strstr(page, "not graded"), "%s", page);
    free(page);
    free(options);
    free(script);
    free(file);
    end();
}

Test(graded_kernels, a_kernel_that_writes_over_what_its_checks_know_fails_its_check)
{
    assert_fails("\"if (count) for (volatile long at = (long)&x;; at += 8) *(volatile long *)at = 0x4141;\\n\"\n", "60",
                 "the process of kernels was ended");
}

Test(graded_kernels, a_kernel_with_thousands_of_races_fails_its_check)
{
#define TEN(text) text text text text text text text text text text
    assert_fails(TEN(TEN("\"if (count) x[0] += 1;\\n\"\n")), "60", "a race");
}

Test(graded_kernels, a_kernel_that_never_ends_is_told_with_its_own_line)
{
    static const char kernel[] = "\"for (volatile int i = count; i;) x[0] += 1;\\n\"\n";
    assert_fails(kernel, "30", /* it is compiled in that time, too */
                 "cause     a loop in the kernel that does not end\nlook at   lab07.c:107 in lab07_scale\n");
}

/* ---- what a submission leaves to others ---- */

/* Every file of the user's cache of compiled kernels, with its digest; an empty folder to begin with. */
static char *kept_kernels(void)
{
    char *command =
        text_make("mkdir -p %s/cache && cd %s/cache && find . -type f -exec sha256sum {} + | sort", out, out);
    char *files = shell(command, 0);
    free(command);
    return files;
}

static void begin_with_cache(void)
{
    begin();
    char *cache = text_make("%s/cache", out);
    setenv("LAB_CACHE_DIR", cache, 1);
    free(cache);
}

static void grade_honest(const char *options)
{
    edit("");
    char *page = page_of(3, options);
    assert_says(page, "passed    15/15");
    free(page);
}

/* An attacker cannot choose what the next submission finds, nor learn what the one before compiled. */
Test(graded_kernels, what_a_submission_compiles_ends_with_it)
{
    begin_with_cache();
    grade_honest("--graded");
    char *before = kept_kernels();
    edit("s/    if (threadIdx.x == 0) partial.blockIdx.x. = value/    float all = value[0];&/");
    free(page_of(3, "--graded"));
    char *after = kept_kernels();
    cr_assert_str_eq(after, before);
    grade_honest("--graded");
    char *at_last = kept_kernels();
    cr_assert_str_eq(at_last, before);
    free(at_last);
    free(after);
    free(before);
    end();
}

/* The poison of a cache that all share: the kernel of an attacker under the name of each other kernel. */
Test(graded_kernels, a_wrong_kernel_in_the_users_cache_is_not_an_honest_submissions)
{
    begin_with_cache();
    edit("s/    if (threadIdx.x == 0) partial.blockIdx.x. = value/    float all = value[0];&/");
    free(page_of(3, ""));
    char *poison = text_make("cd %s/cache && mkdir poison && mv *.kernel poison", out);
    free(shell(poison, 0));
    grade_honest("");
    char *spread = text_make("cd %s/cache && mkdir -p reference && for name in *.kernel; do for wrong in poison/*; do"
                             " cp $wrong $name; cp $wrong reference/$name; done; done",
                             out);
    free(shell(spread, 0));
    grade_honest("--graded");
    grade_honest("");
    grade_honest("--graded");
    free(spread);
    free(poison);
    end();
}

Test(graded_kernels, a_students_own_run_uses_the_users_cache)
{
    begin_with_cache();
    grade_honest("");
    char *first = kept_kernels();
    assert_says(first, ".kernel");
    grade_honest("");
    char *second = kept_kernels();
    cr_assert_str_eq(second, first, "the second run compiles nothing");
    free(second);
    free(first);
    end();
}
