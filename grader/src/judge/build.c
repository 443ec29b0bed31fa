/* Compiling and linking a submission; see build.h. */
#include "build.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "base/environment.h"
#include "base/folder.h"
#include "compiler_messages.h"
#include "base/subprocess.h"
#include "allowed_symbols.h"
#include "base/text.h"
#include "base/word_list.h"

enum {
    SECONDS = 30,
    CPU_SECONDS = 30,
    OUTPUT_BYTES = 1 << 20,
    PREPROCESSED_BYTES = 32 << 20,
    FILE_BYTES = 64 << 20,
};

/* Where one program is built. */
typedef struct build_place {
    const lab_parts *kit;
    const char *folder;
    uint64_t file_bytes; /* of the largest file that compiler and linker may write */
    sandbox_cell cell;   /* empty for no sandbox */
} build_place;

static bool no_memory(grader_fault *fault) { return fault_set(fault, "not enough memory to build the program"); }

/* Whether a tool failed because the disk is full: it says so, and so it is. The file alone could say anything. */
static bool failed_for_room(const subprocess_result *result, const char *folder)
{
    static const char said[] = "No space left on device";
    enum { ROOM = 1 << 20 };
    struct statvfs disk;
    bool says = result->exit.status != 0 && memmem(result->output, result->output_bytes, said, sizeof said - 1);
    return says && statvfs(folder, &disk) == 0 && (disk.f_bavail * disk.f_frsize < ROOM || disk.f_favail == 0);
}

/* Runs compiler or linker in the job's folder. */
static bool run_tool(subprocess_result *result, const char *const *arguments, const build_place *place,
                     size_t output_bytes, grader_fault *fault)
{
    /* messages.h reads English; a sandbox has no folder of the caller's. */
    const char *const open[] = {"LC_ALL=C", NULL};
    const char *const closed[] = {"LC_ALL=C", "TMPDIR=/tmp", "HOME=/tmp", "CCACHE_DISABLE=1", NULL};
    const char *const *extra = place->cell.wrapper ? closed : open;
    char **environment = environment_make(extra);
    if (!environment) return no_memory(fault);
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
    if (ok && failed_for_room(result, place->folder))
        ok = fault_set(fault, "there is no room left on the disk to build in %s", place->folder);
    return ok;
}

/* Compilers, assemblers and linkers say it in the system's words, for a file that grew too large or a full folder. */
static bool fills_its_room(const subprocess_result *result)
{
    static const char *const words[] = {"No space left on device", "File too large", "File size limit exceeded"};
    bool found = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) found = found || strstr(result->output, words[i]);
    return found && result->exit.status != 0;
}

/* What to say when the tool itself did not come to its end; NULL if it did. */
static const char *cut_short(const subprocess_result *result)
{
    if (result->event == SUBPROCESS_DEADLINE) return "the compiler did not finish within 30 seconds";
    if (result->event == SUBPROCESS_FLOOD) return "the compiler printed more than 1 MiB of messages";
    if (result->exit.signal) return "the compiler crashed or used more than it may";
    return fills_its_room(result) ? "building it fills the room that there is for its files" : NULL;
}

/* What a file can ask for in #if: the same for the compiler as for who looks at what it compiles. */
#define ASKED_OPTIONS                                                                                                  \
    "-std=c11", "-D_GNU_SOURCE", "-pthread", "-O1", "-fsanitize=float-cast-overflow",                                  \
        "-fsanitize-undefined-trap-on-error"

/* -O1, because more would move lines away from where a crash is reported and turn a NULL pointer into a trap. A starter
 * leaves parameters and functions unused until its tasks are done. A cast of a floating-point number to an integer type
 * that cannot hold it, which C leaves undefined, ends the program instead of giving what this machine happens to give. */
