/*
 * A gate holds a stream with a host function that waits until the test opens the gate, so that a test can keep work
 * pending without sleeping. One gate at a time: host functions of all streams may share one thread.
 */
#ifndef LAB_TESTS_GATE_H
#define LAB_TESTS_GATE_H

#include "lab.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct gate {
    pthread_mutex_t lock;
    pthread_cond_t opened;
    bool open;
} gate;
#define GATE_CLOSED                                                                                                    \
    {                                                                                                                  \
        PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false                                                     \
    }

static void gate_wait(void *user)
{
    gate *closed = user;
    pthread_mutex_lock(&closed->lock);
    while (!closed->open) pthread_cond_wait(&closed->opened, &closed->lock);
    pthread_mutex_unlock(&closed->lock);
}

/* Holds the stream: work enqueued on it from now on does not run before gate_open. */
static inline void gate_close_stream(gate *closed, lab_stream *stream)
{
    LAB_CHECK(lab_stream_launch_host_func(stream, gate_wait, closed));
}

static inline void gate_open(gate *closed)
{
    pthread_mutex_lock(&closed->lock);
    closed->open = true;
    pthread_cond_broadcast(&closed->opened);
    pthread_mutex_unlock(&closed->lock);
}

#endif
