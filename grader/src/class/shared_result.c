/* One student's result as another's; see shared_result.h. */
#include "shared_result.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/folder.h"
#include "judge/job.h"
#include "base/text.h"

static bool no_memory(grader_fault *fault) { return fault_set(fault, "not enough memory for a shared result"); }

/* Copies a file; where there is none, there is none afterwards. */
static bool share_file(const char *out, const char *from, const char *to, const char *name, grader_fault *fault)
{
    text_buffer source = {0}, target = {0};
    char *bytes = NULL;
    size_t count = 0;
    text_format(&source, "%s/%s/%s", out, from, name);
    text_format(&target, "%s/%s/%s", out, to, name);
    bool ok = !source.failed && !target.failed;
    if (!ok) {
        no_memory(fault);
    } else {
        fault_set(fault, "cannot copy %s: it is no file that may be read", source.text);
        const folder_found found = folder_read(&bytes, &count, source.text, SIZE_MAX, fault);
        ok = found == FOLDER_FILE || found == FOLDER_NOTHING;
        if (found == FOLDER_FILE) ok = folder_write(target.text, bytes, count, fault);
        if (found == FOLDER_NOTHING) unlink(target.text);
    }
    free(bytes);
    free(source.text);
    free(target.text);
    return ok;
}

/* "ada/trace.json" becomes "grace/trace.json". */
static bool move_artifacts(json_t *artifacts, const char *to)
{
    const char *field;
    json_t *path;
    void *next;
    json_object_foreach_safe(artifacts, next, field, path)
    {
        const char *text = json_string_value(path), *slash = text ? strrchr(text, '/') : NULL;
        if (slash && json_object_set_new(artifacts, field, json_sprintf("%s%s", to, slash)) < 0) return false;
    }
    return true;
}

bool shared_result_give(json_t *result, const char *out, const char *from, const char *to, const char *name,
                        grader_fault *fault)
{
    json_t *submission = json_object_get(result, "submission");
    for (size_t i = 0; job_files[i]; i++) {
        if (!share_file(out, from, to, job_files[i], fault)) return false;
    }
    char *clean = text_clean(name, strlen(name));
    bool ok = clean && json_object_set_new(submission, "name", json_string(clean)) == 0 &&
              json_object_set_new(submission, "directory", json_string(to)) == 0 &&
              move_artifacts(json_object_get(result, "artifacts"), to);
    free(clean);
    return ok || no_memory(fault);
}
