/* posix_spawn: what copies no memory is quick in a large program too. */
#include "spawn.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

int spawn_program(pid_t *child, const char *program, const char *const *arguments, const char *const *environment,
                  const int descriptors[3])
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    int error = 0;
    for (int i = 0; i < 3 && !error; i++) error = posix_spawn_file_actions_adddup2(&actions, descriptors[i], i);
    if (!error) error = posix_spawn_file_actions_addclosefrom_np(&actions, 3);
    if (!error) error = posix_spawnattr_setsigmask(&attributes, &none);
    if (!error) error = posix_spawnattr_setsigdefault(&attributes, &all);
    if (!error) error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    /* posix_spawn takes arrays of char * for historical reasons, and changes nothing. */
    if (!error)
        error =
            posix_spawn(child, program, &actions, &attributes, (char *const *)arguments, (char *const *)environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

int spawn_move_up(int descriptor)
{
    const int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
    if (descriptor >= 0) close(descriptor);
    return moved;
}
