/* clang's overlay of the file system: each header is an empty file. */
#include "header_overlay.h"

#include "base/status.h"
#include "seam/kernel_headers.h"

#include <stdio.h>

lab_status header_overlay_write(const char *path)
{
    FILE *out = fopen(path, "we");
    if (!out) return lab_fail(LAB_ERROR_IO, "%s: the list of headers for kernels cannot be written", path);
    fputs("{\"version\": 0, \"roots\": [{\"type\": \"directory\", \"name\": \"" HEADER_OVERLAY_FOLDER
          "\", \"contents\": [",
          out);
    for (const kernel_header *each = kernel_headers; each->name; each++)
        fprintf(out, "%s\n{\"type\": \"file\", \"name\": \"%s\", \"external-contents\": \"/dev/null\"}",
                each == kernel_headers ? "" : ",", each->name);
    fputs("]}]}\n", out);
    if (fclose(out) == 0) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_IO, "%s: the list of headers for kernels cannot be written whole", path);
}
