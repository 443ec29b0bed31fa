/* Errors inside the library: set the thread's message and return the status in one step. */
#ifndef LAB_BASE_STATUS_H
#define LAB_BASE_STATUS_H

#include "lab.h"

/* The calling thread's call fails: sets the thread's message, printf-like, with the status and the call's place, and returns
 * `status`, so that `return lab_fail(...)` reads as one sentence. The message is the whole sentence a student sees, without
 * a final full stop or newline. A message longer than the space for it ends in "...". */
lab_status lab_fail(lab_status status, const char *format, ...) __attribute__((format(printf, 2, 3), cold));

/* Between the two the calling thread only tries, and what fails is no failure: message, status and place stay what they
 * were, and nobody is told. A try may hold another. */
void status_try_begin(void);
void status_try_end(void);

#endif
