/* File systems in memory, in private mounts; see bounded_folder.h. */
#include "bounded_folder.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/folder.h"

/* A file costs memory even if it is empty. */
enum { MOST_FILES = 65536, REST_FILES = 16 };

/* ---- private mounts ------------------------------------------------------------------------------------------ */

static bool write_map(const char *path, const char *text)
{
    FILE *file = fopen(path, "we");
    if (!file) return false;
    bool written = fputs(text, file) >= 0;
    return fclose(file) == 0 && written;
}

/* Enters a user namespace in which the caller keeps its identity and may mount. Only a dumpable process can write the
 * files that define it. */
static bool enter_user_namespace(void)
{
    char user[64], group[64];
    int dumpable = prctl(PR_GET_DUMPABLE);
    snprintf(user, sizeof user, "%u %u 1", geteuid(), geteuid());
    snprintf(group, sizeof group, "%u %u 1", getegid(), getegid());
    prctl(PR_SET_DUMPABLE, 1);
    bool entered = unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 && write_map("/proc/self/uid_map", user) &&
                   write_map("/proc/self/setgroups", "deny") && write_map("/proc/self/gid_map", group);
    prctl(PR_SET_DUMPABLE, dumpable);
    return entered;
}

/* Later mounts outside appear here; mounts made here never appear outside. */
static bool enter_mount_namespace(grader_fault *fault)
{
    static pid_t entered;
    if (entered == getpid()) return true;
    bool own = unshare(CLONE_NEWNS) == 0 || (errno == EPERM && enter_user_namespace());
    if (!own || mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) < 0) {
        return fault_errno(fault, "cannot have mounts of its own");
    }
    entered = getpid();
    return true;
}

static bool try_folder(void)
{
    enum { BYTES = 1 << 20 };
    grader_fault fault;
    char *place;
    FAULT_TRY(folder_make_private(&place, "bounded", &fault));
    char *path = folder_path(place, "try");
    bool made = path && bounded_folder_make(path, BYTES, &fault);
    if (made) bounded_folder_release(path);
    folder_remove(place);
    free(place);
    free(path);
    return made;
}

bool bounded_folders_are_possible(void)
{
    int status = -1;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) _exit(try_folder() ? 0 : 1);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* ---- a folder
 * ------------------------------------------------------------------------------------------------------ */

bool bounded_folder_make(const char *path, uint64_t bytes, grader_fault *fault)
{
    char options[96];
    snprintf(options, sizeof options, "size=%" PRIu64 ",nr_inodes=%d,mode=0700", bytes, MOST_FILES);
    FAULT_TRY(enter_mount_namespace(fault));
    FAULT_TRY(folder_make(path, fault));
    if (mount("lab", path, "tmpfs", MS_NOSUID | MS_NODEV, options) == 0) return true;
    return fault_errno(fault, "cannot mount a file system at %s", path);
}

bool bounded_folder_is_full(const char *path)
{
    struct statvfs status;
    if (statvfs(path, &status) < 0) return false;
    return status.f_bavail * status.f_frsize < BOUNDED_FOLDER_REST || (status.f_files && status.f_favail < REST_FILES);
}

void bounded_folder_release(const char *path) { umount2(path, MNT_DETACH); }
