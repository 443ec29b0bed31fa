/* Turns a program's message about a crash into a sentence: the signal, the function, the line of the student's file.
 * Turns a message about a call that does not return into a sentence too: the line, and what the program waits for
 * there. Leaves out what addr2line cannot resolve, and trusts nothing in the messages. */
#include "program/program.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "base/subprocess.h"
#include "base/text.h"

/* What a signal means to the author of the program. */
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

/* Reads addr2line's two lines about a frame: its function, then "FILE:LINE" and perhaps more. */
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

/* The last line of the frames listed next that lie in the student's file; 0 without any, or if it is this line. */
static int outermost_line(char *lines, const char *file, int inner)
{
    int line = inner;
    for (source_place next; read_place(&next, &lines) && next.line > 0 && strcmp(next.file, file) == 0;)
        line = next.line;
    return line == inner ? 0 : line;
}

/* Finds the innermost listed frame that lies in the student's file. The frame listed just before it is the library's
 * function that it called. */
static bool find_in_file(source_place *found, char *lines, const char *file)
{
    *found = (source_place){.innermost = true};
    while (read_place(found, &lines)) {
        if (found->line > 0 && strcmp(found->file, file) == 0) {
            found->called_at = outermost_line(lines, file, found->line);
            return true;
        }
        found->innermost = false;
        if (strncmp(found->function, "lab_", 4) == 0) snprintf(found->call, sizeof found->call, "%s", found->function);
    }
    return false;
}

/* Lists the addresses from the interrupted frame on, relative to the program's base. The message begins with the
 * handlers' frames, which a sanitizer's own may precede, then comes the system's signal frame, which lies outside the
 * program. The next frame was interrupted, and its address is exact. All others are return addresses, one past the
 * call. */
static size_t list_addresses(uint64_t found[PROTOCOL_FRAMES], const protocol_message *message)
{
    enum { MOST_PROGRAM_BYTES = 1 << 30 };
    size_t count = 0;
    bool exact = false, seen_handlers = false, seen_outside = false;
    for (uint32_t i = 0; i < message->crash.frames; i++) {
        uint64_t address = message->crash.frame[i] - message->crash.base;
        bool inside = message->crash.frame[i] > message->crash.base && address < MOST_PROGRAM_BYTES;
        if (inside && seen_outside) found[count++] = exact ? address : address - 1;
        exact = !inside && seen_handlers && !seen_outside;
        seen_outside = seen_outside || exact;
        seen_handlers = seen_handlers || inside;
    }
    return count;
}

/* What addr2line says. The debug information is the student's too: a few megabytes of it can ask for a gigabyte.
 * addr2line runs where the program ran, with limits of its own. NULL if it fails. */
static char *run_addr2line(const char *const *arguments, const check_program *program)
{
    enum { SECONDS = 10, CPU_SECONDS = 5, OUTPUT_BYTES = 256 * 1024, DATA_BYTES = 192 << 20 };
    grader_fault fault;
    subprocess_result result;
    char **environment = environment_make(NULL);
    subprocess_options options = {.arguments = arguments, .environment = (const char *const *)environment};
    options.output_limit = OUTPUT_BYTES;
    sandbox_cell_apply(&program->box.cell, &options);
    options.data_limit = DATA_BYTES;
    options.cpu_limit = CPU_SECONDS;
    bool ran = environment && subprocess_run(&result, &options, SECONDS, &fault);
    environment_free(environment);
    if (!ran) return NULL;
    char *said = result.event == SUBPROCESS_EXITED ? check_text("%s", result.output) : NULL;
    subprocess_result_free(&result);
    return said;
}

/* The places of at most PROTOCOL_FRAMES addresses in the program, as addr2line lists them; NULL without it. */
static char *list_places(const uint64_t *address, size_t count, const check_program *program)
{
    enum { FIXED = 5, ADDRESS_TEXT = sizeof "0x0123456789abcdef" };
    char text[PROTOCOL_FRAMES][ADDRESS_TEXT], *tool = subprocess_find_program("addr2line");
    const char *arguments[FIXED + PROTOCOL_FRAMES + 1] = {tool, "-f", "-i", "-e", program->path};
    for (size_t i = 0; i < count; i++) {
        snprintf(text[i], sizeof text[i], "0x%" PRIx64, address[i]);
        arguments[FIXED + i] = text[i];
    }
    char *places = tool && count > 0 ? run_addr2line(arguments, program) : NULL;
    free(tool);
    return places;
}

