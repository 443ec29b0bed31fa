/* Cells with users of their own; see sandbox_users.h. */
#include "sandbox_users.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "base/word_list.h"
#include "container/closed_folders.h"
#include "system_calls.h"

static const char purpose[] = "the sandbox of a container"; /* for fault_memory */

/* Where any user writes, so that a file would be left to the next submission, and where people keep theirs. */
static const char *const common_folders[] = {
    "/tmp",       "/var/tmp", "/dev/shm", "/dev/mqueue", "/run/lock", "/run/shm", "/var/lock",
    "/var/crash", "/root",    "/home",    "/srv",        "/mnt",      "/media",   NULL,
};

/* ---- the container's sandbox ------------------------------------------------------------------------------------- */

static bool close_folders(sandbox *out, const char *const *hidden, grader_fault *fault)
{
    word_list closed = {0};
    for (size_t i = 0; common_folders[i]; i++) closed_folder_protect(common_folders[i]);
    bool made = true;
    for (size_t i = 0; made && hidden && hidden[i]; i++) {
        char *path = realpath(hidden[i], NULL);
        if (path) made = closed_folder_make(path, fault);
        if (path) word_list_add(&closed, path, NULL);
        free(path);
    }
    out->closed = word_list_take(&closed);
    return made && (out->closed || fault_memory(fault, purpose));
}

/* Runs a shell as a user of a cell. It must not list a closed folder, nor find a place to write. */
static bool prove(const sandbox *box, grader_fault *fault)
{
    enum { SECONDS = 10, OUTPUT_BYTES = 65536 };
    static const char script[] = "for i; do ls \"$i\" 2>&- && echo \"$i can be read\" && exit 1; done; "
                                 "for i in / /tmp /var/tmp /dev/shm; do [ -w \"$i\" ] && echo \"$i can be written\" && "
                                 "exit 1; done; exit 0";
    static const char *const environment[] = {"PATH=/usr/bin:/bin", NULL};
    word_list words = {0};
    subprocess_result result;
    sandbox_cell cell;
    word_list_add(&words, "/bin/sh", "-c", script, "sh", NULL);
    word_list_add_all(&words, box->closed);
    char **arguments = word_list_take(&words);
    if (!arguments) return fault_memory(fault, purpose);
    bool proven = sandbox_cell_open(&cell, box, &(sandbox_view){0}, fault);
    if (proven) {
        subprocess_options options = {
            .arguments = (const char *const *)arguments, .environment = environment, .output_limit = OUTPUT_BYTES};
        sandbox_cell_apply(&cell, &options);
        proven = subprocess_run(&result, &options, SECONDS, fault);
    }
    word_list_free(arguments);
    sandbox_cell_close(&cell);
    if (!proven) return false;
    char *said = text_clean_line(result.output, result.output_bytes);
    proven = result.event == SUBPROCESS_EXITED && result.exit.status == 0;
    if (!proven) fault_set(fault, "the users of this container are not kept apart: %s", said && *said ? said : "?");
    subprocess_result_free(&result);
    free(said);
    return proven;
}

static bool open_parts(sandbox *out, const sandbox_options *options, const char *why, grader_fault *fault)
{
    out->why = strdup(why);
    if (!out->why) return fault_memory(fault, purpose);
    umask(077);
    FAULT_TRY(close_folders(out, options->hidden, fault));
    FAULT_TRY(system_calls_filter(&out->filter, &out->filter_bytes, SYSTEM_CALLS_SHARED_NETWORK, fault));
    return prove(out, fault) && sandbox_bound(out, fault);
}

bool sandbox_users_open(sandbox *out, const sandbox_options *options, const char *why, grader_fault *fault)
{
    *out = (sandbox){0};
    if (getuid() != 0) return fault_set(fault, "%s; the sandbox of a container needs root", why);
    if (options->cuda) return fault_set(fault, "%s; the sandbox of a container has no GPU", why);
    out->memory_bytes = options->memory_bytes ? options->memory_bytes : sandbox_default_memory(false);
    if (open_parts(out, options, why, fault)) return true;
    const grader_fault second = *fault;
    sandbox_close(out);
    return fault_set(fault, "%s; nor does the sandbox of a container work: %s", why, second.text);
}
