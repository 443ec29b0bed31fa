/* A folder for the compiler's temporary files. */
#ifndef LAB_CPU_COMPILER_TEMPORARY_FOLDER_H
#define LAB_CPU_COMPILER_TEMPORARY_FOLDER_H

#include "lab.h"

#include <limits.h>

/* Makes a folder in $TMPDIR, or else where there is room. */
lab_status temporary_folder_make(char path[PATH_MAX]);

/* Removes the folder and the files in it. */
void temporary_folder_remove(const char *path);

#endif