bool source_place_of_addresses(source_place *found, const uint64_t *address, size_t count, const check_program *program)
{
    const char *file = getenv("LAB_CHECK_SOURCE");
    char *places = file ? list_places(address, count, program) : NULL;
    return places && find_in_file(found, places, file);
}

bool source_place_of_message(source_place *found, const protocol_message *message, const check_program *program)
{
    uint64_t address[PROTOCOL_FRAMES];
    const size_t count = list_addresses(address, message);
    return source_place_of_addresses(found, address, count, program);
}

check_place place_of_source(const source_place *place, const check_program *program, uint64_t caller)
{
    check_place at = check_at_line(place->file, place->line, check_text("%s", place->function));
    at.file = check_text("%s", place->file);
    at.called_at = place->called_at;
    at.program = program;
    at.caller = caller;
    return at;
}

/* Notes a place on the way as a step after the first one: a new line of the same function. */
static void add_step(check_place *first, const source_place *place)
{
    int steps = 0;
    if (place->line == first->line || strcmp(place->function, first->function) != 0) return;
    for (; steps < CHECK_STEPS && first->after[steps]; steps++)
        if (place->line == first->after[steps]) return;
    if (steps < CHECK_STEPS) first->after[steps] = place->line;
}

/* Whether this step is where all returns of a function meet: such a stretch of code has no line of its own, but that of
 * the code before it, which need not have run. */
static bool is_common_end(uint64_t step, const check_program *program)
{
    enum { CALL_BYTES = 5 }; /* with which a stretch begins; the step is its last byte, or on other machines inside */
    const uint64_t address[] = {step, step - CALL_BYTES};
    source_place own, before;
    char *places = list_places(address, 2, program);
    return places && read_place(&own, &places) && read_place(&before, &places) && own.line == before.line &&
           strcmp(own.function, before.function) == 0;
}

check_place place_of_way(const check_program *program)
{
    uint64_t address[PROTOCOL_FRAMES];
    check_place first = {0};
    source_place place;
    const char *file = getenv("LAB_CHECK_SOURCE");
    if (!file || program->message.kind != PROTOCOL_DONE) return first;
    const size_t count = program->message.crash.frames;
    for (size_t i = 0; i < count; i++) address[i] = program->message.crash.frame[i] - program->message.crash.base;
    const size_t skipped = count > 1 && is_common_end(address[0], program);
    char *places = list_places(address + skipped, count - skipped, program);
    while (places && read_place(&place, &places)) {
        if (place.line == 0 || strcmp(place.file, file) != 0) continue;
        if (first.known)
            add_step(&first, &place);
        else
            first = check_at_line(file, place.line, check_text("%s", place.function));
    }
    first.guessed = first.known;
    return first;
}

/* The likely cause of an invalid access, NULL if none is known; `own` says that the student's own code made it. */
static const char *memory_fault_cause(const protocol_message *message, bool own)
{
    enum { NULL_PAGE = 4096, LARGEST_STACK = 128 << 20 };
    uint64_t address = message->crash.address, stack = message->crash.stack;
    if (message->crash.code != SI_KERNEL && address < stack && stack - address < LARGEST_STACK)
        return "the stack is full: a function calls itself without end, or a local array is too large";
    if (!own)
        return check_text("the crash was not in your own code: it got an invalid address, or its memory was "
                          "overwritten before, perhaps by a kernel that left its array; `make %s-memcheck` names such "
                          "a kernel, its thread and the line",
                          check_lab_name);
    /* The kernel reports no address for an access outside of all valid addresses. Handles are such addresses on
     * purpose. */
    if (message->crash.code == SI_KERNEL)
        return "the value is not a pointer of the host: an array, stream or event of the library, or a device "
               "address, cannot be followed there";
    return address < NULL_PAGE ? "a pointer that is NULL was used" : NULL;
}

static const char *crash_cause(const protocol_message *message, bool own)
{
    switch (message->crash.signal) {
    case SIGSEGV:
    case SIGBUS: return memory_fault_cause(message, own);
    case SIGABRT:
        if (own) return NULL;
        return check_text("it was not your own code that gave up: memory was overwritten before, perhaps by a kernel "
                          "that left its array; `make %s-memcheck` names such a kernel, its thread and the line",
                          check_lab_name);
    case SIGILL:
        if (!own) return NULL;
        return "a floating-point number was cast to an integer type that cannot hold it: C leaves that undefined, and "
               "here it is stopped";
    }
    return NULL;
}

