/* Finding the parts of a lab; see lab_parts.h. */
#include "lab_parts.h"

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

/* ---- names --------------------------------------------------------------------------------------------------- */

/* "labs/lab03-concurrency" → "lab03"; NULL without memory. */
static char *name_of_folder(const char *path)
{
    const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    return strndup(base, strcspn(base, "-"));
}

/* Copies of the paths, each through `copy`, ending with NULL; NULL without memory. */
static char **copy_each(const glob_t *found, char *(*copy)(const char *path))
{
    char **list = calloc(found->gl_pathc + 1, sizeof *list);
    for (size_t i = 0; list && i < found->gl_pathc; i++) {
        list[i] = copy(found->gl_pathv[i]);
        if (list[i]) continue;
        lab_parts_names_free(list);
        return NULL;
    }
    return list;
}

static char *copy_path(const char *path) { return strdup(path); }

static bool list_labs(char ***out, const char *root, char *(*copy)(const char *path), grader_fault *fault)
{
    glob_t found = {0};
    char *pattern = folder_path(root, "labs/lab[0-9][0-9]-*");
    int failed = pattern ? glob(pattern, GLOB_ONLYDIR, NULL, &found) : GLOB_NOSPACE;
    free(pattern);
    if (failed == GLOB_NOMATCH) return fault_set(fault, "there are no labs under %s/labs: is --root right?", root);
    if (failed) return fault_set(fault, "cannot list the labs under %s/labs", root);
    *out = copy_each(&found, copy);
    globfree(&found);
    return *out || fault_memory(fault, "the list of labs");
}

bool lab_parts_folders(char ***out, const char *root, grader_fault *fault)
{
    return list_labs(out, root, copy_path, fault);
}

bool lab_parts_names(char ***out, const char *root, grader_fault *fault)
{
    return list_labs(out, root, name_of_folder, fault);
}

void lab_parts_names_free(char **names)
{
    for (size_t i = 0; names && names[i]; i++) free(names[i]);
    free(names);
}

static bool no_such_lab(const lab_parts_places *places, grader_fault *fault)
{
    char **names;
    text_buffer list = {0};
    FAULT_TRY(lab_parts_names(&names, places->root, fault));
    for (size_t i = 0; names[i]; i++) text_format(&list, "%s%s", i ? ", " : "", names[i]);
    lab_parts_names_free(names);
    fault_set(fault, "there is no lab \"%s\"; the labs are: %s", places->name, list.text ? list.text : "none");
    free(list.text);
    return false;
}

/* ---- places -------------------------------------------------------------------------------------------------- */

/* "lab03", "toylab"; the template's name has the letters NN in place of a number. */
static bool is_plain_name(const char *name)
{
    return *name && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789N") == strlen(name);
}

/* Sets `folder` to an absolute path; the caller frees it. */
static bool find_folder(char **folder, const lab_parts_places *places, grader_fault *fault)
{
    if (places->folder) {
        *folder = realpath(places->folder, NULL);
        return *folder || fault_errno(fault, "cannot find the lab's folder %s", places->folder);
    }
    glob_t found = {0};
    text_buffer pattern = {0};
    if (!is_plain_name(places->name)) return no_such_lab(places, fault);
    text_format(&pattern, "%s/labs/%s-*", places->root, places->name);
    int failed = pattern.failed ? GLOB_NOSPACE : glob(pattern.text, GLOB_ONLYDIR, NULL, &found);
    free(pattern.text);
    if (failed == GLOB_NOMATCH) return no_such_lab(places, fault);
    if (failed) return fault_set(fault, "cannot look for the lab under %s/labs", places->root);
    *folder = realpath(found.gl_pathv[0], NULL);
    globfree(&found);
    return *folder || fault_errno(fault, "cannot find the folder of %s", places->name);
}

