/* Tries to make all calls of the device process wait for its own allocator, which another thread is in and never leaves.
 * Gains a record that the check cannot take, and a verdict that blames the grader. */
#include <pthread.h>
#include <unistd.h>

static lab_status give(lab_deviceptr *memory, size_t bytes, lab_stream *stream, void *user)
{
    while (pause()) continue;
    return LAB_SUCCESS;
}
static lab_status take(lab_deviceptr memory, size_t bytes, lab_stream *stream, void *user)
{
    while (pause()) continue;
    return LAB_SUCCESS;
}

static void *wait_in_allocator(void *user)
{
    const lab_allocator own = {give, take, NULL};
    lab_mempool *pool;
    lab_deviceptr memory;
    lab_mempool_create(&pool, &own);
    lab_mempool_alloc(&memory, pool, 100, NULL);
    return user;
}

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, wait_in_allocator, NULL)) return LAB_ERROR_UNKNOWN;
    pthread_detach(thread);
    usleep(50000);
    return LAB_SUCCESS;
}
