/* Takes in folders, archives and downloads; see intake.h. intake_find.c finds a lab's file; intake_gradescope.c
 * and intake_loose.c (one folder of files) take in downloads. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/folder.h"
#include "base/text.h"
#include "download_names.h"
#include "intake_internal.h"
#include "unpack.h"

/* A class's archive holds the students' archives. */
static const unpack_limits class_limits = {
    .entries = 50000, .bytes = 2ull << 30, .file_bytes = INTAKE_FILE_BYTES, .seconds = 600};

#define METADATA "submission_metadata.yml"

/* ---- folders and archives, Moodle -------------------------------------------------------------------------------- */

/* Takes the student's name and the number of the attempt from the first bytes of a name: "ada", "ada-attempt2". */
static void name_attempt(submission *entry, const char *name, size_t bytes)
{
    attempt_name attempt;
    entry->name = strndup(name, bytes);
    if (!entry->name || !download_names_attempt(&attempt, entry->name) || attempt.rest_length == 0) return;
    entry->name[attempt.rest_length] = '\0';
    entry->order = attempt.number;
}

static bool add_folder(intake *taken, const char *folder, const char *name, grader_fault *fault)
{
    moodle_name moodle;
    flat_name brightspace;
    submission entry = {.folder = folder_path(folder, name)};
    if (download_names_moodle(&moodle, name)) {
        char id[32];
        snprintf(id, sizeof id, "%lld", moodle.id);
        entry.name = strndup(name, moodle.student_length);
        entry.id = moodle.id == DOWNLOAD_NAMES_NO_ID ? NULL : strdup(id);
        entry.order = moodle.attempt;
        taken->layout = "Moodle";
    } else if (download_names_brightspace(&brightspace, name) && !brightspace.file) {
        entry.name = strndup(brightspace.student, brightspace.student_length);
        entry.id = strndup(brightspace.id, brightspace.id_length);
        entry.submitted = *brightspace.submitted ? strdup(brightspace.submitted) : NULL;
        entry.order = brightspace.order;
        taken->layout = "Brightspace";
    } else {
        name_attempt(&entry, name, strlen(name));
    }
    return intake_add(taken, &entry, fault);
}

/* Unpacks the archive into a new folder of the submission. */
static bool open_archive(intake *taken, submission *entry, const char *folder, const char *name, grader_fault *fault)
{
    bool cut = false;
    char *path = folder_path(folder, name);
    bool opened = path ? intake_unpack(&entry->folder, taken, path, name, &intake_student_limits, &cut, fault)
                       : fault_memory(fault, "the submissions");
    free(path);
    return opened && intake_keep_cut(entry, name, cut, fault);
}

/* An archive of an unknown kind is a student's all the same: the student gets an empty folder and is told the
 * reason. */
static bool refuse_archive(intake *taken, submission *entry, const char *name, grader_fault *fault)
{
    intake_notes_add(&taken->notes, name, "%s", intake_other_kind);
    return intake_make_staging(&entry->folder, taken, fault);
}

static bool add_archive(intake *taken, const char *folder, const char *name, size_t stem, bool known,
                        grader_fault *fault)
{
    submission entry = {0};
    const size_t notes = taken->notes.count;
    name_attempt(&entry, name, stem);
    bool opened = known ? open_archive(taken, &entry, folder, name, fault) : refuse_archive(taken, &entry, name, fault);
    if (opened && !entry.name) opened = fault_memory(fault, "the submissions");
    if (opened && intake_keep_reason(&entry, &taken->notes, notes, fault)) return intake_add(taken, &entry, fault);
    submissions_entry_free(&entry);
    return false;
}

