/* Tries to take the pages of pinned memory away from the device process, again and again, while it copies from and to
 * them. Gains a device process that ends by a bus error. */
#include "parts/wire.h"

static volatile bool over;

static void *punch(void *user)
{
    w_range window[8];
    const int found = w_maps("memfd:lab pinned", window, 8);
    while (!over)
        for (int i = 0; i < found; i++) {
            mprotect((void *)window[i].begin, window[i].end - window[i].begin, PROT_READ | PROT_WRITE);
            madvise((void *)window[i].begin, window[i].end - window[i].begin, MADV_REMOVE);
        }
    return user;
}

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    pthread_t thread;
    void *pinned;
    lab_array *array;
    LAB_TRY(lab_host_alloc(&pinned, 1 << 20));
    LAB_TRY(lab_array_empty(&array, LAB_UINT8, LAB_SHAPE(1 << 20)));
    if (pthread_create(&thread, NULL, punch, NULL)) return LAB_ERROR_UNKNOWN;
    for (int i = 0; i < 200; i++) {
        lab_array_set_async(array, pinned, NULL);
        lab_array_get_async(array, pinned, NULL);
    }
    lab_device_synchronize();
    over = true;
    pthread_join(thread, NULL);
    return LAB_SUCCESS;
}
