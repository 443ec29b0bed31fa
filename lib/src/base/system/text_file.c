/* Reads text files whole. */
#include "text_file.h"

#include "base/status.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

lab_status text_file_read(char **out, const char *path)
{
    FILE *file = fopen(path, "re");
    if (!file) return lab_fail(LAB_ERROR_FILE_NOT_FOUND, "%s: %s", path, strerror(errno));
    char *text = NULL;
    size_t capacity = 0;
    errno = 0;
    ssize_t length = getdelim(&text, &capacity, '\0', file);
    bool failed = ferror(file), holds_nul = length > 0 && !feof(file);
    fclose(file);
    if (failed || holds_nul) {
        free(text);
        return lab_fail(LAB_ERROR_FILE_NOT_FOUND, "%s: %s", path,
                        failed ? strerror(errno)
                               : "holds a NUL byte, as a file saved as UTF-16 does: save it as UTF-8");
    }
    *out = text ? text : strdup("");
    if (length <= 0 && *out) **out = '\0';
    return *out ? LAB_SUCCESS : lab_fail(LAB_ERROR_OUT_OF_MEMORY, "%s: no host memory to read it", path);
}
