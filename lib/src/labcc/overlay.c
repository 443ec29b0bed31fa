/* The list is JSON, in the form of clang's virtual file system. */
#include "overlay.h"

#include "arguments.h"
#include "launch_marks.h"

#include "base/system/text_file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

labcc_overlay labcc_overlay_in(const char *folder)
{
    return (labcc_overlay){.folder = folder, .path = arguments_text("%s/overlay", folder), .roots = ""};
}

static void write_quoted(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) fprintf(out, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    fputc('"', out);
}

/* The entries, and another one. */
static char *add_root(const char *roots, const char *file, const char *copy)
{
    char *made = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&made, &size);
    if (!out) return NULL;
    fprintf(out, "%s%s{\"type\": \"file\", \"name\": ", roots, *roots ? ", " : "");
    write_quoted(out, file);
    fputs(", \"external-contents\": ", out);
    write_quoted(out, copy);
    fputs("}", out);
    return fclose(out) == 0 ? made : NULL;
}

static bool write_file(const char *path, const char *begin, const char *text, const char *end)
{
    FILE *out = fopen(path, "w");
    if (!out) return false;
    fprintf(out, "%s%s%s", begin, text, end);
    return fclose(out) == 0;
}

static bool replace_text(labcc_overlay *overlay, const char *file, const char *text)
{
    char path[PATH_MAX];
    const char *copy = arguments_text("%s/copy%d", overlay->folder, overlay->files);
    if (!realpath(file, path) || !write_file(copy, "", text, "")) return false;
    overlay->roots = add_root(overlay->roots, path, copy);
    overlay->files++;
    return overlay->roots && write_file(overlay->path, "{\"version\": 0, \"use-external-names\": false, \"roots\": [",
                                        overlay->roots, "]}\n");
}

bool labcc_overlay_add(labcc_overlay *overlay, const char *file)
{
    char *text;
    if (text_file_read(&text, file) != LAB_SUCCESS) return true;
    const bool done = !labcc_close_launches(text) || replace_text(overlay, file, text);
    free(text);
    return done;
}
