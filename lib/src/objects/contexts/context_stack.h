/* The current context of the calling thread. */
#ifndef LAB_OBJECTS_CONTEXTS_CONTEXT_STACK_H
#define LAB_OBJECTS_CONTEXTS_CONTEXT_STACK_H

#include "context.h"

/* The calling thread's current context. A primary context is made on first use. Borrowed. */
lab_status context_current(struct context **out);

/* The same, held as by context_hold. */
lab_status context_hold_current(struct context **out);

/* The same, without making a primary context; NULL if there is none. The runtime is open. */
struct context *context_find_current(void);

/* Whether the calling thread has pushed no context, so that a primary context is its current one. */
bool context_stack_is_empty(void);

/* Pushes a context; fails if the stack is full. context_stack_leave pops the context if it is on top. */
lab_status context_stack_push(lab_context *handle, const char *call);
void context_stack_leave(const lab_context *handle);

#endif