static bool compile(subprocess_result *result, const build_place *place, const char *object, grader_fault *fault)
{
    const lab_parts *kit = place->kit;
    /* clang-format off */
    const char *const arguments[] = {
        kit->compiler, ASKED_OPTIONS, "-g",
        "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls", "-Wall", "-Wextra",
        "-Wno-unused-parameter", "-Wno-unused-function", "-fdiagnostics-color=never",
        "-I", kit->folder, "-I", kit->include, "-c", kit->file, "-o", object, NULL,
    };
    /* clang-format on */
    return run_tool(result, arguments, place, OUTPUT_BYTES, fault);
}

/* ---- what is allowed --------------------------------------------------------------------------------------------- */

/* Whether the preprocessor was ended by a limit, itself or the part that does its work. */
static bool ran_out(const subprocess_result *result)
{
    static const char *const words[] = {" signal terminated program ", "out of memory", "memory exhausted"};
    bool says = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) says = says || strstr(result->errors, words[i]);
    return result->event == SUBPROCESS_DEADLINE || result->exit.signal || (says && result->exit.status != 0);
}

/* What the object will not show. It is done first, so that the preprocessor sees the same folder as the compiler does.
 * A file that it cannot read is no finding: the compiler says what is wrong with it. One that it has no room or time for
 * is: nobody has looked at that. */
static bool scan_source(const build_place *place, source_names *names, text_buffer *refusals, grader_fault *fault)
{
    enum { FILE_LIMIT = 2 << 20 };
    const lab_parts *kit = place->kit;
    const char *const arguments[] = {kit->compiler, ASKED_OPTIONS, "-E", "-w",         "-fdiagnostics-color=never",
                                     "-I",          kit->folder,   "-I", kit->include, kit->file,
                                     NULL};
    const char *const seen[] = {kit->folder,  kit->include,         "/usr/include", "/usr/lib",
                                "/usr/lib64", "/usr/local/include", "/nix/store",   NULL};
    subprocess_result result;
    char *path = folder_path(place->folder, kit->file), *text = NULL;
    size_t bytes = 0;
    bool ok = path ? folder_read(&text, &bytes, path, FILE_LIMIT, fault) == FOLDER_FILE : no_memory(fault);
    free(path);
    if (!ok) return false;
    ok = run_tool(&result, arguments, place, PREPROCESSED_BYTES, fault);
    if (ok && result.event == SUBPROCESS_FLOOD) {
        text_format(refusals, "%s becomes more than %d MiB when its macros and headers are put in\n", kit->file,
                    PREPROCESSED_BYTES >> 20);
    } else if (ok && ran_out(&result)) {
        text_format(refusals, "%s needs more time or memory than it may when its macros and headers are put in\n",
                    kit->file);
    } else if (ok && result.event == SUBPROCESS_EXITED && result.exit.status == 0) {
        const source_text preprocessed = {result.output, result.output_bytes};
        ok =
            source_scan(names, refusals, (source_text){text, bytes}, preprocessed, kit->file, seen) || no_memory(fault);
    }
    if (ok || result.output) subprocess_result_free(&result);
    free(text);
    return ok;
}

/* What the object uses and defines. */
static bool scan_object(const build_place *place, const symbol_rules *rules, const source_names *names,
                        const char *object, text_buffer *refusals, grader_fault *fault)
{
    char *path = folder_path(place->folder, object), *bytes = NULL;
    size_t count = 0;
    bool ok = path ? folder_read(&bytes, &count, path, FILE_BYTES, fault) == FOLDER_FILE : no_memory(fault);
    if (ok) ok = allowed_symbols_check(refusals, rules, bytes, count, place->kit->file, names) || no_memory(fault);
    free(bytes);
    free(path);
    return ok;
}

/* Makes all functions of the file its own but those that the lab asks for, so that none takes the place of a function of
 * the library or the system; and lets the program know of the threads that the file starts (worker.c). */
