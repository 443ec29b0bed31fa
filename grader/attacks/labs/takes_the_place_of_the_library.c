/* Tries to define a function of the library, so that waiting takes no time. */
lab_status(lab_stream_synchronize)(lab_stream *stream)
{
    (void)stream;
    return LAB_SUCCESS;
}

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    (void)bytes, (void)out, (void)in, (void)count;
    return honest(arguments);
}
