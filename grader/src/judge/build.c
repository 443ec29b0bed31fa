/* Compiling and linking a submission; see build.h. */
#include "build.h"

#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    FILE_BYTES = 64 << 20,
};

/* How a program is built. */
typedef struct build_way {
    const char *object, *program;                  /* names of the files that it makes */
    const char *const *compiling, *const *linking; /* options; end with NULL */
    bool has_tables;                               /* the lab's tables are taken from its object */
} build_way;

/* Where one program is built. */
typedef struct build_place {
    const lab_parts *parts;
    const build_way *way;
    const char *folder;
    bool counts;         /* what is compiled is the text that checks count */
    uint64_t file_bytes; /* of the largest file that compiler and linker may write */
    sandbox_cell cell;   /* empty for no sandbox */
} build_place;

static const char purpose[] = "building the program"; /* for fault_memory */

/* What the system calls a full disk, and a user's share of it that is used up. */
#define NO_ROOM "No space left on device", "Disk quota exceeded"

/* Whether another file fits into the folder. This is tried: no call tells what a quota leaves. */
static bool has_room(const char *folder)
{
    enum { ROOM = 1 << 20 };
    char *path = folder_path(folder, "room-XXXXXX");
    const int file = path ? mkostemp(path, O_CLOEXEC) : -1;
    const bool fits = file >= 0 && posix_fallocate(file, 0, ROOM) == 0;
    if (file >= 0) {
        unlink(path);
        close(file);
    }
    free(path);
    return fits;
}

/* Whether a tool failed because the disk is full. Its output alone proves nothing: the student's file can print too. */
static bool failed_for_room(const subprocess_result *result, const char *folder)
{
    static const char *const words[] = {NO_ROOM, NULL};
    bool says = false;
    for (size_t i = 0; words[i]; i++)
        says = says || memmem(result->output, result->output_bytes, words[i], strlen(words[i]));
    return result->exit.status != 0 && says && !has_room(folder);
}

/* Compiler or linker in the job's folder; `environment` is the caller's to free once the tool has been started. */
static bool describe_tool(subprocess_options *options, char ***environment, const char *const *arguments,
                          const build_place *place, grader_fault *fault)
{
    /* compiler_messages.h reads English; a sandbox sees none of the caller's folders. */
    const char *const open[] = {"LC_ALL=C", NULL};
    const char *const closed[] = {"LC_ALL=C", "TMPDIR=/tmp", "HOME=/tmp", "CCACHE_DISABLE=1", NULL};
    const char *const *extra = place->cell.filter ? closed : open;
    *environment = environment_make(extra);
    if (!*environment) return fault_memory(fault, purpose);
    *options = (subprocess_options){
        .arguments = arguments,
        .environment = (const char *const *)*environment,
        .directory = place->folder,
        .output_limit = OUTPUT_BYTES,
        .file_limit = place->file_bytes,
        .cpu_limit = CPU_SECONDS,
    };
    sandbox_cell_apply(&place->cell, options);
    return true;
}

static bool run_tool(subprocess_result *result, const char *const *arguments, const build_place *place,
                     grader_fault *fault)
{
    subprocess_options options;
    char **environment;
    FAULT_TRY(describe_tool(&options, &environment, arguments, place, fault));
    bool ok = subprocess_run(result, &options, SECONDS, fault);
    environment_free(environment);
    if (!ok || !failed_for_room(result, place->folder)) return ok;
    subprocess_result_free(result);
    return fault_set(fault, "there is no room left on the disk to build in %s", place->folder);
}

/* Whether a failed tool says one of the words for itself, in a line that neither shows the student's source nor is a
 * message about it. */
static bool complains(const subprocess_result *result, const char *file, const char *const *words)
{
    if (result->exit.status == 0) return false;
    for (const char *line = result->output; *line; line += strcspn(line, "\n") + (strchr(line, '\n') != NULL)) {
        if (*line == ' ' || strncmp(line, file, strlen(file)) == 0) continue;
        for (const char *const *word = words; *word; word++) {
            if (memmem(line, strcspn(line, "\n"), *word, strlen(*word))) return true;
        }
    }
    return false;
}

/* Why the tool was ended before it was done; NULL if it was not. Compilers, assemblers and linkers report a limit in
 * the system's words, also when it ended a program that does their work. */
