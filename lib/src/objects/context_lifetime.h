/* The beginning and end of contexts, below what a program calls and below the threads' stacks of contexts. */
#ifndef LAB_OBJECTS_CONTEXT_LIFETIME_H
#define LAB_OBJECTS_CONTEXT_LIFETIME_H

#include "context.h"

/* The primary context of a device, made if need be. Borrowed: it lives as long as the process. */
lab_status context_primary(struct context **out, int device, const char *call);

/* The same, or NULL if it has not been made. The device exists. */
struct context *context_existing_primary(int device);

/* Makes a context with its null stream; in no list yet. context_free frees it, once nothing is left in it. */
lab_status context_make(struct context **out, int device, bool is_primary);
void context_free(struct context *ended);

/* Waits for the context's work, failed or not, then ends all that belongs to it but its null stream. */
void context_end_members(struct context *context);

/* Ends what belongs to a primary context, which itself goes on. */
lab_status context_reset(struct context *context);

#endif
