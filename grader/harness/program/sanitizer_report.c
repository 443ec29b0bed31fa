/* Turns the report of a sanitizer into a sentence: what the student's file does, to which variable, and where. The
 * report comes from the program: a forged one fails a check that would fail anyway. */
#include "program/program.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

#define REPORT "sanitizer" /* the report's file is REPORT.PID */

/* Signals stay the worker's; memory that is used up is NULL from malloc, as in the plain program; leaks are no finding.
 * What was freed is kept apart for a while, within a size that fits any limit. */
const char sanitizer_address_options[] =
    "ASAN_OPTIONS=log_path=" REPORT ":abort_on_error=1:symbolize=0:print_legend=0:detect_leaks=0:handle_segv=0:"
    "handle_sigbus=0:handle_sigfpe=0:handle_sigill=0:handle_abort=0:use_sigaltstack=0:allocator_may_return_null=1:"
    "detect_stack_use_after_return=1:max_uar_stack_size_log=16:quarantine_size_mb=16:malloc_context_size=8";
const char sanitizer_undefined_options[] =
    "UBSAN_OPTIONS=log_path=" REPORT ":abort_on_error=1:symbolize=0:handle_segv=0:handle_abort=0";

/* An eighth of the 47 bits of address space, less the eighth of that which nothing may use. */
const uint64_t sanitizer_data_bytes = (UINT64_C(1) << 44) - (UINT64_C(1) << 41);

/* What a report says, and what follows from it. */
typedef struct finding {
    const check_program *program;
    const char *report;
    bool in_thread;    /* the access is in a thread that the student's file has started */
    const char *did;   /* "a read of 8 bytes goes past the end of `stream` (16 bytes, line 40)" */
    const char *cause; /* NULL if the sentence says it */
} finding;

/* ---- the report ------------------------------------------------------------------------------------------------- */

/* The beginning of a regular file, cleaned; NULL for anything else. */
static char *read_report(int folder, const char *name)
{
    enum { MOST_BYTES = 32 * 1024 };
    struct stat about;
    int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool regular = file >= 0 && fstat(file, &about) == 0 && S_ISREG(about.st_mode);
    char *bytes = check_alloc(MOST_BYTES);
    ssize_t count = regular ? read(file, bytes, MOST_BYTES) : 0;
    if (file >= 0) close(file);
    char *clean = count > 0 ? text_clean(bytes, (size_t)count) : NULL;
    char *owned = clean ? check_text("%s", clean) : NULL;
    free(clean);
    return owned;
}

/* What the program printed last: gcc's undefined sanitizer reports there. */
static const char *last_output(const check_program *program)
{
    enum { MOST_BYTES = 4096 };
    size_t bytes;
    const char *output = subprocess_output(program->process, &bytes);
    size_t tail = bytes < MOST_BYTES ? bytes : MOST_BYTES;
    char *clean = text_clean(output + bytes - tail, tail);
    const char *owned = clean ? check_text("%s", clean) : "";
    free(clean);
    return owned;
}

static const char *find_report(const check_program *program)
{
    char *report = NULL;
    DIR *folder = opendir(program->folder);
    for (struct dirent *entry; folder && !report && (entry = readdir(folder));) {
        if (strncmp(entry->d_name, REPORT ".", sizeof REPORT) == 0) report = read_report(dirfd(folder), entry->d_name);
    }
    if (folder) closedir(folder);
    return report ? report : last_output(program);
}

/* ---- what the address sanitizer says ---------------------------------------------------------------------------- */

/* "8 bytes" */
static const char *count_bytes(unsigned long bytes) { return check_text("%lu byte%s", bytes, bytes == 1 ? "" : "s"); }

/* "a read of 8 bytes"; "an access" where the report does not say. */
static const char *describe_access(const char *report)
{
    unsigned long bytes;
    const char *read = strstr(report, "\nREAD of size "), *write = strstr(report, "\nWRITE of size ");
    if (read && sscanf(read, " READ of size %lu", &bytes) == 1) return check_text("a read of %s", count_bytes(bytes));
    if (write && sscanf(write, " WRITE of size %lu", &bytes) == 1)
        return check_text("a write of %s", count_bytes(bytes));
    return "an access";
}

