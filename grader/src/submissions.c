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
    const submission *x = a, *y = b;
    int names = strcmp(x->name, y->name);
    if (names) return names;
    int students = strcmp(x->id ? x->id : "", y->id ? y->id : "");
    if (students) return students;
    int orders = (x->order > y->order) - (x->order < y->order);
    return orders ? orders : strcmp(x->folder, y->folder);
}

static bool is_same_folder(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool submissions_append(submission_list *list, const submission *entry, grader_fault *fault)
{
    submission *larger = realloc(list->entry, (list->count + 1) * sizeof *larger);
    if (larger) list->entry = larger;
    if (larger && entry->name && entry->folder) {
        list->entry[list->count++] = *entry;
        return true;
    }
    submission lost = *entry;
    submissions_entry_free(&lost);
    return no_memory(fault);
}

/* One name in the folder: a submission, or something to skip. Links are skipped: they lead elsewhere. */
static bool take(submission_list *list, const char *folder, const char *name, const struct stat *out,
                 grader_fault *fault)
{
    struct stat status;
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) return true;
    char *path = folder_path(folder, name);
    if (!path) return no_memory(fault);
    bool is_folder = lstat(path, &status) == 0 && S_ISDIR(status.st_mode);
    if (is_folder && !is_same_folder(&status, out)) {
        const submission entry = {.name = strdup(name), .folder = path};
        return submissions_append(list, &entry, fault);
    }
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
        free(list->entry[i].safe);
        list->entry[i].safe = safe;
    }
    return true;
}

bool submissions_finish(submission_list *list, grader_fault *fault)
{
    if (list->count > 1) qsort(list->entry, list->count, sizeof *list->entry, by_name);
    return make_safe_names(list) || no_memory(fault);
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
        ok = take(list, folder, entry->d_name, &out_status, fault);
    }
    closedir(directory);
    if (!ok || !submissions_finish(list, fault)) {
        submissions_free(list);
        return false;
    }
    if (list->count > 0) return true;
    return fault_set(fault, "there are no submissions in %s: it should hold one subfolder a student%s", folder,
                     list->skipped ? ", not files" : "");
}

void submissions_entry_free(submission *entry)
{
    char *texts[] = {entry->name, entry->folder, entry->safe, entry->more, entry->id, entry->email, entry->submitted};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) free(texts[i]);
    *entry = (submission){0};
}

void submissions_free(submission_list *list)
{
    for (size_t i = 0; i < list->count; i++) submissions_entry_free(&list->entry[i]);
    free(list->entry);
    *list = (submission_list){0};
}
