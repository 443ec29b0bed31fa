/* Events of the CPU devices: entries of the backend. */
#ifndef LAB_CPU_RUN_CPU_EVENT_H
#define LAB_CPU_RUN_CPU_EVENT_H

#include "seam/backend.h"

lab_status cpu_event_create(backend_event **out, backend_context *context, unsigned flags);
lab_status cpu_event_destroy(backend_event *event);
lab_status cpu_event_record(backend_event *event, backend_stream *stream, backend_times *times);
lab_status cpu_event_query(backend_event *event);
lab_status cpu_event_synchronize(backend_event *event);
lab_status cpu_event_elapsed_time(float *milliseconds, backend_event *start, backend_event *end);

#endif
