/* From what an instructor has to a list of submissions; see intake.h. Finding a lab's file is in intake_find.c, downloads
 * that are one folder of files in intake_loose.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/folder.h"
#include "intake_internal.h"
#include "download_names.h"
#include "base/text.h"
#include "unpack.h"

/* A class's archive holds the students' archives; a student's one holds a few sources. */
static const unpack_limits class_limits = {.entries = 50000, .bytes = 2ull << 30, .file_bytes = INTAKE_FILE_BYTES};
static const unpack_limits student_limits = {.entries = 500, .bytes = 16 << 20, .file_bytes = 1 << 20};

#define METADATA "submission_metadata.yml"

static bool no_memory(grader_fault *fault) { return fault_set(fault, "not enough memory for the submissions"); }

/* ---- staging ----------------------------------------------------------------------------------------------------- */

/* A new folder of one's own for what comes out of an archive. */
bool intake_make_staging(char **out, intake *taken, grader_fault *fault)
{
    char number[32];
    if (!taken->staging && !folder_make_private(&taken->staging, "intake", fault)) return false;
    snprintf(number, sizeof number, "%d", taken->unpacked++);
    *out = folder_path(taken->staging, number);
    return *out ? folder_make(*out, fault) : no_memory(fault);
}

static bool unpack_into_staging(char **out, intake *taken, const char *path, const char *name,
                                const unpack_limits *limits, grader_fault *fault)
{
    return intake_make_staging(out, taken, fault) && unpack_archive(path, name, *out, limits, &taken->notes, fault);
}

/* Keeps the first note since there were `before` as what a student is told who has no file. */
static bool keep_reason(submission *entry, const intake_notes *notes, size_t before, grader_fault *fault)
{
    if (notes->count <= before || entry->why) return true;
    const intake_note *note = &notes->note[before];
    bool named = strcmp(note->name, entry->name) != 0;
    text_buffer why = {0};
    text_format(&why, "%s%s%s", named ? note->name : "", named ? ": " : "", note->reason);
    entry->why = why.text;
    return !why.failed || no_memory(fault);
}

static const char other_kind[] = "is an archive of a kind that is not read: .zip, .tar and .tar.gz are";

/* ---- reading folders --------------------------------------------------------------------------------------------- */

/* Hidden names and what other systems put beside files are no student's. */
static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && !unpack_is_litter(entry->d_name);
}

bool intake_read_names(struct dirent ***out, int *count, const char *folder, grader_fault *fault)
{
    *out = NULL;
    *count = scandir(folder, out, is_visible, alphasort);
    return *count >= 0 || fault_errno(fault, "cannot open the folder of submissions %s", folder);
}

void intake_free_names(struct dirent **names, int count)
{
    for (int i = 0; i < count; i++) free(names[i]);
    free(names);
}

bool intake_is_kind(const char *folder, const char *name, mode_t kind, struct stat *status)
{
    char *path = folder_path(folder, name);
    bool is = path && lstat(path, status) == 0 && (status->st_mode & S_IFMT) == kind;
    free(path);
    return is;
}

