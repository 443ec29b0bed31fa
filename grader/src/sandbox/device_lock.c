/* Sharing a device; see device_lock.h. */
#include "device_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

/* Opens the file, which must be this user's own: another user may have put something there under that name. */
static bool open_path(int *out, const char *path, grader_fault *fault)
{
    struct stat status;
    *out = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (*out < 0 || fstat(*out, &status) < 0) {
        return fault_errno(fault, "cannot make the lock of the device %s", path);
    }
    if (status.st_uid == getuid() && S_ISREG(status.st_mode)) return true;
    return fault_set(fault, "%s is another user's: it cannot be the lock of the device", path);
}

/* One of the two files of a device's lock; `part` names it. */
static bool open_part(int *out, const char *device, const char *part, grader_fault *fault)
{
    char *path = text_make("/tmp/labgrade-%u-%s-%s.lock", (unsigned)getuid(), device, part);
    bool opened = path ? open_path(out, path, fault) : fault_memory(fault, "the lock of the device");
    free(path);
    return opened;
}

bool device_lock_open(device_lock *out, const device_info *device, grader_fault *fault)
{
    *out = (device_lock){.gate = -1, .device = -1};
    char *name = text_make("%s %s", device->kind, device->name), *safe = name ? text_safe_name(name) : NULL;
    bool opened = safe || fault_memory(fault, "the lock of the device");
    opened = opened && open_part(&out->gate, safe, "gate", fault) && open_part(&out->device, safe, "device", fault);
    free(name);
    free(safe);
    if (!opened) device_lock_close(out);
    return opened;
}

void device_lock_close(device_lock *lock)
{
    if (lock->gate >= 0) close(lock->gate);
    if (lock->device >= 0) close(lock->device);
    *lock = (device_lock){.gate = -1, .device = -1};
}

static bool take(int descriptor, int how, grader_fault *fault)
{
    while (flock(descriptor, how) < 0) {
        if (errno != EINTR) return fault_errno(fault, "cannot wait for the device");
    }
    return true;
}

bool device_lock_share(device_lock *lock, grader_fault *fault)
{
    device_lock_release(lock);
    bool taken = take(lock->gate, LOCK_SH, fault) && take(lock->device, LOCK_SH, fault);
    flock(lock->gate, LOCK_UN);
    return taken;
}

bool device_lock_alone(device_lock *lock, grader_fault *fault)
{
    device_lock_release(lock);
    return take(lock->gate, LOCK_EX, fault) && take(lock->device, LOCK_EX, fault);
}

void device_lock_release(device_lock *lock)
{
    flock(lock->device, LOCK_UN);
    flock(lock->gate, LOCK_UN);
}
