/*
 * process_tree.h: everything a process started, wherever it tried to hide.
 *
 * The caller is made a subreaper: a process whose parent dies becomes the caller's child instead of init's, so that
 * all descendants stay reachable, also those that left their process group or session. The tree of a process is
 * the process, its descendants, and all children of the caller that the caller did not start itself (the orphans).
 * It knows /proc and signals, and nothing of programs, output or time limits.
 */
#ifndef GRADER_BASE_PROCESS_TREE_H
#define GRADER_BASE_PROCESS_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "fault.h"

/* Makes the calling process a subreaper; once is enough, more do no harm. */
bool process_tree_adopt(grader_fault *fault);

/* Tells which children the caller started itself, so that they are not taken for orphans; and forgets one. */
bool process_tree_own(pid_t pid, grader_fault *fault);
void process_tree_disown(pid_t pid);

/* For a process that was just forked: it has started nothing itself. */
void process_tree_forget(void);

/* Processes that were stopped and may be continued. Start with {0}; free(pid) ends it. */
typedef struct process_set {
    pid_t *pid;
    size_t count;
} process_set;

/* Stops the whole tree of `root` (SIGSTOP) and returns when no thread of it can run any more. `stopped` then holds
 * `root` and its descendants; orphans are no longer part of a program and stay stopped for good. */
bool process_tree_stop(pid_t root, process_set *stopped, grader_fault *fault);

/* Lets them run again (SIGCONT). It takes microseconds: what stands still starts nothing new to be found. */
void process_tree_continue(const process_set *stopped);

/* Kills the whole tree, `root` and orphans included, and reaps all of it but `root`, whose exit status is the
 * caller's to take. */
bool process_tree_kill(pid_t root, grader_fault *fault);

/* How many threads the caller's user has now, of all processes that can be seen. */
unsigned process_tree_threads_of_user(void);

#endif