/* Where the calls are made that the report lists after a heading: "lab01.c:33"; NULL if not in the student's file. */
static const char *place_after(const finding *found, const char *heading)
{
    uint64_t address[PROTOCOL_FRAMES];
    size_t count = 0;
    source_place place;
    const char *line = strstr(found->report, heading);
    line = line ? strchr(line, '\n') : NULL;
    while (line && count < PROTOCOL_FRAMES && sscanf(line, " #%*d 0x%" SCNx64, &address[count]) == 1) {
        count++;
        line = strchr(line + 1, '\n');
    }
    if (!source_place_of_addresses(&place, address, count, found->program)) return NULL;
    return check_text("%s:%d", place.file, place.line);
}

/* The variable or allocation that the report names, and on which side of it the access is. */
typedef struct memory_object {
    const char *name; /* "`stream` (16 bytes, line 40)"; NULL if unknown */
    bool before;      /* the access is before its beginning */
} memory_object;

/* Reads "[32, 48) 'stream' (line 40) <== Memory access at offset 48 overflows this variable". */
static bool read_variable(memory_object *object, const char *report)
{
    unsigned long begin, end;
    char name[64];
    int line;
    const char *mark = strstr(report, " <== Memory access"), *start = mark;
    while (start && start > report && start[-1] != '\n') start--;
    int fields = start ? sscanf(start, " [%lu, %lu) '%63[^']' (line %d)", &begin, &end, name, &line) : 0;
    if (fields < 3) return false;
    const char *underflows = strstr(mark, "underflows"), *line_end = strchr(mark, '\n');
    object->before = underflows && line_end && underflows < line_end;
    object->name = fields == 4 ? check_text("`%s` (%s, line %d)", name, count_bytes(end - begin), line)
                               : check_text("`%s` (%s)", name, count_bytes(end - begin));
    return true;
}

/* Reads "is located 0 bytes to the right of global variable 'table' defined in 'lab01.c:4:12' (0x404d00) of size 16",
 * and the same of a "10-byte region", which has been allocated. Newer compilers say "after". */
static bool read_location(memory_object *object, const finding *found)
{
    char side[16], name[64];
    unsigned long bytes;
    const char *where = strstr(found->report, " is located ");
    const char *end = where ? strchr(where, '\n') : NULL;
    if (!end) return false;
    const char *text = check_text("%.*s", (int)(end - where), where);
    const char *global = strstr(text, "global variable '"), *size = strstr(text, " of size ");
    const char *region = strstr(text, "-byte region");
    object->before = strstr(text, " to the left of ") || strstr(text, " bytes before ");
    /* The compiler's own variables have names that begin with an asterisk. */
    if (global && size && sscanf(global, "global variable '%63[^'*]'", name) == 1 &&
        sscanf(size, " of size %lu", &bytes) == 1) {
        object->name = check_text("`%s` (%s)", name, count_bytes(bytes));
        return true;
    }
    while (region && region > text && region[-1] >= '0' && region[-1] <= '9') region--;
    if (!region || sscanf(region, "%lu-byte %15s", &bytes, side) != 2) return false;
    const char *place = place_after(found, "allocated by thread");
    object->name = place ? check_text("%s allocated at %s", count_bytes(bytes), place)
                         : check_text("an array of %s", count_bytes(bytes));
    return true;
}

static memory_object find_object(const finding *found)
{
    memory_object object = {0};
    if (!read_variable(&object, found->report)) read_location(&object, found);
    return object;
}

/* Whether a thread uses the stack of another: "WRITE of size 4 at 0x7f3 thread T3", "Address 0x7f3 is located in stack
 * of thread T0". */
static bool is_on_another_stack(const char *report)
{
    int user, owner;
    const char *by = strstr(report, " thread T"), *of = strstr(report, " is located in stack of thread T");
    return by && of && sscanf(by, " thread T%d", &user) == 1 &&
           sscanf(of, " is located in stack of thread T%d", &owner) == 1 && user != owner;
}

