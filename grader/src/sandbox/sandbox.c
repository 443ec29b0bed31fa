/* The sandbox of a machine; see sandbox.h. sandbox_cell.c has the cells of jobs. */
#include "sandbox.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/folder.h"
#include "base/text.h"
#include "base/word_list.h"
#include "bounded_folder.h"
#include "sandbox_cuda.h"
#include "system_calls.h"

enum {
    TEMPORARY_BYTES = 256 << 20,
    SHARED_BYTES = 64 << 20,
    ROOM_BYTES = 256 << 20,
};

/* ---- the visible part of the system ------------------------------------------------------------------------------ */

/* Programs, libraries and headers; of /etc only what the loader and the compilers need. */
static const char *const system_folders[] = {
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", NULL,
};
static const char *const system_files[] = {
    "/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/sys/devices/system/cpu", NULL,
};

/* On most systems /bin is a link to /usr/bin and stays one; elsewhere it is a folder. */
static void see_system_folder(word_list *words, const char *path)
{
    struct stat status;
    char target[256];
    if (lstat(path, &status) < 0) return;
    ssize_t length = S_ISLNK(status.st_mode) ? readlink(path, target, sizeof target - 1) : -1;
    if (length > 0) {
        target[length] = '\0';
        word_list_add(words, "--symlink", target, path, NULL);
    } else {
        word_list_add(words, "--ro-bind", path, path, NULL);
    }
}

/* What the caller has of programs and libraries in places of its own: the Makefile lists them. */
static void see_packages(word_list *words)
{
    char *places = strdup(getenv("LAB_PACKAGES") ? getenv("LAB_PACKAGES") : ""), *rest = NULL;
    if (!places) words->failed = true;
    for (char *place = places ? strtok_r(places, ":", &rest) : NULL; place; place = strtok_r(NULL, ":", &rest)) {
        if (*place == '/' && place[1]) word_list_add(words, "--ro-bind-try", place, place, NULL);
    }
    free(places);
}

