/* Tries to report that there is no device, which would not be its own fault. */
static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    (void)honest, (void)arguments, (void)bytes, (void)out, (void)in, (void)count;
    return LAB_ERROR_NO_DEVICE;
}
