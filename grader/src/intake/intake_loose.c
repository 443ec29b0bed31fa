/* Takes in downloads that are one folder of files, each named for its student: those of Canvas, Blackboard, Brightspace
 * and Autolab, and Moodle's without folders. See intake.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/system/write_all.h"
#include "download_names.h"
#include "intake_internal.h"
#include "unpack.h"

struct intake_loose_form {
    const char *layout;
    bool (*read)(flat_name *out, const char *name);
    bool has_numbers;    /* `order` is the number of the submission: students with the same number share it */
    bool has_assignment; /* the student's name begins with the assignment's, and "_" */
};

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* The number as it stands before the "_" at `end`. */
static void take_number(flat_name *out, const char *end)
{
    out->id = end;
    while (out->id > out->student && out->id[-1] >= '0' && out->id[-1] <= '9') out->id--;
    out->id_length = (size_t)(end - out->id);
}

static bool read_canvas(flat_name *out, const char *name)
{
    canvas_name canvas;
    if (download_names_anonymous(out, name)) return true;
    if (!download_names_canvas(&canvas, name)) return false;
    *out = (flat_name){.student = canvas.student,
                       .student_length = canvas.student_length,
                       .order = canvas.submission,
                       .file = canvas.file,
                       .late = canvas.late};
    const char *number = canvas.file - 1; /* behind the submission's */
    while (number[-1] != '_') number--;
    take_number(out, number - 1);
    return true;
}

static bool read_moodle(flat_name *out, const char *name)
{
    moodle_name moodle;
    if (!download_names_moodle_file(&moodle, name)) return false;
    *out = (flat_name){.student = name, .student_length = moodle.student_length, .file = moodle.file};
    if (moodle.id != DOWNLOAD_NAMES_NO_ID) take_number(out, strstr(name + moodle.student_length, "_assignsubmission_"));
    return true;
}

static bool read_brightspace(flat_name *out, const char *name)
{
    return download_names_brightspace(out, name) && out->file;
}

static const intake_loose_form forms[] = {{"Moodle", read_moodle, false, false},
                                          {"Blackboard", download_names_blackboard, false, true},
                                          {"Brightspace", read_brightspace, false, false},
                                          {"Autolab", download_names_autolab, false, false},
                                          {"Canvas", read_canvas, true, false}};

/* One file may have such a name by chance, "grades_2026_11_20.csv". There must be more of them than of folders and
 * archives, which would be students too. */
const intake_loose_form *intake_loose_form_of(const char *folder, const folder_names *names)
{
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
        int named = 0, others = 0;
        for (int i = 0; i < names->count; i++) {
            const char *name = names->entry[i]->d_name;
            flat_name parts;
            struct stat status = {0};
            size_t stem;
            bool is_file = intake_is_kind(folder, name, S_IFREG, &status);
            bool is_named = is_file && forms[k].read(&parts, name);
            named += is_named;
            others += !is_named && (S_ISDIR(status.st_mode) || (is_file && unpack_is_archive(name, &stem)));
        }
        if (named > others) return &forms[k];
    }
    return NULL;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static bool copy_bytes(int source, int destination)
{
    char bytes[65536];
    uint64_t left = INTAKE_FILE_BYTES + 1;
    ssize_t count = 0;
    while (left > 0 && (count = read(source, bytes, left < sizeof bytes ? (size_t)left : sizeof bytes)) > 0) {
        if (!write_all(destination, bytes, (size_t)count)) return false;
        left -= (uint64_t)count;
    }
    return count >= 0;
}