_Noreturn void report_crash(const check_program *program, const protocol_message *message)
{
    source_place place;
    int number = message->crash.signal;
    const char *name = sigabbrev_np(number);
    char *what = check_text("crashed: SIG%s (%s)", name ? name : "?", signal_meaning(number, message->crash.code));
    if (program->reference) check_fault("the reference program %s", what);
    bool known = source_place_of_message(&place, message, program), own = known && place.innermost;
    const char *cause = crash_cause(message, own);
    if (!known) check_fail(CHECK_CRASH, what, .cause = cause);
    check_fail(CHECK_CRASH, check_text("%s in %s at %s:%d", what, place.function, place.file, place.line),
               .at = place_of_source(&place, program, message->started_at), .cause = cause);
}

check_place program_place(const check_program *program, const char *place, uint64_t caller)
{
    const char *source = getenv("LAB_CHECK_SOURCE"), *colon = strrchr(place, ':');
    check_place at = {.known = caller != 0};
    if (source && colon && (size_t)(colon - place) == strlen(source) && strncmp(place, source, strlen(source)) == 0)
        at = check_at_line(source, atoi(colon + 1), NULL);
    at.program = program;
    at.caller = caller;
    return at;
}

/* The line of the student's file at which a kernel runs that the program waits for; not known where kernels are not
 * checked. */
static check_place place_in_kernel(const check_program *program)
{
    const control_message *wait = program->waits_for;
    return wait && program->works ? program_place(program, wait->place, 0) : (check_place){0};
}

/* Where the program is stuck, as the end of a sentence, as far as it is known. */
static const char *describe_hang(const source_place *place, bool known, const check_program *program)
{
    const protocol_message *message = program->stuck;
    const char *wait = program->waits_for && !program->device_works ? program->waits_for->text : "";
    bool own = program->waits_for && program->waits_for->bytes != 0;
    if (!known) return *wait ? check_text(": %s%s", own ? "it waits for " : "", wait) : "";
    if (!*place->call && !*wait)
        return check_text(message->waits ? ": it waits in %s at %s:%d, but for nothing in the library"
                                         : ": it is in its own code, in %s at %s:%d",
                          place->function, place->file, place->line);
    /* The library knows of no wait there: mostly a loop that makes many such calls. */
    if (!*wait)
        return check_text(": it is in %s at %s:%d, which calls %s", place->function, place->file, place->line,
                          place->call);
    if (!*place->call || !own)
        return check_text(": it is in %s at %s:%d, while %s", place->function, place->file, place->line, wait);
    return check_text(": %s at %s:%d waits for %s", place->call, place->file, place->line, wait);
}

_Noreturn void report_hang(const check_program *program, const char *sentence)
{
    const protocol_message *message = program->stuck;
    source_place place = {0};
    bool known = message && !program->reference && source_place_of_message(&place, message, program);
    const char *where = message ? describe_hang(&place, known, program) : "";
    const check_place kernel = place_in_kernel(program);
    if (kernel.known) where = check_text("%s; the kernel is at %s", where, program->waits_for->place);
    bool told = program->waits_for && *program->waits_for->text && !program->device_works;
    bool works = told && program->works;
    bool waits = message && !program->device_works && (told || (message->waits && !*place.call));
    /* The CPU device uses no core while it waits; a GPU's driver may. */
    bool uses_a_core = message && !message->waits && strcmp(check_device()->kind, "cpu") == 0;
    bool loops = known && !waits && (!*place.call || uses_a_core);
    const char *cause = program->device_works ? "the device is slow: it is at work on a call that waits for nothing of "
                                                "yours, as when others use it"
                        : kernel.known        ? "a loop in the kernel that does not end"
                        : works ? "a wait for work that does not end: a loop in a kernel, a host function or a thread"
                        : waits ? "a wait for something that never happens"
                        : loops ? "a loop that does not end"
                                : "a loop that does not end, or a wait for something that never happens";
    const processor_time had = program_processor_time();
    if (program->reference) check_fault("the reference program failed: %s", sentence);
    check_fail(CHECK_TIMEOUT, check_text("%s%s", sentence, where),
               .at = kernel.known ? kernel
                     : known      ? place_of_source(&place, program, 0)
                                  : (check_place){0},
               .cause = cause,
               .found = check_text("%.1f seconds of processor time in this check, and %.1f seconds of waiting for a "
                                   "processor",
                                   had.used, had.waited));
}
