/* Contexts above the seam: the object behind a lab_context handle, what belongs to one, and the calling thread's own. */
#ifndef LAB_OBJECTS_CONTEXT_H
#define LAB_OBJECTS_CONTEXT_H

#include "runtime.h"

#include <pthread.h>

/* What every object of a context begins its membership with: the context's end is the object's too. */
struct stream;

typedef struct context_member context_member;
struct context_member {
    context_member *next, *previous; /* NULL if it is in no context */
    /* Ends the object because its context ends: takes its handle out of use and frees it. The work is done. */
    void (*end)(context_member *member);
};

/* What rooms above keep for a context, by a number of theirs: the default memory pools. */
enum { CONTEXT_ATTACHMENTS = 2 };

/* Memory and work belong to a context; each device has a primary one, made on first use. */
struct context {
    uint64_t number; /* for messages; never used again */
    int device;
    bool primary;
    lab_device_info info;
    backend_context *native;
    lab_context *handle;
    lab_stream *null_stream;
    _Atomic(void *) attachment[CONTEXT_ATTACHMENTS]; /* NULL before the first use; each ends as a member */
    struct context *next;                            /* in the list of all */

    atomic_int retained;         /* of a primary context: how often the program holds it */
    atomic_bool used_by_threads; /* of a primary context: a thread that pushed none has used it */

    pthread_mutex_t lock; /* of what follows */
    context_member members;
    uint64_t *peer; /* numbers of the contexts whose memory its kernels may use */
    int peers, peers_capacity;
};

/* "context 2 on device 0": what messages call it. Returns `out`. */
const char *context_describe(char *out, size_t bytes, const struct context *context);
enum { CONTEXT_WORDS = 64 };

/* The context behind a handle, or an error that names the call. NULL is refused. */
lab_status context_resolve(struct context **out, const lab_context *handle, const char *call);

/* Adds an object to the context, and takes it out again if it is still in. */
void context_add(struct context *context, context_member *member, void (*end)(context_member *member));
void context_remove(struct context *context, context_member *member);

/* Whether kernels of the context may use the memory of another. */
bool context_may_use(struct context *context, const struct context *memory_owner);

/* The list of all contexts: adds one, takes one out. */
void context_list_add(struct context *made);
void context_list_remove(const struct context *ended);

/* Takes out and returns the youngest member; NULL if there is none. */
context_member *context_take_member(struct context *context);

/* A room above that keeps things for streams and contexts hears of their end. */
typedef struct lifetime_listener {
    /* The stream is about to be destroyed. */
    void (*stream_ends)(struct stream *ending);
    /* The context's work is done, and its streams have ended but for the null stream. */
    void (*context_ends)(struct context *ending);
} lifetime_listener;

/* Sets the one listener there is. Called before it keeps anything. */
void context_set_listener(const lifetime_listener *listener);

void context_tell_stream_end(struct stream *ending);
void context_tell_end(struct context *ending);

#endif
