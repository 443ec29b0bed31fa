/* What a sandbox keeps from its programs, each tried by a program. */
#include "test.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/folder.h"
#include "sandbox/sandbox.h"
#include "sandbox/sandbox_choice.h"
#include "base/text.h"
#include "sandbox_fixture.h"

/* Runs a script that prints "kept" if its attempt failed. */
static void assert_kept(const char *script)
{
    fixture f;
    if (!begin(&f)) return;
    subprocess_result result = run(&f, script);
    cr_assert_not_null(strstr(result.output, "kept"), "%s: status %d, signal %d: %s", script, result.exit.status,
                       result.exit.signal, result.output);
    subprocess_result_free(&result);
    end(&f);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

Test(sandbox, files_of_the_grader_are_not_there)
{
    unsetenv("LAB_PACKAGES"); /* packages unpacked in a home are shown there */
    assert_kept("cat \"$0\" && exit; ls / | grep -Eq '^(home|root|mnt|srv|var|work)$' && exit; "
                "ls /etc | grep -Eq 'passwd|shadow|hosts' && exit; echo kept");
}

Test(sandbox, folder_of_the_job_is_writable_and_kept)
{
    fixture f;
    if (!begin(&f)) return;
    subprocess_result result = run(&f, "echo made > made && cat made");
    cr_assert_str_eq(result.output, "made\n");
    char *path = folder_path(f.folder, "made");
    cr_assert_eq(access(path, R_OK), 0);
    free(path);
    subprocess_result_free(&result);
    end(&f);
}

Test(sandbox, system_cannot_be_written)
{
    assert_kept("for where in / /usr /usr/bin /bin /lib /etc /dev /proc /sys /usr/include; do "
                "touch $where/x 2>&1 && exit; done; echo kept");
}

/* The kernel's settings belong to root, who may be grading: namespaces alone do not protect them. */
Test(sandbox, settings_of_the_kernel_cannot_be_changed)
{
    assert_kept("pattern=$(cat /proc/sys/kernel/core_pattern); "
                "echo \"$pattern\" > /proc/sys/kernel/core_pattern && exit; "
                "echo h > /proc/sysrq-trigger && exit; echo 0 > /proc/self/oom_score_adj; echo kept");
}

Test(sandbox, temporary_files_are_limited_and_go_away)
{
    fixture f;
    if (!begin(&f)) return;
    if (f.box.can_size_folders) {
        subprocess_result result =
            run(&f, "i=0; while [ $i -lt 40 ]; do head -c 16000000 /dev/zero > /tmp/$i || { echo full; exit; };"
                    "i=$((i+1)); done");
        bool stopped = strstr(result.output, "full") || result.exit.signal == SIGKILL;
        cr_assert(stopped, "640 MB fit into /tmp: %s", result.output);
        subprocess_result_free(&result);
    }
    subprocess_result result = run(&f, "touch /tmp/left; touch /dev/shm/left");
    subprocess_result_free(&result);
    result = run(&f, "ls /tmp /dev/shm");
    cr_assert_null(strstr(result.output, "left"), "%s", result.output);
    subprocess_result_free(&result);
    end(&f);
}

/* Reopens the fixture's sandbox and cell with this folder hidden. */
static void hide(fixture *f, const char *folder)
{
    grader_fault fault;
    const char *const hidden[] = {folder, NULL}, *const written[] = {f->folder, NULL};
    sandbox_cell_close(&f->cell);
    sandbox_close(&f->box);
    cr_assert(sandbox_open(&f->box, &(sandbox_options){.memory_bytes = MEMORY_BYTES, .hidden = hidden}, &fault), "%s",
              fault.text);
    cr_assert(sandbox_cell_open(&f->cell, &f->box, &(sandbox_view){.write = written}, &fault), "%s", fault.text);
}

Test(sandbox, folder_hidden_in_the_system_is_empty)
{
    fixture f;
    if (!begin(&f)) return;
    hide(&f, "/usr/include");
    subprocess_result result = run(&f, "ls -A /usr/include; echo end");
    cr_assert_str_eq(result.output, "end\n");
    subprocess_result_free(&result);
    end(&f);
}

/* A user's own place of libraries is seen whole, but for what is secret in it. */
Test(sandbox, folder_hidden_among_packages_is_empty)
{
    fixture f;
    if (!begin(&f)) return;
    grader_fault fault;
    char *class = folder_path(f.place, "class"), *answer = folder_path(class, "answer"),
         *library = folder_path(f.place, "library");
    cr_assert(mkdir(class, 0700) == 0 && folder_write(answer, "42", 2, &fault) &&
              folder_write(library, "41", 2, &fault));
    setenv("LAB_PACKAGES", f.place, 1);
    hide(&f, class);
    text_buffer script = {0};
    text_format(&script, "cat %s; ls -A %s; echo end", library, class);
    subprocess_result result = run(&f, script.text);
    cr_assert_str_eq(result.output, "41end\n");
    subprocess_result_free(&result);
    free(script.text);
    free(library);
    free(answer);
    free(class);
    end(&f);
}

/* ---- other processes, network ------------------------------------------------------------------------------------ */

Test(sandbox, other_processes_are_not_there)
{
    fixture f;
    if (!begin(&f)) return;
    text_buffer script = {0};
    text_format(&script, "[ \"$(ls -d /proc/[0-9]* | wc -l)\" -lt 8 ] || exit; "
                         "tr '\\0' ' ' < /proc/1/cmdline | grep -q bwrap || exit; kill -9 -1; echo kept");
    subprocess_result result = run(&f, script.text);
    cr_assert_not_null(strstr(result.output, "kept"), "%s", result.output);
    subprocess_result_free(&result);
    free(script.text);
    end(&f);
}

/* A program reads the command line of bubblewrap, which is process 1. */
Test(sandbox, folders_of_the_job_are_not_told)
{
    fixture f;
    if (!begin(&f)) return;
    subprocess_result result = run(&f, "tr '\\0' ' ' < /proc/1/cmdline");
    cr_assert_not_null(strstr(result.output, "bwrap --args"), "%s", result.output);
    char *told = strstr(result.output, f.place), *secret = strstr(result.output, f.secret);
    cr_assert(told == secret && (!told || !strstr(told + 1, f.place)), "only the program's own words: %s",
              result.output);
    subprocess_result_free(&result);
    end(&f);
}

Test(sandbox, namespaces_are_the_jobs_own)
{
    fixture f;
    if (!begin(&f)) return;
    static const char *const names[] = {"user", "pid", "net", "ipc", "uts", "mnt", "cgroup"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[32], script[64], here[64] = "";
        snprintf(path, sizeof path, "/proc/self/ns/%s", names[i]);
        snprintf(script, sizeof script, "readlink %s", path);
        if (readlink(path, here, sizeof here - 1) < 0) continue; /* a kernel without such namespaces */
        subprocess_result result = run(&f, script);
        cr_assert_not_null(strstr(result.output, names[i]), "%s", result.output);
        cr_assert_null(strstr(result.output, here), "the namespace %s is the grader's", names[i]);
        subprocess_result_free(&result);
    }
    end(&f);
}

Test(sandbox, there_is_no_network)
{
    assert_kept("[ \"$(grep -c : /proc/net/dev)\" -le 1 ] && grep -q '^ *lo:' /proc/net/dev && "
                "[ \"$(wc -l < /proc/net/route)\" -le 1 ] && "
                "! timeout 2 bash -c 'exec 3<>/dev/tcp/192.0.2.1/80' && ! bash -c 'exec 3<>/dev/tcp/127.0.0.1/22' && "
                "echo kept");
}

Test(sandbox, there_are_no_capabilities)
{
    assert_kept("grep -q 'CapEff:.0000000000000000' /proc/self/status && "
                "grep -q 'CapBnd:.0000000000000000' /proc/self/status && ! mount -t tmpfs none /tmp && echo kept");
}

/* ---- limits ------------------------------------------------------------------------------------------------------ */

/* Either limit stops the program: the group's by a counted kill, the process's own by a failing allocation. */
Test(sandbox, memory_bomb_is_stopped_and_counted)
{
    fixture f;
    if (!begin(&f)) return;
    cr_assert_eq(sandbox_cell_memory_kills(&f.cell), 0u);
    subprocess_result result = run(&f, "exec python3 -c 'x = b\"x\" * (1 << 30); print(\"allocated\")'");
    cr_assert_null(strstr(result.output, "allocated"), "%s", result.output);
    if (f.box.groups.memory) {
        cr_assert_eq(result.exit.signal, SIGKILL, "status %d: %s", result.exit.status, result.output);
        cr_assert_gt(sandbox_cell_memory_kills(&f.cell), 0u);
    }
    subprocess_result_free(&result);
    end(&f);
}

/* The limit on processes stops it. The processes are copies of the shell: a program such as sleep may need a megabyte
 * of its own, and then the limit on memory ends some of them before there are too many. */
Test(sandbox, fork_bomb_is_stopped)
{
    fixture f;
    if (!begin(&f)) return;
    if (f.box.groups.processes) {
        subprocess_result result =
            run(&f, "mkfifo held; i=0; while [ $i -lt 1100 ]; do read -r _ <held & i=$((i+1)); done; echo all started");
        cr_assert_null(strstr(result.output, "all started"), "%s", result.output);
        cr_assert_not_null(strstr(result.output, "fork"), "%s", result.output);
        subprocess_result_free(&result);
    }
    end(&f);
}

Test(sandbox, daemon_with_ignored_signals_does_not_survive)
{
    fixture f;
    if (!begin(&f)) return;
    text_buffer script = {0};
    text_format(&script,
                "trap '' TERM HUP INT; setsid sh -c 'trap \"\" TERM HUP INT; while :; do echo alive > %s/alive;"
                " sleep 0.01; done' & while [ ! -e %s/alive ]; do sleep 0.01; done",
                f.folder, f.folder);
    subprocess_result result = run(&f, script.text);
    cr_assert_eq(result.exit.status, 0, "%s", result.output);
    char *path = folder_path(f.folder, "alive");
    cr_assert_eq(unlink(path), 0, "the daemon never ran");
    for (double until = clock_seconds() + 0.1; clock_seconds() < until;) {
        cr_assert(access(path, F_OK) < 0, "the daemon still writes");
    }
    free(path);
    free(script.text);
    subprocess_result_free(&result);
    end(&f);
}

/* Stop and continue reach into the namespace: nothing inside runs in between. */
Test(sandbox, nothing_inside_runs_between_stop_and_continue)
{
    fixture f;
    if (!begin(&f)) return;
    const char *arguments[5];
    subprocess_options options = shell(&f, arguments,
                                       "setsid sh -c 'while :; do echo child; done' & "
                                       "while :; do echo parent; done");
    options.output_limit = 64 << 20;
    subprocess *process;
    grader_fault fault;
    size_t first = 0, second, third = 0;
    cr_assert(subprocess_start(&process, &options, &fault), "%s", fault.text);
    while (!strstr(subprocess_output(process, &first), "child")) subprocess_wait(process, -1, clock_seconds(), &fault);
    cr_assert(subprocess_stop(process, &fault), "%s", fault.text);
    subprocess_output(process, &first);
    subprocess_wait(process, -1, clock_seconds() + 0.01, &fault);
    subprocess_output(process, &second);
    cr_assert_eq(first, second, "it wrote while it stood still");
    subprocess_continue(process);
    while (third <= second) {
        cr_assert_eq(subprocess_wait(process, -1, clock_seconds() + 0.001, &fault), SUBPROCESS_DEADLINE);
        subprocess_output(process, &third);
    }
    cr_assert(subprocess_end(process, NULL, &fault), "%s", fault.text);
    end(&f);
}

Test(sandbox, signal_that_ended_the_program_is_reported)
{
    fixture f;
    if (!begin(&f)) return;
    subprocess_result result = run(&f, "kill -SEGV $$");
    cr_assert_eq(result.exit.signal, SIGSEGV, "status %d", result.exit.status);
    subprocess_result_free(&result);
    end(&f);
}

Test(sandbox, groups_are_gone_with_the_cell)
{
    fixture f;
    if (!begin(&f)) return;
    char *group = f.cell.groups[0] ? strdup(f.cell.groups[0]) : NULL;
    subprocess_result result = run(&f, "sleep 100 & exit 0");
    subprocess_result_free(&result);
    end(&f);
    cr_assert(!group || access(group, F_OK) < 0, "%s is still there", group);
    free(group);
}

/* ---- for another process, or none -------------------------------------------------------------------------------- */

Test(sandbox, saved_cell_is_the_same_when_loaded)
{
    fixture f;
    if (!begin(&f)) return;
    sandbox_cell_close(&f.cell);
    grader_fault fault;
    const char *const written[] = {SANDBOX_FOLDER, NULL};
    char *path = folder_path(f.place, "cell.json");
    sandbox_cell made;
    cr_assert(sandbox_cell_open(&made, &f.box, &(sandbox_view){.write = written}, &fault), "%s", fault.text);
    cr_assert(sandbox_cell_save(&made, path, &fault), "%s", fault.text);
    cr_assert(sandbox_cell_load(&f.cell, path, f.folder, &fault), "%s", fault.text);
    subprocess_result result = run(&f, "touch here && cat \"$0\" || echo kept");
    cr_assert_not_null(strstr(result.output, "kept"), "%s", result.output);
    subprocess_result_free(&result);
    sandbox_cell_close(&made);
    cr_assert_not(sandbox_cell_load(&made, f.secret, f.folder, &fault));
    free(path);
    end(&f);
}

/* As make setup PREFIX=/tmp/me leaves them. */
Test(sandbox, packages_unpacked_below_tmp_are_seen)
{
    fixture f;
    grader_fault fault;
    char *packages;
    cr_assert(folder_make_private_in(&packages, "/tmp", "packages-test", &fault), "%s", fault.text);
    char *file = folder_path(packages, "program"), *script = text_make("cat %s; touch %s", file, file);
    cr_assert(folder_write(file, "seen\n", 5, &fault), "%s", fault.text);
    setenv("LAB_PACKAGES", packages, 1);
    if (begin(&f)) {
        subprocess_result result = run(&f, script);
        cr_assert_not_null(strstr(result.output, "seen\n"), "%s", result.output);
        cr_assert_not_null(strstr(result.output, "Read-only file system"), "%s", result.output);
        subprocess_result_free(&result);
        end(&f);
    }
    unsetenv("LAB_PACKAGES");
    folder_remove(packages);
    free(packages);
    free(file);
    free(script);
}

Test(sandbox, missing_bubblewrap_refuses_to_grade)
{
    grader_fault fault;
    sandbox box;
    const sandbox *use;
    const sandbox_options options = {0};
    setenv("PATH", "/nowhere", 1);
    cr_assert_not(sandbox_choose(&use, &box, &(sandbox_choice){0}, &options, &fault));
    cr_assert_not_null(strstr(fault.text, "nothing is graded"), "%s", fault.text);
    cr_assert_not_null(strstr(fault.text, "`make setup FOR=grading` installs it."), "%s", fault.text);
    cr_assert_not_null(strstr(fault.text, "--no-sandbox " SANDBOX_CHOICE_WORDS), "%s", fault.text);
    cr_assert_not(sandbox_choose(&use, &box, &(sandbox_choice){.none = "yes"}, &options, &fault));
    cr_assert_not_null(strstr(fault.text, "if you mean it"), "%s", fault.text);
    cr_assert(sandbox_choose(&use, &box, &(sandbox_choice){.if_possible = SANDBOX_CHOICE_WORDS}, &options, &fault));
    cr_assert_null(use);
    cr_assert_not_null(strstr(box.description, "none: bubblewrap is not installed"), "%s", box.description);
    sandbox_close(&box);
}
