/* Finding a lab's file among what a student handed in; see intake.h. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/folder.h"
#include "intake.h"
#include "download_names.h"
#include "base/text.h"

enum { MOST_DEPTH = 5, MOST_SEEN = 4096 };

/* Files that could be the one. */
typedef struct candidates {
    const char *file;
    char *exact, *renamed; /* the first of each kind */
    int exact_count, renamed_count, seen;
    bool failed; /* memory ran out */
} candidates;

static void take(candidates *found, const char *path, const char *name)
{
    bool exact = strcmp(name, found->file) == 0;
    char **first = exact ? &found->exact : &found->renamed;
    int *count = exact ? &found->exact_count : &found->renamed_count;
    if ((*count)++ == 0) *first = strdup(path);
    found->failed = found->failed || !*first;
}

/* Looks through a folder and those in it; links are not followed. */
static void search(candidates *found, const char *folder, int depth)
{
    DIR *directory = opendir(folder);
    if (!directory) return;
    for (const struct dirent *entry; (entry = readdir(directory)) && found->seen < MOST_SEEN;) {
        struct stat status;
        if (entry->d_name[0] == '.') continue;
        found->seen++;
        char *path = folder_path(folder, entry->d_name);
        if (!path) found->failed = true;
        if (!path || lstat(path, &status) < 0) {
            free(path);
            continue;
        }
        if (S_ISDIR(status.st_mode) && depth < MOST_DEPTH)
            search(found, path, depth + 1);
        else if (S_ISREG(status.st_mode) && download_names_is_file(entry->d_name, found->file))
            take(found, path, entry->d_name);
        free(path);
    }
    closedir(directory);
}

bool intake_find(char **path, char **refusal, const submission *from, const char *file, grader_fault *fault)
{
    struct stat status;
    *refusal = NULL;
    *path = folder_path(from->folder, file);
    if (!*path) return fault_set(fault, "not enough memory for a path");
    if (lstat(*path, &status) == 0) return true;
    candidates found = {.file = file};
    search(&found, from->folder, 0);
    if (from->more) search(&found, from->more, 0);
    int count = found.exact_count ? found.exact_count : found.renamed_count;
    if (count == 1 && !found.failed) {
        free(*path);
        *path = found.exact ? found.exact : found.renamed;
        if (found.exact) free(found.renamed);
        return true;
    }
    if (count > 1) {
        text_buffer sentence = {0};
        text_format(&sentence, "%d files could be %s: hand in one", count, file);
        free(*path);
        *path = NULL;
        *refusal = sentence.text;
        found.failed = found.failed || sentence.failed;
    }
    free(found.exact);
    free(found.renamed);
    return !found.failed || fault_set(fault, "not enough memory to look for %s", file);
}
