/* The headers that every device has (kernel_headers.h), for the files that a source includes: there clang finds the
 * headers by name, while the scan removes them from the source itself. */
#ifndef LAB_CPU_COMPILER_HEADER_OVERLAY_H
#define LAB_CPU_COMPILER_HEADER_OVERLAY_H

#include "lab.h"

/* The folder in which clang sees the headers; there is no such folder. */
#define HEADER_OVERLAY_FOLDER "/lab-headers"

/* Writes the file for clang's option -ivfsoverlay. */
lab_status header_overlay_write(const char *path);

#endif
