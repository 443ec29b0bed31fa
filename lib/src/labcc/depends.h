/* Depend files for make: -M, -MM, -MD, -MMD, -MP, -MF, -MT. */
#ifndef LAB_LABCC_DEPENDS_H
#define LAB_LABCC_DEPENDS_H

#include "options.h"

/* The file that precedes every CUDA file, in labcc's temporary folder. */
#define DEPENDS_PRELUDE "builtins.h"

/* A file's name without its folder, and with another ending. */
char *labcc_base_name(const char *file, const char *ending);

/* Adds what makes a compiler write the depend file of a source into the temporary folder, if the options ask for it. */
void labcc_depends_ask(arguments *command, const labcc_options *options, const char *folder, const char *source);

/* Puts that file where the options say, without labcc's own temporary file. Returns 0, or the exit status after a
 * message. */
int labcc_depends_write(const labcc_options *options, const char *folder, const char *source);

#endif
