/* The key of a lab's parts; see lab_key.h. */
#include "lab_key.h"

#include <stdlib.h>

/* Options count as they stand. Paths count by their content, because the workbook may have been moved. */
static bool add_link(content_key *key, char *const *link, grader_fault *fault)
{
    for (; *link; link++) {
        if ((*link)[0] == '/')
            FAULT_TRY(content_key_add_file(key, *link, fault));
        else
            content_key_add_text(key, *link);
    }
    return true;
}

bool lab_key_make(content_key *out, const lab_parts *parts, grader_fault *fault)
{
    char *device = device_format(&parts->device);
    if (!device) return fault_memory(fault, "the device's name");
    *out = content_key_of("labgrade", 8);
    content_key_add_text(out, parts->name);
    content_key_add_text(out, parts->compiler);
    content_key_add_text(out, device);
    free(device);
    FAULT_TRY(content_key_add_file(out, "/proc/self/exe", fault));
    FAULT_TRY(content_key_add_file(out, parts->compiler, fault));
    FAULT_TRY(content_key_add_file(out, parts->checks, fault));
    FAULT_TRY(content_key_add_file(out, parts->reference, fault));
    FAULT_TRY(add_link(out, parts->link, fault));
    FAULT_TRY(content_key_add_folder(out, parts->folder, fault));
    return content_key_add_folder(out, parts->include, fault);
}
