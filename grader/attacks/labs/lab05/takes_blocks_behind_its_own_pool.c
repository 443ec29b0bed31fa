/* Tries to serve the loop of arrays from the library's pool behind the back of its own, whose list stays as it was.
 * Gains the speed of task 6 without a pool. */
lab_status lab05_alloc(lab_deviceptr *out, size_t bytes, lab_stream *stream, void *user)
{
    return lab_mempool_alloc(out, lab_mempool_default(), bytes, stream);
}

lab_status lab05_free(lab_deviceptr memory, size_t bytes, lab_stream *stream, void *user)
{
    return lab_mempool_free(lab_mempool_default(), memory, stream);
}
