/* Downloads that are one folder of files, each named for its student: Canvas's, and Moodle's without folders. See
 * intake.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/folder.h"
#include "intake_internal.h"
#include "download_names.h"
#include "unpack.h"

/* What a name says, whoever gave it. Texts are views into the name. */
typedef struct loose_name {
    const char *student, *file;
    size_t student_length;
    long long id, order;
    bool late;
} loose_name;

struct intake_loose_form {
    const char *layout;
    bool (*read)(loose_name *out, const char *name);
    bool has_numbers; /* `order` is the submission's number: who has the same shares it */
};

static bool no_memory(grader_fault *fault) { return fault_set(fault, "not enough memory for the submissions"); }

/* ---- names ------------------------------------------------------------------------------------------------------- */

static bool read_canvas(loose_name *out, const char *name)
{
    canvas_name canvas;
    if (!download_names_canvas(&canvas, name)) return false;
    *out = (loose_name){.student = canvas.student,
                        .student_length = canvas.student_length,
                        .id = canvas.id,
                        .order = canvas.submission,
                        .file = canvas.file,
                        .late = canvas.late};
    return true;
}

static bool read_moodle(loose_name *out, const char *name)
{
    moodle_name moodle;
    if (!download_names_moodle_file(&moodle, name)) return false;
    *out = (loose_name){.student = name, .student_length = moodle.student_length, .id = moodle.id, .file = moodle.file};
    return true;
}

static const intake_loose_form forms[] = {{"Moodle", read_moodle, false}, {"Canvas", read_canvas, true}};

/* One file may look like it by chance, "grades_2026_11_20.csv": there must be more of them than of folders and archives,
 * which would be students too. */
const intake_loose_form *intake_loose_form_of(const char *folder, struct dirent **names, int count)
{
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
        int named = 0, others = 0;
        for (int i = 0; i < count; i++) {
            loose_name name;
            struct stat status = {0};
            size_t stem;
            bool is_file = intake_is_kind(folder, names[i]->d_name, S_IFREG, &status);
            bool is_named = is_file && forms[k].read(&name, names[i]->d_name);
            named += is_named;
            others += !is_named && (S_ISDIR(status.st_mode) || (is_file && unpack_is_archive(names[i]->d_name, &stem)));
        }
        if (named > others) return &forms[k];
    }
    return NULL;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* Copies a file as far as a student's file may go, and one byte more. */
static bool copy_file(const char *from, const char *to, grader_fault *fault)
{
    char bytes[65536];
    uint64_t left = INTAKE_FILE_BYTES + 1;
    ssize_t count = 0;
    int in = open(from, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    int target = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool ok = in >= 0 && target >= 0;
    while (ok && left > 0 && (count = read(in, bytes, left < sizeof bytes ? (size_t)left : sizeof bytes)) > 0) {
        ok = write(target, bytes, (size_t)count) == count;
        left -= (uint64_t)count;
    }
    if (!ok || count < 0) ok = fault_errno(fault, "cannot copy %s", from);
    if (in >= 0) close(in);
    if (target >= 0 && close(target) < 0 && ok) ok = fault_errno(fault, "cannot copy %s", from);
    return ok;
}

static bool is_of(const submission *entry, const submission *other)
{
    if (entry->order != other->order || !entry->id != !other->id) return false;
    return strcmp(entry->id ? entry->id : entry->name, other->id ? other->id : other->name) == 0;
}

static submission *find_attempt(const intake *taken, const submission *of)
{
    for (size_t i = 0; i < taken->list.count; i++) {
        if (is_of(&taken->list.entry[i], of)) return &taken->list.entry[i];
    }
    return NULL;
}

/* Takes over the texts of `entry`. */
static submission *add_attempt(intake *taken, const loose_name *named, submission *entry, grader_fault *fault)
{
    if (!intake_make_staging(&entry->folder, taken, fault)) {
        submissions_entry_free(entry);
        return NULL;
    }
    if (!submissions_append(&taken->list, entry, fault)) return NULL;
    if (named->late) {
        intake_notes_add(&taken->notes, entry->name,
                         "%s is marked as late, and nothing says how late: no points are taken off", named->file);
    }
    return &taken->list.entry[taken->list.count - 1];
}

static bool add_file(intake *taken, const char *folder, const char *name, const loose_name *named, grader_fault *fault)
{
    char id[32];
    snprintf(id, sizeof id, "%lld", named->id);
    submission entry = {.name = strndup(named->student, named->student_length),
                        .id = named->id == DOWNLOAD_NAMES_NO_ID ? NULL : strdup(id),
                        .order = named->order};
    const bool ok_so_far = entry.name && (entry.id || named->id == DOWNLOAD_NAMES_NO_ID);
    submission *attempt = ok_so_far ? find_attempt(taken, &entry) : NULL;
    if (attempt || !ok_so_far)
        submissions_entry_free(&entry);
    else
        attempt = add_attempt(taken, named, &entry, fault);
    if (!attempt) return ok_so_far ? false : no_memory(fault);
    char *from = folder_path(folder, name), *to = folder_path(attempt->folder, named->file);
    bool ok = from && to ? copy_file(from, to, fault) : no_memory(fault);
    free(from);
    free(to);
    return ok;
}

/* Where Canvas has a grade for each member of a group, each has the same submission. */
static bool mark_shared(submission_list *list, grader_fault *fault)
{
    for (size_t i = 0; i < list->count; i++) {
        submission *entry = &list->entry[i];
        char group[48];
        snprintf(group, sizeof group, "submission_%lld", entry->order);
        for (size_t k = 0; k < list->count && !entry->group; k++) {
            if (k == i || list->entry[k].order != entry->order) continue;
            entry->group = strdup(group);
            if (!entry->group) return no_memory(fault);
        }
    }
    return true;
}

bool intake_take_loose(intake *taken, const intake_loose_form *form, const char *folder, struct dirent **names,
                       int count, grader_fault *fault)
{
    bool ok = true;
    taken->layout = form->layout;
    for (int i = 0; ok && i < count; i++) {
        loose_name named;
        struct stat status;
        const char *name = names[i]->d_name;
        bool is_file = intake_is_kind(folder, name, S_IFREG, &status);
        if (is_file && form->read(&named, name))
            ok = add_file(taken, folder, name, &named, fault);
        else
            intake_notes_add(&taken->notes, name, is_file ? "skipped: its name is not one of %s" : "skipped: no file",
                             form->layout);
    }
    if (form->has_numbers) ok = ok && mark_shared(&taken->list, fault);
    for (size_t i = 0; ok && i < taken->list.count; i++) ok = intake_unpack_inside(taken, &taken->list.entry[i], fault);
    return ok;
}
