/* Reads a source line by line: an include of a file that is found becomes the file's text. */
#include "source_headers.h"

#include "base/status.h"
#include "base/system/text_file.h"
#include "seam/kernel_headers.h"

#include <stdlib.h>
#include <string.h>

bool text_list_add(text_list *list, const char *text)
{
    char **larger = realloc(list->text, ((size_t)list->count + 1) * sizeof *larger);
    if (!larger) return false;
    list->text = larger;
    list->text[list->count] = strdup(text);
    if (!list->text[list->count]) return false;
    list->count++;
    return true;
}

void text_list_free(text_list *list)
{
    for (int i = 0; i < list->count; i++) free(list->text[i]);
    free(list->text);
    *list = (text_list){0};
}

/* What an include names. */
typedef struct inclusion {
    const char *name; /* NULL if the line is no include */
    int length;
    bool is_quoted;
} inclusion;

static inclusion read_inclusion(const char *line)
{
    while (*line == ' ' || *line == '\t') line++;
    if (*line++ != '#') return (inclusion){0};
    while (*line == ' ' || *line == '\t') line++;
    if (strncmp(line, "include", strlen("include")) != 0) return (inclusion){0};
    line += strlen("include");
    while (*line == ' ' || *line == '\t') line++;
    const char closing = *line == '<' ? '>' : *line == '"' ? '"' : '\0';
    const size_t length = closing ? strcspn(line + 1, (char[]){closing, '\n', '\0'}) : 0;
    return length && line[1 + length] == closing ? (inclusion){line + 1, (int)length, closing == '"'} : (inclusion){0};
}

static int find_text(const text_list *list, const char *text, int length)
{
    for (int i = 0; i < list->count; i++)
        if (strlen(list->text[i]) == (size_t)length && strncmp(list->text[i], text, (size_t)length) == 0) return i;
    return -1;
}

/* Reads the header from the folder, if it is there. The caller frees the path. */
static char *read_from(char **text, const char *folder, int folder_length, const inclusion *header)
{
    char *path;
    const bool needs_slash = folder_length > 0 && folder[folder_length - 1] != '/';
    if (asprintf(&path, "%.*s%s%.*s", folder_length, folder, needs_slash ? "/" : "", header->length, header->name) < 0)
        return NULL;
    if (text_file_read(text, path) == LAB_SUCCESS) return path;
    free(path);
    return NULL;
}

/* Reads a header that is a file: next to the file that includes it, or in a folder of the options. Those that every
 * device has are left to the compiler. NULL if there is none. */
static char *read_header(char **text, const source_headers *headers, const inclusion *header, const char *from)
{
    const char *slash = strrchr(from, '/');
    if (kernel_headers_find(header->name, (size_t)header->length)) return NULL;
    char *path = header->is_quoted ? read_from(text, from, slash ? (int)(slash + 1 - from) : 0, header) : NULL;
    for (int i = 0; !path && i < headers->folder.count; i++)
        path = read_from(text, headers->folder.text[i], (int)strlen(headers->folder.text[i]), header);
    return path;
}

static void write_text(FILE *out, source_headers *headers, const char *text, const char *name, int depth);

/* Writes a header. What is in a list of headers has its number there, by which the text counts once if it says so. */
static void write_header(FILE *out, source_headers *headers, const char *text, const char *name, const char *list,
                         int number, int depth)
{
    const bool once = strstr(text, "#pragma once");
    if (once) fprintf(out, "#ifndef LAB_ONCE_%s_%d\n#define LAB_ONCE_%s_%d\n", list, number, list, number);
    fprintf(out, "#line 1 \"%s\"\n", name);
    write_text(out, headers, text, name, depth);
    fputs(once ? "\n#endif\n" : "\n", out);
}

/* Writes the header in the place of its include. False if it is the compiler's to find. */
static bool write_included(FILE *out, source_headers *headers, const inclusion *header, const char *from, int depth)
{
    const int given = find_text(&headers->name, header->name, header->length);
    if (given >= 0) {
        write_header(out, headers, headers->text.text[given], headers->name.text[given], "TEXT", given, depth);
        return true;
    }
    char *text, *path = read_header(&text, headers, header, from);
    if (!path) return false;
    int number = find_text(&headers->file, path, (int)strlen(path));
    if (number < 0) number = text_list_add(&headers->file, path) ? headers->file.count - 1 : 0;
    write_header(out, headers, text, path, "FILE", number, depth);
    free(text);
    free(path);
    return true;
}

/* Writes a text with its headers, whose arrays of dynamic shared memory are then the source's own. */
static void write_text(FILE *out, source_headers *headers, const char *text, const char *name, int depth)
{
    enum { MOST_DEPTH = 64 };
    int line = 1;
    for (const char *next; *text && depth < MOST_DEPTH; text = next, line++) {
        const char *end = strchr(text, '\n');
        next = end ? end + 1 : text + strlen(text);
        const inclusion header = read_inclusion(text);
        if (header.name && write_included(out, headers, &header, name, depth + 1))
            fprintf(out, "#line %d \"%s\"\n", line + 1, name);
        else
            fwrite(text, 1, (size_t)(next - text), out);
    }
}

void source_define(FILE *out, const char *definition)
{
    const size_t name = strcspn(definition, "=");
    fprintf(out, "#define %.*s %s\n", (int)name, definition, definition[name] ? definition + name + 1 : "1");
}

void source_write(FILE *out, source_headers *headers, const char *text, const char *name)
{
    write_text(out, headers, text, name, 0);
}

void source_headers_free(source_headers *headers)
{
    text_list_free(&headers->text);
    text_list_free(&headers->name);
    text_list_free(&headers->folder);
    text_list_free(&headers->file);
}

static bool is_one_line(const char *text) { return *text && !strpbrk(text, "\n\r"); }

static lab_status no_memory(const char *name)
{
    return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory to read %s", name);
}

lab_status source_prepare(char **out, const char *source, const char *name, const lab_module_options *options)
{
    static const char byte_order_mark[] = "\xef\xbb\xbf";
    source_headers headers = {0};
    size_t bytes;
    if (strncmp(source, byte_order_mark, strlen(byte_order_mark)) == 0) source += strlen(byte_order_mark);
    lab_status status = LAB_SUCCESS;
    FILE *text = open_memstream(out, &bytes);
    if (!text) return no_memory(name);
    for (const char *const *each = options->defines; each && *each && status == LAB_SUCCESS; each++)
        if (is_one_line(*each) && **each != '=')
            source_define(text, *each);
        else
            status =
                lab_fail(LAB_ERROR_INVALID_VALUE, "%s: '%s' is not a definition such as NAME or NAME=2", name, *each);
    for (const char *const *each = options->include_paths; each && *each && status == LAB_SUCCESS; each++)
        if (!text_list_add(&headers.folder, *each)) status = no_memory(name);
    if (ftell(text) > 0) fprintf(text, "#line 1 \"%s\"\n", name);
    if (headers.folder.count)
        source_write(text, &headers, source, name);
    else
        fputs(source, text);
    source_headers_free(&headers);
    if (fclose(text) != 0) status = no_memory(name);
    if (status != LAB_SUCCESS) free(*out);
    return status;
}
