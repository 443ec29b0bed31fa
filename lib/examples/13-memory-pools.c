/*
 * Memory pools: a pool keeps freed memory and hands it out again without asking the device.
 *
 * 400 bytes become 512, the pool's unit. A destroyed array's memory goes from used to free, not to the device; freeing
 * all blocks returns it. The host side of a fast copy is pinned memory, which has a pool too, for programs that ask for
 * it.
 */
#include "lab.h"

#include <stdio.h>

static void print_pools(const char *when)
{
    printf("%-22s used %3zu, total %3zu; free pinned blocks %zu\n", when, lab_mempool_used_bytes(NULL),
           lab_mempool_total_bytes(NULL), lab_pinned_mempool_n_free_blocks(NULL)); /* NULL: the default pools */
}

int main(void)
{
    float pageable[100];
    void *pinned;
    lab_array *array;
    printf("%zu bytes on the host, which no pool knows\n", sizeof pageable);
    print_pools("at the beginning:");

    LAB_CHECK(lab_pinned_mempool_alloc(&pinned, NULL, sizeof pageable));
    for (int i = 0; i < 100; i++) ((float *)pinned)[i] = (float)i;
    LAB_CHECK(lab_array_from_host_async(&array, LAB_FLOAT32, LAB_SHAPE(100), pinned, NULL));
    LAB_CHECK(
        lab_pinned_mempool_free(NULL, pinned)); /* without waiting: the block is not reused before the copy is done */
    print_pools("an array of 400 bytes:");

    LAB_CHECK(lab_array_destroy(array));
    print_pools("destroyed:");

    LAB_CHECK(lab_mempool_free_all_blocks(NULL));
    LAB_CHECK(lab_pinned_mempool_free_all_blocks(NULL));
    print_pools("all blocks released:");
    return 0;
}
