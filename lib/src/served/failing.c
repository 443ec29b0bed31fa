/* Failures that a check puts into the program's calls, one at a time, each known by its name, its place and its number
 * there. A number of its own for each place stays the same call when the program's threads take turns in another
 * order. */
#include "served.h"

#include "base/call_site.h"
#include "base/status.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { MOST_SITES = 256, NAME_BYTES = 64 };

/* Calls of one function at one line. */
typedef struct site {
    const char *name; /* a literal */
    served_kind kind;
    bool known; /* whether the line is */
    int line;
    uint64_t calls;
} site;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards what follows */
static char file[256];
static site sites[MOST_SITES];
static int site_count;
static struct {
    char name[NAME_BYTES];
    int line;
    uint64_t number;
    lab_status status;
    bool failed;
    uint64_t caller;  /* of the one that failed */
    uint64_t thread;  /* which made it (own_thread): others cannot know of the failure */
    const char *next; /* that thread's first call at a known line that works after it; NULL so far */
    int next_line;
} asked;

static atomic_bool counts;

/* A number for each thread of the program. A pthread_t may come back when its thread has ended. */
static _Atomic uint64_t threads;
static _Thread_local uint64_t own_thread;

/* The number of this call among those of its name and line; 0 if there is no room to count it. */
static uint64_t count(const char *name, served_kind kind, const call_site *place)
{
    const bool known = *place->file;
    int i = 0;
    while (i < site_count && (sites[i].name != name || sites[i].line != place->line || sites[i].known != known)) i++;
    if (i == MOST_SITES) return 0;
    if (i == site_count) sites[site_count++] = (site){name, kind, known, place->line, 0};
    return ++sites[i].calls;
}

bool served_fails(lab_status *status, const char *name, served_kind kind)
{
    if (!atomic_load_explicit(&counts, memory_order_relaxed)) return false;
    if (!own_thread) own_thread = atomic_fetch_add(&threads, 1) + 1;
    const call_site place = call_site_now();
    pthread_mutex_lock(&lock);
    const bool counted = !*place.file || strcmp(place.file, file) == 0;
    const uint64_t number = counted ? count(name, kind, &place) : 0;
    const bool fails = number && number == asked.number && place.line == asked.line && strcmp(name, asked.name) == 0;
    const lab_status wanted = asked.status;
    const bool after = asked.failed && asked.thread == own_thread;
    if (after && !asked.next && *place.file && counted && kind == SERVED_WORKS) {
        asked.next = name;
        asked.next_line = place.line;
    }
    asked.failed = asked.failed || fails;
    if (fails) {
        asked.caller = place.caller;
        asked.thread = own_thread;
    }
    pthread_mutex_unlock(&lock);
    if (fails) *status = lab_fail(wanted, "%s fails here because the check has asked for it", name);
    return fails;
}

void served_failing_begin(const char *of_file, int line, const char *name, uint64_t number, lab_status status)
{
    pthread_mutex_lock(&lock);
    snprintf(file, sizeof file, "%s", of_file);
    site_count = 0;
    asked.line = line;
    asked.number = status == LAB_SUCCESS ? 0 : number;
    asked.status = status;
    asked.failed = false;
    asked.next = NULL;
    snprintf(asked.name, sizeof asked.name, "%s", name);
    pthread_mutex_unlock(&lock);
    atomic_store(&counts, true);
}

/* Adds a line to a text of so many bytes, if it has room. */
static bool add_line(char *text, size_t bytes, const char *name, const char *word, const char *of_file, int line,
                     uint64_t calls)
{
    const size_t at = strlen(text);
    const int length =
        snprintf(text + at, bytes - at, "%s %s %s:%d %llu\n", name, word, of_file, line, (unsigned long long)calls);
    if (at + (size_t)length < bytes) return true;
    text[at] = '\0';
    return false;
}

bool served_failing_end(char *text, size_t bytes, uint64_t *caller)
{
    static const char *const kinds[] = {[SERVED_WORKS] = "works",
                                        [SERVED_WAITS] = "waits",
                                        [SERVED_QUERIES] = "queries",
                                        [SERVED_GOES_BACK] = "goes-back",
                                        [SERVED_ENDS] = "ends"};
    atomic_store(&counts, false);
    pthread_mutex_lock(&lock);
    text[0] = '\0';
    if (asked.next) add_line(text, bytes, asked.next, "next", file, asked.next_line, 1);
    for (int i = 0; i < site_count; i++)
        if (!add_line(text, bytes, sites[i].name, kinds[sites[i].kind], sites[i].known ? file : "?", sites[i].line,
                      sites[i].calls))
            break;
    const bool failed = asked.failed;
    *caller = failed ? asked.caller : 0;
    pthread_mutex_unlock(&lock);
    return failed;
}
