/* Taking a user by a lock of one byte, and ending all of a user's processes; see spare_user.h. */
#include "spare_user.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* Only root can write in /run: nobody else can have made this file. */
static const char users_file[] = "/run/labgrade-users.lock";

/* kill(-1) reaches every process of the user at once, also those that are being started. */
void spare_user_stop(const spare_user *user)
{
    const unsigned id = user->id;
    pid_t child = fork();
    if (child == 0) {
        if (setresuid(id, id, id) == 0) kill(-1, SIGKILL);
        _exit(0);
    }
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR) continue;
}

static bool lock_byte(int file, off_t number)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = number, .l_len = 1};
    return fcntl(file, F_OFD_SETLK, &lock) == 0;
}

bool spare_user_take(spare_user *out, grader_fault *fault)
{
    *out = (spare_user){.lock = open(users_file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)};
    if (out->lock < 0) return fault_errno(fault, "cannot open %s", users_file);
    for (unsigned i = 0; i < SPARE_USERS && !out->id; i++)
        if (!getpwuid(SPARE_USER_FIRST + i) && lock_byte(out->lock, i)) out->id = SPARE_USER_FIRST + i;
    if (out->id) {
        spare_user_stop(out);
        return true;
    }
    close(out->lock);
    return fault_set(fault, "all of the %d users for submissions are taken (%s)", SPARE_USERS, users_file);
}

void spare_user_release(spare_user *user)
{
    if (!user->id) return;
    spare_user_stop(user);
    close(user->lock);
    *user = (spare_user){0};
}
