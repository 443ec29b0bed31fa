/* Status names, texts and the calling thread's message. Knows nothing of devices, and of a call only that it fails. */
#include "status.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/record.h"

/* Long enough for a compiler's log of a few errors. */
enum { MESSAGE_BYTES = 16384 };
static _Thread_local char message[MESSAGE_BYTES];

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

lab_status lab_fail(lab_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    record_message(status);
    if (length >= (int)sizeof message) memcpy(message + sizeof message - 4, "...", 4);
    return status;
}

void lab_check_failed(const char *file, int line, const char *call, lab_status status)
{
    fprintf(stderr, "%s:%d: %s: %s (%s)\n", file, line, call, *message ? message : lab_status_text(status),
            lab_status_name(status));
    exit(EXIT_FAILURE);
}
