/* Starts a program. */
#ifndef LAB_BASE_PROCESSES_SPAWN_H
#define LAB_BASE_PROCESSES_SPAWN_H

#include <sys/types.h>

/* The child gets these descriptors, which are above 2 here, as 0, 1 and 2, and no others; no signal is blocked or
 * ignored. Both lists end with NULL. Returns 0, or the errno of why it could not be started. */
int spawn_program(pid_t *child, const char *program, const char *const *arguments, const char *const *environment,
                  const int descriptors[3]);

/* Moves a descriptor above 2, where making it a child's 0, 1 or 2 cannot overwrite another. Closes the old
 * one in any case. Returns the new one, -1 where that fails. */
int spawn_move_up(int descriptor);

#endif