static bool hide_own(subprocess_result *result, const build_place *place, const symbol_rules *rules, const char *object,
                     grader_fault *fault)
{
    char *kept = allowed_symbols_kept(rules), *path = folder_path(place->folder, "kept-names");
    char *tool = subprocess_find_program("objcopy");
    const char *const arguments[] = {tool,
                                     "--keep-global-symbols=kept-names",
                                     "--redefine-sym=pthread_create=worker_thread_create",
                                     "--redefine-sym=thrd_create=worker_thrd_create",
                                     object,
                                     NULL};
    bool ok = kept && path ? folder_write(path, kept, strlen(kept), fault) : no_memory(fault);
    if (ok && !tool) ok = fault_set(fault, "there is no objcopy in PATH (it is part of binutils)");
    ok = ok && run_tool(result, arguments, place, OUTPUT_BYTES, fault);
    if (ok && (result->event != SUBPROCESS_EXITED || result->exit.status != 0)) {
        char *said = text_clean_line(result->output, result->output_bytes);
        ok = fault_set(fault, "objcopy cannot read the object of %s: %s", place->kit->file, said ? said : "");
        free(said);
    }
    free(kept);
    free(path);
    free(tool);
    return ok;
}

/* ---- linking ----------------------------------------------------------------------------------------------------- */

static bool link_objects(subprocess_result *result, const build_place *place, const char *object, const char *program,
                         grader_fault *fault)
{
    const lab_parts *kit = place->kit;
    enum { FIXED = 5 };
    size_t words = 0;
    while (kit->link[words]) words++;
    const char **arguments = calloc(FIXED + words + 1, sizeof *arguments);
    if (!arguments) return no_memory(fault);
    const char *const fixed[FIXED] = {kit->compiler, "-pthread", "-o", program, object};
    memcpy(arguments, fixed, sizeof fixed);
    for (size_t i = 0; i < words; i++) arguments[FIXED + i] = kit->link[i];
    bool ok = run_tool(result, arguments, place, OUTPUT_BYTES, fault);
    free(arguments);
    return ok;
}

/* Adds what a tool said to the log, and what of it concerns the student to the messages. Takes `said` and `kept`. */
static bool note(build_outcome *out, const subprocess_result *result, char *said, char *kept, grader_fault *fault)
{
    const char *cut = cut_short(result);
    text_buffer log = {0}, messages = {0};
    bool ok = said && kept;
    text_format(&log, "%s%s%s%s", out->log ? out->log : "", ok ? said : "", cut ? cut : "", cut ? "\n" : "");
    text_format(&messages, "%s%s%s%s", out->messages ? out->messages : "", ok ? kept : "", cut ? cut : "",
                cut ? "\n" : "");
    free(out->log);
    free(out->messages);
    free(said);
    free(kept);
    out->log = log.text;
    out->messages = messages.text;
    out->seconds += result->seconds;
    out->ok = !cut && result->exit.status == 0;
    return (ok && !log.failed && !messages.failed) || no_memory(fault);
}

static bool note_compiler(build_outcome *out, const subprocess_result *result, const lab_parts *kit,
                          grader_fault *fault)
{
    char *said = text_clean(result->output, result->output_bytes);
    if (said) compiler_messages_spell_names(said);
    return note(out, result, said, said ? compiler_messages_of_compiler(said, kit->file) : NULL, fault);
}

