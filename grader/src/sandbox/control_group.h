/*
 * control_group.h: a limit on the memory and the processes of everything that one job runs, kept by the kernel.
 *
 * A group is made for a job, its programs enter it before they begin, and it is removed when they have ended. Version 2
 * of control groups is used where it has the controllers, version 1 otherwise; where this user may make no group there
 * is none, which is no fault: who asks is told, and limits each process by itself.
 * It knows /sys/fs/cgroup and nothing of who is limited.
 */
#ifndef GRADER_SANDBOX_CONTROL_GROUP_H
#define GRADER_SANDBOX_CONTROL_GROUP_H

#include <stdint.h>

enum { CONTROL_GROUP_FOLDERS = 2 };

/* Where groups can be made: a folder that limits memory, and one that limits processes, which version 2 has in one.
 * NULL where there is none. */
typedef struct control_group_places {
    char *memory, *processes;
    int version; /* of the memory's: 1 or 2; 0 without one */
} control_group_places;

/* Finds them by making groups and removing them again. Empty groups that were left there by graders that were killed are
 * removed too. */
void control_group_find(control_group_places *out);
void control_group_places_free(control_group_places *places);

typedef struct control_group {
    char *folder[CONTROL_GROUP_FOLDERS]; /* NULL where there is none; the first is the memory's */
    int lock[CONTROL_GROUP_FOLDERS];     /* keeps the folder from being taken for one that was left */
    int version;
} control_group;

/* Makes a group with these limits in the places that there are. What cannot be made is left out: look at `folder`. */
void control_group_make(control_group *out, const control_group_places *places, uint64_t memory_bytes,
                        unsigned processes);

/* How often a process of the group was killed because the group's memory was used up. */
unsigned control_group_memory_kills(const char *memory_folder);

/* Removes the group; what still runs in it is killed. */
void control_group_remove(control_group *group);

#endif
