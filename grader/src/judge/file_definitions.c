/* By what the compiler's preprocessor makes of the file; see file_definitions.h. */
#include "file_definitions.h"

#include <stdlib.h>

#include "base/folder.h"
#include "build.h"
#include "definitions.h"
#include "source_file.h"

static const char purpose[] = "the definitions of a file";

bool file_definitions_find(json_t **out, const lab_parts *parts, const sandbox *box, const char *folder,
                           grader_fault *fault)
{
    preprocessed_text source = {"", 0};
    char *text;
    FAULT_TRY(build_text(&text, &source.length, parts, box, folder, fault));
    if (text) source.text = text;
    *out = definitions_find(source, parts->file);
    free(text);
    return *out || fault_memory(fault, purpose);
}

/* Copies the starter into the folder, under the name of a submission. */
static bool copy_starter(const lab_parts *parts, const char *folder, grader_fault *fault)
{
    char *text = NULL, *path = folder_path(folder, parts->file);
    size_t bytes;
    bool ok = path || fault_memory(fault, purpose);
    ok = ok && folder_read(&text, &bytes, parts->starter, SOURCE_FILE_MOST_BYTES, fault) != FOLDER_UNREADABLE;
    ok = ok && folder_write(path, text ? text : "", text ? bytes : 0, fault);
    free(text);
    free(path);
    return ok;
}

bool file_definitions_of_starter(json_t **out, const lab_parts *parts, grader_fault *fault)
{
    char *folder;
    *out = json_incref(parts->given);
    if (*out) return true;
    FAULT_TRY(folder_make_private(&folder, "lab-starter", fault));
    const bool ok = copy_starter(parts, folder, fault) && file_definitions_find(out, parts, NULL, folder, fault);
    folder_remove(folder);
    free(folder);
    return ok;
}