/* Archives that lie in a student's folder are unpacked beside it. */
bool intake_unpack_inside(intake *taken, submission *entry, grader_fault *fault)
{
    enum { MOST_ARCHIVES = 4 };
    struct dirent **names;
    int count, archives = 0;
    const size_t notes = taken->notes.count;
    if (!intake_read_names(&names, &count, entry->folder, fault)) {
        intake_notes_add(&taken->notes, entry->name, "cannot be opened");
        return true;
    }
    bool ok = true;
    for (int i = 0; ok && i < count; i++) {
        struct stat status;
        size_t stem;
        bool known = unpack_is_archive(names[i]->d_name, &stem);
        if (!known && !unpack_is_other_archive(names[i]->d_name, &stem)) continue;
        if (!intake_is_kind(entry->folder, names[i]->d_name, S_IFREG, &status)) continue;
        if (!known) intake_notes_add(&taken->notes, entry->name, "%s %s", names[i]->d_name, other_kind);
        if (!known || ++archives > MOST_ARCHIVES) continue;
        char *path = folder_path(entry->folder, names[i]->d_name);
        ok = path || no_memory(fault);
        if (ok && !entry->more) ok = intake_make_staging(&entry->more, taken, fault);
        ok = ok && unpack_archive(path, entry->name, entry->more, &student_limits, &taken->notes, fault);
        free(path);
    }
    if (archives > MOST_ARCHIVES) {
        intake_notes_add(&taken->notes, entry->name, "only %d of its %d archives are read", MOST_ARCHIVES, archives);
    }
    intake_free_names(names, count);
    return ok && keep_reason(entry, &taken->notes, notes, fault);
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

/* One of the attempts in a student's folder. */
static bool add_inner(intake *taken, const submission *of, const char *name, long long number, grader_fault *fault)
{
    submission entry = {.name = strdup(of->name),
                        .folder = folder_path(of->folder, name),
                        .id = copy_text(of->id),
                        .email = copy_text(of->email),
                        .submitted = copy_text(of->submitted),
                        .group = copy_text(of->group),
                        .order = number};
    return add_whole(taken, &entry, fault);
}

/* A folder "attempt1", "attempt 2", ... in a student's folder is an attempt; what lies beside it is none. Takes over the
 * texts of `entry`. */
static bool add(intake *taken, submission *entry, grader_fault *fault)
{
    struct dirent **names = NULL;
    struct stat status;
    attempt_name attempt;
    int count = 0, attempts = 0, others = 0;
    bool ok = true;
    if (!entry->name || !entry->folder || !intake_read_names(&names, &count, entry->folder, fault)) {
        return add_whole(taken, entry, fault);
    }
    for (int i = 0; ok && i < count; i++) {
        const char *name = names[i]->d_name;
        bool is_attempt = download_names_attempt(&attempt, name) && attempt.rest_length == 0;
        if (is_attempt && intake_is_kind(entry->folder, name, S_IFDIR, &status)) {
            ok = add_inner(taken, entry, name, attempt.number, fault);
            attempts++;
        } else {
            others++;
        }
    }
    intake_free_names(names, count);
    if (ok && attempts == 0) return add_whole(taken, entry, fault);
    if (ok && others > 0) intake_notes_add(&taken->notes, entry->name, "what lies beside its attempts is left out");
    submissions_entry_free(entry);
    return ok;
}

/* ---- folders and archives, Moodle -------------------------------------------------------------------------------- */

/* The student's name and which attempt it is, from the first bytes of a name: "ada", "ada-attempt2". */
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
    submission entry = {.folder = folder_path(folder, name)};
    if (download_names_moodle(&moodle, name)) {
        char id[32];
        snprintf(id, sizeof id, "%lld", moodle.id);
        entry.name = strndup(name, moodle.student_length);
        entry.id = moodle.id == DOWNLOAD_NAMES_NO_ID ? NULL : strdup(id);
        entry.order = moodle.attempt;
        taken->layout = "Moodle";
    } else {
        name_attempt(&entry, name, strlen(name));
    }
    return add(taken, &entry, fault);
}

static bool add_archive(intake *taken, const char *folder, const char *name, size_t stem, grader_fault *fault)
{
    submission entry = {0};
    name_attempt(&entry, name, stem);
    char *path = folder_path(folder, name);
    const size_t notes = taken->notes.count;
    bool ok = path ? unpack_into_staging(&entry.folder, taken, path, name, &student_limits, fault) : no_memory(fault);
    free(path);
    ok = ok && (entry.name || no_memory(fault)) && keep_reason(&entry, &taken->notes, notes, fault);
    if (ok) return add(taken, &entry, fault);
    submissions_entry_free(&entry);
    return false;
}

/* One that cannot be read is a student's all the same, who is to be told so. */
static bool add_other_archive(intake *taken, const char *name, size_t stem, grader_fault *fault)
{
    submission entry = {0};
    const size_t notes = taken->notes.count;
    name_attempt(&entry, name, stem);
    intake_notes_add(&taken->notes, name, other_kind);
    bool ok = intake_make_staging(&entry.folder, taken, fault) && (entry.name || no_memory(fault)) &&
              keep_reason(&entry, &taken->notes, notes, fault);
    if (ok) return add(taken, &entry, fault);
    submissions_entry_free(&entry);
    return false;
}

static bool is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool take_folders(intake *taken, const char *folder, struct dirent **names, int count,
                         const struct stat *results, grader_fault *fault)
{
    bool ok = true;
    for (int i = 0; ok && i < count; i++) {
        const char *name = names[i]->d_name;
        struct stat status;
        size_t stem;
        if (intake_is_kind(folder, name, S_IFDIR, &status)) {
            if (!is_same_file(&status, results)) ok = add_folder(taken, folder, name, fault);
        } else if (unpack_is_archive(name, &stem) && intake_is_kind(folder, name, S_IFREG, &status)) {
            ok = add_archive(taken, folder, name, stem, fault);
        } else if (unpack_is_other_archive(name, &stem) && intake_is_kind(folder, name, S_IFREG, &status)) {
            ok = add_other_archive(taken, name, stem, fault);
        } else {
            intake_notes_add(&taken->notes, name, "skipped: neither a folder nor an archive");
            taken->list.skipped++;
        }
    }
    return ok;
}

/* ---- Gradescope -------------------------------------------------------------------------------------------------- */

