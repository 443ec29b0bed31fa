/* The places of the calls under way, one within another, for each thread. */
#include "call_site.h"

#include "lab.h"

enum { PLACES = 32 }; /* calls nested deeper have no place */
static _Thread_local call_place places[PLACES];
static _Thread_local int calls_under_way;

static const call_place nowhere = {"", 0};

void lab_here(const char *file, int line)
{
    if (calls_under_way < PLACES) places[calls_under_way] = file && *file ? (call_place){file, line} : nowhere;
    calls_under_way++;
}

lab_status lab_here_ends(lab_status status)
{
    if (calls_under_way > 0) calls_under_way--;
    return status;
}

call_place call_place_now(void)
{
    return calls_under_way > 0 && calls_under_way <= PLACES ? places[calls_under_way - 1] : nowhere;
}