/* A linker that succeeds may warn about the lab's parts; that concerns no student. */
static bool note_linker(build_outcome *out, const subprocess_result *result, const lab_parts *kit, grader_fault *fault)
{
    enum { HEADER_BYTES = 1 << 20 };
    char *said = text_clean(result->output, result->output_bytes), *kept = NULL, *declarations = NULL;
    text_buffer header = {0};
    text_format(&header, "%s.h", kit->name);
    char *path = header.failed ? NULL : folder_path(kit->folder, header.text);
    if (said && path && result->exit.status != 0) {
        size_t bytes;
        grader_fault ignored;
        folder_read(&declarations, &bytes, path, HEADER_BYTES, &ignored);
        kept = compiler_messages_of_linker(said, kit->file, header.text, declarations ? declarations : "");
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

/* What compiler and linker see: the lab's headers and kernels, not its checks, and what the program is linked with. They
 * see no /proc, in which a file could ask whether it is being looked at or compiled (__has_include). */
static bool open_cell(build_place *place, const sandbox *box, grader_fault *fault)
{
    const lab_parts *kit = place->kit;
    word_list seen = {0};
    const char *const written[] = {place->folder, NULL};
    if (!box) return true;
    word_list_add(&seen, kit->include, NULL);
    bool ok = add_files(&seen, kit->folder, "/*.h") && add_files(&seen, kit->folder, "/*.cu");
    for (size_t i = 0; kit->link[i]; i++) {
        if (kit->link[i][0] == '/') word_list_add(&seen, kit->link[i], NULL);
    }
    char **list = word_list_take(&seen);
    const sandbox_view view = {.read = (const char *const *)list, .write = written, .no_proc = true};
    ok = list && ok ? sandbox_cell_open(&place->cell, box, &view, fault) : no_memory(fault);
    word_list_free(list);
    return ok;
}

/* If there are refusals they are what the student is told first. */
static bool note_refusals(build_outcome *out, const text_buffer *refusals, grader_fault *fault)
{
    if (refusals->length == 0) return true;
    text_buffer messages = {0}, log = {0};
    text_format(&messages, "%s%s", refusals->text, out->messages ? out->messages : "");
    text_format(&log, "%s%s", out->log ? out->log : "", refusals->text);
    free(out->messages);
    free(out->log);
    out->messages = messages.text;
    out->log = log.text;
    out->ok = false;
    out->refused = true;
    return (!messages.failed && !log.failed) || no_memory(fault);
}

/* Compiles, looks at the object, links. What does not link is broken first of all: a name that is mistyped is not a name
 * that is forbidden. */
static bool compile_and_link(build_outcome *out, const build_place *place, const symbol_rules *rules,
                             const source_names *names, grader_fault *fault)
{
    static const char object[] = "submission.o";
    subprocess_result result = {0};
    text_buffer refusals = {0};
    bool ok = compile(&result, place, object, fault) && note_compiler(out, &result, place->kit, fault);
    subprocess_result_free(&result);
    if (ok && out->ok && rules) ok = scan_object(place, rules, names, object, &refusals, fault);
    if (ok && out->ok && rules && refusals.length == 0) ok = hide_own(&result, place, rules, object, fault);
    subprocess_result_free(&result);
    if (ok && out->ok) {
        ok = link_objects(&result, place, object, "program", fault) && note_linker(out, &result, place->kit, fault);
        subprocess_result_free(&result);
    }
    if (ok && out->ok) ok = note_refusals(out, &refusals, fault);
    free(refusals.text);
    return ok;
}

static bool build_in(build_outcome *out, const build_place *place, const symbol_rules *rules, grader_fault *fault)
{
    source_names names = {0};
    text_buffer refusals = {0};
    bool ok = !rules || (scan_source(place, &names, &refusals, fault) && note_refusals(out, &refusals, fault));
    if (ok && !out->refused) ok = compile_and_link(out, place, rules, &names, fault);
    source_names_free(&names);
    free(refusals.text);
    return ok;
}

bool build_program(build_outcome *out, const lab_parts *kit, const sandbox *box, bool any_symbol, const char *folder,
                   grader_fault *fault)
{
    *out = (build_outcome){0};
    build_place place = {.kit = kit, .folder = folder, .file_bytes = FILE_BYTES};
    /* The object, its copy and the program, and a rest. */
    if (box && box->room_bytes && box->room_bytes / 4 < FILE_BYTES) place.file_bytes = box->room_bytes / 4;
    symbol_rules rules = {0};
    out->program = folder_path(folder, "program");
    bool ok = out->program || no_memory(fault);
    ok = ok && (any_symbol || allowed_symbols_open(&rules, kit, fault)) && open_cell(&place, box, fault);
    ok = ok && build_in(out, &place, any_symbol ? NULL : &rules, fault);
    sandbox_cell_close(&place.cell);
    allowed_symbols_close(&rules);
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