static const char *cut_short(const subprocess_result *result, const char *file)
{
    static const char *const room[] = {NO_ROOM, "File too large", "File size limit exceeded", NULL};
    static const char *const most[] = {" signal terminated program ", "out of memory", "memory exhausted", NULL};
    if (result->event == SUBPROCESS_DEADLINE) return "the compiler did not finish within 30 seconds";
    if (result->event == SUBPROCESS_FLOOD) return "the compiler printed more than 1 MiB of messages";
    if (complains(result, file, room)) return "building it fills the room for its files";
    if (!result->exit.signal && !complains(result, file, most)) return NULL;
    return "the compiler crashed or used more time or memory than it may";
}

/* Nothing is inlined, so that each call has its caller's line. A starter leaves parameters and functions unused until
 * its tasks are done. -fdata-sections and -fPIE give each constant a section .rodata.NAME of its own, unless an address
 * is in it. */
static const char *const common_options[] = {
    "-std=c11",
    "-D_GNU_SOURCE",
    "-pthread",
    "-g",
    "-fPIE",
    "-fdata-sections",
    "-fno-omit-frame-pointer",
    "-fno-optimize-sibling-calls",
    "-fno-inline",
    "-fdiagnostics-color=never",
    NULL,
};

/* -O1, because more would move the lines of crashes and turn a NULL pointer into a trap.
 *
 * C does not define the cast of a floating-point number to an integer type that cannot hold it: such a cast ends the
 * program instead of giving what this machine happens to give. */
static const char *const plain_options[] = {
    "-O1",
    "-fsanitize=float-cast-overflow",
    "-fsanitize-undefined-trap-on-error",
    "-Wall",
    "-Wextra",
    "-Wno-unused-parameter",
    "-Wno-unused-function",
    NULL,
};

/* -O0, because -O1 takes the compiler twice as long.
 *
 * Left out is what right answers do: 1 << 31, memcpy of no bytes from NULL, an array of no elements, a pointer to the
 * element before the first where a loop goes backwards. A NULL pointer crashes by itself, with a better sentence. */
#define UNDEFINED "-fsanitize=address,undefined,float-cast-overflow"
static const char *const sanitizing_options[] = {
    UNDEFINED,
    "-fsanitize-coverage=trace-pc", /* tells the way that a call took (worker.c) */
#if defined __clang__ || __GNUC__ >= 12
    "-ftrivial-auto-var-init=pattern", /* a variable that nothing sets is not NULL by luck */
#endif
    "-fno-sanitize=alignment,shift-base,nonnull-attribute,vla-bound,pointer-overflow,object-size,null",
    "-fno-sanitize-recover=all",
    "-w",
    NULL,
};

/* At a fixed address: the sanitizer's own memory has one too, and a random one may meet it. */
static const char *const sanitizing_link[] = {UNDEFINED, "-no-pie", NULL};
static const char *const plain_link[] = {NULL};

static const build_way plain_way = {"submission.o", "program", plain_options, plain_link, true};
static const build_way sanitizing_way = {"sanitized.o", "sanitized", sanitizing_options, sanitizing_link, false};

static void add_options(word_list *words, const char *const *options)
{
    for (size_t i = 0; options[i]; i++) word_list_add(words, options[i], NULL);
}

/* The compiler's command line with one more option, "-c" or "-E": the caller frees it; NULL without memory. */
static char **compiler_words(const build_place *place, const char *option, const char *from, const char *to)
{
    const lab_parts *parts = place->parts;
    word_list words = {0};
    word_list_add(&words, parts->compiler, NULL);
    add_options(&words, common_options);
    add_options(&words, place->way->compiling);
    word_list_add(&words, "-I", parts->folder, "-I", parts->include, option, from, "-o", to, NULL);
    return word_list_take(&words);
}

static bool run_compiler(subprocess_result *result, const build_place *place, const char *option, const char *from,
                         const char *to, grader_fault *fault)
{
    char **arguments = compiler_words(place, option, from, to);
    if (!arguments) return fault_memory(fault, purpose);
    bool ok = run_tool(result, (const char *const *)arguments, place, fault);
    word_list_free(arguments);
    return ok;
}

static bool compile(subprocess_result *result, const build_place *place, grader_fault *fault)
{
    return run_compiler(result, place, "-c", place->parts->file, place->way->object, fault);
}

/* ---- what is counted is what is compiled ------------------------------------------------------------------------- */

static bool counts_lines(const lab_parts *parts)
{
    const json_t *check;
    for (size_t i = 0; (check = lab_parts_check(parts, i)); i++)
        if (json_is_true(json_object_get(check, "counts_lines"))) return true;
    return false;
}