bool lab_parts_exists(const lab_parts_places *places, grader_fault *fault)
{
    char *folder = NULL;
    FAULT_TRY(find_folder(&folder, places, fault));
    free(folder);
    return true;
}

/* An absolute path, formatted; NULL without memory. `base` is absolute. */
static char *path_below(const char *base, const char *format, const char *name)
{
    text_buffer path = {0};
    text_format(&path, "%s/", base);
    text_format(&path, format, name);
    return path.failed ? NULL : path.text;
}

/* Names the lab's files; `root` and `build` are absolute. */
static bool name_files(lab_parts *parts, const char *name, const char *root, const char *build, grader_fault *fault)
{
    text_buffer file = {0};
    text_format(&file, "%s.c", name);
    parts->name = strdup(name);
    parts->file = file.text;
    parts->include = path_below(root, "lib/include%s", "");
    parts->checks = path_below(build, "%s/checks", name);
    parts->reference = path_below(build, "%s/reference", name);
    parts->server = path_below(build, "bin/labserver%s", "");
    parts->kernels = path_below(build, "bin/labkernels%s", "");
    char *solutions = path_below(root, "solutions/%s", strrchr(parts->folder, '/') + 1);
    parts->solution = solutions && parts->file ? folder_path(solutions, parts->file) : NULL;
    parts->starter = folder_path(parts->folder, "starter.c");
    free(solutions);
    bool whole = parts->name && parts->file && parts->include && parts->checks && parts->reference && parts->server &&
                 parts->kernels && parts->solution && parts->starter;
    return whole || fault_memory(fault, "the lab's paths");
}

static bool find_places(lab_parts *parts, const lab_parts_places *places, grader_fault *fault)
{
    FAULT_TRY(find_folder(&parts->folder, places, fault));
    char *root = realpath(places->root, NULL);
    if (!root) return fault_errno(fault, "cannot find the checkout %s", places->root);
    char *build = realpath(places->build, NULL);
    bool ok = build ? name_files(parts, places->name, root, build, fault)
                    : fault_errno(fault, "cannot find the build folder %s (make builds it)", places->build);
    free(root);
    free(build);
    return ok;
}

/* ---- what make built ------------------------------------------------------------------------------------------- */

static bool not_built(const lab_parts *parts, const char *path, grader_fault *fault)
{
    return fault_set(fault, "%s is not built: %s is missing (run `make %s` first)", parts->name, path, parts->name);
}

/* A word that is not an option is a path, relative to the checkout unless it begins with a slash. */
static char *link_word(const char *word, const char *root)
{
    return word[0] == '-' || word[0] == '/' ? strdup(word) : folder_path(root, word);
}

static bool split_link(lab_parts *parts, char *text, size_t bytes, const char *root, grader_fault *fault)
{
    size_t count = 0;
    char *rest = text;
    parts->link = calloc(bytes / 2 + 2, sizeof *parts->link);
    if (!parts->link) return fault_memory(fault, "the list of libraries");
    for (char *word; (word = strsep(&rest, " \n"));) {
        if (!*word) continue;
        parts->link[count] = link_word(word, root);
        if (!parts->link[count++]) return fault_memory(fault, "the list of libraries");
    }
    return true;
}

/* Reads BUILD/NAME/FILE. */
static bool read_built(char **text, size_t *bytes, const lab_parts *parts, const lab_parts_places *places,
                       const char *file, grader_fault *fault)
{
    enum { MOST_BYTES = 65536 };
    char *path = text_make("%s/%s/%s", places->build, places->name, file);
    if (!path) return fault_memory(fault, "the lab's paths");
    bool found = folder_read(text, bytes, path, MOST_BYTES, fault) == FOLDER_FILE || not_built(parts, path, fault);
    free(path);
    return found;
}

