/* Sharing a device; see device_lock.h. */
#include "device_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
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
    enum { PATIENCE = 60, MOST_WAITS = 30 };
    *out = (device_lock){.gate = -1, .device = -1, .patience = PATIENCE, .most_waits = MOST_WAITS};
    snprintf(out->name, sizeof out->name, "%s (%s)", device->kind, device->name);
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

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

/* Adds a process of another than this one: "process 4711 (build/bin/labgrade --lab lab03 --out ada)". */
static void add_holder(text_buffer *holders, int pid)
{
    char path[64], command[256];
    snprintf(path, sizeof path, "/proc/%d/cmdline", pid);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t bytes = file >= 0 ? read(file, command, sizeof command) : 0;
    if (file >= 0) close(file);
    for (ssize_t i = 0; i + 1 < bytes; i++) command[i] = command[i] ? command[i] : ' ';
    char *clean = text_clean_line(command, bytes > 0 ? (size_t)bytes - (command[bytes - 1] == '\0') : 0);
    text_format(holders, "%sprocess %d%s%s%s", holders->length ? ", " : "", pid, clean && *clean ? " (" : "",
                clean ? clean : "", clean && *clean ? ")" : "");
    free(clean);
}

/* Lists who has the lock of this file, by the kernel's list of locks. */
static void list_holders(text_buffer *holders, int descriptor)
{
    struct stat status;
    char line[256];
    FILE *locks = fopen("/proc/locks", "re");
    while (locks && fstat(descriptor, &status) == 0 && fgets(line, sizeof line, locks)) {
        int pid;
        unsigned long long node;
        bool read = sscanf(line, "%*d: FLOCK %*s %*s %d %*x:%*x:%llu", &pid, &node) == 2;
        if (read && node == status.st_ino && pid > 0 && pid != getpid()) add_holder(holders, pid);
    }
    if (locks) fclose(locks);
}

/* Who has the device, for a sentence. Yours to free; NULL without memory. */
static char *describe_holders(const device_lock *lock)
{
    text_buffer holders = {0};
    list_holders(&holders, lock->device);
    if (!holders.length) list_holders(&holders, lock->gate);
    if (!holders.length) text_format(&holders, "a process of another container");
    if (!holders.failed) return holders.text;
    free(holders.text);
    return NULL;
}

static void say_waiting(const device_lock *lock, unsigned waits)
{
    char *holders = describe_holders(lock);
    char *sentence = text_make("waiting for the device %s (%u of at most %u seconds), which is used by %s", lock->name,
                               waits * lock->patience, lock->most_waits * lock->patience, holders ? holders : "?");
    if (sentence && lock->waits) lock->waits(sentence);
    free(holders);
    free(sentence);
}

static bool give_up(const device_lock *lock, grader_fault *fault)
{
    char *holders = describe_holders(lock);
    fault_set(fault, "the device %s was not free for %u minutes: it is used by %s", lock->name,
              lock->most_waits * lock->patience / 60, holders ? holders : "?");
    free(holders);
    return false;
}

static void note_alarm(int number) { (void)number; }

/* Takes a lock. An alarm interrupts a long wait, to say so and to end it. */
static bool take(const device_lock *lock, int descriptor, int how, grader_fault *fault)
{
    struct sigaction ring = {.sa_handler = note_alarm}, before;
    if (flock(descriptor, how | LOCK_NB) == 0) return true;
    sigemptyset(&ring.sa_mask);
    sigaction(SIGALRM, &ring, &before);
    bool taken = false, failed = false;
    for (unsigned waits = 1; !taken && !failed; waits++) {
        alarm(lock->patience);
        taken = flock(descriptor, how) == 0;
        failed = !taken && errno != EINTR;
        if (failed) fault_errno(fault, "cannot wait for the device");
        if (!taken && !failed) say_waiting(lock, waits);
        if (!taken && !failed && waits >= lock->most_waits) failed = !give_up(lock, fault);
    }
    alarm(0);
    sigaction(SIGALRM, &before, NULL);
    return taken;
}

bool device_lock_share(device_lock *lock, grader_fault *fault)
{
    device_lock_release(lock);
    bool taken = take(lock, lock->gate, LOCK_SH, fault) && take(lock, lock->device, LOCK_SH, fault);
    flock(lock->gate, LOCK_UN);
    return taken;
}

bool device_lock_alone(device_lock *lock, grader_fault *fault)
{
    device_lock_release(lock);
    if (take(lock, lock->gate, LOCK_EX, fault) && take(lock, lock->device, LOCK_EX, fault)) return true;
    flock(lock->gate, LOCK_UN);
    return false;
}

void device_lock_release(device_lock *lock)
{
    flock(lock->device, LOCK_UN);
    flock(lock->gate, LOCK_UN);
}
