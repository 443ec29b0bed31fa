/* The program around the student's functions: takes arrays and sizes from the shared memory, prepares the device, and
 * calls one function per call. */
#include "lab03.h"
#include "shared.h"
#include "worker.h"

#include <stdlib.h>

static lab03_work work;
static lab03_head *head;
static lab_module *module;

static lab_status prepare(void *memory, const void *arguments, void *result)
{
    (void)result;
    const lab03_size *size = arguments;
    size_t arrays = (size_t)size->arrays;
    head = memory;
    work = (lab03_work){
        .arrays = size->arrays,
        .length = size->length,
        .bytes = (size_t)size->length * sizeof(float),
        .input = calloc(arrays, sizeof(float *)),
        .output = calloc(arrays, sizeof(float *)),
        .device = calloc(arrays, sizeof(lab_array *)),
        .rate = head->rate,
        .steps = size->steps,
        .streams = size->streams,
        .stream = calloc((size_t)size->streams, sizeof(lab_stream *)),
        .start = calloc(arrays, sizeof(lab_event *)),
        .end = calloc(arrays, sizeof(lab_event *)),
    };
    if (!work.input || !work.output || !work.device || !work.stream || !work.start || !work.end)
        return LAB_ERROR_OUT_OF_MEMORY;
    for (int k = 0; k < size->arrays; k++) {
        work.input[k] = (float *)((unsigned char *)memory + lab03_input_offset(size, k));
        work.output[k] = (float *)((unsigned char *)memory + lab03_output_offset(size, k));
        LAB_TRY(lab_array_empty(&work.device[k], LAB_FLOAT32, LAB_SHAPE((size_t)size->length)));
    }
    LAB_TRY(lab_module_load_file(&module, "kernels.cu"));
    LAB_TRY(lab_module_get_function(&work.advance, module, "advance"));
    return LAB_SUCCESS;
}

static void lend_arrays(void)
{
    worker_lend(work.rate, (size_t)work.arrays * sizeof *work.rate);
    for (int k = 0; k < work.arrays; k++) {
        worker_lend(work.input[k], work.bytes);
        worker_lend(work.output[k], work.bytes);
    }
}

/* Pins all inputs and outputs, for checks of what does not depend on lab03_pin. */
WORKER_SOLVES(3) static lab_status pin_all(void *memory, const void *arguments, void *result)
{
    (void)memory, (void)arguments, (void)result;
    for (int k = 0; k < work.arrays; k++) {
        LAB_TRY(lab_host_register(work.input[k], work.bytes));
        LAB_TRY(lab_host_register(work.output[k], work.bytes));
    }
    return LAB_SUCCESS;
}

/* Undoes what is pinned, after a call of lab03_pin that failed somewhere. */
WORKER_SOLVES(3) static lab_status unpin_all(void *memory, const void *arguments, void *result)
{
    (void)memory, (void)arguments, (void)result;
    for (int k = 0; k < work.arrays; k++) {
        (void)lab_host_unregister(work.input[k]);
        (void)lab_host_unregister(work.output[k]);
    }
    return LAB_SUCCESS;
}

/* An entry that calls a function of the contract whose only argument is the work. */
#define ENTRY(name)                                                                                                    \
    static lab_status name(void *memory, const void *arguments, void *result)                                          \
    {                                                                                                                  \
        (void)memory, (void)arguments, (void)result;                                                                   \
        lend_arrays();                                                                                                 \
        return lab03_##name(&work);                                                                                    \
    }
ENTRY(serial)
ENTRY(open)
ENTRY(close)
ENTRY(depth_first)
ENTRY(breadth_first)
ENTRY(pin)
ENTRY(unpin)

static lab_status time_kernels(void *memory, const void *arguments, void *result)
{
    (void)memory, (void)arguments;
    lab03_times times = {.milliseconds = head->milliseconds};
    lend_arrays();
    worker_lend(head->milliseconds, (size_t)work.arrays * sizeof *head->milliseconds);
    LAB_TRY(lab03_time_kernels(&times, &work));
    *(lab03_statistics *)result = (lab03_statistics){times.mean, times.deviation};
    return LAB_SUCCESS;
}

const worker_entry worker_entries[] = {
    {"prepare", prepare},
    {"pin_all", pin_all},
    {"unpin_all", unpin_all},
    {"lab03_serial", serial},
    {"lab03_open", open},
    {"lab03_close", close},
    {"lab03_depth_first", depth_first},
    {"lab03_breadth_first", breadth_first},
    {"lab03_pin", pin},
    {"lab03_unpin", unpin},
    {"lab03_time_kernels", time_kernels},
    {0},
};
