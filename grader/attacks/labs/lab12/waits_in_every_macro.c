/* Tries to leave the programs as they are, and lets the given macros wait for the device. Gains the programs with at
 * most ten changed lines. */
#undef LAB12_LAUNCH
#define LAB12_LAUNCH(work, kernel, stream, ...)                                                                        \
    (lab_device_synchronize(), lab_launch((work)->kernel, LAB_DIM((unsigned)((work)->count + 127) / 128),              \
                                          LAB_DIM(128), 0, (stream), LAB_ARGS(__VA_ARGS__, (work)->count)))
lab_status lab12_pipeline(const lab12_work *work)
{
    for (int k = 0; k < LAB12_ROWS; k++) {
        LAB_TRY(LAB12_ADVANCE(work, work->u[k], work->x[k], work->one));
        LAB_TRY(LAB12_MIX(work, work->v[k], work->u[k], work->x[k], work->two));
    }
    return LAB_SUCCESS;
}