static bool preprocess(subprocess_result *result, const build_place *place, grader_fault *fault)
{
    return run_compiler(result, place, "-E", place->parts->file, BUILD_TEXT, fault);
}

static bool compile_text(subprocess_result *result, const build_place *place, grader_fault *fault)
{
    return run_compiler(result, place, "-c", BUILD_TEXT, place->way->object, fault);
}

/* The starter, and headers that a right answer may include: what these define is no line of the student's. */
static bool write_starter(const build_place *place, const char *name, grader_fault *fault)
{
    static const char headers[] =
        "\n#include <assert.h>\n#include <ctype.h>\n#include <errno.h>\n#include <inttypes.h>\n#include <limits.h>\n"
        "#include <math.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdbool.h>\n#include <stddef.h>\n"
        "#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <threads.h>\n"
        "#include <time.h>\n#include <unistd.h>\n";
    enum { MOST_BYTES = 1 << 20 };
    char *path = folder_path(place->folder, name), *text = NULL;
    size_t bytes;
    text_buffer whole = {0};
    bool ok = path || fault_memory(fault, purpose);
    if (ok && folder_read(&text, &bytes, place->parts->starter, MOST_BYTES, fault) != FOLDER_FILE)
        ok = fault_set(fault, "cannot read %s", place->parts->starter);
    if (ok) text_format(&whole, "%s%s", text, headers);
    ok = ok && (!whole.failed || fault_memory(fault, purpose)) && folder_write(path, whole.text, whole.length, fault);
    free(whole.text);
    free(text);
    free(path);
    return ok;
}

static bool preprocess_starter(const build_place *place, grader_fault *fault)
{
    static const char name[] = "starter.c";
    subprocess_result result;
    FAULT_TRY(write_starter(place, name, fault));
    FAULT_TRY(run_compiler(&result, place, "-E", name, BUILD_STARTER_TEXT, fault));
    const bool made = result.event == SUBPROCESS_EXITED && result.exit.status == 0;
    subprocess_result_free(&result);
    return made || fault_set(fault, "the starter of %s cannot be preprocessed", place->parts->name);
}

/* Writes the starter's text: the lab's, or else it is preprocessed here. */
static bool place_starter(const build_place *place, grader_fault *fault)
{
    const char *known = place->parts->given_text;
    if (!known) return preprocess_starter(place, fault);
    char *path = folder_path(place->folder, BUILD_STARTER_TEXT);
    const bool ok = path ? folder_write(path, known, strlen(known), fault) : fault_memory(fault, purpose);
    free(path);
    return ok;
}

/* ---- the object -------------------------------------------------------------------------------------------------- */

/* Adds a word from text_make, and frees it. */
static void add_made(word_list *words, char *word)
{
    if (word)
        word_list_add(words, word, NULL);
    else
        words->failed = true;
    free(word);
}

/* A forbidden function gets a name that nothing defines, so that the linker tells where the file uses it. */
static void add_forbidden(word_list *words, const char *rules)
{
    for (const char *line = rules; *line; line += strcspn(line, "\n") + (line[strcspn(line, "\n")] == '\n')) {
        int length = (int)strcspn(line, ":\n");
        if (length == 0) continue;
        add_made(words, text_make("--redefine-sym=%.*s=%s%.*s", length, line, FORBIDDEN_PREFIX, length, line));
    }
}

/* Hides all names of the file except those that the lab asks for, so that none replaces a function of the library or
 * the system; `main` stays, and the linker says that there are two. Lets the program know of the threads that the file
 * starts (student_threads.c). Writes each of the lab's tables that the object has into a file of its own. */
static bool change_object(subprocess_result *result, const build_place *place, grader_fault *fault)
{
    const lab_parts *parts = place->parts;
    word_list words = {0};
    char *tool = subprocess_find_program("objcopy");
    if (!tool) return fault_set(fault, "there is no objcopy in PATH (it is part of binutils)");
    word_list_add(&words, tool, "--keep-global-symbol=main", "--redefine-sym=pthread_create=worker_thread_create",
                  "--redefine-sym=thrd_create=worker_thrd_create", "--redefine-sym=pthread_join=worker_thread_join",
                  "--redefine-sym=thrd_join=worker_thrd_join",
                  "--redefine-sym=pthread_tryjoin_np=worker_thread_tryjoin",
                  "--redefine-sym=pthread_timedjoin_np=worker_thread_timedjoin",
                  "--redefine-sym=pthread_clockjoin_np=worker_thread_clockjoin", NULL);
    add_forbidden(&words, parts->forbidden);
    for (size_t i = 0; parts->contract[i]; i++)
        add_made(&words, text_make("--keep-global-symbol=%s", parts->contract[i]));
    for (size_t i = 0; place->way->has_tables && parts->tables[i]; i++)
        add_made(&words,
                 text_make("--dump-section=.rodata.%s=%s/%s", parts->tables[i], BUILD_TABLES, parts->tables[i]));
    word_list_add(&words, place->way->object, NULL);
    free(tool);
    char **arguments = word_list_take(&words);
    if (!arguments) return fault_memory(fault, purpose);
    bool ok = run_tool(result, (const char *const *)arguments, place, fault);
    word_list_free(arguments);
    return ok;
}

