/* Tries to do the same as forges_the_record.c and end the order checker's watch. Its own declarations
 * replace the header. */
lab_status lab_trace_begin(void);
lab_status lab_order_start(int mode);

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    (void)honest, (void)arguments, (void)bytes, (void)out, (void)in, (void)count;
    LAB_TRY(lab_order_start(0));
    return lab_trace_begin();
}
