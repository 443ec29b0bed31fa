/*
 * cleanup_guard.h: leaves nothing behind, whatever ends the work: an interrupt, a crash, the end.
 *
 * The work is done in a process of its own, with a private folder for all its temporary files. When that process has
 * ended, however it did, this one kills everything it started and removes the folder. It knows nothing of the work.
 */
#ifndef GRADER_SANDBOX_CLEANUP_GUARD_H
#define GRADER_SANDBOX_CLEANUP_GUARD_H

/* Calls work(user) so and returns its result, from 0 to 125. 126 means that it could not be begun or did not come to
 * its end; a sentence on standard error, which begins with `name`, says why. */
int cleanup_guard_run(int (*work)(void *user), void *user, const char *name);

enum { CLEANUP_GUARD_FAILED = 126 };

#endif
