/* Compiling and linking a submission; see build.h. */
#include "build.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "allowed_symbols.h"
#include "base/environment.h"
#include "base/folder.h"
#include "base/subprocess.h"
#include "base/text.h"
#include "base/word_list.h"
#include "compiler_messages.h"

enum {
    SECONDS = 30,
    CPU_SECONDS = 30,
    OUTPUT_BYTES = 1 << 20,
    PREPROCESSED_BYTES = 32 << 20,
    FILE_BYTES = 64 << 20,
};

/* Where one program is built. */
typedef struct build_place {
    const lab_parts *parts;
    const char *folder;
    uint64_t file_bytes; /* of the largest file that compiler and linker may write */
    sandbox_cell cell;   /* empty for no sandbox */
} build_place;

static const char purpose[] = "building the program"; /* for fault_memory */

/* Whether a tool failed because the disk is full. Its output alone proves nothing: the student's file can print too. */
static bool failed_for_room(const subprocess_result *result, const char *folder)
{
    static const char words[] = "No space left on device";
    enum { ROOM = 1 << 20 };
    struct statvfs disk;
    bool says = result->exit.status != 0 && memmem(result->output, result->output_bytes, words, sizeof words - 1);
    return says && statvfs(folder, &disk) == 0 && (disk.f_bavail * disk.f_frsize < ROOM || disk.f_favail == 0);
}

/* Runs compiler or linker in the job's folder. */
static bool run_tool(subprocess_result *result, const char *const *arguments, const build_place *place,
                     size_t output_bytes, grader_fault *fault)
{
    /* compiler_messages.h reads English; a sandbox sees none of the caller's folders. */
    const char *const open[] = {"LC_ALL=C", NULL};
    const char *const closed[] = {"LC_ALL=C", "TMPDIR=/tmp", "HOME=/tmp", "CCACHE_DISABLE=1", NULL};
    const char *const *extra = place->cell.wrapper ? closed : open;
    char **environment = environment_make(extra);
    if (!environment) return fault_memory(fault, purpose);
    subprocess_options options = {
        .arguments = arguments,
        .environment = (const char *const *)environment,
        .directory = place->folder,
        .output_limit = output_bytes,
        .separate_errors = output_bytes != OUTPUT_BYTES,
        .file_limit = place->file_bytes,
        .cpu_limit = CPU_SECONDS,
    };
    sandbox_cell_apply(&place->cell, &options);
    bool ok = subprocess_run(result, &options, SECONDS, fault);
    environment_free(environment);
    if (!ok || !failed_for_room(result, place->folder)) return ok;
    subprocess_result_free(result);
    return fault_set(fault, "there is no room left on the disk to build in %s", place->folder);
}

static bool contains_any(const char *text, const char *const *words)
{
    for (; *words; words++) {
        if (strstr(text, *words)) return true;
    }
    return false;
}

/* Compilers, assemblers and linkers report a file that grew too large and a full folder in the system's words. */
static bool fills_its_room(const subprocess_result *result)
{
    static const char *const words[] = {"No space left on device", "File too large", "File size limit exceeded", NULL};
    return result->exit.status != 0 && contains_any(result->output, words);
}

/* Why the tool was ended before it was done; NULL if it was not. */
static const char *cut_short(const subprocess_result *result)
{
    if (result->event == SUBPROCESS_DEADLINE) return "the compiler did not finish within 30 seconds";
    if (result->event == SUBPROCESS_FLOOD) return "the compiler printed more than 1 MiB of messages";
    if (result->exit.signal) return "the compiler crashed or used more than it may";
    return fills_its_room(result) ? "building it fills the room for its files" : NULL;
}

/* Options that a file can ask for in #if: the same for the compiler as for the scan of what it compiles. */
#define ASKED_OPTIONS                                                                                                  \
    "-std=c11", "-D_GNU_SOURCE", "-pthread", "-O1", "-fsanitize=float-cast-overflow",                                  \
        "-fsanitize-undefined-trap-on-error"

