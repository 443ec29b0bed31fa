/* The linker tells each use of a name. Here each name is told once, with those of the same cause. */
#include "explain.h"

#include "base/system/text_file.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAMES = 256, SHOWN = 3 };

static const char openmp[] = "compile and link with -Xcompiler -fopenmp, as for nvcc";
static const char other[] = "name the file or the library (-l) that does";

/* A name that nothing defines, and what to do about it. */
typedef struct undefined {
    char *name;
    const char *sentence;
} undefined;

static const char *sentence_for(const char *name)
{
    const char *missing = labcc_why_missing(name);
    if (missing) return missing;
    return strncmp(name, "omp_", 4) == 0 || strncmp(name, "GOMP_", 5) == 0 || strncmp(name, "__kmpc_", 7) == 0 ? openmp
                                                                                                               : other;
}

static bool is_known(const undefined *all, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(all[i].name, name) == 0) return true;
    return false;
}

/* The text has an end after each name when this returns. */
static int find_undefined(undefined *all, char *text)
{
    static const char mark[] = "undefined reference to `";
    int count = 0;
    for (char *at = text; (at = strstr(at, mark)) && count < MOST_NAMES;) {
        char *name = at + sizeof mark - 1, *end = name + strcspn(name, "'\n");
        at = *end ? end + 1 : end;
        *end = '\0';
        if (!is_known(all, count, name)) all[count++] = (undefined){name, sentence_for(name)};
    }
    return count;
}

static void say(const undefined *all, int count, const char *sentence)
{
    int found = 0, shown = 0;
    for (int i = 0; i < count; i++) found += all[i].sentence == sentence;
    fputs("labcc: nothing defines ", stderr);
    for (int i = 0; i < count && shown < SHOWN; i++) {
        if (all[i].sentence != sentence) continue;
        shown++;
        fprintf(stderr, "%s%s", shown == 1 ? "" : shown == found ? " and " : ", ", all[i].name);
    }
    if (found > shown) fprintf(stderr, " and %d other%s", found - shown, found - shown == 1 ? "" : "s");
    fprintf(stderr, ": %s\n", sentence);
}

static bool has_other_errors(const char *text)
{
    static const char *const marks[] = {"cannot find ", "multiple definition of ", "file not recognized"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (strstr(text, marks[i])) return true;
    return false;
}

void labcc_explain_link(const char *file)
{
    char *text;
    undefined all[MOST_NAMES];
    if (text_file_read(&text, file) != LAB_SUCCESS) return;
    if (has_other_errors(text) || !strstr(text, "undefined reference to `")) {
        fputs(text, stderr);
    } else {
        const int count = find_undefined(all, text);
        for (int i = 0; i < count; i++) {
            bool is_said = false;
            for (int j = 0; j < i; j++) is_said = is_said || all[j].sentence == all[i].sentence;
            if (!is_said) say(all, count, all[i].sentence);
        }
    }
    free(text);
}
