/* How much a pool may hold: bytes, or a percentage of the device's memory. */
#include "pool.h"

#include "base/program/program.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

size_t pool_limit_of_percent(double percent, size_t total_memory)
{
    return (size_t)((double)total_memory * (percent / 100));
}

void pool_set_limit(pool *owner, size_t bytes)
{
    pthread_mutex_lock(&owner->streams.lock);
    owner->limit = bytes;
    pthread_mutex_unlock(&owner->streams.lock);
}

static bool parse_bytes(size_t *bytes, const char *text)
{
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    *bytes = (size_t)number;
    return isdigit((unsigned char)*text) && errno == 0 && *end == '\0';
}

static bool parse_percent(double *percent, const char *text)
{
    size_t digits = strspn(text, "0123456789.");
    char *end;
    *percent = strtod(text, &end);
    return isdigit((unsigned char)*text) && end == text + digits && strcmp(end, "%") == 0 && *percent <= 100;
}

lab_status pool_limit_from_environment(size_t *bytes, size_t total_memory)
{
    char text[128];
    double percent;
    *bytes = 0;
    bool is_set = program_setting(text, sizeof text, "LAB_GPU_MEMORY_LIMIT");
    if (!is_set || !*text || parse_bytes(bytes, text)) return LAB_SUCCESS;
    if (!parse_percent(&percent, text))
        return lab_fail(
            LAB_ERROR_INVALID_VALUE,
            "LAB_GPU_MEMORY_LIMIT=%s is not a limit; use bytes, as in 1073741824, or a percentage of the device's "
            "memory from 0%% to 100%%, as in 50%%",
            text);
    *bytes = pool_limit_of_percent(percent, total_memory);
    return LAB_SUCCESS;
}
