/* Programs without the code that solves a task; see solved_code.h. */
#include "solved_code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/folder.h"
#include "base/text.h"

static const char purpose[] = "a copy of the program"; /* for fault_memory */

/* The first place of a text, or the last; NULL for none. */
static char *find(char *bytes, size_t count, const char *text, bool last)
{
    char *found = NULL, *end = bytes + count;
    for (char *at = bytes; (at = memmem(at, (size_t)(end - at), text, strlen(text))); at++) {
        found = at;
        if (!last) break;
    }
    return found;
}

/* Overwrites what is between the first mark of the beginning and the last one of the end: all code of the task,
 * whatever marks the student's object adds. The bytes are no instruction on any processor. */
static void leave_out(char *bytes, size_t count, int task)
{
    enum { NO_INSTRUCTION = 0xff };
    char begins[64], ends[64];
    snprintf(begins, sizeof begins, SOLVED_CODE_BEGINS "%d]", task);
    snprintf(ends, sizeof ends, SOLVED_CODE_ENDS "%d]", task);
    char *from = find(bytes, count, begins, false), *to = find(bytes, count, ends, true);
    if (from && to && from < to) memset(from, NO_INSTRUCTION, (size_t)(to - from));
}

/* Copies a program, with the code of these tasks alone. */
static bool copy(const char *to, const char *from, unsigned tasks, mode_t mode, grader_fault *fault)
{
    enum { MOST_BYTES = 256 << 20 };
    char *bytes = NULL;
    size_t count = 0;
    fault_set(fault, "cannot read the program %s", from);
    FAULT_TRY(folder_read(&bytes, &count, from, MOST_BYTES, fault) == FOLDER_FILE);
    for (int task = 1; task <= SOLVED_CODE_TASKS; task++)
        if (!(tasks & 1u << task)) leave_out(bytes, count, task);
    bool ok = folder_write_unflushed(to, bytes, count, fault);
    free(bytes);
    return ok && (chmod(to, mode) == 0 || fault_errno(fault, "cannot make %s a program", to));
}

/* Where the program is as it was: the caller frees the path. */
static char *whole_of(const char *path) { return text_make("%s.whole", path); }

/* Nobody else may read the program as it was. */
static bool take_out(const char *path, const char *whole, grader_fault *fault)
{
    struct stat status;
    if (lstat(path, &status) != 0) return fault_errno(fault, "cannot find the program %s", path);
    if (!S_ISREG(status.st_mode)) return fault_set(fault, "the program %s is not a plain file", path);
    if (rename(path, whole) != 0 || chmod(whole, S_IRUSR | S_IWUSR) != 0)
        return fault_errno(fault, "cannot put aside %s", path);
    return copy(path, whole, 0, status.st_mode & 0777, fault);
}

bool solved_code_take_out(const char *path, grader_fault *fault)
{
    char *whole = whole_of(path);
    bool ok = whole ? take_out(path, whole, fault) : fault_memory(fault, purpose);
    free(whole);
    return ok;
}

bool solved_code_copy(const char *to, const char *path, unsigned tasks, grader_fault *fault)
{
    char *whole = whole_of(path);
    bool ok = whole ? copy(to, whole, tasks, S_IRWXU, fault) : fault_memory(fault, purpose);
    free(whole);
    return ok;
}
