/* Finding, stopping and killing all descendants of a process; see process_tree.h. */
#include "process_tree.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"

enum { PATIENCE_SECONDS = 10 };

typedef struct tree_member {
    pid_t pid;
    pid_t parent;
    bool in_tree;
    bool orphan; /* in the tree, but no longer below root */
} tree_member;

typedef struct tree_list {
    tree_member *member;
    size_t count;
    size_t room;
} tree_list;

static pid_t *own;
static size_t own_count, own_room;

bool process_tree_adopt(grader_fault *fault)
{
    if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0) return true;
    return fault_errno(fault, "cannot become the parent of orphaned processes");
}

bool process_tree_own(pid_t pid, grader_fault *fault)
{
    if (own_count == own_room) {
        size_t room = own_room ? 2 * own_room : 8;
        pid_t *larger = realloc(own, room * sizeof *own);
        if (!larger) return fault_memory(fault, "the list of processes");
        own = larger;
        own_room = room;
    }
    own[own_count++] = pid;
    return true;
}

void process_tree_disown(pid_t pid)
{
    for (size_t i = 0; i < own_count; i++) {
        if (own[i] == pid) own[i] = own[--own_count];
    }
    if (own_count == 0) process_tree_forget();
}

void process_tree_forget(void)
{
    free(own);
    own = NULL;
    own_count = own_room = 0;
}

static bool is_own(pid_t pid)
{
    for (size_t i = 0; i < own_count; i++) {
        if (own[i] == pid) return true;
    }
    return false;
}

/* ---- reading /proc ------------------------------------------------------------------------------------ */

/* Reads state and parent from a stat file; false if the process or thread is gone. The name in parentheses is the
 * process's own choice and may hold anything, so the fields are counted from the last parenthesis. */
static bool read_stat(const char *path, char *state, pid_t *parent)
{
    char text[1024];
    FILE *file = fopen(path, "re");
    if (!file) return false;
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    const char *end = strrchr(text, ')');
    int parent_number;
    if (!end || sscanf(end + 1, " %c %d", state, &parent_number) != 2) return false;
    *parent = parent_number;
    return true;
}

static bool append(tree_list *list, tree_member member)
{
    if (list->count == list->room) {
        size_t room = list->room ? 2 * list->room : 256;
        tree_member *larger = realloc(list->member, room * sizeof *larger);
        if (!larger) return false;
        list->member = larger;
        list->room = room;
    }
    list->member[list->count++] = member;
    return true;
}

static tree_member *find(const tree_list *list, pid_t pid)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->member[i].pid == pid) return &list->member[i];
    }
    return NULL;
}

/* Marks root, the orphans, and every process whose parent is marked, until nothing more is marked. */
static void mark_tree(tree_list *list, pid_t root)
{
    pid_t self = getpid();
    for (size_t i = 0; i < list->count; i++) {
        tree_member *member = &list->member[i];
        member->orphan = member->parent == self && !is_own(member->pid);
        member->in_tree = member->orphan || member->pid == root;
    }
    for (bool grew = true; grew;) {
        grew = false;
        for (size_t i = 0; i < list->count; i++) {
            tree_member *member = &list->member[i];
            if (member->in_tree || is_own(member->pid)) continue;
            const tree_member *parent = find(list, member->parent);
            if (!parent || !parent->in_tree) continue;
            member->in_tree = grew = true;
            member->orphan = parent->orphan;
        }
    }
}

/* Lists all processes of the machine and marks those in root's tree. The list is the caller's to free. */
static bool read_tree(tree_list *list, pid_t root, grader_fault *fault)
{
    DIR *directory = opendir("/proc");
    if (!directory) return fault_errno(fault, "cannot list the processes in /proc");
    bool enough_memory = true;
    for (const struct dirent *entry; enough_memory && (entry = readdir(directory));) {
        if (!isdigit((unsigned char)entry->d_name[0])) continue;
        char path[64], state;
        tree_member member = {.pid = (pid_t)atoi(entry->d_name)};
        snprintf(path, sizeof path, "/proc/%d/stat", member.pid);
        if (read_stat(path, &state, &member.parent)) enough_memory = append(list, member);
    }
    closedir(directory);
    if (!enough_memory) return fault_memory(fault, "the list of processes");
    mark_tree(list, root);
    return true;
}

/* Whether every thread of the process is in one of these states, as /proc shows them: R running, S sleeping,
 * T stopped, Z dead and not yet reaped, ... The first thread is not enough: it may have ended before the others. */
static bool all_threads_are(pid_t pid, const char *states)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", pid);
    DIR *directory = opendir(path);
    if (!directory) return true;
    bool all = true;
    for (const struct dirent *entry; all && (entry = readdir(directory));) {
        if (!isdigit((unsigned char)entry->d_name[0])) continue;
        char stat_path[128], state;
        pid_t parent;
        snprintf(stat_path, sizeof stat_path, "/proc/%d/task/%.20s/stat", pid, entry->d_name);
        all = !read_stat(stat_path, &state, &parent) || strchr(states, state);
    }
    closedir(directory);
    return all;
}

