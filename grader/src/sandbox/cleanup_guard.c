/* Work in a guarded process; see cleanup_guard.h. */
#include "cleanup_guard.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/live_line.h"
#include "base/process_tree.h"

static volatile sig_atomic_t interrupted_by;

static void note_interrupt(int number) { interrupted_by = number; }

/* An interrupt ends the wait below; the working process does not see it. */
static void watch_interrupts(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = note_interrupt};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) sigaction(signals[i], &action, NULL);
}

static _Noreturn void work_in(const char *folder, pid_t parent, int (*work)(void *user), void *user)
{
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_IGN);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_DUMPABLE, 0); /* it holds the seed, which a student's program must not read */
    int status = CLEANUP_GUARD_FAILED;
    if (getppid() == parent && setenv("TMPDIR", folder, 1) == 0) status = work(user);
    fflush(NULL);
    prctl(PR_SET_DUMPABLE, 1);
    exit(status);
}

/* Removes what the work was showing in a terminal's last line when it ended. */
static void clear_last_line(void)
{
    live_line line = {.page = {.file = stderr, .terminal = lab_terminal_describe(STDERR_FILENO)}};
    line.shown = line.page.terminal.rewrites;
    live_line_clear(&line);
}

/* The status of the work when it has ended; CLEANUP_GUARD_FAILED if a signal came first. */
static int wait_for(pid_t worker, const char *name, grader_fault *fault)
{
    siginfo_t ended;
    bool has_ended = false;
    while (!has_ended && !interrupted_by) {
        has_ended = waitid(P_PID, (id_t)worker, &ended, WEXITED | WNOWAIT) == 0;
        if (!has_ended && errno != EINTR) break;
    }
    if (has_ended && ended.si_code == CLD_EXITED) return ended.si_status;
    clear_last_line();
    /* A signal to the whole group ends the work as well. */
    if (has_ended && !interrupted_by) {
        fprintf(stderr, "%s: ended by the signal SIG%s\n", name, sigabbrev_np(ended.si_status));
    } else {
        fprintf(stderr, "%s: interrupted\n", name);
        process_tree_kill(worker, fault);
    }
    return CLEANUP_GUARD_FAILED;
}

int cleanup_guard_run(int (*work)(void *user), void *user, const char *name)
{
    char *folder = NULL;
    grader_fault fault;
    int status = CLEANUP_GUARD_FAILED;
    pid_t parent = getpid();
    if (!folder_make_private(&folder, name, &fault) || !process_tree_adopt(&fault)) {
        fprintf(stderr, "%s: %s\n", name, fault.text);
        free(folder);
        return status;
    }
    prctl(PR_SET_DUMPABLE, 0);
    fflush(NULL);
    watch_interrupts();
    pid_t worker = fork();
    if (worker == 0) work_in(folder, parent, work, user);
    if (worker < 0) {
        fprintf(stderr, "%s: cannot start a process: %s\n", name, strerror(errno));
    } else {
        bool known = process_tree_own(worker, &fault);
        status = wait_for(worker, name, &fault);
        if (!known || !process_tree_kill(worker, &fault)) fprintf(stderr, "%s: %s\n", name, fault.text);
        waitpid(worker, NULL, 0);
        process_tree_disown(worker);
    }
    folder_remove(folder);
    free(folder);
    prctl(PR_SET_DUMPABLE, 1);
    return status;
}
