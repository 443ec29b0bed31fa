/* What a check finds and how it ends; see check.h. */
#include "check_state.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

check_state this_check;

/* ---- memory that the check owns ------------------------------------------------------------------------ */

struct check_memory {
    struct check_memory *next;
    _Alignas(64) unsigned char bytes[];
};

void *check_alloc(size_t bytes)
{
    size_t whole = (sizeof(struct check_memory) + bytes + 63) / 64 * 64;
    struct check_memory *memory = whole > bytes ? aligned_alloc(64, whole) : NULL;
    if (!memory) check_fault("not enough memory for %zu bytes", bytes);
    memset(memory, 0, whole);
    memory->next = this_check.memory;
    this_check.memory = memory;
    return memory->bytes;
}

void check_free_memory(void)
{
    while (this_check.memory) {
        struct check_memory *next = this_check.memory->next;
        free(this_check.memory);
        this_check.memory = next;
    }
}

static char *format_text(const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = check_alloc((size_t)(length > 0 ? length : 0) + 1);
    if (length > 0) vsnprintf(text, (size_t)length + 1, format, arguments);
    return text;
}

char *owned_text(const char *format, ...)
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
        this_check.field = format_text(format, arguments);                                                             \
        va_end(arguments);                                                                                             \
    } while (0)

void check_expected(const char *format, ...)
{
    KEEP_TEXT(expected);
    this_check.expected_held = 0;
}

void check_found(const char *format, ...)
{
    KEEP_TEXT(found);
    this_check.found_held = 0;
}

void check_cause(const char *format, ...)
{
    KEEP_TEXT(cause);
    this_check.cause_held = 0;
}

void check_failure_causes(const check_failure_cause *causes) { this_check.failure_causes = causes; }

void check_texts_end(int line, bool holds)
{
    int *held[] = {&this_check.expected_held, &this_check.found_held, &this_check.cause_held};
    for (size_t i = 0; i < sizeof held / sizeof *held; i++) {
        if (holds && *held[i] == 0) *held[i] = line;
        if (!holds && *held[i] == line) *held[i] = 0;
    }
}

/* Forgets the texts of tests that have held. */
static void forget_held(void)
{
    if (this_check.expected_held) this_check.expected = NULL;
    if (this_check.found_held) this_check.found = NULL;
    if (this_check.cause_held) this_check.cause = NULL;
}

void check_location(const char *file, int line, const char *function)
{
    this_check.located = true;
    this_check.location_caller = 0;
    this_check.called_at = this_check.last_call = 0;
    memset(this_check.after, 0, sizeof this_check.after);
    this_check.location_file = *file ? owned_text("%s", file) : NULL;
    this_check.location_line = line;
    this_check.location_function = function ? owned_text("%s", function) : NULL;
}

void check_look_at(const char *format, ...)
{
    va_list arguments;
    check_location("", 0, NULL);
    va_start(arguments, format);
    this_check.location_function = format_text(format, arguments);
    va_end(arguments);
}

void forget_findings(void)
{
    this_check.message = this_check.expected = this_check.found = this_check.cause = NULL;
    check_location("", 0, NULL);
    this_check.located = this_check.guessed = false;
    this_check.outcome = CHECK_PASSED;
}

void check_reaches(const char *level)
{
    const check_level *levels = this_check.definition->levels;
    int i = 0;
    while (i < CHECK_LEVELS && levels[i].name && strcmp(levels[i].name, level) != 0) i++;
    if (i == CHECK_LEVELS || !levels[i].name) check_fault("the check has no level \"%s\"", level);
    this_check.level = &levels[i];
}

static _Noreturn void end(check_outcome outcome)
{
    this_check.outcome = outcome;
    longjmp(this_check.end, 1);
}

_Noreturn void check_fail(check_kind kind, const char *format, ...)
{
    KEEP_TEXT(message);
    forget_held();
    this_check.guessed = !this_check.located;
    if (this_check.find_lines) this_check.find_lines(kind == CHECK_LEAK || this_check.lacks_an_end);
    const char *schedule = this_check.called_under;
    if (schedule && strcmp(schedule, "fifo") != 0)
        this_check.message = owned_text("%s (under LAB_SCHEDULE=%s)", this_check.message, schedule);
    this_check.kind = kind;
    end(CHECK_FAILED);
}

_Noreturn void check_not_measured(const char *format, ...)
{
    KEEP_TEXT(message);
    end(CHECK_NOT_MEASURED);
}

_Noreturn void end_not_run(const char *format, ...)
{
    KEEP_TEXT(message);
    end(CHECK_NOT_RUN);
}

/* The fault may be a lack of memory, so its sentence has static storage. */
_Noreturn void check_fault(const char *format, ...)
{
    static char sentence[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    this_check.message = sentence;
    end(CHECK_FAULTED);
}