static bool is_in(const char *path, const char *folder)
{
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

/* Whether the words so far let programs see this path. */
static bool is_seen(const word_list *words, const char *path)
{
    for (size_t i = 0; i + 1 < words->count; i++)
        if (strncmp(words->word[i], "--ro-bind", strlen("--ro-bind")) == 0 && is_in(path, words->word[i + 1]))
            return true;
    return false;
}

/* A checkout in /usr, or a class in a folder that also has libraries, is no part of the system: an empty folder is
 * mounted over it. What nobody sees cannot be mounted over. */
static void hide_folders(word_list *words, const char *const *hidden)
{
    for (size_t i = 0; hidden && hidden[i]; i++) {
        char *path = realpath(hidden[i], NULL);
        if (path && is_seen(words, path)) word_list_add(words, "--tmpfs", path, NULL);
        free(path);
    }
}

/* ---- the machine's sandbox
 * ---------------------------------------------------------------------------------------- */

/* Adds a folder in memory, of limited size where this bubblewrap supports that. */
static void add_temporary(word_list *words, const sandbox *box, const char *path, unsigned bytes)
{
    char number[32];
    snprintf(number, sizeof number, "%u", bytes);
    if (box->can_size_folders) word_list_add(words, "--size", number, NULL);
    word_list_add(words, "--tmpfs", path, NULL);
}

static bool make_common(sandbox *box, const sandbox_options *options, const char *help, grader_fault *fault)
{
    word_list words = {0};
    word_list_add(&words, "--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts",
                  "--unshare-cgroup-try", "--die-with-parent", "--new-session", "--hostname", "sandbox", NULL);
    word_list_add(&words, "--cap-drop", "ALL", NULL);
    if (strstr(help, "--disable-userns")) word_list_add(&words, "--disable-userns", NULL);
    for (size_t i = 0; system_folders[i]; i++) see_system_folder(&words, system_folders[i]);
    for (size_t i = 0; system_files[i]; i++)
        word_list_add(&words, "--ro-bind-try", system_files[i], system_files[i], NULL);
    word_list_add(&words, "--proc", "/proc", "--dev", "/dev", NULL);
    add_temporary(&words, box, "/dev/shm", SHARED_BYTES);
    add_temporary(&words, box, "/tmp", TEMPORARY_BYTES);
    see_packages(&words); /* also those below /tmp */
    hide_folders(&words, options->hidden);
    box->common = word_list_take(&words);
    word_list gpu = {0};
    if (box->cuda) sandbox_cuda_see(&gpu, options->root ? options->root : "", system_folders);
    box->gpu = word_list_take(&gpu);
    return (box->common && box->gpu) || fault_memory(fault, "a sandbox");
}

/* Runs a program, in the cell if there is one. `said` gets its output in one line; the caller frees it. */
static bool try_program(char **said, const sandbox_cell *cell, const char *const *arguments, grader_fault *fault)
{
    enum { SECONDS = 10, OUTPUT_BYTES = 65536 };
    static const char *const environment[] = {"PATH=/usr/bin:/bin", NULL};
    subprocess_options options = {.arguments = arguments, .environment = environment, .output_limit = OUTPUT_BYTES};
    subprocess_result result;
    if (cell) sandbox_cell_apply(cell, &options);
    FAULT_TRY(subprocess_run(&result, &options, SECONDS, fault));
    bool worked = result.event == SUBPROCESS_EXITED && result.exit.status == 0;
    *said = text_clean_line(result.output, result.output_bytes);
    subprocess_result_free(&result);
    if (!*said) return fault_memory(fault, "a sandbox");
    return worked || fault_set(fault, "bubblewrap does not work on this machine: %s",
                               **said ? *said : "it does not say why (may user namespaces be used here?)");
}

/* Proves that the sandbox works by running a program in it; bubblewrap's version would not tell. */
static bool prove(const sandbox *box, grader_fault *fault)
{
    const char *const arguments[] = {access("/usr/bin/true", X_OK) == 0 ? "/usr/bin/true" : "/bin/true", NULL};
    char *said = NULL;
    sandbox_cell cell;
    FAULT_TRY(sandbox_cell_open(&cell, box, &(sandbox_view){0}, fault));
    bool proven = try_program(&said, &cell, arguments, fault);
    sandbox_cell_close(&cell);
    free(said);
    return proven;
}

/* The files count as memory too. The room is small enough that a job fills it before it uses up its memory, so that the
 * finding names the files. */
static uint64_t room_within(uint64_t memory_bytes)
{
    if (!bounded_folders_are_possible()) return 0;
    return memory_bytes / 4 < ROOM_BYTES ? memory_bytes / 4 : ROOM_BYTES;
}

bool sandbox_bound(sandbox *box, grader_fault *fault)
{
    control_group_find(&box->groups);
    /* In a user namespace, which mounting may need, files could be shown to no other user. */
    box->room_bytes = box->closed ? 0 : room_within(box->memory_bytes);
    return sandbox_describe(box, fault);
}

bool sandbox_describe(sandbox *box, grader_fault *fault)
{
    const control_group_places *groups = &box->groups;
    text_buffer text = {0};
    unsigned mebibytes = (unsigned)(box->memory_bytes >> 20);
    if (box->closed)
        text_format(&text, "a user for each program, without namespaces");
    else
        text_format(&text, "bubblewrap");
    text_format(&text, "; system calls: filtered; ");
    if (groups->memory)
        text_format(&text, "memory: %u MiB a job by a control group (version %d)", mebibytes, groups->version);
    else if (box->no_data_limit)
        text_format(&text,
                    "memory: not limited (no control group can be made, and the GPU's driver does not run with a "
                    "limit on its process)");
    else
        text_format(&text, "memory: %u MiB of data a process (no control group can be made)", mebibytes);
    if (groups->processes)
        text_format(&text, "; processes: %d a job", SANDBOX_PROCESSES);
    else if (getuid() == 0 && !box->closed)
        text_format(&text, "; processes: not limited (no control group can be made, and the user is root)");
    else
        text_format(&text, "; processes: %d of the user", SANDBOX_PROCESSES);
    const char *temporary = box->can_size_folders ? "256 MiB" : "within the memory";
    text_format(&text, "; /tmp: %s", box->closed ? "closed" : temporary);
    if (box->room_bytes)
        text_format(&text, "; files: %u MiB a job", (unsigned)(box->room_bytes >> 20));
    else
        text_format(&text, "; files: not limited together (no file system can be mounted for them)");
    text_format(&text, "; GPU: %s", box->cuda ? "passed through" : "none");
    if (text.failed) free(text.text);
    free(box->description);
    box->description = text.failed ? NULL : text.text;
    return !text.failed || fault_memory(fault, "a sandbox");
}

/* Opens the sandbox as far as it works; sandbox_close frees it in any case. */
static bool open_parts(sandbox *box, const sandbox_options *options, grader_fault *fault)
{
    char *help = NULL;
    const char *const arguments[] = {box->bwrap, "--help", NULL};
    bool made = try_program(&help, NULL, arguments, fault);
    box->can_size_folders = made && strstr(help, "--size BYTES");
    made = made && make_common(box, options, help, fault);
    free(help);
    made = made && system_calls_filter(&box->filter, &box->filter_bytes, SYSTEM_CALLS_OWN_NETWORK, fault);
    return made && prove(box, fault) && sandbox_bound(box, fault);
}

bool sandbox_open(sandbox *out, const sandbox_options *options, grader_fault *fault)
{
    *out = (sandbox){.cuda = options->cuda, .bwrap = subprocess_find_program("bwrap")};
    if (!out->bwrap) return fault_set(fault, "bubblewrap is not installed: there is no bwrap in PATH");
    out->memory_bytes = options->memory_bytes ? options->memory_bytes : sandbox_default_memory(options->cuda);
    bool opened = open_parts(out, options, fault);
    if (!opened) sandbox_close(out);
    return opened;
}

void sandbox_close(sandbox *box)
{
    control_group_places_free(&box->groups);
    word_list_free(box->common);
    word_list_free(box->gpu);
    word_list_free(box->closed);
    free(box->why);
    free(box->filter);
    free(box->bwrap);
    free(box->description);
    *box = (sandbox){0};
}
