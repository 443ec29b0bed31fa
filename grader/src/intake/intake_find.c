/* Finds a lab's file in a submission; see intake.h. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/folder.h"
#include "base/text.h"
#include "download_names.h"
#include "intake.h"

enum { MOST_DEPTH = 5, MOST_SEEN = 4096 };

/* The files that could be the wanted one. */
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

/* Takes the only candidate, or says that there are several. Without a candidate *path stays as it is. */
static bool choose(char **path, char **refusal, candidates *found)
{
    const int count = found->exact_count ? found->exact_count : found->renamed_count;
    char **only = found->exact_count ? &found->exact : &found->renamed;
    if (found->failed) return false;
    if (count == 0) return true;
    free(*path);
    *path = NULL;
    if (count > 1) return (*refusal = text_make("%d files could be %s: hand in one", count, found->file));
    *path = *only;
    *only = NULL;
    return true;
}

bool intake_find(char **path, char **refusal, const submission *entry, const char *file, grader_fault *fault)
{
    struct stat status;
    *refusal = NULL;
    *path = folder_path(entry->folder, file);
    if (!*path) return fault_memory(fault, "a path");
    if (lstat(*path, &status) == 0) return true;
    candidates found = {.file = file};
    search(&found, entry->folder, 0);
    if (entry->more) search(&found, entry->more, 0);
    bool chosen = choose(path, refusal, &found);
    free(found.exact);
    free(found.renamed);
    return chosen || fault_memory(fault, "the search for a file");
}
