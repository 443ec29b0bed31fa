/* The current context of each host thread: its stack of contexts, and the devices that it selects by number. */
#include "context_stack.h"

#include "base/handle.h"
#include "base/status.h"
#include "context_lifetime.h"

enum { MOST_PUSHED = 64 };

/* A level of the stack: a context or, if that is NULL, the primary context of a device. */
typedef struct stack_level {
    lab_context *context;
    int device;
} stack_level;

/* The first level always exists. It is the primary context of device 0, or of the device that the thread selected. */
static _Thread_local stack_level stack[MOST_PUSHED + 1];
static _Thread_local int pushed;

/* The context of a level. A primary context is made on first use. */
static lab_status context_at(struct context **out, const stack_level *level)
{
    if (!level->context) {
        LAB_TRY(context_primary(out, level->device, "this thread's current device"));
        if (!atomic_load_explicit(&(*out)->used_by_threads, memory_order_relaxed))
            atomic_store(&(*out)->used_by_threads, true);
        return LAB_SUCCESS;
    }
    LAB_TRY(runtime_open());
    *out = handle_get(HANDLE_CONTEXT, (uintptr_t)level->context);
    if (*out) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_CONTEXT_IS_DESTROYED,
                    "this thread's current context was destroyed; pop it (lab_context_pop) or "
                    "make another one current (lab_context_set, lab_device_use)");
}

lab_status context_current(struct context **out) { return context_at(out, &stack[pushed]); }

lab_status context_hold_current(struct context **out)
{
    struct context *found;
    *out = NULL;
    LAB_TRY(context_current(&found));
    const lab_context *handle = stack[pushed].context ? stack[pushed].context : found->handle;
    return context_try_hold(out, found, handle) ? LAB_SUCCESS : context_current(&found);
}

struct context *context_find_current(void)
{
    const stack_level *level = &stack[pushed];
    if (level->context) return handle_get(HANDLE_CONTEXT, (uintptr_t)level->context);
    return level->device < runtime_devices() ? context_existing_primary(level->device) : NULL;
}

bool context_stack_is_empty(void) { return pushed == 0; }

lab_status context_stack_push(lab_context *handle, const char *call)
{
    if (pushed == MOST_PUSHED)
        return lab_fail(LAB_ERROR_NOT_PERMITTED,
                        "%s: this thread has pushed %d contexts, the most there can be; pop some", call, MOST_PUSHED);
    stack[++pushed] = (stack_level){.context = handle};
    return LAB_SUCCESS;
}

void context_stack_leave(const lab_context *handle)
{
    if (pushed > 0 && stack[pushed].context == handle) pushed--;
}

lab_status lab_context_push(lab_context *handle)
{
    RETIRE_SCOPE;
    struct context *found;
    if (!handle) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_context_push: the context is NULL");
    LAB_TRY(context_resolve(&found, handle, "lab_context_push"));
    return context_stack_push(handle, "lab_context_push");
}

lab_status lab_context_pop(lab_context **out)
{
    RETIRE_SCOPE;
    if (out) *out = NULL;
    LAB_TRY(runtime_open());
    if (pushed == 0)
        return lab_fail(
            LAB_ERROR_INVALID_CONTEXT,
            "lab_context_pop: this thread has no context to pop; lab_context_create and lab_context_push push one");
    stack_level popped = stack[pushed];
    if (out && popped.context) *out = popped.context;
    if (out && !popped.context) {
        struct context *found;
        LAB_TRY(context_at(&found, &popped));
        *out = found->handle;
    }
    pushed--;
    return LAB_SUCCESS;
}

lab_status lab_context_set(lab_context *handle)
{
    RETIRE_SCOPE;
    LAB_TRY(runtime_open());
    if (!handle) {
        if (pushed > 0) pushed--;
        return LAB_SUCCESS;
    }
    struct context *found;
    LAB_TRY(context_resolve(&found, handle, "lab_context_set"));
    if (pushed == 0) return context_stack_push(handle, "lab_context_set");
    stack[pushed] = (stack_level){.context = handle};
    return LAB_SUCCESS;
}

lab_context *lab_context_current(void)
{
    RETIRE_SCOPE;
    struct context *found;
    return context_current(&found) == LAB_SUCCESS ? found->handle : NULL;
}

lab_status lab_device_current(int *device)
{
    RETIRE_SCOPE;
    if (!device) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_device_current: device is NULL");
    const stack_level *level = &stack[pushed];
    if (!level->context) {
        LAB_TRY(runtime_check_device(level->device, "lab_device_current"));
        *device = level->device;
        return LAB_SUCCESS;
    }
    struct context *found;
    LAB_TRY(context_at(&found, level));
    *device = found->device;
    return LAB_SUCCESS;
}

lab_status lab_device_use(int device)
{
    LAB_TRY(runtime_check_device(device, "lab_device_use"));
    stack[pushed] = (stack_level){.device = device};
    return LAB_SUCCESS;
}

lab_device_scope lab_device_scope_enter(int device)
{
    lab_device_scope scope = {
        .context = stack[pushed].context, .device = stack[pushed].device, .pushed = pushed, .entered = true};
    stack[pushed] = (stack_level){.device = device}; /* if the device does not exist, the calls inside fail */
    return scope;
}

void lab_device_scope_leave(lab_device_scope *scope)
{
    pushed = scope->pushed;
    stack[pushed] = (stack_level){scope->context, scope->device};
}
