/* Status names, texts, the calling thread's message, and the latest failure of each kind. Knows nothing of devices, and of a
 * call only that it fails and where it stands. */
#include "status.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/record.h"

/* Long enough for a compiler's log of a few errors. */
enum { MESSAGE_BYTES = 16384 };
static _Thread_local char message[MESSAGE_BYTES];

/* The latest failure with each status, in no order. */
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

const char *lab_error_message(void) { return message; }

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

/* Keeps this thread's message where other threads can read it. */
static void note_failure(lab_status status)
{
    record_place place = record_last_place();
    pthread_mutex_lock(&failed_lock);
    int at = find_failed(status);
    failures++;
    if (at < STATUSES) {
        lab_failure *last = &failed[at].last;
        failed[at].status = status;
        if (at == failed_statuses) failed_statuses++;
        last->number = failures;
        last->line = place.line;
        snprintf(last->file, sizeof last->file, "%s", place.file);
        memcpy(last->message, message, sizeof last->message - 1);
    }
    pthread_mutex_unlock(&failed_lock);
}

lab_status lab_fail(lab_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    record_message(status);
    if (length >= (int)sizeof message) memcpy(message + sizeof message - 4, "...", 4);
    note_failure(status);
    return status;
}

void lab_check_failed(const char *file, int line, const char *call, lab_status status)
{
    fprintf(stderr, "%s:%d: %s: %s (%s)\n", file, line, call, *message ? message : lab_status_text(status),
            lab_status_name(status));
    exit(EXIT_FAILURE);
}
