/* The sentences of faults; see fault.h. */
#include "fault.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void format_into(grader_fault *fault, const char *format, va_list arguments)
{
    int length = vsnprintf(fault->text, sizeof fault->text, format, arguments);
    if (length >= (int)sizeof fault->text) memcpy(fault->text + sizeof fault->text - 4, "...", 4);
}

bool fault_set(grader_fault *fault, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    format_into(fault, format, arguments);
    va_end(arguments);
    return false;
}

bool fault_errno(grader_fault *fault, const char *format, ...)
{
    int error = errno;
    va_list arguments;
    va_start(arguments, format);
    format_into(fault, format, arguments);
    va_end(arguments);
    size_t length = strlen(fault->text);
    snprintf(fault->text + length, sizeof fault->text - length, ": %s", strerror(error));
    return false;
}

bool fault_memory(grader_fault *fault, const char *what) { return fault_set(fault, "not enough memory for %s", what); }