static bool read_link(lab_parts *parts, const lab_parts_places *places, grader_fault *fault)
{
    char *text = NULL;
    size_t bytes = 0;
    FAULT_TRY(read_built(&text, &bytes, parts, places, "program.link", fault));
    char *root = realpath(places->root, NULL);
    bool ok = root ? split_link(parts, text, bytes, root, fault) : fault_memory(fault, "the list of libraries");
    free(text);
    free(root);
    return ok;
}

/* Each line is of nm's: a name, a letter for its kind, and numbers. "R" is read-only data. */
static bool read_contract(lab_parts *parts, const lab_parts_places *places, grader_fault *fault)
{
    char *text = NULL;
    size_t bytes = 0;
    word_list names = {0}, tables = {0};
    FAULT_TRY(read_built(&text, &bytes, parts, places, "contract", fault));
    char *rest = text;
    for (char *line; (line = strsep(&rest, "\n"));) {
        char *name = strsep(&line, " ");
        if (!line) continue;
        word_list_add(&names, name, NULL);
        if (*line == 'R') word_list_add(&tables, name, NULL);
    }
    free(text);
    parts->contract = word_list_take(&names);
    parts->tables = word_list_take(&tables);
    return (parts->contract && parts->tables) || fault_memory(fault, "the lab's contract");
}

/* No lab allows what the first lines name: a thread that is detached ends just before or just after its function
 * returns, as luck has it. */
static bool read_forbidden(lab_parts *parts, grader_fault *fault)
{
    enum { MOST_BYTES = 65536 };
#define MUST_JOIN ": a function must join the threads that it starts before it returns\n"
    static const char always[] =
        "pthread_detach" MUST_JOIN "pthread_attr_setdetachstate" MUST_JOIN "thrd_detach" MUST_JOIN;
    char *text = NULL, *path = folder_path(parts->folder, "forbidden.txt");
    size_t bytes = 0;
    folder_found found = path ? folder_read(&text, &bytes, path, MOST_BYTES, fault) : FOLDER_UNREADABLE;
    bool known = found == FOLDER_FILE || found == FOLDER_NOTHING;
    parts->forbidden = known ? text_make("%s%s", always, text ? text : "") : NULL;
    free(text);
    free(path);
    if (!known) return fault_set(fault, "cannot read forbidden.txt of %s", parts->name);
    return parts->forbidden || fault_memory(fault, "the lab's rules");
}

static bool find_compiler(lab_parts *parts, grader_fault *fault)
{
    static const char *const names[] = {"gcc", "clang", "cc"};
    for (size_t i = 0; !parts->compiler && i < sizeof names / sizeof *names; i++) {
        parts->compiler = subprocess_find_program(names[i]);
    }
    return parts->compiler || fault_set(fault, "there is no C compiler: neither gcc, clang nor cc is in PATH");
}

/* Takes over title, checks and points; false if the text is not a manifest. */
static bool take_manifest(lab_parts *parts, const char *text, size_t bytes)
{
    const char *title;
    json_t *manifest = json_loadb(text, bytes, 0, NULL);
    bool whole =
        manifest && json_unpack(manifest, "{s:{s:s}, s:O}", "lab", "title", &title, "checks", &parts->manifest) == 0;
    parts->title = whole ? strdup(title) : NULL;
    json_decref(manifest);
    size_t index;
    const json_t *check;
    json_array_foreach(parts->manifest, index, check)
    {
        parts->max_points += (int)json_integer_value(json_object_get(check, "points"));
    }
    return parts->title && json_array_size(parts->manifest) > 0;
}

