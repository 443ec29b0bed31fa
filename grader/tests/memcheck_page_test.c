/* What `make labNN-memcheck` says of a kernel that leaves its array: the line of its launch. The test runs a real
 * lab. */
#include "test.h"

#include <stdlib.h>

#include "base/folder.h"
#include "base/text.h"
#include "shell.h"

Test(memcheck_page, names_the_launch_and_not_the_call_that_failed)
{
    grader_fault fault;
    char *out;
    cr_assert(folder_make_private(&out, "memcheck-page-test", &fault), "%s", fault.text);
    const char *build = getenv("BUILD") ? getenv("BUILD") : "build";
    char *command = text_make("sed 's/work->between, work->count)/work->between, work->count * 2)/' "
                              "solutions/lab02-events/lab02.c >%s/lab02.c && LAB_MEMCHECK=1 %s/bin/labcheck --root . "
                              "--build %s --lab lab02 --source %s/lab02.c --out %s",
                              out, build, build, out, out);
    char *page = shell(command, 1);
    char *launch = shell("grep -n 'lab_launch(work->produce' solutions/lab02-events/lab02.c | cut -d: -f1", 0);
    char *line = text_make("\nlook at   lab02.c:%d in launch_produce, called at line ", atoi(launch));
    assert_says(page, "kernel 'produce'");
    assert_says(page, line);
    free(line);
    free(launch);
    free(page);
    free(command);
    folder_remove(out);
    free(out);
}