/* -O1, because more would move the lines of crashes and turn a NULL pointer into a trap. A starter leaves parameters
 * and functions unused until its tasks are done. C does not define the cast of a floating-point number to an integer
 * type that cannot hold it: such a cast ends the program instead of giving what this machine happens to give. */
static bool compile(subprocess_result *result, const build_place *place, const char *object, grader_fault *fault)
{
    const lab_parts *parts = place->parts;
    /* clang-format off */
    const char *const arguments[] = {
        parts->compiler, ASKED_OPTIONS, "-g",
        "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls", "-Wall", "-Wextra",
        "-Wno-unused-parameter", "-Wno-unused-function", "-fdiagnostics-color=never",
        "-I", parts->folder, "-I", parts->include, "-c", parts->file, "-o", object, NULL,
    };
    /* clang-format on */
    return run_tool(result, arguments, place, OUTPUT_BYTES, fault);
}

/* The text that the preprocessor left and the scan has looked at. */
static const char scanned_text[] = "scanned.i";

/* Compiles that text, and nothing that the preprocessor could see otherwise a second time: a pragma changes macros only
 * for a compiler that preprocesses too. The messages are those of `compile`, which knows the file's macros. */
static bool compile_scanned(subprocess_result *result, const build_place *place, const char *object,
                            grader_fault *fault)
{
    const char *const arguments[] = {place->parts->compiler,
                                     ASKED_OPTIONS,
                                     "-g",
                                     "-fno-omit-frame-pointer",
                                     "-fno-optimize-sibling-calls",
                                     "-w",
                                     "-fdiagnostics-color=never",
                                     "-c",
                                     scanned_text,
                                     "-o",
                                     object,
                                     NULL};
    return run_tool(result, arguments, place, OUTPUT_BYTES, fault);
}

/* ---- what is allowed --------------------------------------------------------------------------------------------- */

/* What the scans of one build need and find. */
typedef struct build_scan {
    symbol_rules rules;
    source_names names;   /* of the student's file */
    text_buffer refusals; /* a sentence a line */
} build_scan;

static void free_scan(build_scan *scan)
{
    allowed_symbols_close(&scan->rules);
    source_names_free(&scan->names);
    free(scan->refusals.text);
}

/* Whether a limit ended the preprocessor, itself or the program that does its work. */
static bool ran_out(const subprocess_result *result)
{
    static const char *const words[] = {" signal terminated program ", "out of memory", "memory exhausted", NULL};
    return result->event == SUBPROCESS_DEADLINE || result->exit.signal ||
           (result->exit.status != 0 && contains_any(result->errors, words));
}

/* A text that has no room there is left to the compiler, which finds none either. */
static bool keep_scanned(const build_place *place, const subprocess_result *result, grader_fault *fault)
{
    grader_fault ignored;
    char *path = folder_path(place->folder, scanned_text);
    if (!path) return fault_memory(fault, purpose);
    if (!folder_write(path, result->output, result->output_bytes, &ignored)) unlink(path);
    free(path);
    return true;
}

/* Reads the file and what the preprocessor made of it. */
static bool scan_text(build_scan *scan, const build_place *place, source_text file, const subprocess_result *result,
                      grader_fault *fault)
{
    const lab_parts *parts = place->parts;
    const char *const seen[] = {parts->folder, parts->include,       "/usr/include", "/usr/lib",
                                "/usr/lib64",  "/usr/local/include", "/nix/store",   NULL};
    const source_text preprocessed = {result->output, result->output_bytes};
    if (result->event == SUBPROCESS_FLOOD) {
        text_format(&scan->refusals, "%s becomes more than %d MiB when its macros and headers are put in\n",
                    parts->file, PREPROCESSED_BYTES >> 20);
        return true;
    }
    if (ran_out(result)) {
        text_format(&scan->refusals,
                    "%s needs more time or memory than it may when its macros and headers are put in\n", parts->file);
        return true;
    }
    if (result->event != SUBPROCESS_EXITED || result->exit.status != 0) return true;
    return (source_scan(&scan->names, &scan->refusals, file, preprocessed, parts->file, seen) ||
            fault_memory(fault, purpose)) &&
           keep_scanned(place, result, fault);
}

