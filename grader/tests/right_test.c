/* Right answers in every style that we could think of: all build. This test only builds them. The test of the
 * attacks' folder runs them and proves that they pass. */
#include "test.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "judge/build.h"
#include "base/folder.h"
#include "base/text.h"
#include "toy.h"

/* The parts of a lab that building needs. The answer is linked to another object instead of a program. */
static lab_parts parts_of(const char *folder, char *name, char *file)
{
    static char *link[] = {"-r", "-nostdlib", NULL}, *none[] = {NULL}, nothing[] = "";
    lab_parts parts = {.folder = realpath(folder, NULL), .include = realpath("lib/include", NULL)};
    const char *base = strrchr(parts.folder, '/') + 1;
    snprintf(name, 8, "%.*s", (int)strcspn(base, "-"), base);
    snprintf(file, 16, "%.8s.c", name);
    parts.name = name;
    parts.file = file;
    parts.link = link;
    parts.contract = parts.tables = none;
    parts.forbidden = nothing;
    parts.compiler = subprocess_find_program("gcc");
    return parts;
}

static void assert_built(const lab_parts *parts, const char *source)
{
    enum { MOST_BYTES = 1 << 20 };
    char *folder, *bytes;
    size_t count;
    grader_fault fault;
    build_outcome outcome;
    cr_assert(folder_make_private(&folder, "right-test", &fault), "%s", fault.text);
    cr_assert_eq(folder_read(&bytes, &count, source, MOST_BYTES, &fault), FOLDER_FILE, "%s", source);
    char *path = folder_path(folder, parts->file);
    cr_assert(folder_write(path, bytes, count, &fault), "%s", fault.text);
    cr_assert(build_program(&outcome, parts, NULL, folder, (build_wants){.texts = true}, &fault), "%s: %s", source,
              fault.text);
    cr_assert(outcome.ok, "%s: %s", source, outcome.messages);
    build_free(&outcome);
    folder_remove(folder);
    free(folder);
    free(path);
    free(bytes);
}

/* Builds all files of a lab that match a pattern. Returns how many. */
static size_t build_all(const char *lab, const char *pattern)
{
    glob_t folders = {0}, sources = {0};
    text_buffer text = {0};
    char name[16], file[16];
    text_format(&text, "labs/%s-*", lab);
    cr_assert_eq(glob(text.text, GLOB_ONLYDIR, NULL, &folders), 0, "%s", text.text);
    lab_parts parts = parts_of(folders.gl_pathv[0], name, file);
    if (glob(pattern, 0, NULL, &sources) != 0) sources.gl_pathc = 0;
    for (size_t i = 0; i < sources.gl_pathc; i++) assert_built(&parts, sources.gl_pathv[i]);
    size_t count = sources.gl_pathc;
    globfree(&folders);
    globfree(&sources);
    free(text.text);
    free(parts.folder);
    free(parts.include);
    free(parts.compiler);
    return count;
}

static void assert_lab(const char *lab, size_t least)
{
    char pattern[64];
    snprintf(pattern, sizeof pattern, "solutions/%s-*/*.c", lab);
    cr_assert_geq(build_all(lab, pattern), 1u, "%s has no solution", lab);
    snprintf(pattern, sizeof pattern, "grader/attacks/right/%s/*.c", lab);
    size_t count = build_all(lab, pattern);
    text_buffer made = {0};
    text_format(&made, "%s/%s/right/*.c", toy_build(), lab);
    count += build_all(lab, made.text);
    free(made.text);
    cr_assert_geq(count, least, "%zu right answers of %s", count, lab);
}

Test(right, answers_of_lab00_build) { assert_lab("lab00", 0); }
Test(right, answers_of_lab01_build) { assert_lab("lab01", 5); }
Test(right, answers_of_lab02_build) { assert_lab("lab02", 5); }
Test(right, answers_of_lab03_build) { assert_lab("lab03", 5); }
Test(right, answers_of_lab04_build) { assert_lab("lab04", 5); }
Test(right, answers_of_lab05_build) { assert_lab("lab05", 5); }
Test(right, answers_of_lab06_build) { assert_lab("lab06", 5); }
Test(right, answers_of_lab07_build) { assert_lab("lab07", 5); }
Test(right, answers_of_lab08_build) { assert_lab("lab08", 5); }
Test(right, answers_of_lab09_build) { assert_lab("lab09", 8); }
Test(right, answers_of_lab10_build) { assert_lab("lab10", 8); }
Test(right, answers_of_lab11_build) { assert_lab("lab11", 8); }
Test(right, answers_of_lab12_build) { assert_lab("lab12", 8); }
Test(right, answers_of_lab13_build) { assert_lab("lab13", 8); }
