/* sandbox_fixture.h: a sandbox under test. Where this machine has no user namespaces, a test says that it was not run
 * and is skipped; otherwise bubblewrap has to work. */
#ifndef GRADER_TESTS_SANDBOX_FIXTURE_H
#define GRADER_TESTS_SANDBOX_FIXTURE_H

#include "test.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/folder.h"
#include "sandbox/sandbox.h"

enum { MEMORY_BYTES = 256 << 20 };

/* A sandbox under test, with one folder of the job's and one that is not. */
typedef struct fixture {
    sandbox box;
    sandbox_cell cell;
    char *folder; /* writable inside */
    char *secret; /* a file outside */
    char *place;  /* the folder that holds both */
} fixture;

static inline void try_namespace(void *user)
{
    (void)user;
    if (unshare(CLONE_NEWUSER) < 0) _exit(1);
}

static inline bool has_namespaces(void)
{
    char output[64];
    int status = test_in_child(try_namespace, NULL, output, sizeof output);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* False, with a message, where no sandbox can be opened. `read_too` is another path that programs see, or NULL. */
static inline bool begin_with(fixture *f, const char *read_too)
{
    grader_fault fault;
    *f = (fixture){0};
    if (!has_namespaces()) {
        fprintf(stderr, "not run: this machine gives no user namespaces, so that there can be no sandbox\n");
#ifndef LAB_PLAIN_TESTS
        cr_skip_test("this machine gives no user namespaces");
#endif
        return false;
    }
    const sandbox_options options = {.memory_bytes = MEMORY_BYTES};
    cr_assert(sandbox_open(&f->box, &options, &fault), "%s", fault.text);
    cr_assert(folder_make_private(&f->place, "sandbox-test", &fault), "%s", fault.text);
    f->folder = folder_path(f->place, "job");
    f->secret = folder_path(f->place, "secret");
    cr_assert(folder_make(f->folder, &fault), "%s", fault.text);
    cr_assert(folder_write(f->secret, "42\n", 3, &fault), "%s", fault.text);
    const char *const written[] = {f->folder, NULL};
    const char *const read[] = {read_too, NULL};
    const sandbox_view view = {.read = read, .write = written};
    cr_assert(sandbox_cell_open(&f->cell, &f->box, &view, &fault), "%s", fault.text);
    return true;
}

static inline bool begin(fixture *f) { return begin_with(f, NULL); }

static inline void end(fixture *f)
{
    sandbox_cell_close(&f->cell);
    sandbox_close(&f->box);
    folder_remove(f->place);
    free(f->place);
    free(f->folder);
    free(f->secret);
}

static inline subprocess_options shell(const fixture *f, const char *arguments[5], const char *script)
{
    static const char *const environment[] = {"PATH=/usr/bin:/bin", "HOME=/tmp", NULL};
    arguments[0] = "/bin/sh";
    arguments[1] = "-c";
    arguments[2] = script;
    arguments[3] = f->secret; /* $0 */
    arguments[4] = NULL;
    subprocess_options options = {.arguments = arguments, .environment = environment, .output_limit = 1 << 20};
    options.directory = f->folder;
    sandbox_cell_apply(&f->cell, &options);
    return options;
}

static inline subprocess_result run(const fixture *f, const char *script)
{
    const char *arguments[5];
    subprocess_options options = shell(f, arguments, script);
    subprocess_result result;
    grader_fault fault;
    cr_assert(subprocess_run(&result, &options, 30, &fault), "%s", fault.text);
    return result;
}

#endif
