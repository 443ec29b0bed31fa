/* A device whose calls that wait for no enqueued work count as own time (base/system/own_time.h). */
#ifndef LAB_SEAM_TIMED_BACKEND_H
#define LAB_SEAM_TIMED_BACKEND_H

#include "backend.h"

/* Returns the one timed device of the process, which calls `backend`. */
const lab_backend *timed_backend(const lab_backend *backend);

#endif
