/* Links the code of a program's files, where some use device functions and variables that others define. */
#ifndef LAB_CPU_COMPILER_LINK_PARTS_H
#define LAB_CPU_COMPILER_LINK_PARTS_H

#include "lab.h"

#include "cpu/ir/text.h"

/* Finds a function or variable that retargeted code uses, and that neither it nor CUDA defines. */
bool cpu_needs_others(span *name, const char *ir);

/* Makes one retargeted module of the third parts of all images in the text (seam/program/program_image.h), or finds it
 * in the cache. Fails if a name has no definition, or two. The caller frees out->data. */
lab_status cpu_link_parts(cpu_text *out, const char *images, const char *name);

#endif
