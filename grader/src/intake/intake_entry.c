/* One student's entry: folders and archives that become submissions, whatever form the class came in. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/folder.h"
#include "base/text.h"
#include "download_names.h"
#include "intake_internal.h"

/* A student's archive may hold the whole workbook, of which only sources are unpacked. */
const unpack_limits intake_student_limits = {
    .entries = 20000, .bytes = 16 << 20, .file_bytes = 1 << 20, .seconds = 20, .of_student = true};

/* ---- staging ----------------------------------------------------------------------------------------------------- */

bool intake_make_staging(char **out, intake *taken, grader_fault *fault)
{
    if (!taken->staging) FAULT_TRY(folder_make_private(&taken->staging, "intake", fault));
    *out = text_make("%s/%d", taken->staging, taken->unpacked++);
    return *out ? folder_make(*out, fault) : fault_memory(fault, "the submissions");
}

bool intake_unpack(char **out, intake *taken, const char *path, const char *name, const unpack_limits *limits,
                   bool *cut, grader_fault *fault)
{
    return intake_make_staging(out, taken, fault) &&
           unpack_archive(taken->reader, path, name, *out, limits, &taken->notes, cut, fault);
}

bool intake_keep_cut(submission *entry, const char *name, bool cut, grader_fault *fault)
{
    if (!cut || entry->cut) return true;
    entry->cut = text_make("%s could not be read whole: hand in the lab's file alone", name);
    return entry->cut || fault_memory(fault, "the submissions");
}

bool intake_keep_reason(submission *entry, const intake_notes *notes, size_t first, grader_fault *fault)
{
    if (notes->count <= first || entry->why) return true;
    const intake_note *note = &notes->note[first];
    bool named = strcmp(note->name, entry->name) != 0;
    entry->why = text_make("%s%s%s", named ? note->name : "", named ? ": " : "", note->reason);
    return entry->why || fault_memory(fault, "the submissions");
}

const char intake_other_kind[] = "is an archive of a kind that is not read: .zip, .tar and .tar.gz are";

/* ---- reading folders --------------------------------------------------------------------------------------------- */

/* Hidden names and names that other systems add belong to no student. */
static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && !unpack_is_litter(entry->d_name);
}

bool intake_read_names(folder_names *out, const char *folder, grader_fault *fault)
{
    return folder_list(out, folder, is_visible, fault);
}

bool intake_is_kind(const char *folder, const char *name, mode_t kind, struct stat *status)
{
    char *path = folder_path(folder, name);
    bool is = path && lstat(path, status) == 0 && (status->st_mode & S_IFMT) == kind;
    free(path);
    return is;
}

static bool unpack_beside(intake *taken, submission *entry, const char *name, grader_fault *fault)
{
    if (!entry->more) FAULT_TRY(intake_make_staging(&entry->more, taken, fault));
    bool cut = false;
    char *path = folder_path(entry->folder, name);
    bool unpacked = path ? unpack_archive(taken->reader, path, entry->name, entry->more, &intake_student_limits,
                                          &taken->notes, &cut, fault)
                         : fault_memory(fault, "the submissions");
    free(path);
    return unpacked && intake_keep_cut(entry, name, cut, fault);
}

static bool unpack_named(intake *taken, submission *entry, const folder_names *names, grader_fault *fault)
{
    enum { MOST_ARCHIVES = 4 };
    int archives = 0;
    for (int i = 0; i < names->count; i++) {
        const char *name = names->entry[i]->d_name;
        struct stat status;
        size_t stem;
        const bool known = unpack_is_archive(name, &stem);
        if (!known && !unpack_is_other_archive(name, &stem)) continue;
        if (!intake_is_kind(entry->folder, name, S_IFREG, &status)) continue;
        if (!known)
            intake_notes_add(&taken->notes, entry->name, "%s %s", name, intake_other_kind);
        else if (++archives <= MOST_ARCHIVES)
            FAULT_TRY(unpack_beside(taken, entry, name, fault));
    }
    if (archives > MOST_ARCHIVES) {
        intake_notes_add(&taken->notes, entry->name, "only %d of its %d archives are read", MOST_ARCHIVES, archives);
    }
    return intake_keep_cut(entry, "its last archive", archives > MOST_ARCHIVES, fault);
}

bool intake_unpack_inside(intake *taken, submission *entry, grader_fault *fault)
{
    folder_names names;
    const size_t notes = taken->notes.count;
    if (!intake_read_names(&names, entry->folder, fault)) {
        intake_notes_add(&taken->notes, entry->name, "cannot be opened");
        return true;
    }
    bool unpacked = unpack_named(taken, entry, &names, fault);
    folder_names_free(&names);
    return unpacked && intake_keep_reason(entry, &taken->notes, notes, fault);
}

/* Takes over the texts of `entry`. */
static bool add_whole(intake *taken, submission *entry, grader_fault *fault)
{
    if (entry->name && entry->folder && !intake_unpack_inside(taken, entry, fault)) {
        submissions_entry_free(entry);
        return false;
    }
    return submissions_append(&taken->list, entry, fault);
}

static char *copy_text(const char *text) { return text ? strdup(text) : NULL; }

/* Adds the folder `name` in a student's folder as an attempt. */
static bool add_attempt(intake *taken, const submission *student, const char *name, long long number,
                        grader_fault *fault)
{
    submission entry = {.name = strdup(student->name),
                        .folder = folder_path(student->folder, name),
                        .id = copy_text(student->id),
                        .email = copy_text(student->email),
                        .submitted = copy_text(student->submitted),
                        .group = copy_text(student->group),
                        .why = copy_text(student->why),
                        .cut = copy_text(student->cut),
                        .order = number};
    return add_whole(taken, &entry, fault);
}

/* Adds the attempts among these names and counts them. */
static bool add_attempts(int *attempts, intake *taken, const submission *student, const folder_names *names,
                         grader_fault *fault)
{
    *attempts = 0;
    for (int i = 0; i < names->count; i++) {
        const char *name = names->entry[i]->d_name;
        struct stat status;
        attempt_name attempt;
        bool named = download_names_attempt(&attempt, name) && attempt.rest_length == 0;
        if (!named || !intake_is_kind(student->folder, name, S_IFDIR, &status)) continue;
        FAULT_TRY(add_attempt(taken, student, name, attempt.number, fault));
        ++*attempts;
    }
    if (*attempts > 0 && *attempts < names->count) {
        intake_notes_add(&taken->notes, student->name, "what lies next to its attempts is left out");
    }
    return true;
}

bool intake_add(intake *taken, submission *entry, grader_fault *fault)
{
    folder_names names;
    int attempts;
    if (!entry->name || !entry->folder || !intake_read_names(&names, entry->folder, fault)) {
        return add_whole(taken, entry, fault);
    }
    bool added = add_attempts(&attempts, taken, entry, &names, fault);
    folder_names_free(&names);
    if (added && attempts == 0) return add_whole(taken, entry, fault);
    submissions_entry_free(entry);
    return added;
}
