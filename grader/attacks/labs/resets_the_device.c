/* Tries to free everything that the check relies on: it resets the device, releases and destroys the primary context,
 * and empties all pools. Gains a record that ends early, or a fault of the grader. */
static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    lab_context *primary = lab_context_current();
    lab_device_reset(0);
    for (int i = 0; i < 100; i++) lab_context_primary_release(0);
    lab_context_destroy(primary);
    lab_mempool_destroy(lab_mempool_default());
    lab_pinned_mempool_destroy(lab_pinned_mempool_default());
    lab_stream_destroy(lab_stream_null());
    lab_cache_clear();
    return LAB_SUCCESS;
}
