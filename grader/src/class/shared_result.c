/* One student's result as another's; see shared_result.h. */
#include "shared_result.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/text.h"
#include "judge/job.h"

/* Copies a file; removes the copy where the source does not exist. */
static bool copy_file(const char *source, const char *copy, grader_fault *fault)
{
    char *bytes = NULL;
    size_t count = 0;
    fault_set(fault, "cannot copy %s: it is not a readable file", source);
    const folder_found found = folder_read(&bytes, &count, source, SIZE_MAX, fault);
    if (found == FOLDER_NOTHING) unlink(copy);
    bool ok = found == FOLDER_NOTHING || (found == FOLDER_FILE && folder_write(copy, bytes, count, fault));
    free(bytes);
    return ok;
}

static bool share_file(const char *out, const char *source, const char *directory, const char *name,
                       grader_fault *fault)
{
    text_buffer original = {0}, copy = {0};
    text_format(&original, "%s/%s/%s", out, source, name);
    text_format(&copy, "%s/%s/%s", out, directory, name);
    bool ok = original.failed || copy.failed ? fault_memory(fault, "a shared result")
                                             : copy_file(original.text, copy.text, fault);
    free(original.text);
    free(copy.text);
    return ok;
}

/* "ada/trace.json" becomes "grace/trace.json". */
static bool move_artifacts(json_t *artifacts, const char *directory)
{
    const char *field;
    json_t *path;
    void *next;
    json_object_foreach_safe(artifacts, next, field, path)
    {
        const char *text = json_string_value(path), *slash = text ? strrchr(text, '/') : NULL;
        if (slash && json_object_set_new(artifacts, field, json_sprintf("%s%s", directory, slash)) < 0) return false;
    }
    return true;
}

bool shared_result_give(json_t *result, const char *out, const char *source, const char *directory, const char *name,
                        grader_fault *fault)
{
    json_t *submission = json_object_get(result, "submission");
    for (size_t i = 0; job_files[i]; i++) FAULT_TRY(share_file(out, source, directory, job_files[i], fault));
    char *clean = text_clean(name, strlen(name));
    bool whole = clean && json_object_set_new(submission, "name", json_string(clean)) == 0 &&
                 json_object_set_new(submission, "directory", json_string(directory)) == 0 &&
                 move_artifacts(json_object_get(result, "artifacts"), directory);
    free(clean);
    return whole || fault_memory(fault, "a shared result");
}
