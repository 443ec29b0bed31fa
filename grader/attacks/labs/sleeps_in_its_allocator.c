/* Tries to make all calls of the device process wait for its own allocator, which another thread is in and never leaves.
 * The harness does not see the thread. Gains a record that the check cannot take, and a verdict that blames the grader. */
#include <dlfcn.h>
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
    __typeof__(pthread_create) *unseen = (__typeof__(pthread_create) *)dlsym(RTLD_DEFAULT, "pthread_create");
    if (unseen(&thread, NULL, wait_in_allocator, NULL)) return LAB_ERROR_UNKNOWN;
    usleep(50000);
    return LAB_SUCCESS;
}
