/* The sites of the calls under way, for each thread: one call may be nested in another. */
#include "call_site.h"

#include "lab.h"

enum { MOST_NESTED = 32 }; /* calls nested deeper have no site */
static _Thread_local call_site sites[MOST_NESTED];
static _Thread_local int calls_under_way;

static const call_site nowhere = {"", 0, 0};
uint64_t (*call_site_find_caller)(bool has_line);
const char *(*call_site_file)(const char *named, const void *caller);

void call_site_begin(call_site site)
{
    if (calls_under_way < MOST_NESTED) sites[calls_under_way] = site;
    calls_under_way++;
}

void lab_here(const char *file, int line)
{
    if (call_site_file) file = call_site_file(file, __builtin_return_address(0));
    const bool is_place = file && *file && line >= 0; /* a program may name any: records hold no other lines */
    call_site_begin(is_place ? (call_site){file, line, 0} : nowhere);
}

lab_status lab_here_ends(lab_status status)
{
    if (calls_under_way > 0) calls_under_way--;
    return status;
}

call_site call_site_now(void)
{
    return calls_under_way > 0 && calls_under_way <= MOST_NESTED ? sites[calls_under_way - 1] : nowhere;
}
