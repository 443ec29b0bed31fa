/*
 * Running one check: from its first line to its evidence. It knows how a check ends and what it has found; it refuses
 * to know programs, memory that is shared, or what is compared.
 */
#include "check_internal.h"

#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>

#include "base/clock.h"
#include "base/text.h"

check_state check_now;

/* ---- memory that the check owns ------------------------------------------------------------------------ */

struct check_memory {
    struct check_memory *next;
    _Alignas(64) unsigned char bytes[];
};

static void *allocate(size_t bytes)
{
    size_t whole = (sizeof(struct check_memory) + bytes + 63) / 64 * 64;
    struct check_memory *memory = whole > bytes ? aligned_alloc(64, whole) : NULL;
    if (!memory) check_fault("not enough memory for %zu bytes", bytes);
    memset(memory, 0, whole);
    memory->next = check_now.memory;
    check_now.memory = memory;
    return memory->bytes;
}

void *check_alloc(size_t bytes) { return allocate(bytes); }

static void free_memory(void)
{
    while (check_now.memory) {
        struct check_memory *next = check_now.memory->next;
        free(check_now.memory);
        check_now.memory = next;
    }
}

static char *format_text(const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = allocate((size_t)(length > 0 ? length : 0) + 1);
    if (length > 0) vsnprintf(text, (size_t)length + 1, format, arguments);
    return text;
}

char *check_text(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = format_text(format, arguments);
    va_end(arguments);
    return text;
}

/* ---- findings ------------------------------------------------------------------------------------------- */

#define KEEP_TEXT(field)                                                                                               \
    do {                                                                                                               \
        va_list arguments;                                                                                             \
        va_start(arguments, format);                                                                                   \
        check_now.field = format_text(format, arguments);                                                              \
        va_end(arguments);                                                                                             \
    } while (0)

void check_expected(const char *format, ...) { KEEP_TEXT(expected); }

void check_found(const char *format, ...) { KEEP_TEXT(found); }

void check_cause(const char *format, ...) { KEEP_TEXT(cause); }

void check_location(const char *file, int line, const char *function)
{
    check_now.location_file = check_text("%s", file);
    check_now.location_line = line;
    check_now.location_function = function ? check_text("%s", function) : NULL;
}

_Noreturn void check_end(void) { longjmp(check_now.end, 1); }

_Noreturn void check_fail(check_kind kind, const char *format, ...)
{
    KEEP_TEXT(message);
    if (check_now.schedule && strcmp(check_now.schedule, "fifo") != 0)
        check_now.message = check_text("%s (under LAB_SCHEDULE=%s)", check_now.message, check_now.schedule);
    check_now.kind = kind;
    check_now.outcome = CHECK_FAILED;
    check_end();
}

_Noreturn void check_not_measured(const char *format, ...)
{
    KEEP_TEXT(message);
    check_now.outcome = CHECK_NOT_MEASURED;
    check_end();
}

_Noreturn void check_not_run(const char *format, ...)
{
    KEEP_TEXT(message);
    check_now.outcome = CHECK_NOT_RUN;
    check_end();
}

/* A fault may be that there is no memory, so its sentence has a place of its own. */
_Noreturn void check_fault(const char *format, ...)
{
    static char sentence[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    check_now.message = sentence;
    check_now.outcome = CHECK_FAULTED;
    check_end();
}

/* ---- from the first line to the evidence ----------------------------------------------------------------- */

static uint64_t seed_of_run(void)
{
    uint64_t seed = 0;
    const char *text = getenv("LAB_CHECK_SEED");
    if (text) return strtoull(text, NULL, 10);
    if (getrandom(&seed, sizeof seed, 0) != sizeof seed) check_fault("the system gives no random seed");
    return seed;
}

static void begin(const check_definition *definition)
{
    enum { REFERENCE_SECONDS = 120 }; /* it does not hang, however slow the machine is */
    const char *limit = getenv("LAB_CHECK_SECONDS");
    double seconds = limit ? strtod(limit, NULL) : 0;
    if (seconds <= 0) seconds = 20;
    if (definition->seconds > 0 && !limit) seconds = definition->seconds;

    /* This process holds the seed and the inputs: same user or not, no other process may look into it; and it does
     * not outlive who reads its evidence. */
    prctl(PR_SET_DUMPABLE, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPIPE, SIG_IGN);

    check_now = (check_state){.definition = definition, .started = clock_seconds(), .seconds_left = seconds};
    check_now.reference_seconds_left = REFERENCE_SECONDS;
}

/* Seeds of schedules are short: they are to be typed. */
static const char *schedule_of_round(const check_definition *definition, int round)
{
    enum { SEEDS = 1000000 };
    if (strcmp(definition->schedule, "fifo") == 0) return definition->schedule;
    return check_text("%s:%" PRIu64, definition->schedule, (check_now.seed + (uint64_t)round) % SEEDS);
}

static void run_rounds(const check_definition *definition)
{
    int rounds = definition->seeds > 0 ? definition->seeds : 1;
    bool has_schedules = definition->schedule && strcmp(check_device()->kind, "cuda") != 0;
    if (!has_schedules) rounds = 1;
    for (int round = 0; round < rounds; round++) {
        check_programs_end();
        check_now.schedule = has_schedules ? schedule_of_round(definition, round) : NULL;
        definition->body();
    }
}

/* The body of the check, with everything in it that can end it early. */
static void run_body(void)
{
    if (setjmp(check_now.end) != 0) return;
    check_now.mismatches = json_array();
    check_now.timings = json_array();
    check_now.ratios = json_array();
    if (!check_now.mismatches || !check_now.timings || !check_now.ratios) check_fault("not enough memory");
    uint64_t seed = seed_of_run();
    check_now.seed = seed ^ text_checksum(check_now.definition->name, strlen(check_now.definition->name));
    run_rounds(check_now.definition);
}

static void release(void)
{
    if (check_now.free_traces) check_now.free_traces();
    json_decref(check_now.mismatches);
    json_decref(check_now.timings);
    json_decref(check_now.ratios);
    free(check_now.trace);
    free(check_now.timeline_svg);
    free(check_now.timeline_text);
    free(check_now.output);
}

/* Whether it passed; `message` says what Criterion is told. */
static bool run_check(const check_definition *definition, char message[512])
{
    begin(definition);
    run_body();
    if (setjmp(check_now.end) == 0) check_programs_end();
    bool written = check_evidence_write(&check_now);
    bool passed = check_now.outcome == CHECK_PASSED;
    snprintf(message, 512, "%s%s", check_now.outcome == CHECK_FAULTED ? "grader fault: " : "",
             check_now.message ? check_now.message : "");
    release();
    free_memory();
    prctl(PR_SET_DUMPABLE, 1);
    /* Without evidence the check must not look as if it had ended: whoever reads finds an error, not a result. */
    if (!written) abort();
    return passed;
}

void check_run(const check_definition *definition)
{
    char message[512];
    bool passed = run_check(definition, message);
    cr_assert(passed, "%s", message);
}

bool check_run_alone(const check_definition *definition)
{
    char message[512];
    return run_check(definition, message);
}
