/* The cell of one job: bubblewrap's command line, or a user; see sandbox.h. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/text.h"
#include "base/word_list.h"
#include "sandbox.h"
#include "sandbox_cuda.h"
#include "sandbox_users.h"

static const char purpose[] = "a sandbox"; /* for fault_memory */

uint64_t sandbox_default_memory(bool cuda)
{
    uint64_t half = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) / 2;
    uint64_t most = (uint64_t)(cuda ? 8 : 4) << 30;
    return half < most ? half : most;
}

/* ---- what bubblewrap reads --------------------------------------------------------------------------------------- */

/* A file in memory with these bytes; -1 if there is no memory for it. */
static int make_file(const char *bytes, size_t count)
{
    int file = memfd_create("sandbox", MFD_CLOEXEC);
    if (file >= 0 && write(file, bytes, count) == (ssize_t)count) return file;
    if (file >= 0) close(file);
    return -1;
}

static int make_options_file(char *const *options)
{
    text_buffer words = {0};
    for (size_t i = 0; options[i]; i++) text_append(&words, options[i], strlen(options[i]) + 1);
    int file = words.failed ? -1 : make_file(words.text, words.length);
    free(words.text);
    return file;
}

/* Makes the wrapper and its files from the options and the filter. */
static bool make_wrapper(sandbox_cell *cell, const char *bwrap, grader_fault *fault)
{
    char number[16];
    word_list words = {0};
    snprintf(number, sizeof number, "%d", SUBPROCESS_WRAPPER_FILE);
    word_list_add(&words, bwrap, "--args", number, "--", NULL);
    cell->wrapper = word_list_take(&words);
    cell->file[0] = cell->wrapper ? make_options_file(cell->options) : -1;
    cell->file[1] = cell->wrapper ? make_file(cell->filter, cell->filter_bytes) : -1;
    return (cell->file[0] >= 0 && cell->file[1] >= 0) || fault_memory(fault, purpose);
}

/* Ends the options: only /tmp and the job's own paths stay writable. Otherwise a process of root could change
 * the kernel's settings in /proc. */
static void close_options(word_list *words, bool gpu, bool no_proc)
{
    word_list_add(words, "--remount-ro", "/dev", NULL);
    if (gpu && !no_proc)
        sandbox_cuda_close_proc(words);
    else
        word_list_add(words, "--remount-ro", "/proc", NULL);
    word_list_add(words, "--remount-ro", "/", NULL);
}

/* Without bytes there is no filter, as in some tests. */
static void add_filter(word_list *words, const sandbox *box)
{
    char number[16];
    snprintf(number, sizeof number, "%d", SUBPROCESS_WRAPPER_FILE + 1);
    if (box->filter_bytes) word_list_add(words, "--seccomp", number, NULL);
}

/* ---- the cell ---------------------------------------------------------------------------------------------------- */

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

static bool enter_bubblewrap(sandbox_cell *out, const sandbox *box, const sandbox_view *view, grader_fault *fault)
{
    word_list words = {0};
    const bool gpu = box->cuda && view->device;
    word_list_add_all(&words, box->common);
    if (gpu) word_list_add_all(&words, box->gpu);
    if (view->no_proc) word_list_add(&words, "--tmpfs", "/proc", NULL);
    for (size_t i = 0; view->read && view->read[i]; i++)
        word_list_add(&words, "--ro-bind", view->read[i], view->read[i], NULL);
    for (size_t i = 0; view->write && view->write[i]; i++)
        word_list_add(&words, "--bind", view->write[i], view->write[i], NULL);
    /* The library sizes its device by the limit of the group, which it reads in /sys/fs/cgroup. */
    if (out->group.folder[0] && !gpu) {
        const char *where = out->group.version == 2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
        word_list_add(&words, "--ro-bind", out->group.folder[0], where, NULL);
    }
    close_options(&words, gpu, view->no_proc);
    add_filter(&words, box);
    out->options = word_list_take(&words);
    return out->options ? make_wrapper(out, box->bwrap, fault) : fault_memory(fault, purpose);
}

static bool copy_filter(sandbox_cell *out, const sandbox *box)
{
    out->filter = malloc(box->filter_bytes + 1);
    if (out->filter) memcpy(out->filter, box->filter, out->filter_bytes = box->filter_bytes);
    return out->filter;
}