static char *text_or_null(const char *text) { return *text ? strdup(text) : NULL; }

/* What Gradescope knows a submitter by, "" if that is the name alone: which several may have. */
static const char *submitter_id(const gradescope_submitter *who) { return *who->sid ? who->sid : who->email; }

static bool is_there_before(const gradescope_submission *from, int number)
{
    const char *id = submitter_id(&from->submitter[number]);
    for (int i = 0; *id && i < number; i++) {
        if (strcmp(submitter_id(&from->submitter[i]), id) == 0) return true;
    }
    return false;
}

/* A group's submission becomes one of each of its members. */
static bool add_gradescope(intake *taken, const char *folder, const gradescope_submission *from, grader_fault *fault)
{
    char name[64], unknown[80];
    struct stat status;
    const int listed = from->submitters < GRADESCOPE_SUBMITTERS ? from->submitters : GRADESCOPE_SUBMITTERS;
    snprintf(name, sizeof name, "submission_%lld", from->number);
    if (!intake_is_kind(folder, name, S_IFDIR, &status)) {
        intake_notes_add(&taken->notes, name, "is listed for %s%s, but its folder is missing", from->submitter[0].name,
                         listed > 1 ? " and others" : "");
        return true;
    }
    if (from->submitters > listed) {
        intake_notes_add(&taken->notes, name, "is the work of %d students, of whom %d are taken in", from->submitters,
                         listed);
    }
    submission entry = {.name = strdup(*from->submitter[0].name ? from->submitter[0].name : name),
                        .folder = folder_path(folder, name),
                        .submitted = text_or_null(from->created),
                        .group = listed > 1 ? strdup(name) : NULL,
                        .order = from->number};
    const size_t before = taken->list.count;
    bool ok = add(taken, &entry, fault);
    const size_t attempts = ok ? taken->list.count - before : 0;
    for (int i = 0; ok && i < (listed ? listed : 1); i++) {
        const gradescope_submitter *of = &from->submitter[i];
        if (is_there_before(from, i)) continue;
        snprintf(unknown, sizeof unknown, "%s-%d", name, i + 1);
        const submission_student who = {.name = *of->name ? of->name : name,
                                        .id = *submitter_id(of) ? submitter_id(of)
                                              : listed > 1      ? unknown
                                                                : name,
                                        .email = *of->email ? of->email : NULL};
        for (size_t k = before; ok && k < before + attempts; k++)
            ok = i == 0 ? submissions_give(&taken->list.entry[k], &who, fault)
                        : submissions_share(&taken->list, k, &who, fault);
    }
    return ok;
}

static bool is_listed(const intake *taken, long long number)
{
    for (size_t i = 0; i < taken->list.count; i++) {
        if (taken->list.entry[i].order == number) return true;
    }
    return false;
}

