/*
 * spare_user.h: users that nobody is, one for each cell of a container's sandbox (sandbox/sandbox_users.h).
 *
 * The kernel keeps users apart: none can stop, trace or look into a process of another, or open another's private
 * files. A user is taken by a lock, which ends with the process that took it; graders in one container share the users.
 */
#ifndef GRADER_CONTAINER_SPARE_USER_H
#define GRADER_CONTAINER_SPARE_USER_H

#include <stdbool.h>

#include "base/fault.h"

/* The numbers are those of systemd's dynamic users, which no package and no account has. */
enum {
    SPARE_USER_GROUP = 61184, /* the group of all of them */
    SPARE_USER_DEVICE,        /* whom all device processes share: they are trusted */
    SPARE_USER_LINKERS,       /* the group of linkers, in place of the first: they see what programs are linked with */
    SPARE_USER_FIRST,
    SPARE_USERS = 512
};

typedef struct spare_user {
    unsigned id; /* 0 for none */
    int lock;
} spare_user;

/* Takes a user that is free and ends what still runs as that user. */
bool spare_user_take(spare_user *out, grader_fault *fault);

/* Ends everything that runs as the user. */
void spare_user_stop(const spare_user *user);

/* Does so and releases the user. Accepts {0}. */
void spare_user_release(spare_user *user);

#endif