/* Says of memory that is there no more why it is not. */
static void describe_late_use(finding *found, const char *kind, const memory_object *object)
{
    const char *access = describe_access(found->report), *name = object->name ? object->name : "a local variable";
    const char *freed = strstr(kind, "free") ? place_after(found, "freed by thread") : NULL;
    if (strstr(kind, "free")) {
        found->did = check_text("%s is in memory that was freed%s%s", access, freed ? " at " : "", freed ? freed : "");
        found->cause = "the memory is released too early: free it when nothing needs it any more";
        return;
    }
    found->did = check_text("%s is in %s, %s", access, name,
                            strstr(kind, "return") ? "a local variable of a function that has returned"
                                                   : "a local variable whose block has ended");
    found->cause = found->in_thread && is_on_another_stack(found->report)
                       ? "a thread that still runs uses it: join the thread before the variable is gone, or let the "
                         "variable live longer"
                       : "a pointer to a local variable is kept longer than the variable lives";
}

static const char past_the_array[] = "a loop or an index goes further than the array: of n elements, the last is n - 1";

/* The report's kind is what follows "ERROR: AddressSanitizer: ". */
static void describe_address(finding *found, const char *kind)
{
    const memory_object object = find_object(found);
    if (strncmp(kind, "attempting double-free", 22) == 0) {
        const char *freed = place_after(found, "freed by thread");
        found->did = check_text("free gets memory that was freed already%s%s", freed ? " at " : "", freed ? freed : "");
        found->cause = "each allocation is freed once";
    } else if (strncmp(kind, "attempting free", 15) == 0) {
        found->did = "free gets an address that malloc has not returned";
        found->cause = "free gets the pointer that malloc, calloc or realloc returned, and no other";
    } else if (strncmp(kind, "heap-use-after", 14) == 0 || strncmp(kind, "stack-use-after", 15) == 0) {
        describe_late_use(found, check_text("%.*s", (int)strcspn(kind, " \n"), kind), &object);
    } else if (strncmp(kind, "use-after-poison", 16) == 0) {
        found->did = check_text("%s is outside of the arrays that the function got", describe_access(found->report));
        found->cause = past_the_array;
    } else if (object.name) {
        found->did = check_text("%s goes %s of %s", describe_access(found->report),
                                object.before ? "before the beginning" : "past the end", object.name);
        found->cause = past_the_array;
    } else {
        found->did = check_text("%s goes where it may not (%.*s)", describe_access(found->report),
                                (int)strcspn(kind, " :\n"), kind);
    }
}

/* ---- what the undefined sanitizer says -------------------------------------------------------------------------- */

/* `text` is what follows "runtime error: ". */
static void describe_undefined(finding *found, const char *text)
{
    const char *line = check_text("%.*s", (int)strcspn(text, "\n"), text);
    found->did = line;
    found->cause = "C leaves the result undefined: it differs between compilers, machines and runs";
    if (strncmp(line, "index ", 6) == 0) found->cause = past_the_array;
    if (strstr(line, "is outside the range of representable values"))
        found->cause =
            "a floating-point number was cast to an integer type that cannot hold it: C leaves that undefined, and "
            "here it is stopped";
}

/* ---- the whole -------------------------------------------------------------------------------------------------- */

static bool describe(finding *found)
{
    static const char address[] = "ERROR: AddressSanitizer: ", undefined[] = ": runtime error: ";
    const char *at = strstr(found->report, address);
    if (at) describe_address(found, at + strlen(address));
    if (found->did) return true;
    for (const char *next = found->report; (next = strstr(next, undefined)); next++) at = next;
    if (at) describe_undefined(found, at + strlen(undefined));
    return at;
}

/* Fails the check with the finding. */
static _Noreturn void report_finding(const finding *found, const protocol_message *message)
{
    source_place place;
    if (!source_place_of_message(&place, message, found->program))
        check_fail(CHECK_CRASH, found->did, .cause = found->cause);
    check_fail(CHECK_CRASH,
               check_text("in %s at %s:%d%s%s, %s", place.function, place.file, place.line,
                          *place.call ? ", which calls " : "", place.call, found->did),
               .at = place_of_source(&place, found->program, message->started_at), .cause = found->cause);
}

_Noreturn void report_end(const check_program *program, const protocol_message *message)
{
    if (program->sanitized && message->crash.signal == SIGABRT) {
        finding found = {.program = program, .report = find_report(program), .in_thread = message->started_at != 0};
        if (describe(&found)) report_finding(&found, message);
    }
    report_crash(program, message);
}
