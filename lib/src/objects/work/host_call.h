/* Host functions that the library itself enqueues. */
#ifndef LAB_OBJECTS_WORK_HOST_CALL_H
#define LAB_OBJECTS_WORK_HOST_CALL_H

#include "lab_trace.h"
#include "seam/backend.h"

/* Calls the work from a host function. A device that can fail does so if the work's bytes are not there; the process
 * ends on any other. */
void host_call_work(const backend_host_work *work);

/* Enqueues a host function for the memory of a graph: `name` is a constant, for the record and the node, `use` what it
 * counts as using. `ends`: after it the memory is not there. */
lab_status host_call_enqueue_for_memory(lab_stream *stream, void (*function)(void *user), const char *name,
                                        const lab_trace_access *use, bool ends);

#endif
