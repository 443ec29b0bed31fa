/* The lock of a folder of results; see one_grader.h. */
#include "one_grader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/system/write_all.h"
#include "base/text.h"

static const char lock_name[] = "grades.lock";

/* What the holder of the lock wrote, on one line. */
static char *read_holder(int descriptor)
{
    char text[256];
    ssize_t bytes = pread(descriptor, text, sizeof text, 0);
    if (bytes <= 0) return strdup("a process that has not said which");
    return text_clean_line(text, (size_t)bytes);
}

static bool write_holder(int descriptor, const char *path, grader_fault *fault)
{
    char host[128] = "", since[32];
    struct tm utc;
    time_t now = time(NULL);
    text_buffer text = {0};
    gethostname(host, sizeof host - 1);
    strftime(since, sizeof since, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    text_format(&text, "process %d on %s, since %s\n", (int)getpid(), host, since);
    bool ok = !text.failed && ftruncate(descriptor, 0) == 0 && write_all(descriptor, text.text, text.length);
    free(text.text);
    return ok || fault_errno(fault, "cannot write %s", path);
}

static bool refuse(int descriptor, const char *path, const char *folder, grader_fault *fault)
{
    if (errno != EWOULDBLOCK) return fault_errno(fault, "cannot lock %s", path);
    char *holder = read_holder(descriptor);
    fault_set(fault, "another grader is at work in %s (%s); wait for its end, or grade into another folder", folder,
              holder ? holder : "?");
    free(holder);
    return false;
}

/* Opens the file and locks it; `lock` is -1 without a file. */
static bool take_lock(int *lock, const char *path, const char *folder, grader_fault *fault)
{
    *lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (*lock < 0) return fault_errno(fault, "cannot make %s", path);
    if (flock(*lock, LOCK_EX | LOCK_NB) < 0) return refuse(*lock, path, folder, fault);
    return write_holder(*lock, path, fault);
}

bool one_grader_enter(int *lock, const char *folder, grader_fault *fault)
{
    int descriptor;
    char *path = folder_path(folder, lock_name);
    if (!path) return fault_memory(fault, "a path");
    bool ok = take_lock(&descriptor, path, folder, fault);
    free(path);
    if (!ok && descriptor >= 0) close(descriptor);
    if (ok) *lock = descriptor;
    return ok;
}

void one_grader_leave(int lock) { close(lock); }

char *one_grader_at_work(const char *folder)
{
    char *path = folder_path(folder, lock_name), *holder = NULL;
    int descriptor = path ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
    bool taken = descriptor >= 0 && flock(descriptor, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;
    holder = taken ? read_holder(descriptor) : strdup("");
    if (descriptor >= 0) close(descriptor);
    free(path);
    return holder;
}
