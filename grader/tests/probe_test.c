/* The probe, before a class is graded, that kernels run where submissions will run. */
#include "test.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "judge/kernel_probe.h"
#include "base/subprocess.h"
#include "toy_class.h"

/* The programs of a real lab, whose probe compiles a kernel. */
static lab_parts real_parts(void)
{
    text_buffer reference = {0}, server = {0}, kernels = {0};
    text_format(&reference, "%s/lab01/reference", toy_build());
    text_format(&server, "%s/bin/labserver", toy_build());
    text_format(&kernels, "%s/bin/labkernels", toy_build());
    const lab_parts parts = {.reference = absolute(reference.text),
                             .server = absolute(server.text),
                             .kernels = absolute(kernels.text),
                             .compiler = subprocess_find_program("gcc")};
    free(reference.text);
    free(kernels.text);
    free(server.text);
    return parts;
}

static void free_parts(lab_parts *parts)
{
    free(parts->reference);
    free(parts->server);
    free(parts->kernels);
    free(parts->compiler);
}

/* A sandbox in which these folders are empty. Prints why and returns false where there can be none. */
static bool open_box(sandbox *box, const char *const *hidden)
{
    grader_fault fault;
    if (sandbox_open(box, &(sandbox_options){.hidden = hidden}, &fault)) return true;
    fprintf(stderr, "not run: %s\n", fault.text);
#ifndef LAB_PLAIN_TESTS
    cr_skip_test("there is no sandbox");
#endif
    return false;
}

Test(probe, kernel_compiles_and_runs_in_the_sandbox_and_outside)
{
    sandbox box;
    grader_fault fault;
    lab_parts parts = real_parts();
    cr_assert(kernel_probe_run(NULL, &parts, &fault), "%s", fault.text);
    if (open_box(&box, NULL)) {
        cr_assert(kernel_probe_run(&box, &parts, &fault), "%s", fault.text);
        sandbox_close(&box);
    }
    free_parts(&parts);
}

/* clang says where it is: what is found may be a script that starts it. */
static char *folder_of_clang(void)
{
    char said[PATH_MAX] = "";
    FILE *clang = popen("clang -print-prog-name=clang", "r");
    cr_assert(clang && fgets(said, sizeof said, clang) && pclose(clang) == 0, "kernels of the CPU device need clang");
    said[strcspn(said, "\n")] = '\0';
    char *real = realpath(said, NULL);
    cr_assert_not_null(real, "%s", said);
    *strrchr(real, '/') = '\0';
    return real;
}

Test(probe, sandbox_without_the_compiler_grades_nothing_and_says_what_is_missing)
{
    sandbox box;
    grader_fault fault;
    char *real = folder_of_clang();
    if (open_box(&box, (const char *const[]){real, NULL})) {
        lab_parts parts = real_parts();
        cr_assert_not(kernel_probe_run(&box, &parts, &fault));
        const char *why = strstr(fault.text, "no kernel runs in the sandbox, which no student caused: ");
        cr_assert(why && strstr(why, "clang"), "%s", fault.text);
        cr_assert_not_null(strstr(fault.text, "--show-sandbox"), "%s", fault.text);
        free_parts(&parts);
        sandbox_close(&box);
    }
    free(real);
}

Test(probe, sandbox_without_the_compiler_of_c_grades_nothing_and_says_so)
{
    sandbox box;
    grader_fault fault;
    char *folder;
    cr_assert(folder_make_private(&folder, "probe-test", &fault), "%s", fault.text);
    lab_parts parts = real_parts();
    char *own = folder_path(folder, "my-gcc");
    cr_assert_eq(symlink(parts.compiler, own), 0);
    free(parts.compiler);
    parts.compiler = own;
    cr_assert(kernel_probe_run(NULL, &parts, &fault), "%s", fault.text);
    if (open_box(&box, NULL)) {
        cr_assert_not(kernel_probe_run(&box, &parts, &fault));
        cr_assert_not_null(strstr(fault.text, "my-gcc does not work in the sandbox, which no student caused: "), "%s",
                           fault.text);
        sandbox_close(&box);
    }
    free_parts(&parts);
    folder_remove(folder);
    free(folder);
}

Test(probe, machine_on_which_no_kernel_runs_grades_nothing)
{
    begin();
    hand_in("ada", "right");
    setenv("LAB_TOY_BROKEN", "1", 1);
    assert_call("labgrade", (const char *const[]){"--lab", "toylab", "--submissions", submissions, "--out", out, NULL},
                2, "nothing is graded, because no kernel runs ");
    cr_assert_neq(access(out, F_OK), 0, "grading has not begun");
    end();
}
