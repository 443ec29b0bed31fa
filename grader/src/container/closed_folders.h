/*
 * closed_folders.h: keeps the users of a container's sandbox (sandbox/sandbox_users.h) out of folders, and lets each
 * pass to what it may see there.
 *
 * A closed folder can be passed by who knows a name in it, and not be listed. What it holds is for owner and group
 * alone. Permissions are not restored: the container is thrown away.
 */
#ifndef GRADER_CONTAINER_CLOSED_FOLDERS_H
#define GRADER_CONTAINER_CLOSED_FOLDERS_H

#include <stdbool.h>

#include "base/fault.h"

/* Closes a folder, or what has been put into a closed one since. A folder that is not there is none to close. */
bool closed_folder_make(const char *path, grader_fault *fault);

/* Keeps everybody but its owner and group out of a folder, until it leads to something that is shown or given. */
void closed_folder_protect(const char *path);

/* Lets the group read a file, run it if its owner can, or list a folder. Each folder on the way that is in one of
 * `closed`, or that cannot be passed, is closed. */
bool closed_folder_show(const char *path, unsigned group, const char *const *closed, grader_fault *fault);

/* Makes what is another's in a folder, itself included, the user's own, and lets the user pass to it as above. */
bool closed_folder_give(const char *path, unsigned from, unsigned user, const char *const *closed, grader_fault *fault);

#endif
