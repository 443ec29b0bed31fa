/* Tries to do the chores in a thread without end, while the calling thread waits, which it must not.
 * Gains task 3: chores are done, and the host stands still. */
#include <pthread.h>

static volatile int over;

static void *work(void *user)
{
    lab02_chore *chore = user;
    while (!over) chore->call(chore->user);
    return NULL;
}

lab_status lab02_wait_usefully(lab_stream *stream, lab02_chore chore)
{
    pthread_t thread;
    over = 0;
    pthread_create(&thread, NULL, work, &chore);
    const lab_status status = lab_stream_synchronize(stream);
    over = 1;
    pthread_join(thread, NULL);
    return status;
}