/* Scans for what the object will not show. This runs first, so that the preprocessor sees the same folder as the
 * compiler. A file that the preprocessor cannot read is left to the compiler's messages. One that exceeds its time or
 * room is refused: nothing has looked at it. */
static bool scan_source(build_scan *scan, const build_place *place, grader_fault *fault)
{
    enum { FILE_LIMIT = 2 << 20 };
    const lab_parts *parts = place->parts;
    const char *const arguments[] = {
        parts->compiler, ASKED_OPTIONS, "-E", "-w", "-fdiagnostics-color=never", "-I", parts->folder, "-I",
        parts->include,  parts->file,   NULL};
    subprocess_result result = {0};
    char *path = folder_path(place->folder, parts->file), *text = NULL;
    size_t bytes = 0;
    if (!path) return fault_memory(fault, purpose);
    bool ok = folder_read(&text, &bytes, path, FILE_LIMIT, fault) == FOLDER_FILE &&
              run_tool(&result, arguments, place, PREPROCESSED_BYTES, fault) &&
              scan_text(scan, place, (source_text){text, bytes}, &result, fault);
    subprocess_result_free(&result);
    free(path);
    free(text);
    return ok;
}

/* Scans what the object uses and defines. */
static bool scan_object(build_scan *scan, const build_place *place, const char *object, grader_fault *fault)
{
    char *path = folder_path(place->folder, object), *bytes = NULL;
    size_t count = 0;
    if (!path) return fault_memory(fault, purpose);
    bool read = folder_read(&bytes, &count, path, FILE_BYTES, fault) == FOLDER_FILE;
    bool ok =
        read && (allowed_symbols_check(&scan->refusals, &scan->rules, bytes, count, place->parts->file, &scan->names) ||
                 fault_memory(fault, purpose));
    free(bytes);
    free(path);
    return ok;
}

static bool run_objcopy(const build_place *place, const char *tool, const char *object, grader_fault *fault)
{
    const char *const arguments[] = {tool,
                                     "--keep-global-symbols=kept-names",
                                     "--redefine-sym=pthread_create=worker_thread_create",
                                     "--redefine-sym=thrd_create=worker_thrd_create",
                                     object,
                                     NULL};
    subprocess_result result;
    FAULT_TRY(run_tool(&result, arguments, place, OUTPUT_BYTES, fault));
    bool ok = result.event == SUBPROCESS_EXITED && result.exit.status == 0;
    if (!ok) {
        char *said = text_clean_line(result.output, result.output_bytes);
        fault_set(fault, "objcopy cannot read the object of %s: %s", place->parts->file, said ? said : "");
        free(said);
    }
    subprocess_result_free(&result);
    return ok;
}

/* Hides all functions of the file except those that the lab asks for, so that none replaces a function of the library
 * or the system; and lets the program know of the threads that the file starts (worker.c). */
static bool hide_own(const build_place *place, const symbol_rules *rules, const char *object, grader_fault *fault)
{
    char *kept = allowed_symbols_kept(rules), *path = folder_path(place->folder, "kept-names");
    char *tool = subprocess_find_program("objcopy");
    bool ok = kept && path ? folder_write(path, kept, strlen(kept), fault) : fault_memory(fault, purpose);
    if (ok && !tool) ok = fault_set(fault, "there is no objcopy in PATH (it is part of binutils)");
    ok = ok && run_objcopy(place, tool, object, fault);
    free(kept);
    free(path);
    free(tool);
    return ok;
}

/* ---- linking ----------------------------------------------------------------------------------------------------- */

