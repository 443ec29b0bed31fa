/* Where a compiled object's managed variables are: at addresses of the host's code rather than in the object. */
#ifndef LAB_CPU_OBJECT_OBJECT_PLACES_H
#define LAB_CPU_OBJECT_OBJECT_PLACES_H

#include "cpu/ir/text.h"

#include <stdint.h>

/* Makes the managed variable of that name in the source (ir/text.h) the memory at the address, for whoever loads the
 * object. False if the object exports no such variable. */
bool object_place(void *object, size_t size, span name, uint64_t address);

#endif
