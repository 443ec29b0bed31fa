/*
 * A fresh pool after each of seven calls: its numbers and, in the record, its blocks.
 */
#include "slide.h"

static lab_mempool *pool;
static json_t *steps;

static void look(const char *call)
{
    json_array_append_new(
        steps, json_pack("{s:s, s:I, s:I, s:I}", "call", call, "used", (json_int_t)lab_mempool_used_bytes(pool), "free",
                         (json_int_t)lab_mempool_free_bytes(pool), "total", (json_int_t)lab_mempool_total_bytes(pool)));
    lab_trace_mark("look");
}

static void open_pool(void)
{
    LAB_CHECK(lab_mempool_create(&pool, NULL));
    json_decref(steps);
    steps = json_array();
}

static void run(void)
{
    lab_deviceptr first, small, large;
    LAB_CHECK(lab_mempool_alloc(&first, pool, 3000, lab_stream_null()));
    look("allocate 3000");
    LAB_CHECK(lab_mempool_free(pool, first, lab_stream_null()));
    look("free it");
    LAB_CHECK(lab_mempool_alloc(&small, pool, 700, lab_stream_null()));
    look("allocate 700");
    LAB_CHECK(lab_mempool_alloc(&large, pool, 2500, lab_stream_null()));
    look("allocate 2500");
    LAB_CHECK(lab_mempool_free_all_blocks(pool));
    look("free all blocks");
    LAB_CHECK(lab_mempool_free(pool, small, lab_stream_null()));
    look("free the 700");
    LAB_CHECK(lab_mempool_free_all_blocks(pool));
    look("free all blocks");
}

int main(int argc, char **argv)
{
    slide_open(argc, argv, 0);
    slide_record("pool", 1, (slide_run){open_pool, run});
    slide_save(json_pack("{s:o}", "steps", steps));
    return 0;
}