static bool link_objects(subprocess_result *result, const build_place *place, const char *object, const char *program,
                         grader_fault *fault)
{
    const lab_parts *parts = place->parts;
    word_list words = {0};
    word_list_add(&words, parts->compiler, "-pthread", "-o", program, object, NULL);
    word_list_add_all(&words, parts->link);
    char **arguments = word_list_take(&words);
    if (!arguments) return fault_memory(fault, purpose);
    bool ok = run_tool(result, (const char *const *)arguments, place, OUTPUT_BYTES, fault);
    word_list_free(arguments);
    return ok;
}

/* Appends to a text of the outcome. */
static bool extend(char **text, const char *more, const char *cut)
{
    text_buffer whole = {0};
    text_format(&whole, "%s%s%s%s", *text ? *text : "", more, cut ? cut : "", cut ? "\n" : "");
    free(*text);
    *text = whole.text;
    return !whole.failed;
}

/* Adds a tool's output to the log, and the part that concerns the student to the messages. Takes `said` and `kept`. */
static bool note(build_outcome *out, const subprocess_result *result, char *said, char *kept, grader_fault *fault)
{
    const char *cut = cut_short(result);
    bool whole = said && kept && extend(&out->log, said, cut) && extend(&out->messages, kept, cut);
    free(said);
    free(kept);
    out->seconds += result->seconds;
    out->ok = !cut && result->exit.status == 0;
    return whole || fault_memory(fault, purpose);
}

static bool note_compiler(build_outcome *out, const subprocess_result *result, const lab_parts *parts,
                          grader_fault *fault)
{
    char *said = text_clean(result->output, result->output_bytes);
    if (said) compiler_messages_spell_names(said);
    return note(out, result, said, said ? compiler_messages_of_compiler(said, parts->file) : NULL, fault);
}

/* A linker that succeeds may still warn about the lab's parts; that does not concern the student. */
static bool note_linker(build_outcome *out, const subprocess_result *result, const lab_parts *parts,
                        grader_fault *fault)
{
    enum { HEADER_BYTES = 1 << 20 };
    char *said = text_clean(result->output, result->output_bytes), *kept = NULL, *declarations = NULL;
    text_buffer header = {0};
    text_format(&header, "%s.h", parts->name);
    char *path = header.failed ? NULL : folder_path(parts->folder, header.text);
    if (said && path && result->exit.status != 0) {
        size_t bytes;
        grader_fault ignored;
        folder_read(&declarations, &bytes, path, HEADER_BYTES, &ignored);
        kept = compiler_messages_of_linker(said, parts->file, header.text, declarations ? declarations : "");
    } else if (said && path) {
        kept = strdup("");
    }
    free(declarations);
    free(header.text);
    free(path);
    return note(out, result, said, kept, fault);
}

static bool add_files(word_list *words, const char *folder, const char *pattern)
{
    glob_t found = {0};
    text_buffer path = {0};
    text_format(&path, "%s%s", folder, pattern);
    int failed = path.failed ? GLOB_NOSPACE : glob(path.text, 0, NULL, &found);
    for (size_t i = 0; !failed && i < found.gl_pathc; i++) word_list_add(words, found.gl_pathv[i], NULL);
    globfree(&found);
    free(path.text);
    return failed != GLOB_NOSPACE;
}

/* Compiler and linker see the lab's headers and kernels, not its checks, and what the program is linked with. They see
 * no /proc, in which a file could find out whether it is being scanned or compiled (__has_include). */
static bool open_cell(build_place *place, const sandbox *box, grader_fault *fault)
{
    const lab_parts *parts = place->parts;
    word_list seen = {0};
    const char *const written[] = {place->folder, NULL};
    if (!box) return true;
    word_list_add(&seen, parts->include, NULL);
    bool ok = add_files(&seen, parts->folder, "/*.h") && add_files(&seen, parts->folder, "/*.cu");
    for (size_t i = 0; parts->link[i]; i++) {
        if (parts->link[i][0] == '/') word_list_add(&seen, parts->link[i], NULL);
    }
    char **list = word_list_take(&seen);
    const sandbox_view view = {.read = (const char *const *)list, .write = written, .no_proc = true};
    ok = list && ok ? sandbox_cell_open(&place->cell, box, &view, fault) : fault_memory(fault, purpose);
    word_list_free(list);
    return ok;
}

