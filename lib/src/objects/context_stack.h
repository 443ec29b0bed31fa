/* Which context is current for the calling thread. */
#ifndef LAB_OBJECTS_CONTEXT_STACK_H
#define LAB_OBJECTS_CONTEXT_STACK_H

#include "context.h"

/* The calling thread's current context; a primary one is made on its first use. Borrowed. */
lab_status context_current(struct context **out);

/* Pushes a context, which fails if the stack is full; pops the context if it is on top. */
lab_status context_stack_push(lab_context *handle, const char *call);
void context_stack_leave(const lab_context *handle);

#endif
