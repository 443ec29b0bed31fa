/* The cell of one job, with a user of its own; see sandbox_users.h. Checks load cells, and make no filters. */
#include <stdlib.h>
#include <string.h>

#include "base/word_list.h"
#include "container/closed_folders.h"
#include "sandbox_users.h"

static const char purpose[] = "the sandbox of a container"; /* for fault_memory */

static bool give_all(sandbox_cell *cell, const char *const *paths, grader_fault *fault)
{
    word_list given = {0};
    bool all = true;
    for (size_t i = 0; all && paths && paths[i]; i++) {
        if (strcmp(paths[i], SANDBOX_FOLDER) == 0) continue;
        word_list_add(&given, paths[i], NULL);
        all = closed_folder_give(paths[i], 0, cell->user.id, (const char *const *)cell->options, fault);
    }
    cell->given = word_list_take(&given);
    return all && (cell->given || fault_memory(fault, purpose));
}

static void become(sandbox_cell *cell, unsigned user, unsigned group)
{
    cell->user = (subprocess_user){.id = user, .group = group};
    cell->user.filter = cell->filter;
    cell->user.filter_bytes = cell->filter_bytes;
}

/* Whether the path is one of the job's own: only this cell may see it. All others are the workbook's. */
static bool is_of_the_job(const char *path)
{
    const char *under = getenv("TMPDIR");
    char *place = realpath(under && *under ? under : "/tmp", NULL);
    const size_t length = place ? strlen(place) : 0;
    const bool is_own = place && strncmp(path, place, length) == 0 && path[length] == '/';
    free(place);
    return is_own;
}

/* Shows what the cell reads: to all cells, or to all linkers; where only a device process or this job may see it, to
 * this one. */
static bool show_all(const sandbox_cell *cell, const sandbox_view *view, grader_fault *fault)
{
    for (size_t i = 0; view->read && view->read[i]; i++) {
        const bool own = view->device || is_of_the_job(view->read[i]);
        const unsigned group = own ? cell->user.id : cell->user.group;
        FAULT_TRY(closed_folder_show(view->read[i], group, (const char *const *)cell->options, fault));
    }
    return true;
}

bool sandbox_users_enter(sandbox_cell *out, const sandbox *box, const sandbox_view *view, grader_fault *fault)
{
    word_list closed = {0};
    word_list_add_all(&closed, box->closed);
    out->options = word_list_take(&closed);
    if (!out->options) return fault_memory(fault, purpose);
    if (!view->device) FAULT_TRY(spare_user_take(&out->spare, fault));
    become(out, view->device ? SPARE_USER_DEVICE : out->spare.id, view->links ? SPARE_USER_LINKERS : SPARE_USER_GROUP);
    return show_all(out, view, fault) && give_all(out, view->write, fault);
}

bool sandbox_users_load(sandbox_cell *out, unsigned user, const char *folder, grader_fault *fault)
{
    become(out, user, SPARE_USER_GROUP);
    return closed_folder_give(folder, 0, user, (const char *const *)out->options, fault);
}

/* A user has no other processes than the cell's. All device processes are one user's. */
void sandbox_users_apply(const sandbox_cell *cell, subprocess_options *options)
{
    options->become = &cell->user;
    options->thread_limit = cell->user.id == SPARE_USER_DEVICE ? 0 : SANDBOX_PROCESSES;
}

/* Files that are left belong to the grader before another cell has the user. */
void sandbox_users_leave(sandbox_cell *cell)
{
    grader_fault ignored;
    if (cell->spare.id) spare_user_stop(&cell->spare);
    for (char **folder = cell->spare.id ? cell->given : NULL; folder && *folder; folder++)
        closed_folder_give(*folder, cell->user.id, 0, (const char *const *)cell->options, &ignored);
    spare_user_release(&cell->spare);
    word_list_free(cell->given);
    cell->given = NULL;
}
