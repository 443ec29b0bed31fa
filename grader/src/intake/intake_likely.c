/* Finding the file that is probably the lab's; see intake_likely.h. */
#include "intake_likely.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/folder.h"
#include "source/source_text.h"
#include "base/text.h"
#include "unpack.h"

enum { MOST_COMPARED = 1 << 20, SHORTEST_LINE = 12 };

/* Whether the bytes hold the line. */
static bool holds(const char *bytes, size_t count, const char *line, size_t length)
{
    return length <= count && memmem(bytes, count, line, length);
}

/* How many of the starter's lines, without the spaces around them, stand in the file. */
static size_t common_lines(const char *starter, const char *bytes, size_t count)
{
    size_t common = 0;
    for (const char *line = starter; line && *line;) {
        const char *text = line + strspn(line, " \t");
        const size_t length = strcspn(text, "\r\n");
        common += length >= SHORTEST_LINE && holds(bytes, count, text, length);
        line = text + length + strspn(text + length, "\r\n");
    }
    return common;
}

typedef struct likely_file {
    const walked_file *file;
    char *bytes;
    size_t count, common; /* common: lines of the starter */
    bool is_source;
} likely_file;

typedef struct likely_files {
    likely_file *of;
    size_t count, sources;
} likely_files;

static bool ends_with(const char *name, const char *end)
{
    const size_t length = strlen(name), bytes = strlen(end);
    return length > bytes && strcasecmp(name + length - bytes, end) == 0;
}

static const char *name_of(const walked_file *file)
{
    const char *slash = strrchr(file->shown, '/');
    return slash ? slash + 1 : file->shown;
}

static bool is_source(const char *name) { return ends_with(name, ".c") || ends_with(name, ".cpp"); }

/* Whether a file of this name may hold C: not a header, a document or an object file. */
static bool may_hold_c(const char *name) { return is_source(name) || ends_with(name, ".txt") || !strchr(name, '.'); }

/* A file with one NUL byte is refused here too: a C source has none. */
static bool is_binary(const char *bytes, size_t count)
{
    return memchr(bytes, '\0', count) || source_text_other(bytes, count);
}

static bool is_c_text(const char *bytes, size_t count)
{
    return bytes && count > 0 && !is_binary(bytes, count) && !source_text_is_web_page(bytes);
}

static bool is_known(const likely_files *list, const char *bytes, size_t count)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->of[i].count == count && memcmp(list->of[i].bytes, bytes, count) == 0) return true;
    }
    return false;
}

/* Reads the files that may hold C, each content once. */
static bool read_likely(likely_files *out, const intake_walk *walk, const intake_wanted *wanted)
{
    out->of = calloc(walk->other_count + 1, sizeof *out->of);
    if (!out->of) return false;
    for (size_t i = 0; i < walk->other_count; i++) {
        grader_fault ignored;
        likely_file next = {.file = &walk->others[i]};
        if (!may_hold_c(name_of(next.file))) continue;
        folder_read_handed_in(&next.bytes, &next.count, next.file->path, MOST_COMPARED, &ignored);
        if (!is_c_text(next.bytes, next.count) || is_known(out, next.bytes, next.count)) {
            free(next.bytes);
            continue;
        }
        next.common = common_lines(wanted->starter, next.bytes, next.count);
        next.is_source = is_source(name_of(next.file));
        out->sources += next.is_source;
        out->of[out->count++] = next;
    }
    return true;
}

/* The one that is clearly better than the others; NULL for none. */
static const likely_file *find_best(const likely_files *list)
{
    const likely_file *best = NULL;
    size_t second = 0;
    for (size_t i = 0; i < list->count; i++) {
        const likely_file *next = &list->of[i];
        const bool better = !best || next->common > best->common ||
                            (next->common == 0 && best->common == 0 && next->is_source && !best->is_source);
        const size_t left = better ? (best ? best->common : 0) : next->common;
        if (left > second) second = left;
        if (better) best = next;
    }
    if (!best) return NULL;
    const bool clear = best->common > 0 ? best->common >= 2 * second : best->is_source && list->sources == 1;
    return clear ? best : NULL;
}

/* Names those that have lines of the starter or are sources. */
static bool tell_several(submission_file *out, const likely_files *list, const char *file)
{
    enum { MOST_SHOWN = 4 };
    text_buffer text = {0};
    size_t several = 0;
    for (size_t i = 0; i < list->count; i++) {
        const likely_file *next = &list->of[i];
        if (next->common == 0 && !next->is_source) continue;
        if (several++ < MOST_SHOWN) text_format(&text, "%s%s", several > 1 ? ", " : "", next->file->shown);
    }
    if (several == 0) return true;
    if (several > MOST_SHOWN) text_format(&text, " and %zu more", several - MOST_SHOWN);
    char *note = text.failed ? NULL
                             : text_make("%s%s%zu files with other names could be %s: %s", out->note ? out->note : "",
                                         out->note ? "; " : "", several, file, text.text);
    free(text.text);
    free(out->note);
    out->note = note;
    out->is_worth_a_note = true;
    return note != NULL;
}

bool intake_likely_find(submission_file *out, const intake_walk *walk, const intake_wanted *wanted)
{
    likely_files list = {0};
    bool ok = read_likely(&list, walk, wanted);
    const likely_file *best = find_best(&list);
    if (ok && best)
        ok = (out->likely = strdup(best->file->shown)) != NULL;
    else if (ok)
        ok = tell_several(out, &list, wanted->file);
    for (size_t i = 0; i < list.count; i++) free(list.of[i].bytes);
    free(list.of);
    return ok;
}

const char *intake_likely_refusal(const walked_file *file)
{
    char *bytes = NULL;
    size_t count = 0, stem;
    grader_fault ignored;
    const char *name = name_of(file), *refusal = NULL;
    if (unpack_is_archive(name, &stem) || unpack_is_other_archive(name, &stem)) return "an archive";
    folder_read_handed_in(&bytes, &count, file->path, MOST_COMPARED, &ignored);
    if (bytes && is_binary(bytes, count)) refusal = "a binary file";
    if (bytes && source_text_is_web_page(bytes)) refusal = "a web page";
    free(bytes);
    return refusal;
}
