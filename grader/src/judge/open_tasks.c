/* Finding open tasks in a starter; see tasks.h. */
#include "open_tasks.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static const char marker[] = "TODO(";

char *open_tasks_list(const char *source)
{
    enum { MOST = 63 };
    uint64_t seen = 0;
    text_buffer list = {0};
    text_append(&list, "", 0);
    for (const char *at = source; (at = strstr(at, marker));) {
        at += sizeof marker - 1;
        char *end;
        unsigned long number = strtoul(at, &end, 10);
        bool whole = end > at && *end == ')' && number <= MOST;
        if (!whole || seen >> number & 1) continue;
        seen |= (uint64_t)1 << number;
        text_format(&list, "%s%lu", list.length ? ", " : "", number);
    }
    if (!list.failed) return list.text;
    free(list.text);
    return NULL;
}
