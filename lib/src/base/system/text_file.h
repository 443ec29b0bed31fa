/* Text files of the program, read whole. */
#ifndef LAB_BASE_SYSTEM_TEXT_FILE_H
#define LAB_BASE_SYSTEM_TEXT_FILE_H

#include "lab.h"

/* Reads the whole file into a string, which is the caller's. LAB_ERROR_FILE_NOT_FOUND if it cannot be read or holds a
 * NUL byte. */
lab_status text_file_read(char **out, const char *path);

#endif
