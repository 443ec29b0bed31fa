/*
 * process_tree.h: finds, stops and kills everything that a process started, wherever it tried to hide.
 *
 * The caller becomes a subreaper: a process whose parent dies becomes the caller's child instead of init's. All
 * descendants therefore stay reachable, including those that left their process group or session. The tree of a process
 * consists of the process, its descendants, and the orphans: all children of the caller that the caller did not start.
 */
#ifndef GRADER_BASE_PROCESS_TREE_H
#define GRADER_BASE_PROCESS_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "fault.h"
#include "machine/processor_time.h"

/* Makes the calling process a subreaper. Further calls do no harm. */
bool process_tree_adopt(grader_fault *fault);

/* Registers a child that the caller started itself, so that it does not count as an orphan; and removes it again. */
bool process_tree_own(pid_t pid, grader_fault *fault);
void process_tree_disown(pid_t pid);

/* Removes all registered children. For a process that was just forked: it has started nothing itself. */
void process_tree_forget(void);

/* Stopped processes that may be continued. Start with {0}; free(pid) ends it. */
typedef struct process_set {
    pid_t *pid;
    size_t count;
} process_set;

/* Stops the whole tree of `root` (SIGSTOP) and returns when none of its threads can run any more. `stopped` then holds
 * `root` and its descendants. Orphans are no longer part of a program and stay stopped for good. */
bool process_tree_stop(pid_t root, process_set *stopped, grader_fault *fault);

/* Continues them (SIGCONT). This takes microseconds: a stopped tree starts nothing new that would have to be found. */
void process_tree_continue(const process_set *stopped);

/* Kills the whole tree with `root` and the orphans, and reaps everything except `root`, whose exit status is the
 * caller's to take. */
bool process_tree_kill(pid_t root, grader_fault *fault);

/* What the tree of `root` had of the processors so far. Processes that cannot be read are left out. */
processor_time process_tree_processor_time(pid_t root);

/* Whether a thread of the tree of `root` now runs, waits for a processor or a disk, or is held by a debugger. */
bool process_tree_is_busy(pid_t root);

/* How many threads the caller's user has now in all visible processes: counted for a limit, and 0 for a user who has
 * none, which is root outside of namespaces. */
unsigned process_tree_threads_of_user(void);

#endif
