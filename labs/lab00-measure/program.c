/* The program around the student's functions: work to measure, and a clock whose readings are marked in the record. */
#include "lab00.h"
#include "shared.h"
#include "worker.h"

#include <string.h>
#include <time.h>

#include "lab_trace.h"

/* A launch without a line counts as the student's call: check_failures makes task->enqueue fail too. */
#undef lab_launch

enum { COUNT = 4096 };

static lab_array *array;
static lab_function kernel;
static lab_stream *stream;
static lab00_arguments given;
static int readings, calls;
static double ahead; /* how far the clock is put forward, in milliseconds */

/* The record knows when the marks were made, and so the time of the reading between them. */
double lab00_clock(void)
{
    struct timespec now;
    if (readings < LAB00_LEADS) ahead += given.lead[readings++];
    lab_trace_mark(LAB00_CLOCK_MARK);
    clock_gettime(CLOCK_MONOTONIC, &now);
    lab_trace_mark(LAB00_READ_MARK);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6 + ahead;
}

static lab_status launch(int how_many_steps)
{
    return lab_launch(kernel, LAB_DIM(COUNT / 128), LAB_DIM(128), 0, stream,
                      LAB_ARGS(array, (int)COUNT, how_many_steps));
}

static lab_status enqueue(void *user)
{
    (void)user;
    return launch(given.steps * (1 + given.more[calls++ % LAB00_LENGTHS]));
}

static lab_status load(lab_function *out, const char *name)
{
    static lab_module *module;
    if (!module) LAB_TRY(lab_module_load_file(&module, "kernels.cu"));
    return lab_module_get_function(out, module, name);
}

static lab_status first_kernel(void *memory, const void *arguments, void *result)
{
    (void)result;
    const int *count = arguments;
    lab_function label;
    lab_array *numbers;
    LAB_TRY(load(&label, "label"));
    LAB_TRY(lab_array_full(&numbers, LAB_INT32, LAB_SHAPE((size_t)*count), LAB_ARG((int)LAB00_UNWRITTEN)));
    lab_status status = lab00_first_kernel(label, numbers, *count);
    if (status == LAB_SUCCESS) status = lab_array_get(numbers, ((lab00_memory *)memory)->numbers);
    LAB_TRY(lab_array_destroy(numbers));
    return status;
}

/* Makes everything ready, and leaves earlier work on the stream. */
static lab_status prepare(lab00_task *task, const lab00_arguments *arguments)
{
    given = *arguments;
    readings = calls = 0;
    if (!array) {
        LAB_TRY(load(&kernel, "work"));
        LAB_TRY(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
        LAB_TRY(lab_array_full(&array, LAB_FLOAT32, LAB_SHAPE(COUNT), LAB_ARG(0.3f)));
        LAB_TRY(lab_device_synchronize());
    }
    *task = (lab00_task){enqueue, NULL, stream};
    return launch(given.steps * 4);
}

static lab_status wrong_time(void *memory, const void *arguments, void *result)
{
    (void)memory;
    lab00_task task;
    LAB_TRY(prepare(&task, arguments));
    LAB_TRY(lab00_wrong_time(&((lab00_time *)result)->milliseconds, &task));
    return lab_stream_synchronize(stream);
}

static lab_status host_time(void *memory, const void *arguments, void *result)
{
    (void)memory;
    lab00_task task;
    LAB_TRY(prepare(&task, arguments));
    LAB_TRY(lab00_host_time(&((lab00_time *)result)->milliseconds, &task));
    return lab_stream_synchronize(stream);
}

static lab_status device_time(void *memory, const void *arguments, void *result)
{
    (void)memory;
    lab00_task task;
    float milliseconds = 0;
    LAB_TRY(prepare(&task, arguments));
    LAB_TRY(lab00_device_time(&milliseconds, &task));
    worker_runtime_returned("lab00_device_time");
    ((lab00_time *)result)->milliseconds = milliseconds;
    return lab_stream_synchronize(stream);
}

static void copy_numbers(double out[5], const lab00_numbers *numbers)
{
    const double values[] = {numbers->median, numbers->mean, numbers->deviation, numbers->least, numbers->most};
    memcpy(out, values, sizeof values);
}

static lab_status benchmark(void *memory, const void *arguments, void *result)
{
    (void)memory;
    lab00_task task;
    lab00_result found = {0};
    LAB_TRY(prepare(&task, arguments));
    LAB_TRY(lab00_benchmark(&found, &task, given.warm_up, given.repeats));
    worker_runtime_returned("lab00_benchmark");
    copy_numbers(((lab00_said *)result)->host, &found.host);
    copy_numbers(((lab00_said *)result)->device, &found.device);
    return lab_stream_synchronize(stream);
}

const worker_entry worker_entries[] = {
    {"lab00_first_kernel", first_kernel}, {"lab00_wrong_time", wrong_time}, {"lab00_host_time", host_time},
    {"lab00_device_time", device_time},   {"lab00_benchmark", benchmark},   {0},
};
