/*
 * cleanup_guard.h: leaves nothing behind, whatever ends the work: an interrupt, a crash, the end.
 *
 * The work runs in a process of its own, with a private folder for all its temporary files. However that process ends,
 * the guard then kills everything it started and removes the folder.
 */
#ifndef GRADER_SANDBOX_CLEANUP_GUARD_H
#define GRADER_SANDBOX_CLEANUP_GUARD_H

/* Calls work(user) this way and returns its result, from 0 to 125. CLEANUP_GUARD_FAILED means that the work could not
 * start or did not reach its end; a sentence on standard error, which begins with `name`, says why. */
int cleanup_guard_run(int (*work)(void *user), void *user, const char *name);

enum { CLEANUP_GUARD_FAILED = 126 };

#endif
