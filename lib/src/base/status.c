/* Status names and texts, the calling thread's latest failure, and the process's latest with each status. Knows nothing of
 * devices, and of a call only that it fails and where it stands. */
#include "status.h"

#include <assert.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab_trace.h"
#include "call_site.h"

/* A call that failed. */
typedef struct failure {
    lab_status status;
    call_place place;
    char message[16384]; /* long enough for a compiler's log of a few errors */
} failure;

static _Thread_local failure latest; /* all zeros before the first */
static _Thread_local int tries;      /* within each other; while there are any, failures are not kept */

/* The latest failure of the process with each status, in no order. */
#define ONE(name, code, text) +1
enum { STATUSES = 0 LAB_STATUS_TABLE(ONE) };
#undef ONE
static struct {
    lab_status status;
    lab_failure last;
} failed[STATUSES];
static int failed_statuses;
static uint64_t failures;
static pthread_mutex_t failed_lock = PTHREAD_MUTEX_INITIALIZER;

const char *lab_status_name(lab_status status)
{
    switch (status) {
#define NAME(name, code, text)                                                                                         \
    case name: return #name;
        LAB_STATUS_TABLE(NAME)
#undef NAME
    }
    return "LAB_ERROR_UNKNOWN";
}

const char *lab_status_text(lab_status status)
{
    switch (status) {
#define TEXT(name, code, text)                                                                                         \
    case name: return text;
        LAB_STATUS_TABLE(TEXT)
#undef TEXT
    }
    return "an error without a name";
}

const char *lab_error_message(void) { return latest.message; }

void lab_error_place(const char **file, int *line)
{
    if (file) *file = latest.place.file ? latest.place.file : "";
    if (line) *line = latest.place.line;
}

uint64_t lab_failures(void)
{
    pthread_mutex_lock(&failed_lock);
    uint64_t count = failures;
    pthread_mutex_unlock(&failed_lock);
    return count;
}

/* Where the failures with this status are; the lock is held. */
static int find_failed(lab_status status)
{
    int at = 0;
    while (at < failed_statuses && failed[at].status != status) at++;
    return at;
}

bool lab_last_failure(lab_failure *out, lab_status status, uint64_t after)
{
    pthread_mutex_lock(&failed_lock);
    int at = find_failed(status);
    bool found = at < failed_statuses && failed[at].last.number > after;
    if (found) *out = failed[at].last;
    pthread_mutex_unlock(&failed_lock);
    return found;
}

/* Keeps a failure where other threads can read it. */
static void tell(const failure *of)
{
    pthread_mutex_lock(&failed_lock);
    int at = find_failed(of->status);
    failures++;
    if (at < STATUSES) {
        lab_failure *last = &failed[at].last;
        failed[at].status = of->status;
        if (at == failed_statuses) failed_statuses++;
        last->number = failures;
        last->line = of->place.line;
        snprintf(last->file, sizeof last->file, "%s", of->place.file);
        memcpy(last->message, of->message, sizeof last->message - 1);
    }
    pthread_mutex_unlock(&failed_lock);
}

lab_status lab_fail(lab_status status, const char *format, ...)
{
    assert(status != LAB_SUCCESS);
    if (tries > 0) return status;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(latest.message, sizeof latest.message, format, arguments);
    va_end(arguments);
    if (length >= (int)sizeof latest.message) strcpy(latest.message + sizeof latest.message - 4, "...");
    latest.status = status;
    latest.place = call_place_now();
    tell(&latest);
    return status;
}

void status_try_begin(void) { tries++; }

void status_try_end(void) { tries--; }

void lab_check_failed(const char *file, int line, const char *call, lab_status status)
{
    fprintf(stderr, "%s:%d: %s: %s (%s)\n", file, line, call,
            *latest.message ? latest.message : lab_status_text(status), lab_status_name(status));
    exit(EXIT_FAILURE);
}
