/* Writing a class's results one by one; see class_file.h. */
#include "class_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "base/whole_file.h"

struct class_file {
    lab_whole_file *file;
    size_t results;
};

static bool failed(grader_fault *fault) { return fault_set(fault, "%s", lab_error_message()); }

static bool write_text(class_file *file, const char *text, grader_fault *fault)
{
    return lab_whole_file_write(file->file, text, strlen(text)) == LAB_SUCCESS || failed(fault);
}

/* Writes a value and gives it back. */
static bool write_json(class_file *file, json_t *json, grader_fault *fault)
{
    char *text = json ? json_dumps(json, JSON_INDENT(1) | JSON_REAL_PRECISION(9) | JSON_ENCODE_ANY) : NULL;
    bool ok = text ? write_text(file, text, fault) : fault_set(fault, "not enough memory for the results");
    free(text);
    json_decref(json);
    return ok;
}

static bool write_field(class_file *file, const char *name, json_t *value, grader_fault *fault)
{
    char field[64];
    snprintf(field, sizeof field, "\"%s\": ", name);
    return write_text(file, field, fault) && write_json(file, value, fault) && write_text(file, ",\n", fault);
}

static json_t *clean_string(const char *text)
{
    char *clean = text_clean(text, strlen(text));
    json_t *string = clean ? json_string(clean) : NULL;
    free(clean);
    return string;
}

static bool write_fields(class_file *file, const json_t *about, grader_fault *fault)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)about, name, value)
    {
        if (!write_field(file, name, json_incref(value), fault)) return false;
    }
    return true;
}

bool class_file_begin(class_file **out, const char *path, const lab_parts *parts, const char *folder,
                      const char *sandbox, const json_t *about, grader_fault *fault)
{
    char created[32];
    struct tm utc;
    time_t now = time(NULL);
    strftime(created, sizeof created, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    class_file *file = calloc(1, sizeof *file);
    if (!file) return fault_set(fault, "not enough memory for the results");
    if (lab_whole_file_create(&file->file, path) != LAB_SUCCESS) {
        free(file);
        return failed(fault);
    }
    const device_info *device = &parts->device;
    bool ok = write_text(file, "{\n\"schema\": \"lab-class/1\",\n", fault) &&
              write_field(file, "lab", json_pack("{s:s, s:s}", "name", parts->name, "title", parts->title), fault) &&
              write_field(file, "created", json_string(created), fault) &&
              write_field(file, "device",
                          json_pack("{s:s, s:s, s:i}", "kind", device->kind, "name", device->name, "multiprocessors",
                                    device->multiprocessors),
                          fault) &&
              write_field(file, "grader", json_pack("{s:s, s:s}", "version", "1", "sandbox", sandbox), fault) &&
              write_field(file, "folder", clean_string(folder), fault) && write_fields(file, about, fault) &&
              write_text(file, "\"submissions\": [\n", fault);
    if (!ok) {
        class_file_abandon(file);
        return false;
    }
    *out = file;
    return true;
}

bool class_file_add(class_file *file, json_t *result, grader_fault *fault)
{
    bool first = file->results++ == 0;
    return (first || write_text(file, ",\n", fault)) && write_json(file, json_incref(result), fault);
}

bool class_file_finish(class_file *file, double seconds, grader_fault *fault)
{
    char end[64];
    snprintf(end, sizeof end, "\n],\n\"seconds\": %.3f\n}\n", seconds);
    write_text(file, end, fault);
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
