/* Tries to report at once that it is done, and do the whole work in a thread afterwards. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct deferred {
    attack_honest *honest;
    char arguments[];
} deferred;

static void *do_later(void *user)
{
    deferred *later = user;
    usleep(5000);
    later->honest(later->arguments);
    return NULL;
}

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    pthread_t thread;
    deferred *later = malloc(sizeof *later + bytes);
    (void)out, (void)in, (void)count;
    later->honest = honest;
    memcpy(later->arguments, arguments, bytes);
    return pthread_create(&thread, NULL, do_later, later) ? LAB_ERROR_UNKNOWN : LAB_SUCCESS;
}
