/*
 * From a crash message to a sentence: which signal, in which function, on which line of the student's file. And from one
 * of a call that does not return: which line, and what is waited for there. It knows addresses and addr2line; what it
 * cannot find out it leaves out, and it trusts none of it.
 */
#include "check_internal.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "base/subprocess.h"
#include "base/text.h"

/* Where a frame is in the sources. */
typedef struct source_place {
    char function[128];
    char file[128];
    int line;       /* 0 if unknown */
    char call[128]; /* the library's function that it has called and that has not returned; "" if it is in none */
    bool innermost; /* no code of the program outside the student's file was at work there */
} source_place;

/* What a signal means to the person whose program got it. */
static const char *signal_meaning(int number, int code)
{
    switch (number) {
    case SIGSEGV: return "invalid memory access";
    case SIGBUS: return "access to memory that is not there";
    case SIGFPE: return code == FPE_INTDIV ? "integer division by zero" : "arithmetic error";
    case SIGILL: return "illegal instruction";
    case SIGABRT: return "the program gave up";
    case SIGTRAP: return "trap";
    case SIGSYS: return "forbidden system call";
    }
    return "unknown";
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Reads addr2line's two lines about one frame: its function, then "file:line" and perhaps more. */
static bool read_place(source_place *place, char **lines)
{
    const char *function = strsep(lines, "\n"), *where = strsep(lines, "\n");
    if (!function || !where) return false;
    const char *name = base_name(where), *colon = strchr(name, ':');
    snprintf(place->function, sizeof place->function, "%s", function);
    place->file[0] = '\0';
    place->line = 0;
    if (!colon) return true;
    snprintf(place->file, sizeof place->file, "%.*s", (int)(colon - name), name);
    place->line = atoi(colon + 1);
    return true;
}

/* The innermost of the listed frames that lies in the student's file. The library's function that it called comes last
 * before it. */
static bool find_in_file(source_place *found, char *lines, const char *file)
{
    *found = (source_place){.innermost = true};
    while (read_place(found, &lines)) {
        if (found->line > 0 && strcmp(found->file, file) == 0) return true;
        found->innermost = false;
        if (strncmp(found->function, "lab_", 4) == 0) snprintf(found->call, sizeof found->call, "%s", found->function);
    }
    return false;
}

/* The addresses as the file counts them, as text, from where the signal struck. The handlers' own frames come first, then
 * the system's signal frame, which lies outside the program; the frame after that is where the signal struck, and its
 * address is exact. All others are return addresses, one past the call. */
static size_t list_addresses(char text[][24], const protocol_message *message)
{
    enum { MOST_PROGRAM_BYTES = 1 << 30 };
    size_t count = 0;
    bool exact = false, seen_outside = false;
    for (uint32_t i = 0; i < message->crash.frames; i++) {
        uint64_t address = message->crash.frame[i] - message->crash.base;
        bool inside = message->crash.frame[i] > message->crash.base && address < MOST_PROGRAM_BYTES;
        if (inside && seen_outside) snprintf(text[count++], 24, "0x%" PRIx64, exact ? address : address - 1);
        exact = !inside && !seen_outside;
        seen_outside = seen_outside || !inside;
    }
    return count;
}

static bool resolve(source_place *found, const protocol_message *message, const char *program_path)
{
    enum { SECONDS = 10, OUTPUT_BYTES = 256 * 1024, FIXED = 5 };
    char address[PROTOCOL_FRAMES][24];
    size_t count = list_addresses(address, message);
    const char *file = getenv("LAB_CHECK_SOURCE");
    char *tool = subprocess_find_program("addr2line"), **environment = environment_make(NULL);
    bool ok = false;
    if (!tool || !environment || !file || count == 0) goto done;

    const char *arguments[FIXED + PROTOCOL_FRAMES + 1] = {tool, "-f", "-i", "-e", program_path};
    for (size_t i = 0; i < count; i++) arguments[FIXED + i] = address[i];
    subprocess_options options = {.arguments = arguments, .environment = (const char *const *)environment};
    options.output_limit = OUTPUT_BYTES;
    subprocess_result result;
    grader_fault fault;
    if (!subprocess_run(&result, &options, SECONDS, &fault)) goto done;
    ok = result.event == SUBPROCESS_EXITED && find_in_file(found, result.output, file);
    subprocess_result_free(&result);
done:
    free(tool);
    environment_free(environment);
    return ok;
}

/* The likely cause of an invalid access; `own` says that the student's own code made it. */
static void explain_memory_fault(const protocol_message *message, bool own)
{
    enum { NULL_PAGE = 4096, LARGEST_STACK = 128 << 20 };
    uint64_t address = message->crash.address, stack = message->crash.stack;
    if (message->crash.code != SI_KERNEL && address < stack && stack - address < LARGEST_STACK)
        check_cause("the stack is full: a function calls itself without end, or a local array is too large");
    else if (!own)
        check_cause(
            "it was not your own code that ran then: it was given an address that is none, or memory was spoiled "
            "before, "
            "perhaps by a kernel that left its array; `make %s-memcheck` names such a kernel, its thread and the line",
            check_lab_name);
    /* The kernel has no address for an access that is outside of all addresses, which handles are on purpose. */
    else if (message->crash.code == SI_KERNEL)
        check_cause(
            "what was used as a pointer is none: an array, stream or event of the library, or a device address, "
            "cannot be followed on the host");
    else if (address < NULL_PAGE)
        check_cause("a pointer that is NULL was used");
}

_Noreturn void check_crash_report(const protocol_message *message, const char *program_path, bool reference)
{
    source_place place;
    int number = message->crash.signal;
    const char *name = sigabbrev_np(number);
    char *what = check_text("crashed: SIG%s (%s)", name ? name : "?", signal_meaning(number, message->crash.code));
    if (reference) check_fault("the reference program %s", what);
    bool known = resolve(&place, message, program_path), own = known && place.innermost;
    if (number == SIGSEGV || number == SIGBUS) explain_memory_fault(message, own);
    if (number == SIGABRT && !own)
        check_cause("it was not your own code that gave up: memory was spoiled before, perhaps by a kernel that left "
                    "its array; "
                    "`make %s-memcheck` names such a kernel, its thread and the line",
                    check_lab_name);
    if (number == SIGILL)
        check_cause(
            "a floating-point number was cast to an integer type that cannot hold it: C leaves that undefined, and "
            "here it is stopped");
    if (!known) check_fail(CHECK_CRASH, "%s", what);
    check_location(place.file, place.line, place.function);
    check_fail(CHECK_CRASH, "%s in %s at %s:%d", what, place.function, place.file, place.line);
}

/* Where it is, in words, each part if it is known. */
static const char *describe_hang(const source_place *place, bool known, const protocol_message *message)
{
    const char *words = message->text;
    bool own = message->status != 0;
    if (!known) return *words ? check_text(": %s%s", own ? "it waits for " : "", words) : "";
    if (!*place->call && !*words)
        return check_text(message->waits ? ": it waits in %s at %s:%d, for nothing of the library's"
                                         : ": it is in its own code, in %s at %s:%d",
                          place->function, place->file, place->line);
    /* The runtime knows of nothing that it waits for there: mostly a loop that makes many such calls. */
    if (!*words)
        return check_text(": it is in %s at %s:%d, which calls %s", place->function, place->file, place->line,
                          place->call);
    if (!*place->call || !own)
        return check_text(": it is in %s at %s:%d, while %s", place->function, place->file, place->line, words);
    return check_text(": %s at %s:%d waits for %s", place->call, place->file, place->line, words);
}

_Noreturn void check_hang_report(const protocol_message *message, const char *program_path, bool reference,
                                 const char *what)
{
    source_place place = {0};
    bool known = message && !reference && resolve(&place, message, program_path);
    const char *where = message ? describe_hang(&place, known, message) : "";
    bool waits = message && (*message->text || (message->waits && !*place.call));
    /* The CPU device uses no core while it waits; a GPU's driver may. */
    bool uses_a_core = message && !message->waits && strcmp(check_device()->kind, "cpu") == 0;
    bool loops = known && !waits && (!*place.call || uses_a_core);
    check_cause("%s", waits   ? "a wait for something that never happens"
                      : loops ? "a loop that does not end"
                              : "a loop that does not end, or a wait for something that never happens");
    if (known) check_location(place.file, place.line, place.function);
    if (reference) check_fault("the reference program failed: %s", what);
    check_fail(CHECK_TIMEOUT, "%s%s", what, where);
}
