/*
 * control_group.h: limits the memory and the processes of everything that one job runs; the kernel enforces it.
 *
 * A group is made for a job, the job's programs enter it before they begin, and it is removed when they have ended.
 * Version 2 of control groups is used where it has the controllers, version 1 otherwise. Where this user may not make
 * groups there are none. That is not a fault: the caller then limits each process by itself.
 */
#ifndef GRADER_SANDBOX_CONTROL_GROUP_H
#define GRADER_SANDBOX_CONTROL_GROUP_H

#include <stdint.h>

enum { CONTROL_GROUP_FOLDERS = 2 };

/* The folders in which groups can be made: one that limits memory and one that limits processes. Version 2 has both in
 * one. NULL where no group can be made. */
typedef struct control_group_places {
    char *memory, *processes;
    int version; /* of the memory folder: 1 or 2; 0 without one */
} control_group_places;

/* Finds them by making groups and removing them again. Also removes empty groups that killed graders left there. */
void control_group_find(control_group_places *out);
void control_group_places_free(control_group_places *places);

typedef struct control_group {
    char *
        folder[CONTROL_GROUP_FOLDERS]; /* the first limits memory, the second processes; NULL if it could not be made */
    int lock[CONTROL_GROUP_FOLDERS];   /* marks the folder as in use, so that no other grader removes it */
    int version;
} control_group;

/* Makes a group with these limits in the places that exist. A folder that cannot be made stays NULL in `folder`. */
void control_group_make(control_group *out, const control_group_places *places, uint64_t memory_bytes,
                        unsigned processes);

/* How often the kernel killed a process of the group because the group's memory was used up. */
unsigned control_group_memory_kills(const char *memory_folder);

/* Removes the group and kills what still runs in it. */
void control_group_remove(control_group *group);

#endif
