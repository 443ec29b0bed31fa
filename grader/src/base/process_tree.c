/* Finding, stopping and killing all descendants of a process; see process_tree.h. */
#include "process_tree.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
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
#define UNSTOPPED "cannot stop the program (process %d) within %d seconds"

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

/* Reads state and parent from an open stat file and closes it; false if the process or thread is gone. The name in
 * parentheses is the process's own choice and may hold anything: the fields are counted from the last parenthesis. */
static bool read_stat(int file, char *state, pid_t *parent)
{
    char text[1024];
    ssize_t length = file < 0 ? -1 : read(file, text, sizeof text - 1);
    if (file >= 0) close(file);
    if (length < 0) return false;
    text[length] = '\0';
    const char *end = strrchr(text, ')');
    int parent_number;
    if (!end || sscanf(end + 1, " %c %d", state, &parent_number) != 2) return false;
    *parent = parent_number;
    return true;
}

/* Opens file NAME of each thread of a process, until `take`, which closes it, returns false; whether it never did. */
static bool each_thread(pid_t pid, const char *name, bool (*take)(void *user, int file), void *user)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", pid);
    DIR *directory = opendir(path);
    if (!directory) return true;
    bool goes_on = true;
    for (const struct dirent *entry; goes_on && (entry = readdir(directory));) {
        if (!isdigit((unsigned char)entry->d_name[0])) continue;
        snprintf(path, sizeof path, "%.20s/%s", entry->d_name, name);
        goes_on = take(user, openat(dirfd(directory), path, O_RDONLY | O_CLOEXEC));
    }
    closedir(directory);
    return goes_on;
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
static bool read_machine(tree_list *list, pid_t root, grader_fault *fault)
{
    DIR *directory = opendir("/proc");
    if (!directory) return fault_errno(fault, "cannot list the processes in /proc");
    bool enough_memory = true;
    for (const struct dirent *entry; enough_memory && (entry = readdir(directory));) {
        if (!isdigit((unsigned char)entry->d_name[0])) continue;
        char path[64], state;
        tree_member member = {.pid = (pid_t)atoi(entry->d_name)};
        snprintf(path, sizeof path, "/proc/%d/stat", member.pid);
        if (read_stat(open(path, O_RDONLY | O_CLOEXEC), &state, &member.parent)) enough_memory = append(list, member);
    }
    closedir(directory);
    if (!enough_memory) return fault_memory(fault, "the list of processes");
    mark_tree(list, root);
    return true;
}

/* A process whose children in root's tree are appended to a list. */
typedef struct listed_parent {
    tree_list *list;
    pid_t pid, root;
    bool orphan, is_caller;
} listed_parent;

static bool append_child(const listed_parent *parent, pid_t pid)
{
    tree_member child = {pid, parent->pid, .in_tree = true, .orphan = parent->orphan};
    if (parent->is_caller) child.orphan = !is_own(pid);
    return (parent->is_caller && !child.orphan && pid != parent->root) || append(parent->list, child);
}

/* Appends the children of one thread: numbers, each with a space behind it. */
static bool append_listed(void *user, int file)
{
    char text[1024];
    pid_t pid = 0;
    bool enough_memory = true;
    for (ssize_t length; file >= 0 && (length = read(file, text, sizeof text)) > 0;) {
        for (ssize_t i = 0; enough_memory && i < length; i++) {
            const bool digit = isdigit((unsigned char)text[i]);
            if (!digit) enough_memory = append_child(user, pid);
            pid = digit ? 10 * pid + (text[i] - '0') : 0;
        }
    }
    if (file >= 0) close(file);
    return enough_memory;
}

static bool append_children(tree_list *list, pid_t pid, bool orphan, pid_t root)
{
    listed_parent parent = {list, pid, root, orphan, pid == getpid()};
    return each_thread(pid, "children", append_listed, &parent);
}

/* Some kernels keep no lists of children: there the processes of the whole machine are read, often a hundred. */
static bool has_lists_of_children(void) { return access("/proc/thread-self/children", R_OK) == 0; }

/* Lists root's tree, parents first. The list is the caller's to free. */
static bool read_tree(tree_list *list, pid_t root, grader_fault *fault)
{
    if (!has_lists_of_children()) return read_machine(list, root, fault);
    bool enough_memory = append_children(list, getpid(), false, root);
    for (size_t i = 0; enough_memory && i < list->count; i++)
        enough_memory = append_children(list, list->member[i].pid, list->member[i].orphan, root);
    return enough_memory || fault_memory(fault, "the list of processes");
}

/* Lists root's tree again, children first, from a list of it: a process whose parent dies moves to one listed later. */
static bool read_tree_upwards(tree_list *list, const tree_list *tree, pid_t root, grader_fault *fault)
{
    if (!has_lists_of_children()) return read_machine(list, root, fault);
    bool enough_memory = true;
    for (size_t i = tree->count; enough_memory && i-- > 0;)
        enough_memory = append_children(list, tree->member[i].pid, tree->member[i].orphan, root);
    enough_memory = enough_memory && append_children(list, getpid(), false, root);
    return enough_memory || fault_memory(fault, "the list of processes");
}

/* Whether a thread is in one of the states of `user`. */
static bool thread_is(void *user, int file)
{
    char state;
    pid_t parent;
    return !read_stat(file, &state, &parent) || strchr(user, state);
}

/* Whether every thread of the process is in one of these states, as /proc shows them: R running, S sleeping,
 * T stopped, Z dead and not yet reaped, ... The first thread is not enough: it may have ended before the others. */
static bool all_threads_are(pid_t pid, char *states) { return each_thread(pid, "stat", thread_is, states); }