static bool take_gradescope(intake *taken, const char *folder, struct dirent **names, int count, const char *metadata,
                            grader_fault *fault)
{
    gradescope_submission next;
    bool ok = true;
    taken->layout = "Gradescope";
    while (ok && download_names_gradescope_next(&next, &metadata)) {
        if (is_listed(taken, next.number))
            intake_notes_add(&taken->notes, next.submitter[0].name, "submission_%lld is listed twice", next.number);
        else
            ok = add_gradescope(taken, folder, &next, fault);
    }
    for (int i = 0; ok && i < count; i++) {
        long long number = download_names_gradescope_folder(names[i]->d_name);
        struct stat status;
        if (number < 0 || is_listed(taken, number) || !intake_is_kind(folder, names[i]->d_name, S_IFDIR, &status))
            continue;
        intake_notes_add(&taken->notes, names[i]->d_name, "is not in submission_metadata.yml: listed by its number");
        next = (gradescope_submission){.number = number};
        ok = add_gradescope(taken, folder, &next, fault);
    }
    return ok;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static bool take_folder(intake *taken, const char *folder, const struct stat *results, grader_fault *fault)
{
    enum { MOST_METADATA = 64 << 20 };
    struct dirent **names;
    int count;
    if (!intake_read_names(&names, &count, folder, fault)) return false;
    char *path = folder_path(folder, METADATA), *metadata = NULL;
    size_t bytes = 0;
    const intake_loose_form *form = intake_loose_form_of(folder, names, count);
    bool ok = path || no_memory(fault);
    if (ok && folder_read(&metadata, &bytes, path, MOST_METADATA, fault) == FOLDER_FILE)
        ok = take_gradescope(taken, folder, names, count, metadata, fault);
    else if (ok && form)
        ok = intake_take_loose(taken, form, folder, names, count, fault);
    else if (ok)
        ok = take_folders(taken, folder, names, count, results, fault);
    free(metadata);
    free(path);
    intake_free_names(names, count);
    return ok;
}

/* What the names in a folder are. */
typedef enum folder_kind { NO_CLASS, PERHAPS_A_CLASS, DOWNLOAD } folder_kind;

static bool kind_of_folder(folder_kind *kind, const char *folder, grader_fault *fault)
{
    struct dirent **names;
    struct stat status;
    moodle_name moodle;
    int count;
    if (!intake_read_names(&names, &count, folder, fault)) return false;
    *kind = intake_loose_form_of(folder, names, count) ? DOWNLOAD : NO_CLASS;
    for (int i = 0; i < count && *kind != DOWNLOAD; i++) {
        const char *name = names[i]->d_name;
        size_t stem;
        bool is_folder = intake_is_kind(folder, name, S_IFDIR, &status);
        if ((is_folder && download_names_moodle(&moodle, name)) || strcmp(name, METADATA) == 0)
            *kind = DOWNLOAD;
        else if (is_folder || unpack_is_archive(name, &stem))
            *kind = PERHAPS_A_CLASS;
    }
    intake_free_names(names, count);
    return true;
}

/* The only thing in a folder, if it is a folder too. */
static bool only_folder(char **out, const char *folder, grader_fault *fault)
{
    struct dirent **names;
    struct stat status;
    int count;
    *out = NULL;
    if (!intake_read_names(&names, &count, folder, fault)) return false;
    bool one = count == 1 && intake_is_kind(folder, names[0]->d_name, S_IFDIR, &status);
    if (one) *out = folder_path(folder, names[0]->d_name);
    intake_free_names(names, count);
    return !one || *out || no_memory(fault);
}

/* Many archives hold one folder with everything in it: steps into that. */
static bool step_inside(char **folder, grader_fault *fault)
{
    enum { MOST_STEPS = 3 };
    char *inner[MOST_STEPS + 1] = {*folder};
    int deepest = 0, step = 0;
    bool ok = true;
    for (; ok && step < MOST_STEPS; step++) {
        folder_kind kind;
        ok = only_folder(&inner[step + 1], inner[step], fault);
        if (!ok || !inner[step + 1]) break;
        ok = kind_of_folder(&kind, inner[step + 1], fault);
        if (!ok || kind == NO_CLASS) break;
        deepest = step + 1;
    }
    *folder = inner[deepest];
    for (int i = 0; i <= MOST_STEPS; i++) {
        if (i != deepest) free(inner[i]);
    }
    return ok;
}

/* The one folder in a folder is stepped into by nobody: it may be the only student's, who would then choose the names and
 * the times that a download has. But it is told. */
static bool note_download(intake *taken, const char *folder, grader_fault *fault)
{
    char *inner;
    folder_kind kind = NO_CLASS;
    bool ok = only_folder(&inner, folder, fault) && (!inner || kind_of_folder(&kind, inner, fault));
    if (ok && inner && kind == DOWNLOAD) {
        intake_notes_add(
            &taken->notes, strrchr(inner, '/') + 1,
            "looks like a download of Canvas, Moodle or Gradescope: if it is one, grade that folder itself");
    }
    free(inner);
    return ok;
}

bool intake_open(intake *out, const char *path, const char *results, grader_fault *fault)
{
    *out = (intake){.layout = "folders"};
    struct stat status, results_status = {0};
    size_t stem;
    char *folder = NULL;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    stat(results, &results_status);
    bool ok = stat(path, &status) == 0 || fault_errno(fault, "cannot open the folder of submissions %s", path);
    if (ok && S_ISREG(status.st_mode) && !unpack_is_archive(name, &stem)) {
        ok = fault_set(fault, "%s is neither a folder nor an archive (.zip, .tar, .tar.gz)", path);
    } else if (ok && S_ISREG(status.st_mode)) {
        ok = unpack_into_staging(&folder, out, path, name, &class_limits, fault) && step_inside(&folder, fault);
    } else if (ok) {
        ok = ((folder = strdup(path)) != NULL || no_memory(fault)) && note_download(out, folder, fault);
    }
    ok = ok && take_folder(out, folder, &results_status, fault);
    ok = ok && submissions_finish(&out->list, fault);
    if (ok && out->list.count == 0) {
        ok = fault_set(fault, "there are no submissions in %s: it should hold one subfolder a student%s", path,
                       out->list.skipped ? ", not files" : "");
    }
    free(folder);
    if (!ok) intake_close(out);
    return ok;
}

void intake_close(intake *taken)
{
    submissions_free(&taken->list);
    intake_notes_free(&taken->notes);
    if (taken->staging) folder_remove(taken->staging);
    free(taken->staging);
    *taken = (intake){0};
}
