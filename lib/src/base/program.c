/* The program's functions and settings where the program is this process, and the choice of another way to them. */
#include "program.h"

#include <stdio.h>
#include <stdlib.h>

static const program_access *other;

void program_use(const program_access *access) { other = access; }

void program_call_host_function(void (*function)(void *user), void *user)
{
    if (other)
        other->host_function(function, user);
    else
        function(user);
}

void program_call_callback(void (*callback)(lab_stream *stream, lab_status status, void *user), lab_stream *stream,
                           lab_status status, void *user)
{
    if (other)
        other->callback(callback, stream, status, user);
    else
        callback(stream, status, user);
}

bool program_setting(char *out, size_t bytes, const char *name)
{
    if (other) return other->setting(out, bytes, name);
    const char *value = getenv(name);
    if (value) snprintf(out, bytes, "%s", value);
    return value != NULL;
}
