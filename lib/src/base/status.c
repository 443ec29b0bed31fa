/* Names and texts of statuses, the calling thread's latest failure, and the process's latest failure of each status. */
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
    uint64_t count; /* of the thread's failures, up to this one */
    call_site site;
    char message[16384]; /* long enough for a compiler's log of a few errors */
} failure;

static _Thread_local failure latest; /* all zeros before the first */
static _Thread_local int tries;      /* nested status_try_begin calls; while there are any, failures are not kept */

/* The latest failure of the process of each status, in no particular order. */
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
    if (file) *file = latest.site.file ? latest.site.file : "";
    if (line) *line = latest.site.line;
}

uint64_t lab_failures(void)
{
    pthread_mutex_lock(&failed_lock);
    uint64_t count = failures;
    pthread_mutex_unlock(&failed_lock);
    return count;
}

/* The index of the failures of this status; failed_statuses if there are none. The lock is held. */
static int find_failed(lab_status status)
{
    int index = 0;
    while (index < failed_statuses && failed[index].status != status) index++;
    return index;
}

bool lab_last_failure(lab_failure *out, lab_status status, uint64_t after)
{
    pthread_mutex_lock(&failed_lock);
    int index = find_failed(status);
    bool found = index < failed_statuses && failed[index].last.number > after;
    if (found) *out = failed[index].last;
    pthread_mutex_unlock(&failed_lock);
    return found;
}

/* Keeps the failure where other threads can read it. */
static void publish(const failure *failed_call)
{
    pthread_mutex_lock(&failed_lock);
    int index = find_failed(failed_call->status);
    failures++;
    if (index < STATUSES) {
        lab_failure *last = &failed[index].last;
        failed[index].status = failed_call->status;
        if (index == failed_statuses) failed_statuses++;
        last->number = failures;
        last->line = failed_call->site.line;
        last->caller = failed_call->site.caller;
        snprintf(last->file, sizeof last->file, "%s", failed_call->site.file);
        memcpy(last->message, failed_call->message, sizeof last->message - 1);
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
    latest.count++;
    latest.site = call_site_now();
    publish(&latest);
    return status;
}

status_failure status_last_failure(void) { return (status_failure){latest.status, latest.count}; }

void status_try_begin(void) { tries++; }

void status_try_end(void) { tries--; }

void lab_check_failed(const char *file, int line, const char *call, lab_status status)
{
    fprintf(stderr, "%s:%d: %s: %s (%s)\n", file, line, call,
            *latest.message ? latest.message : lab_status_text(status), lab_status_name(status));
    exit(EXIT_FAILURE);
}
