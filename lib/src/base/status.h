/* How the library reports errors: lab_fail sets the thread's message and returns the status in one step. */
#ifndef LAB_BASE_STATUS_H
#define LAB_BASE_STATUS_H

#include "lab.h"

/* Fails the calling thread's call: sets the thread's message, printf-like, its status and its call site, and returns
 * `status`. The message is the whole sentence that a student sees, without a final full stop or newline. A message that
 * is too long ends in "...". */
lab_status lab_fail(lab_status status, const char *format, ...) __attribute__((format(printf, 2, 3), cold));

/* The calling thread's latest failure: its status, and how many there were. lab_error_message gives its message. */
typedef struct status_failure {
    lab_status status;
    uint64_t count;
} status_failure;
status_failure status_last_failure(void);

/* Between the two, failures of the calling thread are not kept: message, status and call site stay unchanged. Pairs may
 * be nested. */
void status_try_begin(void);
void status_try_end(void);

#endif
