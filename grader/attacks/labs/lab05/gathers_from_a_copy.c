/* Tries to lend a copy of the block instead of the block: the table is changed to it, and the block is free at once.
 * Gains task 5 without telling the pool of the other stream. */
lab_status lab05_lend(const lab05_loan *loan)
{
    const size_t bytes = (size_t)loan->count * sizeof(float);
    lab_deviceptr copy;
    LAB_TRY(lab_mem_alloc(&copy, bytes));
    LAB_TRY(lab_memcpy_dtod_async(copy, loan->block, bytes, loan->owner));
    LAB_TRY(lab_stream_synchronize(loan->owner));
    LAB_TRY(lab_array_set(loan->table, &copy));
    LAB_TRY(lab_launch(loan->gather, LAB05_GRID(loan->count), LAB05_BLOCK, 0, loan->borrower,
                       LAB_ARGS(loan->to, loan->table, loan->count)));
    return lab_mempool_free(loan->pool, loan->block, loan->owner);
}
