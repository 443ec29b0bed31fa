/* Host functions of the library's own. */
#ifndef LAB_OBJECTS_WORK_HOST_CALL_H
#define LAB_OBJECTS_WORK_HOST_CALL_H

#include "seam/backend.h"

/* Calls the work from a host function. A device that can fail does so if the work's bytes are not there; the process
 * ends on any other. */
void host_call_work(const backend_host_work *work);

#endif
