/* Finds a lab's file in a submission; see intake.h. intake_walk.c lists what could be the file. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/folder.h"
#include "base/text.h"
#include "intake.h"
#include "intake_internal.h"
#include "intake_likely.h"
#include "intake_walk.h"

enum { MOST_SHOWN = 4, MOST_COMPARED = 1 << 20 };

/* What a file that could be the lab's is, once read. */
typedef struct candidate {
    const walked_file *file;
    char *bytes; /* NULL if it cannot be read or is too large: then it is like no other */
    size_t count;
    bool starter, solution;
} candidate;

typedef struct candidates {
    candidate *of;
    size_t count;
} candidates;

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* The next character that is not layout, or -1. */
static int next_visible(const char *bytes, size_t count, size_t *at)
{
    while (*at < count && memchr(" \t\r\n\f\v", bytes[*at], 6)) ++*at;
    return *at < count ? (unsigned char)bytes[(*at)++] : -1;
}

/* Whether two texts are equal but for spaces and ends of lines. */
static bool is_same_text(const candidate *own, const char *text)
{
    size_t at = 0, other = 0;
    const size_t length = text ? strlen(text) : 0;
    if (!own->bytes || !text) return false;
    for (int one = 0, two = 0; one == two;) {
        one = next_visible(own->bytes, own->count, &at);
        two = next_visible(text, length, &other);
        if (one < 0 && two < 0) return true;
    }
    return false;
}

static bool is_same_file(const candidate *a, const candidate *b)
{
    return a->bytes && b->bytes && a->count == b->count && memcmp(a->bytes, b->bytes, a->count) == 0;
}

/* Reads what the student may have written. What cannot be read stays a candidate: source_file.h says why. */
static bool read_candidates(candidates *out, const intake_walk *walk, const intake_wanted *wanted)
{
    grader_fault ignored;
    out->of = calloc(walk->count + 1, sizeof *out->of);
    if (!out->of) return false;
    for (size_t i = 0; i < walk->count; i++) {
        if (walk->found[i].barred) continue;
        candidate *own = &out->of[out->count++];
        own->file = &walk->found[i];
        folder_read_handed_in(&own->bytes, &own->count, own->file->path, MOST_COMPARED, &ignored);
        own->starter = is_same_text(own, wanted->starter);
        own->solution = is_same_text(own, wanted->solution);
    }
    return true;
}

static void free_candidates(candidates *own)
{
    for (size_t i = 0; i < own->count; i++) free(own->of[i].bytes);
    free(own->of);
}

/* ---- choosing ---------------------------------------------------------------------------------------------------- */

/* How much a candidate can say for itself. The starter is nobody's work where there is something else. */
static int rank_of(const candidate *own)
{
    if (own->starter) return 1;
    return own->file->kind == FILE_NAME_BY_HAND ? 2 : 3;
}

/* The first candidate of the highest rank, one with the file's own name before renamed ones. */
static const candidate *choose(const candidates *own)
{
    const candidate *chosen = NULL;
    for (size_t i = 0; i < own->count; i++) {
        const candidate *next = &own->of[i];
        const int better = chosen ? rank_of(next) - rank_of(chosen) : 1;
        const bool named = chosen && next->file->kind == FILE_NAME_EXACT && chosen->file->kind != FILE_NAME_EXACT;
        if (better > 0 || (better == 0 && named)) chosen = next;
    }
    return chosen;
}

static bool is_rival(const candidate *own, const candidate *chosen)
{
    return own != chosen && rank_of(own) == rank_of(chosen) && !own->starter && !is_same_file(own, chosen);
}

static size_t count_rivals(const candidates *own, const candidate *chosen)
{
    size_t rivals = 0;
    for (size_t i = 0; i < own->count; i++) rivals += is_rival(&own->of[i], chosen);
    return rivals;
}

/* "3 files could be lab03.c: a/lab03.c, b/lab03.c, c/lab03.c; hand in one" */
static char *refuse_rivals(const candidates *own, const candidate *chosen, const char *file)
{
    text_buffer text = {0};
    const size_t count = count_rivals(own, chosen) + 1;
    size_t shown = 0;
    text_format(&text, "%zu files could be %s: ", count, file);
    for (size_t i = 0; i < own->count && shown < MOST_SHOWN; i++) {
        const candidate *next = &own->of[i];
        if (next == chosen || is_rival(next, chosen))
            text_format(&text, "%s%s", shown++ ? ", " : "", next->file->shown);
    }
    if (count > shown) text_format(&text, " and %zu more", count - shown);
    text_format(&text, "; hand in one");
    return text.failed ? NULL : text.text;
}

/* ---- what is told ------------------------------------------------------------------------------------------------ */

static void list_seen(text_buffer *text, const intake_walk *walk, const candidates *own, const candidate *chosen)
{
    size_t seen = 0, number = 0;
    for (size_t i = 0; i < walk->count; i++) {
        const walked_file *file = &walk->found[i];
        const candidate *read = file->barred ? NULL : &own->of[number++];
        if (read && read == chosen) continue;
        if (seen++ >= MOST_SHOWN) continue;
        const char *what = !read                                  ? "the workbook's, never taken"
                           : read->starter                        ? "the starter"
                           : chosen && is_same_file(read, chosen) ? "the same"
                                                                  : "another name";
        text_format(text, "%s%s (%s)", seen > 1 ? ", " : "", file->shown, what);
    }
    if (seen > MOST_SHOWN) text_format(text, " and %zu more", seen - MOST_SHOWN);
}

