/*
 * The code of one file, of a program whose files use what others define, before all are linked to one module. What each
 * file has of its own gets a name of its own, and the built-ins, which precede every file, become one:
 *
 *     define internal float @_ZL5scalef          in file 2                 @_ZL5scalef.file2
 *     define internal i32 @_ZL11lab_barrierv     of the built-ins          define weak_odr i32 @_ZL11lab_barrierv
 *     @_ZL10lab_thread = internal ...                                      @_ZL10lab_thread = weak_odr ...
 */
#ifndef LAB_CPU_RETARGET_PARTS_H
#define LAB_CPU_RETARGET_PARTS_H

#include "cpu/ir/text.h"

/* The caller frees the output. False when memory runs out. */
bool cpu_ir_make_part(cpu_text *out, const char *ir, int number);

/* Finds a function of C++ or a variable that retargeted code uses but does not define. */
bool cpu_ir_find_undefined(span *name, const char *ir);

/* The name in the source of a function or variable outside of classes and namespaces: _Z5scalePf is scale. */
span cpu_ir_source_name(span name);

#endif
