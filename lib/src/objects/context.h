/* Contexts above the seam: the object behind a lab_context handle, what belongs to one, and the calling thread's own. */
#ifndef LAB_OBJECTS_CONTEXT_H
#define LAB_OBJECTS_CONTEXT_H

#include "seam/backend.h"

#include <pthread.h>

/* What every object of a context begins its membership with: the context's end is the object's too. */
typedef struct context_member context_member;
struct context_member {
    context_member *next, *previous; /* NULL if it is in no context */
    /* Ends the object because its context ends: takes its handle out of use and frees it. The work is done. */
    void (*end)(context_member *member);
};

struct pool;
struct pinned_pool;

/* Memory and work belong to a context; each device has a primary one, made on first use. */
struct context {
    uint64_t number; /* for messages; never used again */
    int device;
    bool primary;
    lab_device_info info;
    backend_context *native;
    lab_context *handle;
    lab_stream *null_stream;
    _Atomic(struct pool *) pool; /* the default memory pools, NULL before their first use */
    _Atomic(struct pinned_pool *) pinned_pool;
    struct context *next; /* in the list of all */

    int retained;                /* of a primary context, by the program; under the list's lock */
    atomic_bool used_by_threads; /* of a primary context: a thread that pushed none has used it */

    pthread_mutex_t lock; /* of what follows */
    context_member members;
    uint64_t *peer; /* numbers of the contexts whose memory its kernels may use */
    int peers, peers_capacity;
};

/* "context 2 on device 0": what messages call it. Returns `into`. */
const char *context_describe(char *into, size_t bytes, const struct context *of);
enum { CONTEXT_WORDS = 64 };

/* The context behind a handle, or an error that names the call. NULL is refused. */
lab_status context_resolve(struct context **out, const lab_context *handle, const char *call);

/* Adds an object to the context, and takes it out again if it is still in. */
void context_add(struct context *to, context_member *member, void (*end)(context_member *member));
void context_remove(struct context *from, context_member *member);

/* Whether kernels of the context may use the memory of another. */
bool context_may_use(struct context *of, const struct context *memory_of);

/* Waits for the work of all contexts of the process; called when its record ends. */
void context_synchronize_all(void);

/* The calling thread's stack: pushing, which fails if the stack is full, and popping the context if it is on top. */
lab_status context_stack_push(lab_context *handle, const char *call);
void context_stack_leave(const lab_context *handle);

#endif
