/* Errors inside the library: set the thread's message and return the status in one step. */
#ifndef LAB_SRC_STATUS_H
#define LAB_SRC_STATUS_H

#include "lab.h"

/* Sets this thread's message, printf-like, and returns `status`, so that `return lab_fail(...)` reads as one
 * sentence. The message is the whole sentence a student sees, without a final full stop or newline. A message
 * longer than the space for it ends in "...". */
lab_status lab_fail(lab_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