/* ---- linking ----------------------------------------------------------------------------------------------------- */

static bool link_objects(subprocess_result *result, const build_place *place, grader_fault *fault)
{
    const lab_parts *parts = place->parts;
    word_list words = {0};
    /* The libraries' own needs are met: the linker would read all of the sanitizers' and of C++ to see that. */
    word_list_add(&words, parts->compiler, "-pthread", "-Wl,--allow-shlib-undefined", "-o", place->way->program,
                  place->way->object, NULL);
    add_options(&words, place->way->linking);
    word_list_add_all(&words, parts->link);
    char **arguments = word_list_take(&words);
    if (!arguments) return fault_memory(fault, purpose);
    bool ok = run_tool(result, (const char *const *)arguments, place, fault);
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

/* Adds a tool's output to the log, and the part that concerns the student to the messages. Takes `said` and `kept`. A
 * tool that was cut short, other than by its own messages, has little to say about the file. */
static bool note(build_outcome *out, const subprocess_result *result, const lab_parts *parts, char *said, char *kept,
                 grader_fault *fault)
{
    const char *cut = cut_short(result, parts->file);
    if (kept && cut && result->event != SUBPROCESS_FLOOD) kept[0] = '\0';
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
    return note(out, result, parts, said, said ? compiler_messages_of_compiler(said, parts->file) : NULL, fault);
}

/* Of a file that compiles once more nothing is noted. */
static bool note_again(build_outcome *out, const subprocess_result *result, const lab_parts *parts, grader_fault *fault)
{
    if (result->event == SUBPROCESS_EXITED && result->exit.status == 0) {
        out->seconds += result->seconds;
        return true;
    }
    return note_compiler(out, result, parts, fault);
}

/* Of the change that succeeds nothing is noted: objcopy names the tables that it does not find. */
static bool note_change(build_outcome *out, const subprocess_result *result, const lab_parts *parts,
                        grader_fault *fault)
{
    const bool failed = result->event != SUBPROCESS_EXITED || result->exit.status != 0;
    char *said = text_clean(failed ? result->output : "", failed ? result->output_bytes : 0);
    char *kept =
        said && failed ? text_make("%s makes an object that cannot be linked: %s\n", parts->file, said) : strdup("");
    return note(out, result, parts, said, kept, fault);
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
        kept = compiler_messages_of_linker(said, parts->file, header.text, declarations ? declarations : "",
                                           parts->forbidden);
    } else if (said && path) {
        kept = strdup("");
    }
    free(declarations);
    free(header.text);
    free(path);
    return note(out, result, parts, said, kept, fault);
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

/* A part of the lab's program may solve a task, and the assembler puts any file that it sees into an object. So the
 * compiler sees the lab's headers and kernels, and no program; the linker sees what the program is linked with. */
static bool open_cell(build_place *place, const sandbox *box, bool links, grader_fault *fault)
{
    const lab_parts *parts = place->parts;
    word_list seen = {0};
    const char *const written[] = {place->folder, NULL};
    bool ok = true;
    sandbox_cell_close(&place->cell);
    if (!box) return true;
    if (!links) {
        word_list_add(&seen, parts->include, NULL);
        ok = add_files(&seen, parts->folder, "/*.h") && add_files(&seen, parts->folder, "/*.cu");
    }
    for (size_t i = 0; links && parts->link[i]; i++)
        if (parts->link[i][0] == '/') word_list_add(&seen, parts->link[i], NULL);
    char **list = word_list_take(&seen);
    const sandbox_view view = {.read = (const char *const *)list, .write = written, .no_proc = true, .links = links};
    ok = list && ok ? sandbox_cell_open(&place->cell, box, &view, fault) : fault_memory(fault, purpose);
    word_list_free(list);
    return ok;
}

typedef bool build_step(subprocess_result *result, const build_place *place, grader_fault *fault);
typedef bool build_note(build_outcome *out, const subprocess_result *result, const lab_parts *parts,
                        grader_fault *fault);

/* Runs a step and notes what it says; out->ok tells whether the next one follows. */
static bool take_step(build_outcome *out, const build_place *place, build_step *step, build_note *take_note,
                      grader_fault *fault)
{
    subprocess_result result;
    FAULT_TRY(step(&result, place, fault));
    bool ok = take_note(out, &result, place->parts, fault);
    subprocess_result_free(&result);
    return ok;
}

static bool make_tables(const build_place *place, grader_fault *fault)
{
    char *path = folder_path(place->folder, BUILD_TABLES);
    bool ok = path ? folder_make(path, fault) : fault_memory(fault, purpose);
    free(path);
    return ok;
}

/* ---- the second program ------------------------------------------------------------------------------------------ */

/* Starts the compiler for the program with the sanitizers, next to the one that compiles the plain program. */
static bool start_compiler(subprocess **out, const build_place *place, grader_fault *fault)
{
    subprocess_options options;
    char **environment, **arguments = compiler_words(place, "-c", place->parts->file, place->way->object);
    bool ok = arguments ? describe_tool(&options, &environment, (const char *const *)arguments, place, fault)
                        : fault_memory(fault, purpose);
    if (ok) {
        ok = subprocess_start(out, &options, fault);
        environment_free(environment);
    }
    word_list_free(arguments);
    return ok;
}

/* Takes the compiler's exit: whether it has made the object. */
static bool take_compiler(bool *made, subprocess *compiler, grader_fault *fault)
{
    subprocess_exit ended;
    subprocess_event event = subprocess_wait_for_end(compiler, SECONDS, fault);
    FAULT_TRY(subprocess_end(compiler, &ended, fault));
    *made = event == SUBPROCESS_EXITED && ended.status == 0;
    return event != SUBPROCESS_FAULT;
}

/* Runs a step of the second program. Whatever stops it, room or time included, stops nothing else. */
static bool step_succeeds(const build_place *place, build_step *step)
{
    subprocess_result result;
    grader_fault ignored;
    if (!step(&result, place, &ignored)) return false;
    bool succeeds = result.event == SUBPROCESS_EXITED && result.exit.status == 0;
    subprocess_result_free(&result);
    return succeeds;
}

/* Links the second program after the plain one. A machine without the sanitizers has none. */
static bool link_sanitized(build_outcome *out, const build_place *place, bool compiled, grader_fault *fault)
{
    if (compiled && step_succeeds(place, link_objects))
        return (out->sanitized = folder_path(place->folder, place->way->program)) || fault_memory(fault, purpose);
    static const char note[] = "note: no second program could be built with the address sanitizer (is libasan "
                               "installed?): a use past the end of an array is found only if it crashes\n";
    return (extend(&out->log, note, NULL) && extend(&out->messages, note, NULL)) || fault_memory(fault, purpose);
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

/* Replaces the object by that of the text that is counted. The compiler's messages have been taken: they are about the
 * file as it was written. A directive could otherwise show it one text, and another to who preprocesses it. */
static bool compile_what_is_counted(build_outcome *out, const build_place *place, grader_fault *fault)
{
    FAULT_TRY(take_step(out, place, preprocess, note_again, fault));
    if (out->ok) FAULT_TRY(take_step(out, place, compile_text, note_again, fault));
    return !out->ok || place_starter(place, fault);
}

static bool compile_plain(build_outcome *out, const build_place *place, grader_fault *fault)
{
    FAULT_TRY(take_step(out, place, compile, note_compiler, fault));
    if (out->ok && place->counts) FAULT_TRY(compile_what_is_counted(out, place, fault));
    return !out->ok || take_step(out, place, change_object, note_change, fault);
}

/* The object of the second program is `made` if the plain one has been, and nothing stops it. */
static bool compile_both(bool *made, build_outcome *out, const build_place *place, const build_place *second,
                         grader_fault *fault)
{
    subprocess *compiler;
    grader_fault ignored;
    *made = false;
    FAULT_TRY(start_compiler(&compiler, second, fault));
    if (!compile_plain(out, place, fault)) {
        subprocess_end(compiler, NULL, &ignored);
        return false;
    }
    if (!out->ok) return subprocess_end(compiler, NULL, fault);
    FAULT_TRY(take_compiler(made, compiler, fault));
    *made = *made && step_succeeds(second, change_object);
    return true;
}

/* Nothing is linked before all that reads the student's file has ended, because a program has the lab's code. */
static bool build_plain(build_outcome *out, build_place *place, const sandbox *box, grader_fault *fault)
{
    FAULT_TRY(compile_plain(out, place, fault));
    return !out->ok || (open_cell(place, box, true, fault) && take_step(out, place, link_objects, note_linker, fault));
}

static bool build_both(build_outcome *out, build_place *place, const sandbox *box, grader_fault *fault)
{
    build_place second = *place;
    bool made;
    second.way = &sanitizing_way;
    FAULT_TRY(compile_both(&made, out, place, &second, fault));
    if (!out->ok) return true;
    FAULT_TRY(open_cell(place, box, true, fault) && take_step(out, place, link_objects, note_linker, fault));
    second.cell = place->cell;
    return !out->ok || link_sanitized(out, &second, made, fault);
}

static bool prepare(build_outcome *out, build_place *place, const sandbox *box, grader_fault *fault)
{
    out->program = folder_path(place->folder, plain_way.program);
    if (!out->program) return fault_memory(fault, purpose);
    return make_tables(place, fault) && open_cell(place, box, false, fault);
}

typedef bool build_ways(build_outcome *out, build_place *place, const sandbox *box, grader_fault *fault);

static bool build_in(build_outcome *out, const lab_parts *parts, const sandbox *box, const char *folder,
                     build_ways *build, bool texts, grader_fault *fault)
{
    enum { FILES = 12 }; /* an object, its copy, a program and its copy, twice, two texts, and two to spare */
    *out = (build_outcome){0};
    build_place place = {.parts = parts, .way = &plain_way, .folder = folder, .file_bytes = FILE_BYTES};
    place.counts = texts && counts_lines(parts);
    if (box && box->room_bytes && box->room_bytes / FILES < FILE_BYTES) place.file_bytes = box->room_bytes / FILES;
    bool ok = prepare(out, &place, box, fault) && build(out, &place, box, fault);
    sandbox_cell_close(&place.cell);
    if (!ok) build_free(out);
    return ok;
}

bool build_program(build_outcome *out, const lab_parts *parts, const sandbox *box, const char *folder,
                   build_wants wants, grader_fault *fault)
{
    return build_in(out, parts, box, folder, wants.sanitized ? build_both : build_plain, wants.texts, fault);
}

static bool leave_text(build_outcome *out, build_place *place, const sandbox *box, grader_fault *fault)
{
    (void)box;
    return take_step(out, place, preprocess, note_compiler, fault);
}

bool build_text(char **text, size_t *length, const lab_parts *parts, const sandbox *box, const char *folder,
                grader_fault *fault)
{
    build_outcome outcome;
    *text = NULL;
    FAULT_TRY(build_in(&outcome, parts, box, folder, leave_text, false, fault));
    char *path = folder_path(folder, BUILD_TEXT);
    bool ok = path || fault_memory(fault, purpose);
    if (ok && outcome.ok) ok = folder_read(text, length, path, BUILD_TEXT_BYTES, fault) != FOLDER_UNREADABLE;
    free(path);
    build_free(&outcome);
    return ok;
}

static bool leave_starter(build_outcome *out, build_place *place, const sandbox *box, grader_fault *fault)
{
    (void)out;
    (void)box;
    return preprocess_starter(place, fault);
}

static bool read_starter(lab_parts *parts, const char *folder, grader_fault *fault)
{
    size_t length;
    char *path = folder_path(folder, BUILD_STARTER_TEXT);
    bool ok = path || fault_memory(fault, purpose);
    if (ok && folder_read(&parts->given_text, &length, path, BUILD_TEXT_BYTES, fault) != FOLDER_FILE)
        ok = fault_set(fault, "cannot read the preprocessed starter of %s", parts->name);
    free(path);
    return ok;
}

bool build_know_starter(lab_parts *parts, grader_fault *fault)
{
    build_outcome outcome;
    char *folder;
    if (parts->given_text || !counts_lines(parts)) return true;
    FAULT_TRY(folder_make_private(&folder, "lab-starter", fault));
    bool ok = build_in(&outcome, parts, NULL, folder, leave_starter, false, fault);
    if (ok) {
        build_free(&outcome);
        ok = read_starter(parts, folder, fault);
    }
    folder_remove(folder);
    free(folder);
    return ok;
}

void build_free(build_outcome *outcome)
{
    free(outcome->messages);
    free(outcome->log);
    free(outcome->program);
    free(outcome->sanitized);
    *outcome = (build_outcome){0};
}
