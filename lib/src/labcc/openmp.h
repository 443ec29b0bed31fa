/* OpenMP in host code. clang compiles CUDA files for its own library, which also has what gcc compiles for: the program
 * gets that one, and not a second one next to it. */
#ifndef LAB_LABCC_OPENMP_H
#define LAB_LABCC_OPENMP_H

#include "options.h"

/* Whether CUDA files can be compiled with -fopenmp; if not, says why. */
bool labcc_openmp_is_there(const labcc_options *options, const char *folder);

/* Adds the library to a linker's command line. */
void labcc_openmp_link(arguments *command, const labcc_options *options, const char *folder);

#endif