static bool has_others(const intake_walk *walk) { return walk->count > 1; }

/* Says which file is graded, unless it is the only one and in its place. */
static bool tell_chosen(submission_file *out, const intake_walk *walk, const candidates *own, const candidate *chosen,
                        const char *file)
{
    text_buffer text = {0};
    if (!has_others(walk) && strcmp(chosen->file->shown, file) == 0) return true;
    text_format(&text, "graded: %s", chosen->file->shown);
    if (has_others(walk)) text_format(&text, "; also seen: ");
    if (has_others(walk)) list_seen(&text, walk, own, chosen);
    out->note = text.text;
    return !text.failed;
}

static bool tell_missing(submission_file *out, const intake_walk *walk, const candidates *own)
{
    text_buffer text = {0};
    if (walk->count == 0) return true;
    text_format(&text, "also seen: ");
    list_seen(&text, walk, own, NULL);
    out->note = text.text;
    return !text.failed;
}

static bool tell(submission_file *out, const intake_walk *walk, const candidates *own, const char *file)
{
    const candidate *chosen = choose(own);
    if (!chosen) return tell_missing(out, walk, own);
    if (count_rivals(own, chosen) > 0) return (out->refusal = refuse_rivals(own, chosen, file));
    free(out->path);
    out->path = strdup(chosen->file->path);
    out->is_starter = chosen->starter;
    out->is_solution = chosen->solution && !chosen->starter;
    out->is_worth_a_note = has_others(walk) || chosen->file->kind == FILE_NAME_BY_HAND;
    return out->path && tell_chosen(out, walk, own, chosen, file);
}

/* Takes the file that an instructor accepted, if it lies in the submission and can be C. */
static bool take_accepted(submission_file *out, const intake_walk *walk)
{
    const walked_file *accepted = NULL;
    for (size_t i = 0; i < walk->count + walk->other_count && !accepted; i++) {
        const walked_file *file = i < walk->count ? &walk->found[i] : &walk->others[i - walk->count];
        if (strcmp(file->shown, walk->accepted) == 0) accepted = file;
    }
    if (!accepted) return false;
    const char *what = intake_likely_refusal(accepted);
    if (what) {
        out->refusal = text_make("the instructor accepted %s for %s, but that is %s, not C: it takes a C file",
                                 accepted->shown, walk->file, what);
        return true;
    }
    free(out->path);
    out->path = strdup(accepted->path);
    out->note = text_make("graded: %s, which the instructor accepted", accepted->shown);
    return true;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static bool find_in(submission_file *out, const intake_walk *walk, const intake_wanted *wanted)
{
    candidates own = {0};
    if (walk->cut) return (out->refusal = text_make("%s", walk->cut));
    if (walk->accepted && take_accepted(out, walk)) return out->refusal || (out->path && out->note);
    bool told = read_candidates(&own, walk, wanted) && tell(out, walk, &own, wanted->file) &&
                (out->refusal || choose(&own) || intake_likely_find(out, walk, wanted));
    free_candidates(&own);
    return told;
}

bool intake_find(submission_file *out, const submission *entry, const intake_wanted *wanted, grader_fault *fault)
{
    intake_walk walk = {.file = wanted->file, .accepted = entry->accepted};
    *out = (submission_file){.path = folder_path(entry->folder, wanted->file)};
    if (entry->cut) out->refusal = strdup(entry->cut);
    intake_walk_folder(&walk, entry->folder);
    if (entry->more) intake_walk_folder(&walk, entry->more);
    bool found =
        out->path && (out->refusal || !entry->cut) && !walk.failed && (out->refusal || find_in(out, &walk, wanted));
    intake_walk_free(&walk);
    if (found && out->refusal) free(out->path);
    if (found && out->refusal) out->path = NULL;
    if (found) return true;
    submissions_file_free(out);
    return fault_memory(fault, "the search for a file");
}

bool intake_wanted_read(intake_wanted *out, const char *file, const char *starter, const char *solution,
                        grader_fault *fault)
{
    size_t bytes;
    *out = (intake_wanted){.file = file};
    const bool read = folder_read(&out->starter, &bytes, starter, MOST_COMPARED, fault) != FOLDER_UNREADABLE &&
                      folder_read(&out->solution, &bytes, solution, MOST_COMPARED, fault) != FOLDER_UNREADABLE;
    if (!read) intake_wanted_free(out);
    return read;
}

void intake_wanted_free(intake_wanted *wanted)
{
    free(wanted->starter);
    free(wanted->solution);
    *wanted = (intake_wanted){0};
}

static void note_found(intake *taken, const submission *entry, const char *file)
{
    const submission_file *found = &entry->found;
    if (found->is_solution)
        intake_notes_add(&taken->notes, entry->name, "handed in the workbook's own solution as %s", file);
    if (entry->accepted && found->refusal) intake_notes_add(&taken->notes, entry->name, "%s", found->refusal);
    if (found->is_starter) intake_notes_add(&taken->notes, entry->name, "handed in the starter, unchanged");
    if (found->note && found->is_worth_a_note) intake_notes_add(&taken->notes, entry->name, "%s", found->note);
}

bool intake_locate(intake *taken, const intake_wanted *wanted, grader_fault *fault)
{
    for (size_t i = 0; i < taken->list.count; i++) {
        submission *entry = &taken->list.entry[i];
        submissions_file_free(&entry->found); /* of an earlier search */
        FAULT_TRY(intake_find(&entry->found, entry, wanted, fault));
        note_found(taken, entry, wanted->file);
    }
    return true;
}
