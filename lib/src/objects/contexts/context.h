/* The object behind a lab_context handle, and the objects that belong to a context. */
#ifndef LAB_OBJECTS_CONTEXTS_CONTEXT_H
#define LAB_OBJECTS_CONTEXTS_CONTEXT_H

#include "base/retire.h"
#include "runtime.h"

#include <pthread.h>

struct stream;

/* Makes an object a member of a context: the object ends with the context. */
typedef struct context_member context_member;
struct context_member {
    context_member *next, *previous; /* NULL if it is not in a context */
    /* Ends the object with its context: takes its handle out of use and retires it, unless another thread has taken the
     * handle and ends the object itself. The context's work is done. */
    void (*end)(context_member *member);
};

/* How many things rooms above may attach to a context: the default memory pools. */
enum { CONTEXT_ATTACHMENTS = 2 };

/* Memory and work belong to a context. Each device has a primary context, made on first use. */
struct context {
    retired retired;
    uint64_t number; /* for messages; never reused */
    int device;
    bool primary;
    lab_device_info info;
    backend_context *native;
    lab_context *handle;
    lab_stream *null_stream;
    _Atomic(void *) attachment[CONTEXT_ATTACHMENTS]; /* NULL before the first use; each is also a member */
    struct context *next;                            /* in the list of all */

    atomic_int retained;         /* of a primary context: how often the program has retained it */
    atomic_bool used_by_threads; /* of a primary context: a thread without a pushed context has used it */

    pthread_rwlock_t use; /* held for reading by calls in the context, for writing by its end */

    pthread_mutex_t lock; /* guards what follows */
    context_member members;
    uint64_t *peer; /* numbers of the contexts whose memory its kernels may use */
    int peers, peers_capacity;
};

/* Writes the name of the context in messages, as "context 2 on device 0". Returns `out`. */
const char *context_describe(char *out, size_t bytes, const struct context *context);
enum { CONTEXT_NAME_BYTES = 64 };

/* The context behind a handle. Fails, naming the call, if the handle is NULL or its context was destroyed. */
lab_status context_resolve(struct context **out, const lab_context *handle, const char *call);

/* The same, and holds the context: until the hold is released, no other thread ends what belongs to it. The caller
 * declares the pointer with CONTEXT_HELD, as NULL, so that its scope releases the hold. It has found no other object
 * before, unless it is inside anyway (retire.h). */
lab_status context_hold(struct context **out, const lab_context *handle, const char *call);

/* Holds a context that the caller has found by other means. Whatever makes a member of a context holds it. */
lab_status context_hold_found(struct context **out, struct context *found, const char *call);

/* False if the context behind the handle has ended. `found` was found by it. */
bool context_try_hold(struct context **out, struct context *found, const lab_context *handle);
void context_release(struct context **held);
#define CONTEXT_HELD __attribute__((cleanup(context_release)))

/* Adds an object to a context that the caller holds, before the object can be found; removes it if it is still in. */
void context_add(struct context *context, context_member *member, void (*end)(context_member *member));
void context_remove(struct context *context, context_member *member);

/* Whether kernels of the context may use the memory of another. */
bool context_may_use(struct context *context, const struct context *memory_owner);

/* Adds a context to the list of all contexts, and removes it. */
void context_list_add(struct context *made);
void context_list_remove(const struct context *ended);

/* A context that the program made; NULL if there is none. */
lab_context *context_list_made(void);

/* Removes and returns the member added last; NULL if there is none. */
context_member *context_take_member(struct context *context);

/* Tells a room above, which keeps things for streams and contexts, that they end. */
typedef struct lifetime_listener {
    /* The stream is about to be destroyed. */
    void (*stream_ends)(struct stream *ending);
    /* The context's work is done. All its streams except the null stream have ended. */
    void (*context_ends)(struct context *ending);
} lifetime_listener;

/* Sets the only listener, before it keeps anything. */
void context_set_listener(const lifetime_listener *listener);

void context_tell_stream_end(struct stream *ending);
void context_tell_end(struct context *ending);

#endif
