/* Finding the parts of a lab; see kit.h. */
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

/* ---- names --------------------------------------------------------------------------------------------------- */

/* "labs/lab03-concurrency" → "lab03"; NULL without memory. */
static char *name_of_folder(const char *path)
{
    const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    return strndup(base, strcspn(base, "-"));
}

bool lab_parts_folders(char ***out, const char *root, grader_fault *fault)
{
    glob_t found = {0};
    char *pattern = folder_path(root, "labs/lab[0-9][0-9]-*");
    int failed = pattern ? glob(pattern, GLOB_ONLYDIR, NULL, &found) : GLOB_NOSPACE;
    free(pattern);
    if (failed == GLOB_NOMATCH) return fault_set(fault, "there are no labs under %s/labs: is --root right?", root);
    if (failed) return fault_set(fault, "cannot list the labs under %s/labs", root);
    char **folders = calloc(found.gl_pathc + 1, sizeof *folders);
    bool ok = folders != NULL;
    for (size_t i = 0; ok && i < found.gl_pathc; i++) ok = (folders[i] = strdup(found.gl_pathv[i])) != NULL;
    globfree(&found);
    if (!ok) {
        lab_parts_names_free(folders);
        return fault_set(fault, "not enough memory for the list of labs");
    }
    *out = folders;
    return true;
}

bool lab_parts_names(char ***out, const char *root, grader_fault *fault)
{
    char **names;
    if (!lab_parts_folders(&names, root, fault)) return false;
    for (size_t i = 0; names[i]; i++) {
        char *name = name_of_folder(names[i]);
        free(names[i]);
        names[i] = name;
        if (name) continue;
        for (size_t rest = i + 1; names[rest]; rest++) free(names[rest]);
        lab_parts_names_free(names);
        return fault_set(fault, "not enough memory for the list of labs");
    }
    *out = names;
    return true;
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
    if (!lab_parts_names(&names, places->root, fault)) return false;
    for (size_t i = 0; names[i]; i++) text_format(&list, "%s%s", i ? ", " : "", names[i]);
    lab_parts_names_free(names);
    fault_set(fault, "there is no lab \"%s\"; the labs are: %s", places->name, list.text ? list.text : "none");
    free(list.text);
    return false;
}

/* ---- places -------------------------------------------------------------------------------------------------- */

/* "lab03", "toylab"; the template's name has the letters NN where others have a number. */
static bool is_plain_name(const char *name)
{
    return *name && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789N") == strlen(name);
}

/* Sets kit->folder as an absolute path. */
static bool find_folder(lab_parts *kit, const lab_parts_places *places, grader_fault *fault)
{
    if (places->folder) {
        kit->folder = realpath(places->folder, NULL);
        return kit->folder || fault_errno(fault, "cannot find the lab's folder %s", places->folder);
    }
    glob_t found = {0};
    text_buffer pattern = {0};
    if (!is_plain_name(places->name)) return no_such_lab(places, fault);
    text_format(&pattern, "%s/labs/%s-*", places->root, places->name);
    int failed = pattern.failed ? GLOB_NOSPACE : glob(pattern.text, GLOB_ONLYDIR, NULL, &found);
    free(pattern.text);
    if (failed == GLOB_NOMATCH) return no_such_lab(places, fault);
    if (failed) return fault_set(fault, "cannot look for the lab under %s/labs", places->root);
    kit->folder = realpath(found.gl_pathv[0], NULL);
    globfree(&found);
    return kit->folder || fault_errno(fault, "cannot find the folder of %s", places->name);
}

bool lab_parts_exists(const lab_parts_places *places, grader_fault *fault)
{
    lab_parts kit = {0};
    bool found = find_folder(&kit, places, fault);
    free(kit.folder);
    return found;
}

/* An absolute path, formatted; NULL without memory. `base` is absolute. */
static char *path_of(const char *base, const char *format, const char *name)
{
    text_buffer path = {0};
    text_format(&path, "%s/", base);
    text_format(&path, format, name);
    return path.failed ? NULL : path.text;
}

static bool find_places(lab_parts *kit, const lab_parts_places *places, grader_fault *fault)
{
    if (!find_folder(kit, places, fault)) return false;
    char *root = realpath(places->root, NULL), *build = realpath(places->build, NULL);
    bool ok = root && build;
    if (!root)
        fault_errno(fault, "cannot find the checkout %s", places->root);
    else if (!build)
        fault_errno(fault, "cannot find the build folder %s (make builds it)", places->build);
    if (ok) {
        text_buffer file = {0};
        text_format(&file, "%s.c", places->name);
        kit->name = strdup(places->name);
        kit->file = file.text;
        kit->include = path_of(root, "lib/include%s", "");
        kit->checks = path_of(build, "%s/checks", places->name);
        kit->reference = path_of(build, "%s/reference", places->name);
        const char *base = strrchr(kit->folder, '/') + 1;
        char *solutions = path_of(root, "solutions/%s", base);
        kit->solution = solutions && kit->file ? folder_path(solutions, kit->file) : NULL;
        kit->starter = solutions ? folder_path(solutions, "starter.c") : NULL;
        free(solutions);
        ok = kit->name && kit->file && kit->include && kit->checks && kit->reference && kit->solution && kit->starter;
        if (!ok) fault_set(fault, "not enough memory for the lab's paths");
    }
    free(root);
    free(build);
    return ok;
}