/* A thread that was sent a stop signal no longer runs the program's code when it is stopped, dead, or in a wait in the
 * kernel that the signal does not interrupt: from there it stops on its way out. */
static bool stands_still(pid_t pid) { return all_threads_are(pid, "TtDZXxI"); }

static bool is_dead(pid_t pid) { return all_threads_are(pid, "ZXx"); }

/* ---- stop, continue, kill ------------------------------------------------------------------------------ */

/* Lets the processes of a tree act on their signals. Each pause is twice as long as the one before it, up to two
 * milliseconds: on a busy machine they wait for a core. */
static void pause_longer(long *nanoseconds)
{
    enum { SHORTEST = 50000, LONGEST = 2000000 };
    *nanoseconds = *nanoseconds == 0 ? SHORTEST : *nanoseconds < LONGEST / 2 ? 2 * *nanoseconds : LONGEST;
    nanosleep(&(struct timespec){.tv_nsec = *nanoseconds}, NULL);
}

/* Sends SIGSTOP to the whole tree until every process in it stands still. */
static bool stop_listed(const tree_list *tree, pid_t root, grader_fault *fault)
{
    const double end = clock_seconds() + PATIENCE_SECONDS;
    long pause = 0;
    for (size_t i = 0; i < tree->count; i++) {
        if (tree->member[i].in_tree) kill(tree->member[i].pid, SIGSTOP);
    }
    for (size_t i = 0; i < tree->count; i++) {
        while (tree->member[i].in_tree && !stands_still(tree->member[i].pid)) {
            if (clock_seconds() > end) return fault_set(fault, UNSTOPPED, root, PATIENCE_SECONDS);
            pause_longer(&pause);
            kill(tree->member[i].pid, SIGSTOP);
        }
    }
    return true;
}

/* Whether the tree whose processes stood still, one after another, is whole: another listing has no other process, none
 * has been continued by one that stopped after it, and none is gone: a child that is reaped while it and its siblings
 * are listed can hide the next one. */
static bool is_whole(bool *whole, const tree_list *tree, pid_t root, grader_fault *fault)
{
    tree_list now = {0};
    const bool listed = read_tree_upwards(&now, tree, root, fault);
    *whole = listed;
    for (size_t i = 0; *whole && i < now.count; i++) {
        const tree_member *known = now.member[i].in_tree ? find(tree, now.member[i].pid) : &now.member[i];
        *whole = known && known->in_tree == now.member[i].in_tree;
    }
    for (size_t i = 0; *whole && i < tree->count; i++) {
        const pid_t pid = tree->member[i].pid;
        *whole = !tree->member[i].in_tree || (stands_still(pid) && kill(pid, 0) == 0);
    }
    free(now.member);
    return listed;
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

/* Lists and stops the tree of `root` until nothing in it runs: a process may start another one between a listing and
 * its own stop. `tree` is then the last listing, also after a failure. */
static bool stop_all(tree_list *tree, pid_t root, grader_fault *fault)
{
    const double end = clock_seconds() + PATIENCE_SECONDS;
    for (bool whole = false; !whole;) {
        free(tree->member);
        *tree = (tree_list){0};
        FAULT_TRY(read_tree(tree, root, fault));
        FAULT_TRY(stop_listed(tree, root, fault));
        FAULT_TRY(is_whole(&whole, tree, root, fault));
        if (!whole && clock_seconds() > end) return fault_set(fault, UNSTOPPED, root, PATIENCE_SECONDS);
    }
    return true;
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
    /* A listing takes time: a process whose parent dies meanwhile can be missed. It is an orphan in the next listing,
     * so two listings in a row must be empty. */
    enum { EMPTY_LISTINGS = 2 };
    double end = clock_seconds() + PATIENCE_SECONDS;
    long pause = 0;
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
        if (empty == 0) pause_longer(&pause);
    }
    return true;
}

processor_time process_tree_processor_time(pid_t root)
{
    tree_list tree = {0};
    processor_time sum = {0};
    grader_fault ignored;
    read_tree(&tree, root, &ignored);
    for (size_t i = 0; i < tree.count; i++) {
        if (tree.member[i].in_tree) processor_time_add(&sum, tree.member[i].pid);
    }
    free(tree.member);
    return sum;
}

/* Whether the thread with this stat file sleeps, was stopped, or is gone. */
static bool sleeps(void *unused, int file)
{
    char state;
    pid_t parent;
    (void)unused;
    return !read_stat(file, &state, &parent) || !strchr("RDt", state);
}

bool process_tree_is_busy(pid_t root)
{
    tree_list tree = {0};
    bool busy = false;
    grader_fault ignored;
    read_tree(&tree, root, &ignored);
    for (size_t i = 0; i < tree.count && !busy; i++)
        busy = tree.member[i].in_tree && !each_thread(tree.member[i].pid, "stat", sleeps, NULL);
    free(tree.member);
    return busy;
}

/* The system bounds the threads of every user but root. Where a namespace does not have all users under their own
 * numbers, 0 may be any of them. */
static bool is_unbounded_user(void)
{
    unsigned long inside = 1, outside = 1, count = 0;
    FILE *file = geteuid() == 0 ? fopen("/proc/self/uid_map", "re") : NULL;
    if (!file) return false;
    const int found = fscanf(file, "%lu %lu %lu", &inside, &outside, &count);
    fclose(file);
    return found == 3 && inside == 0 && outside == 0 && count == UINT32_MAX;
}

unsigned process_tree_threads_of_user(void)
{
    unsigned threads = 0;
    if (is_unbounded_user()) return 0;
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
