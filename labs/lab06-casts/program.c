/* The program around the student's functions. */
#include "lab06.h"
#include "lab_trace.h"
#include "shared.h"
#include "worker.h"

#include <string.h>

static lab_status measure(void *memory, const void *arguments, void *result)
{
    const lab06_arguments *given = arguments;
    lab06_memory *shared = memory;
    (void)result;
    worker_lend(shared->input, given->count * sizeof(float));
    worker_lend(shared->output, given->count * lab_dtype_size((lab_dtype)given->type));
    return WORKER_CALL(lab06_measure(shared->output, (lab_dtype)given->type, shared->input, given->count));
}

/* Runs the student's body on the device. */
WORKER_SOLVES(1) static lab_status numpy(void *memory, const void *arguments, void *result)
{
    const lab06_arguments *given = arguments;
    lab06_memory *shared = memory;
    lab_elementwise *kernel;
    lab_array *x, *y;
    char output[32] = "";
    (void)result;
    strncat(output, lab_dtype_name((lab_dtype)given->type), sizeof output - 3);
    strcat(output, " y");
    const char *body = lab06_numpy_body((lab_dtype)given->type);
    LAB_TRY(lab_elementwise_create(&kernel, "float32 x", output, body ? body : "", "numpy"));
    LAB_TRY(lab_array_from_host(&x, LAB_FLOAT32, LAB_SHAPE(given->count), shared->input));
    LAB_TRY(lab_array_empty(&y, (lab_dtype)given->type, LAB_SHAPE(given->count)));
    LAB_TRY(lab_elementwise_launch(kernel, NULL, LAB_ARGS(x, y)));
    LAB_TRY(lab_array_get(y, shared->output));
    LAB_TRY(lab_array_destroy(x));
    LAB_TRY(lab_array_destroy(y));
    return lab_elementwise_destroy(kernel);
}

static lab_status as_device(void *memory, const void *arguments, void *result)
{
    const lab06_arguments *given = arguments;
    lab06_memory *shared = memory;
    (void)result;
    worker_lend(shared->input, given->count * sizeof(float));
    worker_lend(shared->output, given->count * lab_dtype_size((lab_dtype)given->type));
    return lab06_as_device(shared->output, (lab_dtype)given->type, shared->input, given->count);
}

static lab_status normalize(void *memory, const void *arguments, void *result)
{
    const lab06_arguments *given = arguments;
    lab06_memory *shared = memory;
    lab06_work work = {.count = (int)given->count};
    (void)result;
    LAB_TRY(worker_runtime_kernel(&work.divide, "divide"));
    LAB_TRY(worker_runtime_stream(&work.stream, "stream"));
    LAB_TRY(lab_array_from_host(&work.x, LAB_FLOAT32, LAB_SHAPE(given->count), shared->input));
    LAB_TRY(lab_array_empty(&work.total, LAB_FLOAT32, LAB_SHAPE(1)));
    LAB_TRY(lab_device_synchronize());
    worker_lend(&shared->sum, sizeof shared->sum);
    LAB_TRY(worker_settle(WORKER_CALL(lab06_normalize(&shared->sum, &work))));
    LAB_TRY(lab_array_get(work.x, shared->output));
    LAB_TRY(lab_array_destroy(work.x));
    return lab_array_destroy(work.total);
}

const worker_entry worker_entries[] = {
    {"lab06_measure", measure},
    {"lab06_numpy_body", numpy},
    {"lab06_as_device", as_device},
    {"lab06_normalize", normalize},
    {0},
};
