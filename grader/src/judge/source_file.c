/* Reading the student's file; see source_file.h. */
#include "source_file.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/folder.h"
#include "source/source_text.h"
#include "base/text.h"

char *source_file_contents(const char *folder)
{
    enum { SHOWN = 5 };
    text_buffer list = {0};
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, NULL, alphasort);
    int shown = 0, more = 0;
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        bool itself = strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
        if (!itself && shown < SHOWN)
            text_format(&list, "%s%s", shown++ ? ", " : "", name);
        else if (!itself)
            more++;
        free(entries[i]);
    }
    free(entries);
    if (more) text_format(&list, " and %d more", more);
    if (!shown) text_format(&list, "nothing");
    return list.failed ? NULL : list.text;
}

static bool refuse(source_file *out, const char *path, const char *name, const char *why, grader_fault *fault)
{
    text_buffer folder = {0}, sentence = {0};
    const char *slash = strrchr(path, '/');
    text_format(&folder, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
    char *contents = folder.failed ? NULL : source_file_contents(folder.text[0] ? folder.text : "/");
    text_format(&sentence, "%s %s; the folder holds: %s", name, why, contents ? contents : "?");
    if (!sentence.failed) out->refusal = text_clean_line(sentence.text, sentence.length);
    free(folder.text);
    free(contents);
    free(sentence.text);
    return out->refusal || fault_memory(fault, "a sentence");
}

static bool is_blank(const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!memchr(" \t\r\n\f\v", bytes[i], 6)) return false;
    }
    return true;
}

bool source_file_read(source_file *out, const char *path, const char *name, grader_fault *fault)
{
    *out = (source_file){0};
    switch (folder_read_handed_in(&out->bytes, &out->count, path, SOURCE_FILE_MOST_BYTES, fault)) {
    case FOLDER_UNREADABLE: return false;
    case FOLDER_NOTHING: return refuse(out, path, name, "is missing", fault);
    case FOLDER_NO_FILE: return refuse(out, path, name, "is not a regular file", fault);
    case FOLDER_LINKED:
        return refuse(out, path, name, "has a second name (a hard link), so it may be somebody else's: hand in a copy",
                      fault);
    case FOLDER_DENIED: return refuse(out, path, name, "cannot be read: its permissions forbid it", fault);
    case FOLDER_TOO_LARGE: return refuse(out, path, name, "is larger than 1 MiB", fault);
    case FOLDER_FILE: break;
    }
    const bool blank = is_blank(out->bytes, out->count);
    const char *other = source_text_other(out->bytes, out->count);
    if (other) {
        out->refusal = text_make("%s is not plain text but %s", name, other);
        return out->refusal || fault_memory(fault, "a sentence");
    }
    if (!blank && !source_text_is_web_page(out->bytes)) return true;
    out->refusal = text_make(blank ? "%s is empty"
                                   : "%s is a web page (HTML), not C: a browser saved the page that shows the file, in "
                                     "place of the file",
                             name);
    return out->refusal || fault_memory(fault, "a sentence");
}

bool source_file_explain(source_file *file, const char *why, grader_fault *fault)
{
    text_buffer sentence = {0};
    text_format(&sentence, "%s; %s", file->refusal, why);
    char *whole = sentence.failed ? NULL : text_clean_line(sentence.text, sentence.length);
    free(sentence.text);
    if (!whole) return fault_memory(fault, "a sentence");
    free(file->refusal);
    file->refusal = whole;
    return true;
}

void source_file_free(source_file *file)
{
    free(file->bytes);
    free(file->refusal);
    *file = (source_file){0};
}
