/* File systems in memory, in mounts of one's own; see bounded_folder.h. */
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

/* ---- mounts of one's own ------------------------------------------------------------------------------------------ */

static bool write_map(const char *path, const char *text)
{
    FILE *file = fopen(path, "we");
    bool ok = file && fputs(text, file) >= 0;
    if (file) ok = fclose(file) == 0 && ok;
    return ok;
}

/* A namespace of users in which the caller is who it was, and may mount. The files that say so can be written by a process
 * only that hides nothing from its user. */
static bool enter_users(void)
{
    char user[64], group[64];
    int dumpable = prctl(PR_GET_DUMPABLE);
    snprintf(user, sizeof user, "%u %u 1", geteuid(), geteuid());
    snprintf(group, sizeof group, "%u %u 1", getegid(), getegid());
    prctl(PR_SET_DUMPABLE, 1);
    bool ok = unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 && write_map("/proc/self/uid_map", user) &&
              write_map("/proc/self/setgroups", "deny") && write_map("/proc/self/gid_map", group);
    prctl(PR_SET_DUMPABLE, dumpable);
    return ok;
}

/* What is mounted outside later may be seen here, never the other way round. */
static bool enter_mounts(grader_fault *fault)
{
    static pid_t entered;
    if (entered == getpid()) return true;
    bool ok = unshare(CLONE_NEWNS) == 0 || (errno == EPERM && enter_users());
    ok = ok && mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) == 0;
    if (!ok) return fault_errno(fault, "cannot have mounts of its own");
    entered = getpid();
    return true;
}

bool bounded_folders_are_possible(void)
{
    enum { BYTES = 1 << 20 };
    int status = -1;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        grader_fault fault;
        char *place = NULL, *path = NULL;
        bool ok = folder_make_private(&place, "bounded", &fault) && (path = folder_path(place, "try")) &&
                  bounded_folder_make(path, BYTES, &fault);
        if (ok) bounded_folder_release(path);
        if (place) folder_remove(place);
        _exit(ok ? 0 : 1);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* ---- a folder ------------------------------------------------------------------------------------------------------ */

bool bounded_folder_make(const char *path, uint64_t bytes, grader_fault *fault)
{
    char options[96];
    snprintf(options, sizeof options, "size=%" PRIu64 ",nr_inodes=%d,mode=0700", bytes, MOST_FILES);
    if (!enter_mounts(fault) || !folder_make(path, fault)) return false;
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
