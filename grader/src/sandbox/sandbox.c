/* bubblewrap's command line; see sandbox.h. */
#include "sandbox.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bounded_folder.h"
#include "base/environment.h"
#include "base/folder.h"
#include "sandbox_cuda.h"
#include "base/text.h"
#include "base/word_list.h"

enum {
    PROCESSES = 1024,
    TEMPORARY_BYTES = 256 << 20,
    SHARED_BYTES = 64 << 20,
    ROOM_BYTES = 256 << 20,
};

static bool no_memory(grader_fault *fault) { return fault_set(fault, "not enough memory for a sandbox"); }

/* ---- what is seen of the system ---------------------------------------------------------------------------------- */

/* Programs, libraries and headers. Nothing of /etc but what the loader and the compilers need. */
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

/* A checkout that lies in /usr is not part of the system: something empty is put over it. */
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

/* ---- the machine's ------------------------------------------------------------------------------------------------ */

/* A /tmp that cannot grow without end, where this bubblewrap can say so. */
static void add_temporary(word_list *words, const sandbox *box, const char *path, unsigned bytes)
{
    char number[32];
    snprintf(number, sizeof number, "%u", bytes);
    if (box->sized) word_list_add(words, "--size", number, NULL);
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
    return box->common || no_memory(fault);
}

/* What ends every command line: nothing but /tmp and what the job may write stays writable. A process of the machine's
 * first user could otherwise change the kernel's settings in /proc. */
static void close_words(word_list *words, const sandbox *box, bool no_proc)
{
    word_list_add(words, "--remount-ro", "/dev", NULL);
    if (box->cuda && !no_proc)
        sandbox_cuda_close_proc(words);
    else
        word_list_add(words, "--remount-ro", "/proc", NULL);
    word_list_add(words, "--remount-ro", "/", "--", NULL);
}

/* Runs a program with these words before it; NULL if that works, else what it said, yours to free. */
static bool try_words(char **said, const char *const *wrapper, const char *const *arguments, grader_fault *fault)
{
    enum { SECONDS = 10, OUTPUT_BYTES = 65536 };
    static const char *const environment[] = {"PATH=/usr/bin:/bin", NULL};
    subprocess_options options = {
        .arguments = arguments, .wrapper = wrapper, .environment = environment, .output_limit = OUTPUT_BYTES};
    subprocess_result result;
    if (!subprocess_run(&result, &options, SECONDS, fault)) return false;
    bool worked = result.event == SUBPROCESS_EXITED && result.exit.status == 0;
    *said = text_clean_line(result.output, result.output_bytes);
    subprocess_result_free(&result);
    if (!*said) return no_memory(fault);
    return worked || fault_set(fault, "bubblewrap does not work on this machine: %s",
                               **said ? *said : "it does not say why (may user namespaces be used here?)");
}

/* Proves it with a program, not with a version. */
static bool prove(const sandbox *box, grader_fault *fault)
{
    const char *const arguments[] = {access("/usr/bin/true", X_OK) == 0 ? "/usr/bin/true" : "/bin/true", NULL};
    word_list words = {0};
    char *said = NULL;
    word_list_add_all(&words, box->common);
    close_words(&words, box, false);
    char **wrapper = word_list_take(&words);
    bool ok = wrapper ? try_words(&said, (const char *const *)wrapper, arguments, fault) : no_memory(fault);
    word_list_free(wrapper);
    free(said);
    return ok;
}

uint64_t sandbox_default_memory(bool cuda)
{
    uint64_t half = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) / 2;
    uint64_t most = (uint64_t)(cuda ? 8 : 4) << 30;
    return half < most ? half : most;
}

