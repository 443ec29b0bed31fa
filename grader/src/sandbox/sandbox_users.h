/*
 * sandbox_users.h: the sandbox of a container in which bubblewrap cannot work, such as one with Docker's default filter
 * of system calls. The grader must be root there, and the container must be thrown away.
 *
 * Each cell has a user that nobody else is (spare_user.h), so that the kernel keeps its processes and private files
 * apart from all others; folders that hold solutions, results and submissions are closed to such users, and nothing but
 * the cell's own folder can be written (closed_folders.h). The filter of system calls leaves no socket to make. What
 * this way cannot do is in docs/sandbox.md: processes, mounts and the network are the container's.
 */
#ifndef GRADER_SANDBOX_SANDBOX_USERS_H
#define GRADER_SANDBOX_SANDBOX_USERS_H

#include "sandbox.h"

/* Closes the folders and tries a program. `why` says why bubblewrap does not work. From then on files that this process
 * makes are the user's alone. */
bool sandbox_users_open(sandbox *out, const sandbox_options *options, const char *why, grader_fault *fault);

/* The parts of sandbox_cell_open, _load, _apply and _close that concern users. */
bool sandbox_users_enter(sandbox_cell *out, const sandbox *box, const sandbox_view *view, grader_fault *fault);
bool sandbox_users_load(sandbox_cell *out, unsigned user, const char *folder, grader_fault *fault);
void sandbox_users_apply(const sandbox_cell *cell, subprocess_options *options);
void sandbox_users_leave(sandbox_cell *cell);

#endif
