/* Work in a guarded process; see cleanup_guard.h. */
#include "cleanup_guard.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/live_line.h"
#include "base/process_tree.h"
#include "base/text.h"

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

/* ---- the folder for temporary files ------------------------------------------------------------------------------ */

/* Whether the name is that of a guard's folder: the program's, then "-XXXXXX" as mkdtemp fills it in. */
static bool is_folder_of(const char *entry, const char *name)
{
    const size_t length = strlen(name);
    return strncmp(entry, name, length) == 0 && entry[length] == '-' && strlen(entry) == length + strlen("-XXXXXX");
}

/* Removes a folder of this user that nobody holds locked: its guard was killed. A new folder may not be locked yet, and
 * a grader of an earlier version, which still runs, locks none: so it must be old. */
static void remove_if_left(const char *path)
{
    enum { YOUNG_SECONDS = 24 * 60 * 60 };
    struct stat status;
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0) return;
    bool old = fstat(folder, &status) == 0 && status.st_uid == getuid() && time(NULL) - status.st_mtime > YOUNG_SECONDS;
    if (old && flock(folder, LOCK_EX | LOCK_NB) == 0) folder_remove(path);
    close(folder);
}

static void remove_left_folders(const char *own, const char *name)
{
    text_buffer under = {0};
    text_format(&under, "%.*s", (int)(strrchr(own, '/') - own), own);
    DIR *folders = under.failed ? NULL : opendir(under.text);
    for (const struct dirent *entry; folders && (entry = readdir(folders));) {
        char *path = is_folder_of(entry->d_name, name) ? folder_path(under.text, entry->d_name) : NULL;
        if (path) remove_if_left(path);
        free(path);
    }
    if (folders) closedir(folders);
    free(under.text);
}

/* Makes the folder, and locks it until this process and its worker have ended. */
static bool make_folder(char **out, int *lock, const char *name, grader_fault *fault)
{
    FAULT_TRY(folder_make_private(out, name, fault));
    *lock = open(*out, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*lock < 0 || flock(*lock, LOCK_EX | LOCK_NB) < 0) return fault_errno(fault, "cannot lock %s", *out);
    remove_left_folders(*out, name);
    return true;
}

/* ---- the work ---------------------------------------------------------------------------------------------------- */

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
    int status = CLEANUP_GUARD_FAILED, lock = -1;
    pid_t parent = getpid();
    if (!make_folder(&folder, &lock, name, &fault) || !process_tree_adopt(&fault)) {
        fprintf(stderr, "%s: %s\n", name, fault.text);
        if (lock >= 0) close(lock);
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
    close(lock);
    free(folder);
    prctl(PR_SET_DUMPABLE, 1);
    return status;
}
