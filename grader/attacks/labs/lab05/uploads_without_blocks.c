/* Tries to allocate and free pinned blocks for the record, and to copy the rows from ordinary memory.
 * Gains task 4: the rows arrive, and the pool was used. */
lab_status lab05_upload(lab_array *const *rows, const float *const *row, int count, size_t bytes,
                        lab_pinned_mempool *pool, lab_stream *stream)
{
    for (int k = 0; k < count; k++) {
        void *block;
        LAB_TRY(lab_pinned_mempool_alloc(&block, pool, bytes));
        LAB_TRY(lab_host_register((void *)row[k], bytes));
        LAB_TRY(lab_array_set_async(rows[k], row[k], stream));
        LAB_TRY(lab_pinned_mempool_free(pool, block));
    }
    LAB_TRY(lab_stream_synchronize(stream));
    for (int k = 0; k < count; k++) LAB_TRY(lab_host_unregister((void *)row[k]));
    return LAB_SUCCESS;
}
