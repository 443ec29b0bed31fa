/* Control groups of Linux, both versions; see control_group.h. */
#include "control_group.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/text.h"

static const char version_2_root[] = "/sys/fs/cgroup";

/* Writes a text into a file of a group; false if the file does not exist or refuses the text. */
static bool set_file(const char *folder, const char *name, const char *text)
{
    char *path = folder_path(folder, name);
    int file = path ? open(path, O_WRONLY | O_CLOEXEC) : -1;
    bool written = file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text);
    if (file >= 0) close(file);
    free(path);
    return written;
}

/* ---- finding a place -------------------------------------------------------------------------------------------- */

static const char name_begin[] = "lab-";

static char *new_folder(const char *place)
{
    static unsigned count;
    char name[64];
    for (int attempt = 0; attempt < 100; attempt++) {
        snprintf(name, sizeof name, "%s%d-%u", name_begin, (int)getpid(), count++);
        char *folder = folder_path(place, name);
        if (!folder || mkdir(folder, 0755) == 0) return folder;
        free(folder);
        if (errno != EEXIST) return NULL;
    }
    return NULL;
}

/* Whether a group with this file can be made here. */
static bool is_place(const char *place, const char *file)
{
    char *folder = new_folder(place), *path = folder ? folder_path(folder, file) : NULL;
    bool has_file = path && access(path, W_OK) == 0;
    if (folder) rmdir(folder);
    free(folder);
    free(path);
    return has_file;
}

/* The nearest folder from `group` up to `root` in which a group with this file can be made; NULL if none can. */
static char *find_place(const char *root, const char *group, const char *file)
{
    char *folder = text_make("%s%s", root, group);
    while (folder && strlen(folder) >= strlen(root)) {
        size_t length = strlen(folder);
        if (length > 1 && folder[length - 1] == '/') folder[length - 1] = '\0';
        if (is_place(folder, file)) return folder;
        char *last = strrchr(folder, '/');
        if (!last) break;
        *last = '\0';
    }
    free(folder);
    return NULL;
}

static bool is_in_list(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *word = list; *word; word += strcspn(word, ",") + (word[strcspn(word, ",")] == ',')) {
        if (strncmp(word, name, length) == 0 && (word[length] == ',' || word[length] == '\0')) return true;
    }
    return false;
}

/* Reads a line of /proc/self/cgroup: "0::/GROUP" for version 2, "N:CONTROLLERS:/GROUP" for version 1. */
static void read_line(control_group_places *places, char *line, int version)
{
    line[strcspn(line, "\n")] = '\0';
    char *list = strchr(line, ':'), *group = list ? strchr(list + 1, ':') : NULL;
    if (!group) return;
    *group++ = '\0';
    list++;
    if (version == 2 && !*list && !places->memory) {
        places->memory = find_place(version_2_root, group, "memory.max");
        places->processes = find_place(version_2_root, group, "pids.max");
        if (places->memory) places->version = 2;
    }
    if (version == 1 && !places->memory && is_in_list(list, "memory")) {
        places->memory = find_place("/sys/fs/cgroup/memory", group, "memory.limit_in_bytes");
        if (places->memory) places->version = 1;
    }
    if (version == 1 && !places->processes && is_in_list(list, "pids")) {
        places->processes = find_place("/sys/fs/cgroup/pids", group, "pids.max");
    }
}

/* Whether the process that a folder is named for may still run. A process in another container is not visible. */
static bool may_be_in_use(const char *name)
{
    int pid;
    return sscanf(name + strlen(name_begin), "%d", &pid) == 1 && (kill(pid, 0) == 0 || errno == EPERM);
}

/* Removes folders that no grader holds locked: their graders were killed. The kernel keeps a folder that still has a
 * process in it. */
