/* Listing submissions; see submissions.h. */
#include "submissions.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "folder.h"
#include "text.h"

static bool no_memory(grader_fault *fault) { return fault_set(fault, "not enough memory for the list of submissions"); }

static int by_name(const void *a, const void *b)
{
    return strcmp(((const submission *)a)->name, ((const submission *)b)->name);
}

static bool is_same_folder(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Takes over `path`. */
static bool append(submission_list *list, const char *name, char *path)
{
    submission *larger = realloc(list->entry, (list->count + 1) * sizeof *larger);
    if (!larger) {
        free(path);
        return false;
    }
    list->entry = larger;
    list->entry[list->count++] = (submission){.name = strdup(name), .folder = path};
    return list->entry[list->count - 1].name != NULL;
}

/* One name in the folder: a submission, or something to skip. Links are skipped: they lead elsewhere. */
static bool take(submission_list *list, const char *folder, const char *name, const struct stat *out)
{
    struct stat status;
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) return true;
    char *path = folder_path(folder, name);
    if (!path) return false;
    bool is_folder = lstat(path, &status) == 0 && S_ISDIR(status.st_mode);
    if (is_folder && !is_same_folder(&status, out)) return append(list, name, path);
    if (!is_folder && name[0] != '.') list->skipped++;
    free(path);
    return true;
}

/* Two names may come to the same safe one, also on systems that take "Ada" for "ada". */
static bool is_taken(const submission_list *list, size_t before, const char *safe)
{
    for (size_t i = 0; i < before; i++) {
        if (strcasecmp(list->entry[i].safe, safe) == 0) return true;
    }
    return false;
}

static bool make_safe_names(submission_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        char *safe = text_safe_name(list->entry[i].name);
        for (int number = 2; safe && is_taken(list, i, safe); number++) {
            text_buffer other = {0};
            char *plain = text_safe_name(list->entry[i].name);
            text_format(&other, "%s-%d", plain ? plain : "", number);
            free(plain);
            free(safe);
            safe = other.text;
        }
        if (!safe) return false;
        list->entry[i].safe = safe;
    }
    return true;
}

bool submissions_list(submission_list *list, const char *folder, const char *out, grader_fault *fault)
{
    *list = (submission_list){0};
    struct stat out_status = {0};
    stat(out, &out_status);
    DIR *directory = opendir(folder);
    if (!directory) return fault_errno(fault, "cannot open the folder of submissions %s", folder);
    bool ok = true;
    errno = 0;
    for (const struct dirent *entry; ok && (entry = readdir(directory));) {
        ok = take(list, folder, entry->d_name, &out_status);
    }
    closedir(directory);
    if (list->count > 1) qsort(list->entry, list->count, sizeof *list->entry, by_name);
    if (!ok || !make_safe_names(list)) {
        submissions_free(list);
        return no_memory(fault);
    }
    if (list->count > 0) return true;
    return fault_set(fault, "there are no submissions in %s: it should hold one subfolder a student%s", folder,
                     list->skipped ? ", not files" : "");
}

void submissions_free(submission_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->entry[i].name);
        free(list->entry[i].folder);
        free(list->entry[i].safe);
    }
    free(list->entry);
    *list = (submission_list){0};
}
