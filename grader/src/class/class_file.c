/* Writing a class's results one by one; see class_file.h. */
#include "class_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "base/system/whole_file.h"

struct class_file {
    lab_whole_file *file;
    size_t results;
};

static bool failed(grader_fault *fault) { return fault_set(fault, "%s", lab_error_message()); }

static bool write_text(class_file *file, const char *text, grader_fault *fault)
{
    return lab_whole_file_write(file->file, text, strlen(text)) == LAB_SUCCESS || failed(fault);
}

/* Writes a value and releases it. */
static bool write_json(class_file *file, json_t *json, grader_fault *fault)
{
    char *text = json ? json_dumps(json, JSON_INDENT(1) | JSON_REAL_PRECISION(9) | JSON_ENCODE_ANY) : NULL;
    json_decref(json);
    if (!text) return fault_memory(fault, "the results");
    bool ok = write_text(file, text, fault);
    free(text);
    return ok;
}

static bool write_fields(class_file *file, const json_t *object, grader_fault *fault)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)object, name, value)
    {
        char field[64];
        snprintf(field, sizeof field, "\"%s\": ", name);
        FAULT_TRY(write_text(file, field, fault));
        FAULT_TRY(write_json(file, json_incref(value), fault));
        FAULT_TRY(write_text(file, ",\n", fault));
    }
    return true;
}

static json_t *clean_string(const char *text)
{
    char *clean = text_clean(text, strlen(text));
    json_t *string = clean ? json_string(clean) : NULL;
    free(clean);
    return string;
}

/* The fields before the results. */
static json_t *class_head(const lab_parts *parts, const char *folder, const char *sandbox)
{
    char created[32];
    struct tm utc;
    time_t now = time(NULL);
    const device_info *device = &parts->device;
    strftime(created, sizeof created, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    /* clang-format off */
    return json_pack("{s:s, s:{s:s, s:s}, s:s, s:{s:s, s:s, s:i}, s:{s:s, s:s}, s:o}",
                     "schema", "lab-class/1",
                     "lab", "name", parts->name, "title", parts->title,
                     "created", created,
                     "device", "kind", device->kind, "name", device->name, "multiprocessors", device->multiprocessors,
                     "grader", "version", "1", "sandbox", sandbox,
                     "folder", clean_string(folder));
    /* clang-format on */
}

static bool write_head(class_file *file, const json_t *head, const json_t *more, grader_fault *fault)
{
    if (!head) return fault_memory(fault, "the results");
    FAULT_TRY(write_text(file, "{\n", fault));
    FAULT_TRY(write_fields(file, head, fault));
    FAULT_TRY(write_fields(file, more, fault));
    return write_text(file, "\"submissions\": [\n", fault);
}

static bool begin_file(class_file **out, const char *path, const json_t *head, const json_t *more, grader_fault *fault)
{
    class_file *file = calloc(1, sizeof *file);
    if (!file) return fault_memory(fault, "the results");
    if (lab_whole_file_create(&file->file, path) != LAB_SUCCESS) {
        free(file);
        return failed(fault);
    }
    if (!write_head(file, head, more, fault)) {
        class_file_abandon(file);
        return false;
    }
    *out = file;
    return true;
}

bool class_file_begin(class_file **out, const char *path, const lab_parts *parts, const char *folder,
                      const char *sandbox, const json_t *more, grader_fault *fault)
{
    json_t *head = class_head(parts, folder, sandbox);
    bool ok = begin_file(out, path, head, more, fault);
    json_decref(head);
    return ok;
}

bool class_file_begin_again(class_file **out, const char *path, const json_t *head, grader_fault *fault)
{
    return begin_file(out, path, head, NULL, fault);
}

bool class_file_add(class_file *file, json_t *result, grader_fault *fault)
{
    if (file->results++ > 0) FAULT_TRY(write_text(file, ",\n", fault));
    return write_json(file, json_incref(result), fault);
}

bool class_file_finish(class_file *file, double seconds, grader_fault *fault)
{
    char end[64];
    snprintf(end, sizeof end, "\n],\n\"seconds\": %.3f\n}\n", seconds);
    lab_whole_file_write(file->file, end, strlen(end));
    bool ok = lab_whole_file_finish(file->file) == LAB_SUCCESS || failed(fault);
    free(file);
    return ok;
}

void class_file_abandon(class_file *file)
{
    if (!file) return;
    lab_whole_file_abandon(file->file);
    free(file);
}