static bool is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool take_folders(intake *taken, const char *folder, const folder_names *names, const struct stat *results,
                         grader_fault *fault)
{
    for (int i = 0; i < names->count; i++) {
        const char *name = names->entry[i]->d_name;
        struct stat status;
        size_t stem;
        const bool known = unpack_is_archive(name, &stem), archive = known || unpack_is_other_archive(name, &stem);
        if (intake_is_kind(folder, name, S_IFDIR, &status)) {
            if (!is_same_file(&status, results)) FAULT_TRY(add_folder(taken, folder, name, fault));
        } else if (archive && intake_is_kind(folder, name, S_IFREG, &status)) {
            FAULT_TRY(add_archive(taken, folder, name, stem, known, fault));
        } else if (strcmp(name, "index.html") != 0 || strcmp(taken->layout, "Brightspace") != 0) {
            intake_notes_add(&taken->notes, name, "skipped: neither a folder nor an archive");
            taken->list.skipped++;
        }
    }
    return true;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static bool take_named(intake *taken, const char *folder, const folder_names *names, const struct stat *results,
                       grader_fault *fault)
{
    enum { MOST_METADATA = 64 << 20 };
    char *path = folder_path(folder, METADATA), *metadata;
    size_t bytes;
    if (!path) return fault_memory(fault, "the submissions");
    folder_found found = folder_read(&metadata, &bytes, path, MOST_METADATA, fault);
    free(path);
    if (found == FOLDER_FILE) {
        bool done = intake_take_gradescope(taken, folder, names, metadata, fault);
        free(metadata);
        return done;
    }
    const intake_loose_form *form = intake_loose_form_of(folder, names);
    return form ? intake_take_loose(taken, form, folder, names, fault)
                : take_folders(taken, folder, names, results, fault);
}

static bool take_folder(intake *taken, const char *folder, const struct stat *results, grader_fault *fault)
{
    folder_names names;
    FAULT_TRY(intake_read_names(&names, folder, fault));
    bool done = take_named(taken, folder, &names, results, fault);
    folder_names_free(&names);
    return done;
}

/* What the names in a folder suggest. */
typedef enum folder_kind { NO_CLASS, PERHAPS_A_CLASS, DOWNLOAD } folder_kind;

static bool kind_of_folder(folder_kind *kind, const char *folder, grader_fault *fault)
{
    folder_names names;
    FAULT_TRY(intake_read_names(&names, folder, fault));
    *kind = intake_loose_form_of(folder, &names) ? DOWNLOAD : NO_CLASS;
    for (int i = 0; i < names.count && *kind != DOWNLOAD; i++) {
        const char *name = names.entry[i]->d_name;
        struct stat status;
        moodle_name moodle;
        flat_name brightspace;
        size_t stem;
        bool is_folder = intake_is_kind(folder, name, S_IFDIR, &status);
        const bool is_download =
            is_folder && (download_names_moodle(&moodle, name) || download_names_brightspace(&brightspace, name));
        if (is_download || strcmp(name, METADATA) == 0)
            *kind = DOWNLOAD;
        else if (is_folder || unpack_is_archive(name, &stem))
            *kind = PERHAPS_A_CLASS;
    }
    folder_names_free(&names);
    return true;
}

/* The only entry of a folder, if that is a folder too; NULL otherwise. */
static bool only_folder(char **out, const char *folder, grader_fault *fault)
{
    folder_names names;
    struct stat status;
    *out = NULL;
    FAULT_TRY(intake_read_names(&names, folder, fault));
    bool one = names.count == 1 && intake_is_kind(folder, names.entry[0]->d_name, S_IFDIR, &status);
    if (one) *out = folder_path(folder, names.entry[0]->d_name);
    folder_names_free(&names);
    return !one || *out || fault_memory(fault, "the submissions");
}

/* Many archives hold one folder with everything in it: steps into that folder, and replaces *folder. */
static bool step_inside(char **folder, grader_fault *fault)
{
    enum { MOST_STEPS = 3 };
    for (int step = 0; step < MOST_STEPS; step++) {
        char *inner;
        folder_kind kind = NO_CLASS;
        bool known = only_folder(&inner, *folder, fault) && (!inner || kind_of_folder(&kind, inner, fault));
        if (!known || kind == NO_CLASS) {
            free(inner);
            return known;
        }
        free(*folder);
        *folder = inner;
    }
    return true;
}

/* Never steps into the only folder of a folder: it may be the only student's, who would then choose the names and times
 * that a download has. Notes that it looks like a download. */
static bool note_download(intake *taken, const char *folder, grader_fault *fault)
{
    char *inner;
    folder_kind kind = NO_CLASS;
    bool done = only_folder(&inner, folder, fault) && (!inner || kind_of_folder(&kind, inner, fault));
    if (done && kind == DOWNLOAD) {
        intake_notes_add(&taken->notes, strrchr(inner, '/') + 1,
                         "looks like a download of a learning system: if it is one, grade that folder itself");
    }
    free(inner);
    return done;
}

static const char *last_reason(const intake *taken)
{
    return taken->notes.count ? taken->notes.note[taken->notes.count - 1].reason : "it cannot be read whole";
}

/* Finds the folder of the submissions: the path itself, or what its archive holds. The caller frees it, also after a
 * failure. */
static bool open_folder(char **folder, intake *taken, const char *path, grader_fault *fault)
{
    struct stat status;
    size_t stem;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    if (stat(path, &status) < 0) return fault_errno(fault, "cannot open the folder of submissions %s", path);
    if (!S_ISREG(status.st_mode)) {
        *folder = strdup(path);
        return *folder ? note_download(taken, *folder, fault) : fault_memory(fault, "the submissions");
    }
    if (!unpack_is_archive(name, &stem)) {
        return fault_set(fault, "%s is neither a folder nor an archive (.zip, .tar, .tar.gz)", path);
    }
    bool cut = false;
    FAULT_TRY(intake_unpack(folder, taken, path, name, &class_limits, &cut, fault));
    if (cut) return fault_set(fault, "%s: %s; unpack it and grade the folder", path, last_reason(taken));
    return step_inside(folder, fault);
}

/* Canvas has one id for each account, also where a group's file has the id of one member. */
static bool tell_apart(intake *taken, grader_fault *fault)
{
    return strcmp(taken->layout, "Canvas") == 0 || intake_tell_apart(taken, fault);
}

bool intake_open(intake *out, const char *path, const char *results, const unpack_reader *reader, grader_fault *fault)
{
    struct stat results_status = {0};
    char *folder = NULL;
    *out = (intake){.layout = "folders", .reader = reader};
    stat(results, &results_status);
    bool taken = open_folder(&folder, out, path, fault) && take_folder(out, folder, &results_status, fault) &&
                 tell_apart(out, fault) && submissions_finish(&out->list, fault);
    free(folder);
    if (taken && out->list.count == 0) {
        taken = fault_set(fault, "there are no submissions in %s: it should hold one subfolder a student%s", path,
                          out->list.skipped ? ", not files" : "");
    }
    if (!taken) intake_close(out);
    return taken;
}

void intake_close(intake *taken)
{
    submissions_free(&taken->list);
    intake_notes_free(&taken->notes);
    if (taken->staging) folder_remove(taken->staging);
    free(taken->staging);
    *taken = (intake){0};
}