/* A thread that was sent a stop signal no longer runs the program's code when it is stopped, dead, or in a wait in the
 * kernel that the signal does not interrupt: from there it stops on its way out. */
static bool stands_still(pid_t pid) { return all_threads_are(pid, "TtDZXxI"); }

static bool is_dead(pid_t pid) { return all_threads_are(pid, "ZXx"); }

/* ---- stop, continue, kill ------------------------------------------------------------------------------ */

static void pause_briefly(void) { nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL); }

/* Sends SIGSTOP to the whole tree. True if every process in it stands still and already got the signal after an earlier
 * listing: a process may start another one between a listing and its own stop. */
static bool stop_once(const tree_list *tree, const tree_list *before)
{
    bool still = true;
    for (size_t i = 0; i < tree->count; i++) {
        const tree_member *member = &tree->member[i];
        if (!member->in_tree) continue;
        kill(member->pid, SIGSTOP);
        const tree_member *earlier = find(before, member->pid);
        still = still && earlier && earlier->in_tree && stands_still(member->pid);
    }
    return still;
}

static bool keep_stopped(process_set *stopped, const tree_list *tree, grader_fault *fault)
{
    free(stopped->pid);
    *stopped = (process_set){.pid = calloc(tree->count, sizeof *stopped->pid)};
    if (!stopped->pid) return fault_memory(fault, "the list of processes");
    for (size_t i = 0; i < tree->count; i++) {
        const tree_member *member = &tree->member[i];
        if (member->in_tree && !member->orphan) stopped->pid[stopped->count++] = member->pid;
    }
    return true;
}

/* Lists and stops the tree of `root` until nothing in it runs; `tree` is then the last listing, also after a
 * failure. */
static bool stop_all(tree_list *tree, pid_t root, grader_fault *fault)
{
    double end = clock_seconds() + PATIENCE_SECONDS;
    for (;;) {
        tree_list before = *tree;
        *tree = (tree_list){0};
        bool listed = read_tree(tree, root, fault), still = listed && stop_once(tree, &before);
        free(before.member);
        if (!listed || still) return listed;
        if (clock_seconds() > end) {
            return fault_set(fault, "cannot stop the program (process %d) within %d seconds", root, PATIENCE_SECONDS);
        }
    }
}

bool process_tree_stop(pid_t root, process_set *stopped, grader_fault *fault)
{
    tree_list tree = {0};
    bool done = stop_all(&tree, root, fault) && keep_stopped(stopped, &tree, fault);
    free(tree.member);
    return done;
}

void process_tree_continue(const process_set *stopped)
{
    for (size_t i = 0; i < stopped->count; i++) kill(stopped->pid[i], SIGCONT);
}

/* Sends SIGKILL to the whole tree and reaps the dead, except root. True if nothing was left. */
static bool kill_once(const tree_list *tree, pid_t root)
{
    pid_t self = getpid();
    bool gone = true;
    for (size_t i = 0; i < tree->count; i++) {
        const tree_member *member = &tree->member[i];
        if (!member->in_tree || (member->pid == root && is_dead(root))) continue;
        gone = false;
        kill(member->pid, SIGKILL);
        if (member->parent == self && member->pid != root) waitpid(member->pid, NULL, WNOHANG);
    }
    return gone;
}

bool process_tree_kill(pid_t root, grader_fault *fault)
{
    /* A listing takes time: a process whose parent dies meanwhile can appear without its parent, and is missed. Such a
     * process is an orphan in the next listing, so two listings in a row must be empty. */
    enum { EMPTY_LISTINGS = 2 };
    double end = clock_seconds() + PATIENCE_SECONDS;
    kill(-root, SIGKILL);
    for (int empty = 0; empty < EMPTY_LISTINGS;) {
        tree_list tree = {0};
        bool listed = read_tree(&tree, root, fault);
        empty = listed && kill_once(&tree, root) ? empty + 1 : 0;
        free(tree.member);
        if (!listed) return false;
        if (clock_seconds() > end) {
            return fault_set(fault, "cannot kill the program (process %d) within %d seconds", root, PATIENCE_SECONDS);
        }
        if (empty == 0) pause_briefly();
    }
    return true;
}

unsigned process_tree_threads_of_user(void)
{
    unsigned threads = 0;
    DIR *directory = opendir("/proc");
    if (!directory) return 0;
    for (const struct dirent *entry; (entry = readdir(directory));) {
        if (!isdigit((unsigned char)entry->d_name[0])) continue;
        char path[64];
        struct stat status;
        snprintf(path, sizeof path, "/proc/%.20s/task", entry->d_name);
        if (stat(path, &status) < 0 || status.st_uid != getuid()) continue;
        threads += (unsigned)status.st_nlink - 2; /* two links of its own, and one for each thread's folder */
    }
    closedir(directory);
    return threads;
}