/* Puts the refusals, if there are any, before the other messages. */
static bool note_refusals(build_outcome *out, const text_buffer *refusals, grader_fault *fault)
{
    if (refusals->length == 0) return true;
    text_buffer messages = {0};
    text_format(&messages, "%s%s", refusals->text, out->messages ? out->messages : "");
    free(out->messages);
    out->messages = messages.text;
    out->ok = false;
    out->refused = true;
    return (extend(&out->log, refusals->text, NULL) && !messages.failed) || fault_memory(fault, purpose);
}

typedef bool compile_step(subprocess_result *result, const build_place *place, const char *object, grader_fault *fault);

static bool compile_object(build_outcome *out, const build_place *place, compile_step *step, const char *object,
                           grader_fault *fault)
{
    subprocess_result result;
    FAULT_TRY(step(&result, place, object, fault));
    bool ok = note_compiler(out, &result, place->parts, fault);
    subprocess_result_free(&result);
    return ok;
}

static bool link_program(build_outcome *out, const build_place *place, const char *object, grader_fault *fault)
{
    subprocess_result result;
    FAULT_TRY(link_objects(&result, place, object, "program", fault));
    bool ok = note_linker(out, &result, place->parts, fault);
    subprocess_result_free(&result);
    return ok;
}

/* Compiles, scans the object, links. Linking comes before the refusals of the scan: a mistyped name is an error of its
 * own, not a forbidden name. `scan` is NULL where any symbol is allowed. */
static bool build_in(build_outcome *out, const build_place *place, build_scan *scan, grader_fault *fault)
{
    static const char object[] = "submission.o";
    if (scan) {
        FAULT_TRY(scan_source(scan, place, fault));
        FAULT_TRY(note_refusals(out, &scan->refusals, fault));
        if (out->refused) return true;
    }
    FAULT_TRY(compile_object(out, place, compile, object, fault));
    if (!out->ok) return true;
    if (scan) {
        FAULT_TRY(compile_object(out, place, compile_scanned, object, fault));
        if (!out->ok) return true;
        FAULT_TRY(scan_object(scan, place, object, fault));
        if (scan->refusals.length == 0) FAULT_TRY(hide_own(place, &scan->rules, object, fault));
    }
    FAULT_TRY(link_program(out, place, object, fault));
    return !out->ok || !scan || note_refusals(out, &scan->refusals, fault);
}

static bool build_with_rules(build_outcome *out, build_place *place, const sandbox *box, build_scan *scan,
                             grader_fault *fault)
{
    out->program = folder_path(place->folder, "program");
    if (!out->program) return fault_memory(fault, purpose);
    if (scan) FAULT_TRY(allowed_symbols_open(&scan->rules, place->parts, fault));
    FAULT_TRY(open_cell(place, box, fault));
    return build_in(out, place, scan, fault);
}

bool build_program(build_outcome *out, const lab_parts *parts, const sandbox *box, bool any_symbol, const char *folder,
                   grader_fault *fault)
{
    *out = (build_outcome){0};
    build_place place = {.parts = parts, .folder = folder, .file_bytes = FILE_BYTES};
    build_scan scan = {0};
    /* A quarter each for the object, its copy and the program, and one to spare. */
    if (box && box->room_bytes && box->room_bytes / 4 < FILE_BYTES) place.file_bytes = box->room_bytes / 4;
    bool ok = build_with_rules(out, &place, box, any_symbol ? NULL : &scan, fault);
    sandbox_cell_close(&place.cell);
    free_scan(&scan);
    if (!ok) build_free(out);
    return ok;
}

void build_free(build_outcome *outcome)
{
    free(outcome->messages);
    free(outcome->log);
    free(outcome->program);
    *outcome = (build_outcome){0};
}
