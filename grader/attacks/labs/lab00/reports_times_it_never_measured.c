/* Tries to report times that were not measured: the clock is read and nothing is timed, or numbers are made up that are
 * likely. Gains the tasks whose times the check does not compare with its own. */
lab_status lab00_wrong_time(double *milliseconds, const lab00_task *task)
{
    const double start = lab00_clock(), end = lab00_clock();
    *milliseconds = end - start;
    return LAB_SUCCESS;
}

lab_status lab00_host_time(double *milliseconds, const lab00_task *task)
{
    lab00_clock();
    *milliseconds = 1.25;
    lab00_clock();
    return lab_stream_synchronize(task->stream);
}

lab_status lab00_device_time(float *milliseconds, const lab00_task *task)
{
    *milliseconds = 1.25f;
    return lab_stream_synchronize(task->stream);
}

lab_status lab00_benchmark(lab00_result *result, const lab00_task *task, int warm_up, int repeats)
{
    const lab00_numbers numbers = {1.25, 1.3, 0.1, 1.1, 1.9};
    *result = (lab00_result){numbers, numbers};
    return lab_stream_synchronize(task->stream);
}
