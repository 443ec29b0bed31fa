/* How contexts begin and end, below the public functions and the threads' stacks of contexts. */
#ifndef LAB_OBJECTS_CONTEXTS_CONTEXT_LIFETIME_H
#define LAB_OBJECTS_CONTEXTS_CONTEXT_LIFETIME_H

#include "context.h"

/* The primary context of a device, made on first use. Borrowed: it lives as long as the process. */
lab_status context_primary(struct context **out, int device, const char *call);

/* The same, or NULL if it has not been made yet. The device must exist. */
struct context *context_existing_primary(int device);

/* Makes a context with its null stream. context_end ends it, once it has no members and no handle, and is not in the
 * list of all contexts. */
lab_status context_make(struct context **out, int device, bool is_primary);
void context_end(struct context *ended);

/* Waits for the context's work, failed or not, then ends all that belongs to it except its null stream. */
void context_end_members(struct context *context);

/* Ends all that belongs to a primary context. The context itself stays. */
lab_status context_reset(struct context *context);

#endif