/* Copies a file, at most one byte more than INTAKE_FILE_BYTES. */
static bool copy_file(const char *path, const char *copy, grader_fault *fault)
{
    int source = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    int destination = open(copy, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool copied = source >= 0 && destination >= 0 && copy_bytes(source, destination);
    if (!copied) fault_errno(fault, "cannot copy %s", path);
    if (source >= 0) close(source);
    if (destination >= 0 && close(destination) < 0 && copied) return fault_errno(fault, "cannot copy %s", path);
    return copied;
}

static bool is_same_attempt(const submission *entry, const submission *other)
{
    if (entry->order != other->order || !entry->id != !other->id) return false;
    return strcmp(entry->name, other->name) == 0 && (!entry->id || strcmp(entry->id, other->id) == 0);
}

static submission *find_attempt(const intake *taken, const submission *wanted)
{
    for (size_t i = 0; i < taken->list.count; i++) {
        if (is_same_attempt(&taken->list.entry[i], wanted)) return &taken->list.entry[i];
    }
    return NULL;
}

/* Takes over the texts of `entry`. */
static bool add_attempt(submission **out, intake *taken, const flat_name *named, submission *entry, grader_fault *fault)
{
    if (!intake_make_staging(&entry->folder, taken, fault)) {
        submissions_entry_free(entry);
        return false;
    }
    FAULT_TRY(submissions_append(&taken->list, entry, fault));
    *out = &taken->list.entry[taken->list.count - 1];
    if (named->late) {
        intake_notes_add(&taken->notes, (*out)->name,
                         "%s is marked as late, and nothing says how late: no points are taken off", named->file);
    }
    return true;
}

/* A copy of a part of a name; NULL for none, or without memory. */
static char *copy_part(const char *text, size_t length) { return length ? strndup(text, length) : NULL; }

/* The attempt that the name belongs to, which is added if it is the first of its files. */
static bool attempt_of_name(submission **out, intake *taken, const flat_name *named, grader_fault *fault)
{
    const bool is_mail = named->id_length && memchr(named->id, '@', named->id_length);
    submission entry = {.name = strndup(named->student, named->student_length),
                        .id = copy_part(named->id, named->id_length),
                        .email = is_mail ? copy_part(named->id, named->id_length) : NULL,
                        .submitted = copy_part(named->submitted, strlen(named->submitted)),
                        .order = named->order};
    const bool complete = entry.name && (entry.id || !named->id_length) && (entry.email || !is_mail) &&
                          (entry.submitted || !*named->submitted);
    *out = complete ? find_attempt(taken, &entry) : NULL;
    if (complete && !*out) return add_attempt(out, taken, named, &entry, fault);
    submissions_entry_free(&entry);
    return complete || fault_memory(fault, "the submissions");
}

static bool add_file(intake *taken, const char *folder, const char *name, const flat_name *named, grader_fault *fault)
{
    submission *attempt;
    FAULT_TRY(attempt_of_name(&attempt, taken, named, fault));
    char *path = folder_path(folder, name), *copy = folder_path(attempt->folder, named->file);
    bool copied = path && copy;
    if (!copied)
        fault_memory(fault, "the submissions");
    else if (access(copy, F_OK) == 0)
        intake_notes_add(&taken->notes, name, "skipped: the same attempt has another file %s", named->file);
    else
        copied = copy_file(path, copy, fault);
    free(path);
    free(copy);
    return copied;
}

/* Where each member of a group has a grade, Canvas gives each the same submission. */
static bool mark_shared(submission_list *list, grader_fault *fault)
{
    for (size_t i = 0; i < list->count; i++) {
        submission *entry = &list->entry[i];
        char group[48];
        snprintf(group, sizeof group, "submission_%lld", entry->order);
        for (size_t k = 0; k < list->count && !entry->group; k++) {
            if (k == i || list->entry[k].order != entry->order) continue;
            entry->group = strdup(group);
            if (!entry->group) return fault_memory(fault, "the submissions");
        }
    }
    return true;
}

/* The length of what all the names begin with, up to a "_"; 0 if there is one name only. */
static size_t common_beginning(const submission_list *list)
{
    const char *first = list->entry[0].name;
    size_t common = strlen(first);
    bool differ = false;
    for (size_t i = 1; i < list->count; i++) {
        size_t same = 0;
        while (same < common && first[same] == list->entry[i].name[same]) same++;
        differ = differ || strcmp(first, list->entry[i].name) != 0;
        common = same;
    }
    while (differ && common > 0 && first[common - 1] != '_') common--;
    return differ ? common : 0;
}

/* Takes the assignment's name off, as far as the names alone tell it. The roster may tell more: `whole` is kept. */
static bool take_assignment_off(submission_list *list, grader_fault *fault)
{
    const size_t common = list->count ? common_beginning(list) : 0;
    for (size_t i = 0; i < list->count; i++) {
        submission *entry = &list->entry[i];
        const char *rest = entry->name + common;
        const submission_student student = {.name = rest, .id = rest};
        entry->whole = strdup(entry->name);
        if (!entry->whole) return fault_memory(fault, "the submissions");
        FAULT_TRY(submissions_give(entry, &student, fault));
    }
    return true;
}

bool intake_take_loose(intake *taken, const intake_loose_form *form, const char *folder, const folder_names *names,
                       grader_fault *fault)
{
    taken->layout = form->layout;
    for (int i = 0; i < names->count; i++) {
        const char *name = names->entry[i]->d_name;
        flat_name named;
        struct stat status;
        bool is_file = intake_is_kind(folder, name, S_IFREG, &status);
        if (is_file && form->read(&named, name))
            FAULT_TRY(add_file(taken, folder, name, &named, fault));
        else if (strcmp(name, "index.html") != 0) /* Brightspace's own list */
            intake_notes_add(&taken->notes, name, is_file ? "skipped: its name is not one of %s" : "skipped: no file",
                             form->layout);
    }
    if (form->has_numbers) FAULT_TRY(mark_shared(&taken->list, fault));
    if (form->has_assignment) FAULT_TRY(take_assignment_off(&taken->list, fault));
    for (size_t i = 0; i < taken->list.count; i++) {
        FAULT_TRY(intake_unpack_inside(taken, &taken->list.entry[i], fault));
    }
    return true;
}