static bool read_manifest(lab_parts *parts, const char *const *environment, grader_fault *fault)
{
    enum { SECONDS = 30, OUTPUT_BYTES = 1 << 20 };
    if (access(parts->checks, X_OK) < 0) return not_built(parts, parts->checks, fault);
    if (access(parts->reference, X_OK) < 0) return not_built(parts, parts->reference, fault);
    if (access(parts->server, X_OK) < 0) return not_built(parts, parts->server, fault);
    if (access(parts->kernels, X_OK) < 0) return not_built(parts, parts->kernels, fault);
    const char *const arguments[] = {parts->checks, "--manifest", NULL};
    const subprocess_options options = {
        .arguments = arguments, .environment = environment, .output_limit = OUTPUT_BYTES, .separate_errors = true};
    subprocess_result result;
    FAULT_TRY(subprocess_run(&result, &options, SECONDS, fault));
    bool whole = result.event == SUBPROCESS_EXITED && result.exit.status == 0 &&
                 take_manifest(parts, result.output, result.output_bytes);
    if (!whole) {
        char *said = text_clean_line(result.errors, result.error_bytes);
        fault_set(fault, "%s --manifest does not list the lab's checks%s%s", parts->checks, said && *said ? ": " : "",
                  said ? said : "");
        free(said);
    }
    subprocess_result_free(&result);
    return whole;
}

static bool open_parts(lab_parts *parts, const lab_parts_places *places, const char *const *environment,
                       grader_fault *fault)
{
    FAULT_TRY(find_places(parts, places, fault));
    FAULT_TRY(read_manifest(parts, environment, fault));
    FAULT_TRY(read_link(parts, places, fault));
    FAULT_TRY(read_contract(parts, places, fault));
    FAULT_TRY(read_forbidden(parts, fault));
    FAULT_TRY(find_compiler(parts, fault));
    return device_ask(&parts->device, parts->reference, environment, fault);
}

bool lab_parts_open(lab_parts *out, const lab_parts_places *places, grader_fault *fault)
{
    *out = (lab_parts){0};
    char **environment = environment_make(NULL);
    if (!environment) return fault_memory(fault, "an environment");
    bool ok = open_parts(out, places, (const char *const *)environment, fault);
    environment_free(environment);
    if (!ok) lab_parts_close(out);
    return ok;
}

void lab_parts_close(lab_parts *parts)
{
    char *texts[] = {parts->name,    parts->title,   parts->folder,    parts->solution,  parts->starter,
                     parts->include, parts->file,    parts->checks,    parts->reference, parts->compiler,
                     parts->server,  parts->kernels, parts->forbidden, parts->given_text};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) free(texts[i]);
    lab_parts_names_free(parts->link);
    lab_parts_names_free(parts->contract);
    lab_parts_names_free(parts->tables);
    json_decref(parts->manifest);
    json_decref(parts->given);
    *parts = (lab_parts){0};
}

const json_t *lab_parts_check(const lab_parts *parts, size_t index) { return json_array_get(parts->manifest, index); }

/* ---- what results depend on ------------------------------------------------------------------------------------ */

/* Options as they are; of paths the content, because the workbook may have been moved. */
static bool add_link(content_key *key, char *const *link, grader_fault *fault)
{
    for (; *link; link++) {
        if ((*link)[0] == '/')
            FAULT_TRY(content_key_add_file(key, *link, fault));
        else
            content_key_add_text(key, *link);
    }
    return true;
}

bool lab_parts_version(content_key *out, const lab_parts *parts, grader_fault *fault)
{
    const char *const files[] = {"/proc/self/exe", parts->compiler, parts->checks,
                                 parts->reference, parts->server,   parts->kernels};
    *out = content_key_of("labgrade", 9);
    content_key_add_text(out, parts->name);
    content_key_add_text(out, parts->compiler);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) FAULT_TRY(content_key_add_file(out, files[i], fault));
    FAULT_TRY(add_link(out, parts->link, fault));
    FAULT_TRY(content_key_add_folder(out, parts->folder, fault));
    return content_key_add_folder(out, parts->include, fault);
}

bool lab_parts_key(content_key *out, const lab_parts *parts, grader_fault *fault)
{
    FAULT_TRY(lab_parts_version(out, parts, fault));
    char *device = device_format(&parts->device);
    if (!device) return fault_memory(fault, "the device's name");
    content_key_add_text(out, device);
    free(device);
    return true;
}
