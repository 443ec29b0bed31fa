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

/* A file of this user's own: what another user put there under that name is not used. */
static int open_own(const char *device, const char *what, grader_fault *fault)
{
    text_buffer path = {0};
    struct stat status;
    text_format(&path, "/tmp/labgrade-%u-%s-%s.lock", (unsigned)getuid(), device, what);
    if (path.failed) {
        fault_set(fault, "not enough memory for the lock of the device");
        return -1;
    }
    int descriptor = open(path.text, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    bool ok = descriptor >= 0 && fstat(descriptor, &status) == 0;
    if (!ok)
        fault_errno(fault, "cannot make the lock of the device %s", path.text);
    else if (status.st_uid != getuid() || !S_ISREG(status.st_mode))
        ok = fault_set(fault, "%s is another user's: it cannot be the lock of the device", path.text);
    free(path.text);
    if (ok) return descriptor;
    if (descriptor >= 0) close(descriptor);
    return -1;
}

bool device_lock_open(device_lock *out, const device_info *device, grader_fault *fault)
{
    text_buffer name = {0};
    text_format(&name, "%s %s", device->kind, device->name);
    char *safe = name.failed ? NULL : text_safe_name(name.text);
    free(name.text);
    *out = (device_lock){.gate = -1, .device = -1};
    if (!safe) return fault_set(fault, "not enough memory for the lock of the device");
    out->gate = open_own(safe, "gate", fault);
    if (out->gate >= 0) out->device = open_own(safe, "device", fault);
    free(safe);
    if (out->device >= 0) return true;
    device_lock_close(out);
    return false;
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
    bool ok = take(lock->gate, LOCK_SH, fault) && take(lock->device, LOCK_SH, fault);
    flock(lock->gate, LOCK_UN);
    return ok;
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
