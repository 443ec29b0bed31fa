/* The program's functions and settings where the program is this process, and the choice of another way to them. */
#include "program.h"

#include "host_threads.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

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

bool program_all_wait(int64_t *computed_ns)
{
    if (other) return other->all_wait(computed_ns);
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    *computed_ns = (int64_t)used.tv_sec * 1000000000 + used.tv_nsec;
    return host_threads_all_wait();
}

bool program_setting(char *out, size_t bytes, const char *name)
{
    if (other) return other->setting(out, bytes, name);
    const char *value = getenv(name);
    if (value) snprintf(out, bytes, "%s", value);
    return value != NULL;
}

bool program_launches_cooperatively(void) { return !other || other->launches_cooperatively(); }