bool sandbox_cell_open(sandbox_cell *out, const sandbox *box, const sandbox_view *view, grader_fault *fault)
{
    const bool unlimited = box->cuda && view->device && box->no_data_limit;
    *out = (sandbox_cell){0};
    control_group_make(&out->group, &box->groups, box->memory_bytes, SANDBOX_PROCESSES);
    if (!out->group.folder[0] && !unlimited) out->data_limit = box->memory_bytes;
    bool whole = (copy_filter(out, box) && copy_groups(out)) || fault_memory(fault, purpose);
    if (whole)
        whole = box->closed ? sandbox_users_enter(out, box, view, fault) : enter_bubblewrap(out, box, view, fault);
    if (!whole) sandbox_cell_close(out);
    return whole;
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

/* Bytes as a text of two hexadecimal digits each; NULL without memory. */
static char *hex_text(const char *bytes, size_t count)
{
    char *text = malloc(2 * count + 1);
    if (text) text[0] = '\0';
    for (size_t i = 0; text && i < count; i++) snprintf(text + 2 * i, 3, "%02x", (unsigned char)bytes[i]);
    return text;
}

static bool read_hex(char **out, size_t *count, const char *text)
{
    *count = strlen(text) / 2;
    *out = malloc(*count + 1);
    for (size_t i = 0; *out && i < *count; i++) {
        unsigned byte = 0;
        sscanf(text + 2 * i, "%2x", &byte);
        (*out)[i] = (char)byte;
    }
    return *out;
}

bool sandbox_cell_save(const sandbox_cell *cell, const char *path, grader_fault *fault)
{
    char *filter = hex_text(cell->filter, cell->filter_bytes);
    json_t *json = filter ? json_pack("{s:s, s:i, s:o, s:s, s:o, s:I}", "bwrap", cell->wrapper ? cell->wrapper[0] : "",
                                      "user", (int)cell->user.id, "options", list_json(cell->options), "filter", filter,
                                      "groups", list_json(cell->groups), "data_limit", (json_int_t)cell->data_limit)
                          : NULL;
    char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;
    bool saved = text ? folder_write(path, text, strlen(text), fault)
                      : fault_set(fault, "cannot write down the sandbox: a path in it is no UTF-8 text");
    free(text);
    free(filter);
    json_decref(json);
    return saved;
}

/* Reads the lists of a cell; false if memory runs out. */
static bool take_lists(sandbox_cell *out, const json_t *options, const json_t *groups, const char *folder)
{
    size_t index;
    json_t *entry;
    word_list words = {0};
    json_array_foreach(options, index, entry)
    {
        const char *word = json_string_value(entry);
        word_list_add(&words, strcmp(word, SANDBOX_FOLDER) == 0 ? folder : word, NULL);
    }
    out->options = word_list_take(&words);
    json_array_foreach(groups, index, entry)
    {
        out->groups[index] = strdup(json_string_value(entry));
        if (!out->groups[index]) return false;
    }
    return out->options;
}

bool sandbox_cell_load(sandbox_cell *out, const char *path, const char *folder, grader_fault *fault)
{
    json_int_t data_limit = 0;
    int user = 0;
    const char *bwrap, *filter;
    json_t *options, *groups, *json = json_load_file(path, 0, NULL);
    *out = (sandbox_cell){0};
    int unpacked = json_unpack(json, "{s:s, s:i, s:o, s:s, s:o, s:I}", "bwrap", &bwrap, "user", &user, "options",
                               &options, "filter", &filter, "groups", &groups, "data_limit", &data_limit);
    if (unpacked != 0 || json_array_size(groups) > CONTROL_GROUP_FOLDERS) {
        json_decref(json);
        return fault_set(fault, "cannot read the sandbox that %s describes", path);
    }
    out->data_limit = (uint64_t)data_limit;
    bool taken = take_lists(out, options, groups, folder) && read_hex(&out->filter, &out->filter_bytes, filter);
    if (!taken)
        fault_memory(fault, purpose);
    else if (user)
        taken = sandbox_users_load(out, (unsigned)user, folder, fault);
    else
        taken = make_wrapper(out, bwrap, fault);
    json_decref(json);
    if (!taken) sandbox_cell_close(out);
    return taken;
}

void sandbox_cell_apply(const sandbox_cell *cell, subprocess_options *options)
{
    if (!cell->filter) return;
    options->wrapper = (const char *const *)cell->wrapper;
    options->wrapper_files = cell->file;
    options->wrapper_file_count = cell->wrapper ? sizeof cell->file / sizeof *cell->file : 0;
    if (cell->user.id) sandbox_users_apply(cell, options);
    options->groups = (const char *const *)cell->groups;
    options->data_limit = cell->data_limit;
}

unsigned sandbox_cell_memory_kills(const sandbox_cell *cell)
{
    return cell->groups[0] ? control_group_memory_kills(cell->groups[0]) : 0;
}

void sandbox_cell_close(sandbox_cell *cell)
{
    sandbox_users_leave(cell);
    control_group_remove(&cell->group);
    for (int i = 0; i < 2; i++) {
        if (cell->wrapper && cell->file[i] >= 0) close(cell->file[i]);
    }
    word_list_free(cell->wrapper);
    word_list_free(cell->options);
    free(cell->filter);
    for (int i = 0; i < CONTROL_GROUP_FOLDERS; i++) free(cell->groups[i]);
    *cell = (sandbox_cell){0};
}