/* What lies in it counts as memory too: a job that fills it should be told so. */
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
    text_format(&text, "; /tmp: %s", box->sized ? "256 MiB" : "within the memory");
    if (box->room_bytes)
        text_format(&text, "; files: %u MiB a job", (unsigned)(box->room_bytes >> 20));
    else
        text_format(&text, "; files: not limited together (no file system can be mounted for them)");
    text_format(&text, "; GPU: %s", box->cuda ? "passed through" : "none");
    if (text.failed) free(text.text);
    free(box->description);
    box->description = text.failed ? NULL : text.text;
    return !text.failed || no_memory(fault);
}

bool sandbox_open(sandbox *out, const sandbox_options *options, grader_fault *fault)
{
    *out = (sandbox){.cuda = options->cuda, .bwrap = subprocess_find_program("bwrap")};
    char *help = NULL;
    if (!out->bwrap) return fault_set(fault, "bubblewrap is not installed: there is no bwrap in PATH");
    out->memory_bytes = options->memory_bytes ? options->memory_bytes : sandbox_default_memory(options->cuda);
    const char *const arguments[] = {out->bwrap, "--help", NULL};
    bool ok = try_words(&help, NULL, arguments, fault);
    out->sized = ok && strstr(help, "--size BYTES");
    ok = ok && make_common(out, options, help, fault) && prove(out, fault);
    free(help);
    if (ok) control_group_find(&out->groups);
    if (ok) out->room_bytes = room_within(out->memory_bytes);
    ok = ok && sandbox_describe(out, fault);
    if (!ok) sandbox_close(out);
    return ok;
}

void sandbox_close(sandbox *box)
{
    control_group_places_free(&box->groups);
    word_list_free(box->common);
    free(box->bwrap);
    free(box->description);
    *box = (sandbox){0};
}

/* ---- one job's ----------------------------------------------------------------------------------------------------- */

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
    /* The library sizes its device by the group's limit, which it finds where groups are. */
    if (out->group.folder[0]) {
        const char *where = out->group.version == 2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
        if (!box->cuda) word_list_add(&words, "--ro-bind", out->group.folder[0], where, NULL);
    }
    close_words(&words, box, view->no_proc);
    out->wrapper = word_list_take(&words);
    bool ok = out->wrapper != NULL;
    for (int i = 0, count = 0; i < CONTROL_GROUP_FOLDERS; i++) {
        if (!out->group.folder[i]) continue;
        out->groups[count] = strdup(out->group.folder[i]);
        ok = ok && out->groups[count++];
    }
    if (ok) return true;
    sandbox_cell_close(out);
    return no_memory(fault);
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
    bool ok = text ? folder_write(path, text, strlen(text), fault)
                   : fault_set(fault, "cannot write down the sandbox: a path in it is no UTF-8 text");
    free(text);
    json_decref(json);
    return ok;
}

bool sandbox_cell_load(sandbox_cell *out, const char *path, const char *folder, grader_fault *fault)
{
    json_error_t error;
    json_int_t data_limit = 0;
    json_t *wrapper, *groups, *entry, *json = json_load_file(path, 0, &error);
    size_t index;
    word_list words = {0};
    *out = (sandbox_cell){0};
    bool ok =
        json_unpack(json, "{s:o, s:o, s:I}", "wrapper", &wrapper, "groups", &groups, "data_limit", &data_limit) == 0 &&
        json_array_size(groups) <= CONTROL_GROUP_FOLDERS;
    if (!ok) {
        json_decref(json);
        return fault_set(fault, "cannot read the sandbox that %s describes", path);
    }
    out->data_limit = (uint64_t)data_limit;
    json_array_foreach(wrapper, index, entry)
    {
        const char *word = json_string_value(entry);
        word_list_add(&words, strcmp(word, SANDBOX_FOLDER) == 0 ? folder : word, NULL);
    }
    json_array_foreach(groups, index, entry) ok = (out->groups[index] = strdup(json_string_value(entry))) && ok;
    json_decref(json);
    out->wrapper = word_list_take(&words);
    if (ok && out->wrapper) return true;
    sandbox_cell_close(out);
    return no_memory(fault);
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
