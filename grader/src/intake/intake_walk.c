/* Walking through a submission; see intake_walk.h. */
#include "intake_walk.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/folder.h"
#include "base/text.h"

enum { MOST_DEPTH = 16, MOST_SEEN = 65536, MOST_FOUND = 256, MOST_OTHERS = 64 };

/* A folder on the way. */
typedef struct place {
    const char *path;
    size_t root; /* the length of the submission's own path and the slash */
    int depth;
    bool barred;
} place;

/* The names of a folder, until the walk has seen too many. */
typedef struct name_list {
    char **name;
    size_t count;
} name_list;

static void cut(intake_walk *walk, char *why)
{
    walk->failed = walk->failed || !why;
    free(walk->cut);
    walk->cut = why;
}

static void add_name(intake_walk *walk, name_list *names, const char *name)
{
    enum { STEP = 64 };
    if (names->count % STEP == 0) {
        char **larger = realloc(names->name, (names->count + STEP) * sizeof *larger);
        if (larger) names->name = larger;
        walk->failed = walk->failed || !larger;
    }
    char *copy = walk->failed ? NULL : strdup(name);
    walk->failed = walk->failed || !copy;
    if (copy) names->name[names->count++] = copy;
}

static int by_bytes(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void read_names(intake_walk *walk, name_list *names, const place *here)
{
    DIR *directory = opendir(here->path);
    if (!directory) {
        if (here->depth > 0) cut(walk, text_make("the folder %s cannot be opened", here->path + here->root));
        return;
    }
    for (const struct dirent *entry; !walk->cut && !walk->failed && (entry = readdir(directory));) {
        if (entry->d_name[0] == '.') continue;
        if (++walk->seen > MOST_SEEN)
            cut(walk, text_make("it holds more than %d files: hand in %s alone", MOST_SEEN, walk->file));
        else
            add_name(walk, names, entry->d_name);
    }
    closedir(directory);
    if (names->count > 1) qsort(names->name, names->count, sizeof *names->name, by_bytes);
}

static void append(intake_walk *walk, walked_file **list, size_t *count, const place *here, const char *path,
                   file_name_kind kind)
{
    walked_file *larger = realloc(*list, (*count + 1) * sizeof *larger);
    char *copy = strdup(path);
    if (larger) *list = larger;
    walk->failed = walk->failed || !larger || !copy;
    if (walk->failed)
        free(copy);
    else
        (*list)[(*count)++] =
            (walked_file){.path = copy, .shown = copy + here->root, .kind = kind, .barred = here->barred};
}

static void take(intake_walk *walk, const place *here, const char *path, file_name_kind kind)
{
    if (walk->count == MOST_FOUND)
        cut(walk, text_make("more than %d files could be %s: hand in one", MOST_FOUND, walk->file));
    else
        append(walk, &walk->found, &walk->count, here, path, kind);
}

/* Keeps a file that only an instructor can take for the lab's. */
static void take_other(intake_walk *walk, const place *here, const char *path, const char *name)
{
    const bool accepted = walk->accepted && strcmp(path + here->root, walk->accepted) == 0;
    const bool likely = !here->barred && walk->other_count < MOST_OTHERS && file_names_is_likely(name, walk->file);
    if (accepted || likely) append(walk, &walk->others, &walk->other_count, here, path, FILE_NAME_OTHER);
}

static void walk_through(intake_walk *walk, const place *here);

static void walk_name(intake_walk *walk, const place *here, const char *name)
{
    struct stat status;
    char *path = folder_path(here->path, name);
    const file_name_kind kind = file_names_kind(name, walk->file);
    walk->failed = walk->failed || !path;
    if (path && lstat(path, &status) == 0) {
        const bool barred = here->barred || file_names_is_barred_folder(name);
        const place inside = {.path = path, .root = here->root, .depth = here->depth + 1, .barred = barred};
        if (S_ISREG(status.st_mode) && kind != FILE_NAME_OTHER)
            take(walk, here, path, kind);
        else if (S_ISREG(status.st_mode))
            take_other(walk, here, path, name);
        else if (S_ISDIR(status.st_mode) && !file_names_is_ignored_folder(name))
            walk_through(walk, &inside);
    }
    free(path);
}

static void walk_through(intake_walk *walk, const place *here)
{
    name_list names = {0};
    if (here->depth > MOST_DEPTH)
        cut(walk, text_make("its folders are more than %d deep: hand in %s alone", MOST_DEPTH, walk->file));
    else
        read_names(walk, &names, here);
    for (size_t i = 0; i < names.count && !walk->cut && !walk->failed; i++) walk_name(walk, here, names.name[i]);
    for (size_t i = 0; i < names.count; i++) free(names.name[i]);
    free(names.name);
}

void intake_walk_folder(intake_walk *walk, const char *folder)
{
    const place top = {.path = folder, .root = strlen(folder) + 1};
    walk_through(walk, &top);
}

void intake_walk_free(intake_walk *walk)
{
    for (size_t i = 0; i < walk->count; i++) free(walk->found[i].path);
    for (size_t i = 0; i < walk->other_count; i++) free(walk->others[i].path);
    free(walk->found);
    free(walk->others);
    free(walk->cut);
    *walk = (intake_walk){0};
}
