/* bubblewrap's command line; see sandbox.h. */
#include "sandbox.h"

#include <inttypes.h>
#include <jansson.h>
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

enum {
    PROCESSES = 1024,
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

static bool is_below(const char *path, const char *folder)
{
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && path[length] == '/';
}

/* A checkout in /usr is not part of the system: an empty folder is mounted over it. */
static void hide_folders(word_list *words, const char *const *hidden)
{
    for (size_t i = 0; hidden && hidden[i]; i++) {
        char *path = realpath(hidden[i], NULL);
        for (size_t k = 0; path && system_folders[k]; k++) {
            if (is_below(path, system_folders[k])) word_list_add(words, "--tmpfs", path, NULL);
        }
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
    word_list_add(&words, box->bwrap, "--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-net",
                  "--unshare-uts", "--unshare-cgroup-try", "--die-with-parent", "--new-session", "--hostname",
                  "sandbox", NULL);
    word_list_add(&words, "--cap-drop", "ALL", NULL);
    if (strstr(help, "--disable-userns")) word_list_add(&words, "--disable-userns", NULL);
    for (size_t i = 0; system_folders[i]; i++) see_system_folder(&words, system_folders[i]);
    for (size_t i = 0; system_files[i]; i++)
        word_list_add(&words, "--ro-bind-try", system_files[i], system_files[i], NULL);
    hide_folders(&words, options->hidden);
    word_list_add(&words, "--proc", "/proc", "--dev", "/dev", NULL);
    add_temporary(&words, box, "/dev/shm", SHARED_BYTES);
    add_temporary(&words, box, "/tmp", TEMPORARY_BYTES);
    if (box->cuda) sandbox_cuda_see(&words, options->root ? options->root : "", system_folders);
    box->common = word_list_take(&words);
    return box->common || fault_memory(fault, "a sandbox");
}

/* Ends every command line: only /tmp and the job's own paths stay writable. Otherwise a process of root could change
 * the kernel's settings in /proc. */
static void close_words(word_list *words, const sandbox *box, bool no_proc)
{
    word_list_add(words, "--remount-ro", "/dev", NULL);
    if (box->cuda && !no_proc)
        sandbox_cuda_close_proc(words);
    else
        word_list_add(words, "--remount-ro", "/proc", NULL);
    word_list_add(words, "--remount-ro", "/", "--", NULL);
}

/* Runs a program under the wrapper. `said` gets its output in one line, yours to free. */
static bool try_program(char **said, const char *const *wrapper, const char *const *arguments, grader_fault *fault)
{
    enum { SECONDS = 10, OUTPUT_BYTES = 65536 };
    static const char *const environment[] = {"PATH=/usr/bin:/bin", NULL};
    subprocess_options options = {
        .arguments = arguments, .wrapper = wrapper, .environment = environment, .output_limit = OUTPUT_BYTES};
    subprocess_result result;
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
    word_list words = {0};
    char *said = NULL;
    word_list_add_all(&words, box->common);
    close_words(&words, box, false);
    char **wrapper = word_list_take(&words);
    bool proven =
        wrapper ? try_program(&said, (const char *const *)wrapper, arguments, fault) : fault_memory(fault, "a sandbox");
    word_list_free(wrapper);
    free(said);
    return proven;
}

uint64_t sandbox_default_memory(bool cuda)
{
    uint64_t half = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) / 2;
    uint64_t most = (uint64_t)(cuda ? 8 : 4) << 30;
    return half < most ? half : most;
}

/* The files count as memory too. The room is small enough that a job fills it before it uses up its memory, so that the
 * finding names the files. */
static uint64_t room_within(uint64_t memory_bytes)
{
    if (!bounded_folders_are_possible()) return 0;
    return memory_bytes / 4 < ROOM_BYTES ? memory_bytes / 4 : ROOM_BYTES;
}

bool sandbox_describe(sandbox *box, grader_fault *fault)
{
    const control_group_places *groups = &box->groups;
    text_buffer text = {0};
    unsigned mebibytes = (unsigned)(box->memory_bytes >> 20);
    text_format(&text, "bubblewrap; ");
    if (groups->memory)
        text_format(&text, "memory: %u MiB a job by a control group (version %d)", mebibytes, groups->version);
    else if (box->no_data_limit)
        text_format(&text,
                    "memory: not limited (no control group can be made, and the GPU's driver does not run with a "
                    "limit on its process)");
    else
        text_format(&text, "memory: %u MiB of data a process (no control group can be made)", mebibytes);
    if (groups->processes)
        text_format(&text, "; processes: %d a job", PROCESSES);
    else if (getuid() == 0)
        text_format(&text, "; processes: not limited (no control group can be made, and the user is root)");
    else
        text_format(&text, "; processes: %d of the user", PROCESSES);
    text_format(&text, "; /tmp: %s", box->can_size_folders ? "256 MiB" : "within the memory");
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
    if (!made || !prove(box, fault)) return false;
    control_group_find(&box->groups);
    box->room_bytes = room_within(box->memory_bytes);
    return sandbox_describe(box, fault);
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
    free(box->bwrap);
    free(box->description);
    *box = (sandbox){0};
}

/* ---- the cell of one job
 * ------------------------------------------------------------------------------------------- */

/* Copies the names of the group's folders into the cell. */
static bool copy_groups(sandbox_cell *cell)
{
    for (int i = 0, count = 0; i < CONTROL_GROUP_FOLDERS; i++) {
        if (!cell->group.folder[i]) continue;
        cell->groups[count] = strdup(cell->group.folder[i]);
        if (!cell->groups[count++]) return false;
    }
    return true;
}

bool sandbox_cell_open(sandbox_cell *out, const sandbox *box, const sandbox_view *view, grader_fault *fault)
{
    word_list words = {0};
    *out = (sandbox_cell){0};
    control_group_make(&out->group, &box->groups, box->memory_bytes, PROCESSES);
    if (!out->group.folder[0] && !box->no_data_limit) out->data_limit = box->memory_bytes;
    word_list_add_all(&words, box->common);
    if (view->no_proc) word_list_add(&words, "--tmpfs", "/proc", NULL);
    for (size_t i = 0; view->read && view->read[i]; i++)
        word_list_add(&words, "--ro-bind", view->read[i], view->read[i], NULL);
    for (size_t i = 0; view->write && view->write[i]; i++)
        word_list_add(&words, "--bind", view->write[i], view->write[i], NULL);
    /* The library sizes its device by the limit of the group, which it reads in /sys/fs/cgroup. */
    if (out->group.folder[0] && !box->cuda) {
        const char *where = out->group.version == 2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
        word_list_add(&words, "--ro-bind", out->group.folder[0], where, NULL);
    }
    close_words(&words, box, view->no_proc);
    out->wrapper = word_list_take(&words);
    if (out->wrapper && copy_groups(out)) return true;
    sandbox_cell_close(out);
    return fault_memory(fault, "a sandbox");
}

static json_t *list_json(char *const *words)
{
    json_t *list = json_array();
    for (size_t i = 0; list && words[i]; i++) {
        if (json_array_append_new(list, json_string(words[i])) == 0) continue;
        json_decref(list);
        return NULL;
    }
    return list;
}

bool sandbox_cell_save(const sandbox_cell *cell, const char *path, grader_fault *fault)
{
    json_t *json = json_pack("{s:o, s:o, s:I}", "wrapper", list_json(cell->wrapper), "groups", list_json(cell->groups),
                             "data_limit", (json_int_t)cell->data_limit);
    char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;
    bool saved = text ? folder_write(path, text, strlen(text), fault)
                      : fault_set(fault, "cannot write down the sandbox: a path in it is no UTF-8 text");
    free(text);
    json_decref(json);
    return saved;
}

/* Reads the cell; false if memory runs out. */
static bool take_cell(sandbox_cell *out, const json_t *wrapper, const json_t *groups, const char *folder)
{
    size_t index;
    json_t *entry;
    word_list words = {0};
    json_array_foreach(wrapper, index, entry)
    {
        const char *word = json_string_value(entry);
        word_list_add(&words, strcmp(word, SANDBOX_FOLDER) == 0 ? folder : word, NULL);
    }
    out->wrapper = word_list_take(&words);
    json_array_foreach(groups, index, entry)
    {
        out->groups[index] = strdup(json_string_value(entry));
        if (!out->groups[index]) return false;
    }
    return out->wrapper;
}

bool sandbox_cell_load(sandbox_cell *out, const char *path, const char *folder, grader_fault *fault)
{
    json_error_t error;
    json_int_t data_limit = 0;
    json_t *wrapper, *groups, *json = json_load_file(path, 0, &error);
    *out = (sandbox_cell){0};
    int unpacked =
        json_unpack(json, "{s:o, s:o, s:I}", "wrapper", &wrapper, "groups", &groups, "data_limit", &data_limit);
    if (unpacked != 0 || json_array_size(groups) > CONTROL_GROUP_FOLDERS) {
        json_decref(json);
        return fault_set(fault, "cannot read the sandbox that %s describes", path);
    }
    out->data_limit = (uint64_t)data_limit;
    bool taken = take_cell(out, wrapper, groups, folder);
    json_decref(json);
    if (taken) return true;
    sandbox_cell_close(out);
    return fault_memory(fault, "a sandbox");
}

void sandbox_cell_apply(const sandbox_cell *cell, subprocess_options *options)
{
    options->wrapper = (const char *const *)cell->wrapper;
    options->groups = (const char *const *)cell->groups;
    options->data_limit = cell->data_limit;
}

unsigned sandbox_cell_memory_kills(const sandbox_cell *cell)
{
    return cell->groups[0] ? control_group_memory_kills(cell->groups[0]) : 0;
}

void sandbox_cell_close(sandbox_cell *cell)
{
    control_group_remove(&cell->group);
    word_list_free(cell->wrapper);
    for (int i = 0; i < CONTROL_GROUP_FOLDERS; i++) free(cell->groups[i]);
    *cell = (sandbox_cell){0};
}
