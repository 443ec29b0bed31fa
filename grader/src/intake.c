/* From what an instructor has to a list of submissions; see intake.h. Finding a lab's file is in intake_find.c. */
#include "intake.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folder.h"
#include "layouts.h"
#include "text.h"
#include "unpack.h"

/* A class's archive holds the students' archives; a student's one holds a few sources. */
static const unpack_limits class_limits = {.entries = 50000, .bytes = 2ull << 30, .file_bytes = 16 << 20};
static const unpack_limits student_limits = {.entries = 500, .bytes = 16 << 20, .file_bytes = 1 << 20};

static bool no_memory(grader_fault *fault) { return fault_set(fault, "not enough memory for the submissions"); }

/* ---- staging ----------------------------------------------------------------------------------------------------- */

/* A new folder of one's own for what comes out of an archive. */
static bool make_staging(char **out, intake *taken, grader_fault *fault)
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
    return make_staging(out, taken, fault) && unpack_archive(path, name, *out, limits, &taken->notes, fault);
}

/* ---- reading folders --------------------------------------------------------------------------------------------- */

static int is_visible(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

/* The names in a folder, in order; freed with free_names. */
static bool read_names(struct dirent ***out, int *count, const char *folder, grader_fault *fault)
{
    *out = NULL;
    *count = scandir(folder, out, is_visible, alphasort);
    return *count >= 0 || fault_errno(fault, "cannot open the folder of submissions %s", folder);
}

static void free_names(struct dirent **names, int count)
{
    for (int i = 0; i < count; i++) free(names[i]);
    free(names);
}

static bool is_kind(const char *folder, const char *name, mode_t kind, struct stat *status)
{
    char *path = folder_path(folder, name);
    bool is = path && lstat(path, status) == 0 && (status->st_mode & S_IFMT) == kind;
    free(path);
    return is;
}

/* Archives that lie in a student's folder are unpacked beside it. */
static bool unpack_inside(intake *taken, submission *entry, grader_fault *fault)
{
    enum { MOST_ARCHIVES = 4 };
    struct dirent **names;
    int count, archives = 0;
    if (!read_names(&names, &count, entry->folder, fault)) {
        intake_notes_add(&taken->notes, entry->name, "cannot be opened");
        return true;
    }
    bool ok = true;
    for (int i = 0; ok && i < count; i++) {
        struct stat status;
        size_t stem;
        if (!unpack_is_archive(names[i]->d_name, &stem)) continue;
        if (!is_kind(entry->folder, names[i]->d_name, S_IFREG, &status) || ++archives > MOST_ARCHIVES) continue;
        char *path = folder_path(entry->folder, names[i]->d_name);
        ok = path || no_memory(fault);
        if (ok && !entry->more) ok = make_staging(&entry->more, taken, fault);
        ok = ok && unpack_archive(path, entry->name, entry->more, &student_limits, &taken->notes, fault);
        free(path);
    }
    if (archives > MOST_ARCHIVES) {
        intake_notes_add(&taken->notes, entry->name, "only %d of its %d archives are read", MOST_ARCHIVES, archives);
    }
    free_names(names, count);
    return ok;
}

/* Takes over the texts of `entry`. */
static bool add_whole(intake *taken, submission *entry, grader_fault *fault)
{
    if (entry->name && entry->folder && !unpack_inside(taken, entry, fault)) {
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
    if (!entry->name || !entry->folder || !read_names(&names, &count, entry->folder, fault)) {
        return add_whole(taken, entry, fault);
    }
    for (int i = 0; ok && i < count; i++) {
        const char *name = names[i]->d_name;
        bool is_attempt = layouts_attempt(&attempt, name) && attempt.rest_length == 0;
        if (is_attempt && is_kind(entry->folder, name, S_IFDIR, &status)) {
            ok = add_inner(taken, entry, name, attempt.number, fault);
            attempts++;
        } else if (name[0] != '.') {
            others++;
        }
    }
    free_names(names, count);
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
    if (!entry->name || !layouts_attempt(&attempt, entry->name) || attempt.rest_length == 0) return;
    entry->name[attempt.rest_length] = '\0';
    entry->order = attempt.number;
}

static bool add_folder(intake *taken, const char *folder, const char *name, grader_fault *fault)
{
    moodle_name moodle;
    submission entry = {.folder = folder_path(folder, name)};
    if (layouts_moodle(&moodle, name)) {
        char id[32];
        snprintf(id, sizeof id, "%lld", moodle.id);
        entry.name = strndup(name, moodle.student_length);
        entry.id = strdup(id);
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
    bool ok = path ? unpack_into_staging(&entry.folder, taken, path, name, &student_limits, fault) : no_memory(fault);
    free(path);
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
        if (is_kind(folder, name, S_IFDIR, &status)) {
            if (!is_same_file(&status, results)) ok = add_folder(taken, folder, name, fault);
        } else if (unpack_is_archive(name, &stem) && is_kind(folder, name, S_IFREG, &status)) {
            ok = add_archive(taken, folder, name, stem, fault);
        } else if (name[0] != '.') {
            intake_notes_add(&taken->notes, name, "skipped: neither a folder nor an archive");
            taken->list.skipped++;
        }
    }
    return ok;
}

/* ---- Canvas ------------------------------------------------------------------------------------------------------ */

static bool is_canvas(struct dirent **names, int count)
{
    canvas_name canvas;
    bool any = false;
    for (int i = 0; i < count; i++) any = any || layouts_canvas(&canvas, names[i]->d_name);
    return any;
}

/* Copies a file as far as a student's file may go, and one byte more. */
static bool copy_file(const char *from, const char *to, grader_fault *fault)
{
    char bytes[65536];
    uint64_t left = class_limits.file_bytes + 1;
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

static submission *find_attempt(const intake *taken, const char *id, long long order)
{
    for (size_t i = 0; i < taken->list.count; i++) {
        submission *entry = &taken->list.entry[i];
        if (entry->order == order && entry->id && strcmp(entry->id, id) == 0) return entry;
    }
    return NULL;
}

static bool add_canvas_file(intake *taken, const char *folder, const char *name, const canvas_name *canvas,
                            grader_fault *fault)
{
    char id[32];
    snprintf(id, sizeof id, "%lld", canvas->id);
    submission *attempt = find_attempt(taken, id, canvas->submission);
    if (!attempt) {
        submission entry = {
            .name = strndup(canvas->student, canvas->student_length), .id = strdup(id), .order = canvas->submission};
        if (!make_staging(&entry.folder, taken, fault) || !submissions_append(&taken->list, &entry, fault))
            return false;
        attempt = &taken->list.entry[taken->list.count - 1];
    }
    char *from = folder_path(folder, name), *to = folder_path(attempt->folder, canvas->file);
    bool ok = from && to ? copy_file(from, to, fault) : no_memory(fault);
    free(from);
    free(to);
    return ok;
}

static bool take_canvas(intake *taken, const char *folder, struct dirent **names, int count, grader_fault *fault)
{
    bool ok = true;
    taken->layout = "Canvas";
    for (int i = 0; ok && i < count; i++) {
        canvas_name canvas;
        struct stat status;
        const char *name = names[i]->d_name;
        bool named = layouts_canvas(&canvas, name), file = is_kind(folder, name, S_IFREG, &status);
        if (named && file)
            ok = add_canvas_file(taken, folder, name, &canvas, fault);
        else if (name[0] != '.')
            intake_notes_add(&taken->notes, name, "skipped: %s", file ? "its name is not one of Canvas" : "no file");
    }
    for (size_t i = 0; ok && i < taken->list.count; i++) ok = unpack_inside(taken, &taken->list.entry[i], fault);
    return ok;
}

/* ---- Gradescope -------------------------------------------------------------------------------------------------- */

static char *text_or_null(const char *text) { return *text ? strdup(text) : NULL; }

static bool add_gradescope(intake *taken, const char *folder, const gradescope_submission *from, grader_fault *fault)
{
    char name[64];
    struct stat status;
    snprintf(name, sizeof name, "submission_%lld", from->number);
    if (!is_kind(folder, name, S_IFDIR, &status)) {
        intake_notes_add(&taken->notes, name, "is listed for %s, but its folder is missing", from->name);
        return true;
    }
    submission entry = {
        .name = strdup(*from->name ? from->name : name),
        .folder = folder_path(folder, name),
        .id = strdup(*from->sid     ? from->sid
                     : *from->email ? from->email
                                    : name),
        .email = text_or_null(from->email),
        .submitted = text_or_null(from->created),
        .order = from->number,
    };
    if (from->submitters > 1) {
        intake_notes_add(&taken->notes, name, "is the work of %d students; it is listed for the first, %s",
                         from->submitters, from->name);
    }
    return add(taken, &entry, fault);
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
    while (ok && layouts_gradescope_next(&next, &metadata)) {
        if (is_listed(taken, next.number))
            intake_notes_add(&taken->notes, next.name, "submission_%lld is listed twice", next.number);
        else
            ok = add_gradescope(taken, folder, &next, fault);
    }
    for (int i = 0; ok && i < count; i++) {
        long long number = layouts_gradescope_folder(names[i]->d_name);
        struct stat status;
        if (number < 0 || is_listed(taken, number) || !is_kind(folder, names[i]->d_name, S_IFDIR, &status)) continue;
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
    if (!read_names(&names, &count, folder, fault)) return false;
    char *path = folder_path(folder, "submission_metadata.yml"), *metadata = NULL;
    size_t bytes = 0;
    bool ok = path || no_memory(fault);
    if (ok && folder_read(&metadata, &bytes, path, MOST_METADATA, fault) == FOLDER_FILE)
        ok = take_gradescope(taken, folder, names, count, metadata, fault);
    else if (ok && is_canvas(names, count))
        ok = take_canvas(taken, folder, names, count, fault);
    else if (ok)
        ok = take_folders(taken, folder, names, count, results, fault);
    free(metadata);
    free(path);
    free_names(names, count);
    return ok;
}

/* Many archives hold one folder with everything in it: steps into that, as long as what it holds are not sources. */
static bool step_inside(char **folder, grader_fault *fault)
{
    enum { MOST_STEPS = 3 };
    bool ok = true;
    for (int step = 0; ok && step < MOST_STEPS; step++) {
        struct dirent **names;
        struct stat status;
        int count, inner_count = 0;
        if (!read_names(&names, &count, *folder, fault)) return false;
        char *inner = NULL;
        if (count == 1 && is_kind(*folder, names[0]->d_name, S_IFDIR, &status)) {
            inner = folder_path(*folder, names[0]->d_name);
            ok = inner || no_memory(fault);
        }
        free_names(names, count);
        if (!inner) break;
        ok = read_names(&names, &inner_count, inner, fault);
        bool classes = false;
        canvas_name canvas;
        for (int i = 0; ok && i < inner_count; i++) {
            const char *name = names[i]->d_name;
            size_t stem;
            classes = classes || is_kind(inner, name, S_IFDIR, &status) || unpack_is_archive(name, &stem) ||
                      layouts_canvas(&canvas, name);
        }
        if (ok) free_names(names, inner_count);
        if (!ok || !classes) {
            free(inner);
            break;
        }
        free(*folder);
        *folder = inner;
    }
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
        ok = (folder = strdup(path)) != NULL || no_memory(fault);
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
