/* Sources that may not read files, since whoever wrote them may not read this process's files. */
#ifndef LAB_SEAM_SOURCE_FILES_H
#define LAB_SEAM_SOURCE_FILES_H

#include "lab.h"

#include <stdbool.h>

/* From now on, a source that includes a file, or asks whether there is one, does not compile. */
void source_files_refuse(void);
bool source_files_are_refused(void);

/* Fails if files are refused and the text seems to name one, other than the headers that every device has
 * (kernel_headers.h). It is read line by line. A directive inside a string, or
 * inside a comment of several lines, counts as well, whatever a compiler makes of it. */
lab_status source_files_check(const char *source, const char *name);

/* Fails for a source that names a file. */
lab_status source_files_fail(const char *name);

#endif
