/* Which contexts there are, and which one is current to the driver on a thread. */
#include "cuda_device_state.h"

_Thread_local uint64_t cuda_entered;

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static backend_context *all;

lab_status cuda_make_current(const backend_context *context)
{
    CUDA_TRY(cuCtxSetCurrent, context->native);
    cuda_entered = context->serial;
    return LAB_SUCCESS;
}

void cuda_contexts_each(void (*visit)(backend_context *context, void *user), void *user)
{
    pthread_mutex_lock(&list_lock);
    for (backend_context *each = all; each; each = each->next) visit(each, user);
    pthread_mutex_unlock(&list_lock);
}

void cuda_contexts_add(backend_context *made)
{
    pthread_mutex_lock(&list_lock);
    made->next = all;
    all = made;
    pthread_mutex_unlock(&list_lock);
}

void cuda_contexts_remove(const backend_context *ended)
{
    pthread_mutex_lock(&list_lock);
    backend_context **link = &all;
    while (*link && *link != ended) link = &(*link)->next;
    if (*link) *link = ended->next;
    pthread_mutex_unlock(&list_lock);
}
