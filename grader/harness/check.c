/* What a check finds and how it ends; see check.h. */
#include "check_state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

check_state this_check;

/* ---- memory that the check owns ------------------------------------------------------------------------ */

struct check_memory {
    struct check_memory *next;
    void *allocated; /* begins up to 63 bytes earlier */
    _Alignas(64) unsigned char bytes[];
};

/* calloc takes large memory from the system, where it is zero already, and costs nothing until it is used. */
void *check_alloc(size_t bytes)
{
    enum { ALIGNED = _Alignof(struct check_memory) };
    const size_t whole = sizeof(struct check_memory) + ALIGNED + bytes;
    unsigned char *allocated = whole > bytes ? calloc(1, whole) : NULL;
    if (!allocated) check_fault("not enough memory for %zu bytes", bytes);
    struct check_memory *memory = (void *)(allocated + (ALIGNED - (uintptr_t)allocated % ALIGNED) % ALIGNED);
    memory->allocated = allocated;
    memory->next = this_check.memory;
    this_check.memory = memory;
    return memory->bytes;
}

void check_free_memory(void)
{
    while (this_check.memory) {
        struct check_memory *next = this_check.memory->next;
        free(this_check.memory->allocated);
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

char *check_text(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = format_text(format, arguments);
    va_end(arguments);
    return text;
}

/* ---- places --------------------------------------------------------------------------------------------- */

check_place check_at_line(const char *file, int line, const char *function)
{
    return (check_place){.known = true, .file = *file ? file : NULL, .line = line, .function = function};
}

check_place check_at_no_line(void) { return (check_place){.known = true}; }

check_place check_at_name(const char *definition) { return (check_place){.known = true, .function = definition}; }

/* ---- the end ---------------------------------------------------------------------------------------------- */

static jmp_buf *catcher;      /* where an end leads */
static check_ending last_end; /* and what it is */

bool check_catch(check_ending *ending, void (*work)(void *user), void *user)
{
    jmp_buf here, *const outer = catcher;
    catcher = &here;
    if (setjmp(here) == 0) {
        work(user);
        catcher = outer;
        return true;
    }
    catcher = outer;
    *ending = last_end;
    return false;
}

_Noreturn void check_end(check_ending ending)
{
    last_end = ending;
    longjmp(*catcher, 1);
}

/* A text of a finding as the check's own: it may be of a function that ends here. */
static const char *kept(const char *text) { return text && *text ? check_text("%s", text) : NULL; }

static const check_difference *kept_difference(const check_difference *difference)
{
    return difference ? memcpy(check_alloc(sizeof *difference), difference, sizeof *difference) : NULL;
}

_Noreturn void check_fail_with(check_finding finding)
{
    finding.message = kept(finding.message);
    finding.expected = kept(finding.expected);
    finding.found = kept(finding.found);
    finding.cause = kept(finding.cause);
    finding.at.file = kept(finding.at.file);
    finding.at.function = kept(finding.at.function);
    finding.difference = kept_difference(finding.difference);
    check_end((check_ending){CHECK_FAILED, finding});
}

void check_reaches(const char *level)
{
    const check_level *levels = this_check.definition->levels;
    int i = 0;
    while (i < CHECK_LEVELS && levels[i].name && strcmp(levels[i].name, level) != 0) i++;
    if (i == CHECK_LEVELS || !levels[i].name) check_fault("the check has no level \"%s\"", level);
    this_check.level = &levels[i];
}

#define END_WITH_TEXT(of_outcome)                                                                                      \
    do {                                                                                                               \
        va_list arguments;                                                                                             \
        va_start(arguments, format);                                                                                   \
        const char *text = format_text(format, arguments);                                                             \
        va_end(arguments);                                                                                             \
        check_end((check_ending){(of_outcome), {.message = text}});                                                    \
    } while (0)

_Noreturn void check_not_measured(const char *format, ...) { END_WITH_TEXT(CHECK_NOT_MEASURED); }

_Noreturn void end_not_run(const char *format, ...) { END_WITH_TEXT(CHECK_NOT_RUN); }

/* The fault may be a lack of memory, so its sentence has static storage. */
_Noreturn void check_fault(const char *format, ...)
{
    static char sentence[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    check_end((check_ending){CHECK_FAULTED, {.message = sentence}});
}