static void remove_left_folders(const char *place)
{
    DIR *groups = place ? opendir(place) : NULL;
    for (const struct dirent *entry; groups && (entry = readdir(groups));) {
        if (strncmp(entry->d_name, name_begin, strlen(name_begin)) != 0 || may_be_in_use(entry->d_name)) continue;
        int folder = openat(dirfd(groups), entry->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (folder < 0) continue;
        if (flock(folder, LOCK_EX | LOCK_NB) == 0) unlinkat(dirfd(groups), entry->d_name, AT_REMOVEDIR);
        close(folder);
    }
    if (groups) closedir(groups);
}

void control_group_find(control_group_places *out)
{
    *out = (control_group_places){0};
    for (int version = 2; version >= 1; version--) {
        char line[4096];
        FILE *groups = fopen("/proc/self/cgroup", "re");
        while (groups && fgets(line, sizeof line, groups)) read_line(out, line, version);
        if (groups) fclose(groups);
    }
    remove_left_folders(out->memory);
    remove_left_folders(out->processes);
}

void control_group_places_free(control_group_places *places)
{
    free(places->memory);
    free(places->processes);
    *places = (control_group_places){0};
}

/* ---- a group ----------------------------------------------------------------------------------------------------- */

/* Locks a folder as in use; -1 if that fails or another grader has just removed it. */
static int hold_folder(const char *path)
{
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0 && flock(folder, LOCK_SH) == 0 && access(path, F_OK) == 0) return folder;
    if (folder >= 0) close(folder);
    return -1;
}

/* Makes a folder, locks it and sets its limit; NULL if any of these fails. */
static char *make_limited(int *lock, const char *place, const char *file, uint64_t limit)
{
    char number[32];
    snprintf(number, sizeof number, "%" PRIu64, limit);
    char *folder = NULL;
    *lock = -1;
    for (int attempt = 0; place && *lock < 0 && attempt < 3; attempt++) {
        free(folder);
        folder = new_folder(place);
        if (folder) *lock = hold_folder(folder);
    }
    if (*lock >= 0 && set_file(folder, file, number)) return folder;
    if (folder) rmdir(folder);
    if (*lock >= 0) close(*lock);
    free(folder);
    *lock = -1;
    return NULL;
}

void control_group_make(control_group *out, const control_group_places *places, uint64_t memory_bytes,
                        unsigned processes)
{
    *out = (control_group){.version = places->version};
    bool version_2 = places->version == 2;
    out->folder[0] =
        make_limited(&out->lock[0], places->memory, version_2 ? "memory.max" : "memory.limit_in_bytes", memory_bytes);
    /* Swapped memory counts too, where the kernel can count it. */
    if (out->folder[0] && version_2) set_file(out->folder[0], "memory.swap.max", "0");
    bool one_folder =
        version_2 && out->folder[0] && places->processes && strcmp(places->memory, places->processes) == 0;
    if (one_folder) {
        char number[32];
        snprintf(number, sizeof number, "%u", processes);
        set_file(out->folder[0], "pids.max", number);
    } else {
        out->folder[1] = make_limited(&out->lock[1], places->processes, "pids.max", processes);
    }
}

unsigned control_group_memory_kills(const char *memory_folder)
{
    static const char *const names[] = {"memory.events", "memory.oom_control"};
    unsigned kills = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char line[256], *path = folder_path(memory_folder, names[i]);
        FILE *file = path ? fopen(path, "re") : NULL;
        while (file && fgets(line, sizeof line, file)) {
            unsigned count;
            if (sscanf(line, "oom_kill %u", &count) == 1) kills = count;
        }
        if (file) fclose(file);
        free(path);
    }
    return kills;
}

static void kill_members(const char *folder)
{
    char *path = folder_path(folder, "cgroup.procs");
    FILE *file = path ? fopen(path, "re") : NULL;
    int pid;
    while (file && fscanf(file, "%d", &pid) == 1) {
        if (pid > 1 && pid != getpid()) kill(pid, SIGKILL);
    }
    if (file) fclose(file);
    free(path);
}

/* The kernel keeps a group until its last process has fully gone, a moment after it was reaped. */
static void remove_folder(const char *folder)
{
    enum { ATTEMPTS = 200 };
    for (int attempt = 0; attempt < ATTEMPTS && rmdir(folder) < 0 && errno == EBUSY; attempt++) {
        kill_members(folder);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
}

void control_group_remove(control_group *group)
{
    for (int i = 0; i < CONTROL_GROUP_FOLDERS; i++) {
        if (group->folder[i]) remove_folder(group->folder[i]);
        if (group->folder[i]) close(group->lock[i]);
        free(group->folder[i]);
    }
    *group = (control_group){0};
}