/* ---- what make built ------------------------------------------------------------------------------------------- */

static bool not_built(const lab_parts *kit, const char *path, grader_fault *fault)
{
    return fault_set(fault, "%s is not built: %s is missing (run `make %s` first)", kit->name, path, kit->name);
}

/* A word that is not an option is a path, relative to the checkout unless it begins with a slash. */
static char *link_word(const char *word, const char *root)
{
    return word[0] == '-' || word[0] == '/' ? strdup(word) : folder_path(root, word);
}

static bool read_link(lab_parts *kit, const lab_parts_places *places, grader_fault *fault)
{
    enum { MOST_BYTES = 65536 };
    text_buffer path = {0};
    text_format(&path, "%s/%s/program.link", places->build, places->name);
    char *text = NULL, *root = realpath(places->root, NULL);
    size_t bytes = 0, count = 0;
    bool ok = root && !path.failed && folder_read(&text, &bytes, path.text, MOST_BYTES, fault) == FOLDER_FILE;
    if (!ok) not_built(kit, path.failed ? "program.link" : path.text, fault);
    kit->link = ok ? calloc(bytes / 2 + 2, sizeof *kit->link) : NULL;
    if (ok && !kit->link) ok = fault_set(fault, "not enough memory for the list of libraries");
    char *rest = text;
    for (char *word; ok && (word = strsep(&rest, " \n"));) {
        if (!*word) continue;
        kit->link[count] = link_word(word, root);
        if (!kit->link[count++]) ok = fault_set(fault, "not enough memory for the list of libraries");
    }
    free(text);
    free(root);
    free(path.text);
    return ok;
}

static bool find_compiler(lab_parts *kit, grader_fault *fault)
{
    static const char *const names[] = {"gcc", "clang", "cc"};
    for (size_t i = 0; !kit->compiler && i < sizeof names / sizeof *names; i++) {
        kit->compiler = subprocess_find_program(names[i]);
    }
    return kit->compiler || fault_set(fault, "there is no C compiler: neither gcc, clang nor cc is in PATH");
}

static bool take_manifest(lab_parts *kit, const char *text, size_t bytes)
{
    const char *title;
    json_t *manifest = json_loadb(text, bytes, 0, NULL);
    bool ok =
        manifest && json_unpack(manifest, "{s:{s:s}, s:O}", "lab", "title", &title, "checks", &kit->manifest) == 0;
    ok = ok && json_is_array(kit->manifest) && json_array_size(kit->manifest) > 0;
    size_t index;
    const json_t *check;
    json_array_foreach(kit->manifest, index, check)
    {
        kit->max_points += (int)json_integer_value(json_object_get(check, "points"));
    }
    if (ok) ok = (kit->title = strdup(title)) != NULL;
    json_decref(manifest);
    return ok;
}

static bool read_manifest(lab_parts *kit, const char *const *environment, grader_fault *fault)
{
    enum { SECONDS = 30, OUTPUT_BYTES = 1 << 20 };
    if (access(kit->checks, X_OK) < 0) return not_built(kit, kit->checks, fault);
    if (access(kit->reference, X_OK) < 0) return not_built(kit, kit->reference, fault);
    const char *const arguments[] = {kit->checks, "--manifest", NULL};
    subprocess_options options = {.arguments = arguments, .environment = environment, .output_limit = OUTPUT_BYTES};
    options.separate_errors = true;
    subprocess_result result;
    if (!subprocess_run(&result, &options, SECONDS, fault)) return false;
    bool ok = result.event == SUBPROCESS_EXITED && result.exit.status == 0;
    ok = ok && take_manifest(kit, result.output, result.output_bytes);
    subprocess_result_free(&result);
    return ok || fault_set(fault, "%s --manifest does not list the lab's checks", kit->checks);
}

bool lab_parts_open(lab_parts *out, const lab_parts_places *places, grader_fault *fault)
{
    *out = (lab_parts){0};
    char **environment = environment_make(NULL);
    const char *const *variables = (const char *const *)environment;
    bool ok = environment || fault_set(fault, "not enough memory for an environment");
    ok = ok && find_places(out, places, fault) && read_manifest(out, variables, fault) && read_link(out, places, fault);
    ok = ok && find_compiler(out, fault) && device_ask(&out->device, out->reference, variables, fault);
    environment_free(environment);
    if (!ok) lab_parts_close(out);
    return ok;
}

void lab_parts_close(lab_parts *kit)
{
    char *texts[] = {kit->name,    kit->title, kit->folder, kit->solution,  kit->starter,
                     kit->include, kit->file,  kit->checks, kit->reference, kit->compiler};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) free(texts[i]);
    lab_parts_names_free(kit->link);
    json_decref(kit->manifest);
    *kit = (lab_parts){0};
}

const json_t *lab_parts_check(const lab_parts *kit, size_t index) { return json_array_get(kit->manifest, index); }
