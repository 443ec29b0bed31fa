/* Contexts of the CPU devices: their creation and their end, and waiting for all of their work. */
#ifndef LAB_CPU_RUN_CPU_CONTEXT_H
#define LAB_CPU_RUN_CPU_CONTEXT_H

#include "seam/backend.h"

/* Entries of the backend. */
lab_status cpu_context_create(backend_context **out, int device);
void cpu_context_destroy(backend_context *context);
lab_status cpu_context_reset(backend_context *context);
lab_status cpu_context_synchronize(backend_context *context);
lab_status cpu_context_wait(backend_context *context);
lab_status cpu_context_peer_access(backend_context *context, backend_context *peer, bool enable);
void cpu_context_used_by(backend_context *context, backend_stream *stream);

/* Waits for the context's work, and for what other contexts do with its memory. Never fails: the process's failure does
 * not concern a caller that gives something back. */
void cpu_context_drain(backend_context *context);

#endif
