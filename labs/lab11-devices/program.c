/* The program around the student's functions: devices with their streams and kernels, arrays with the check's numbers,
 * and a current device. */
#include "lab11.h"
#include "lab_trace.h"
#include "shared.h"
#include "worker.h"

enum { UNWRITTEN = -7 };

static lab11_work work;
static lab_array *array[LAB11_ARRAYS];

/* Each device loads the kernels for itself, once for all calls. */
static lab_status load(lab11_device *device, int number)
{
    static lab_module *module[LAB11_DEVICES];
    static const char *const mark[] = LAB11_MARKS;
    if (!module[number]) LAB_TRY(lab_module_load_file(&module[number], "kernels.cu"));
    LAB_TRY(lab_module_get_function(&device->advance, module[number], "advance"));
    LAB_TRY(lab_module_get_function(&device->mix, module[number], "mix"));
    return worker_runtime_stream(&device->stream, mark[number]);
}

/* What lab11_make and lab11_advance must do, for the tasks that build on them. The names in brackets are the functions
 * themselves and no macros: their calls have the line in the student's file. */
WORKER_SOLVES(1) static lab_status make_rightly(lab_array **out, int device, int count)
{
    LAB_WITH_DEVICE(device) LAB_TRY((lab_array_empty)(out, LAB_FLOAT32, LAB_SHAPE((size_t)count)));
    return LAB_SUCCESS;
}

WORKER_SOLVES(1) static lab_status advance_rightly(const lab11_work *of, lab_array *to, lab_array *from)
{
    const lab11_device *device = &of->device[lab_array_device(to)];
    const int count = (int)lab_array_count(to);
    return (lab_launch)(device->advance, LAB11_GRID(count), LAB11_BLOCK, 0, device->stream,
                        LAB_ARGS(to, from, count, of->steps));
}

/* What work->advance is in task 1, which it would do for the student. */
static lab_status advance_nothing(const lab11_work *of, lab_array *to, lab_array *from)
{
    (void)of, (void)to, (void)from;
    lab_trace_mark(LAB11_ASKED);
    return LAB_SUCCESS;
}

static lab_status prepare(void *memory, const lab11_arguments *given)
{
    LAB_TRY(worker_pin(memory));
    work = (lab11_work){
        .devices = given->devices, .steps = given->steps, .make = make_rightly, .advance = advance_rightly};
    for (int d = 0; d < work.devices; d++) LAB_WITH_DEVICE(d) LAB_TRY(load(&work.device[d], d));
    if (given->broken) work.device[work.devices - 1].advance = work.device[work.devices - 1].mix = (lab_function){0};
    return LAB_SUCCESS;
}

/* An array on the device with the check's numbers, or with none. */
static lab_status make(lab_array **out, int device, const lab11_arguments *given, const float *numbers)
{
    LAB_WITH_DEVICE(device)
    {
        LAB_TRY(lab_array_full(out, LAB_FLOAT32, LAB_SHAPE((size_t)given->count), LAB_ARG((float)UNWRITTEN)));
        if (numbers) LAB_TRY(lab_array_set(*out, numbers));
        LAB_TRY(lab_device_synchronize());
    }
    return LAB_SUCCESS;
}

static lab_status synchronize_all(void)
{
    for (int d = 0; d < work.devices; d++) LAB_WITH_DEVICE(d) LAB_TRY(lab_device_synchronize());
    return LAB_SUCCESS;
}

/* Copies the first arrays to the check and destroys them. */
static lab_status finish(lab11_memory *shared, int arrays)
{
    LAB_TRY(synchronize_all());
    for (int i = 0; i < arrays; i++) {
        LAB_WITH_DEVICE(lab_array_device(array[i])) LAB_TRY(lab_array_get(array[i], shared->out[i]));
        LAB_TRY(lab_array_destroy(array[i]));
    }
    return LAB_SUCCESS;
}

/* Calls the student's function between the marks, with the check's choice of a current device. Where it shall fail, its
 * status is another check's question. */
#define CALL(status, given, call)                                                                                      \
    lab_status status = LAB_SUCCESS;                                                                                   \
    LAB_WITH_DEVICE((given)->current) { status = WORKER_CALL(call); }                                                  \
    if ((given)->fails) return synchronize_all();                                                                      \
    if (status != LAB_SUCCESS) return status

#define ENTRY(name)                                                                                                    \
    static lab_status run_##name(lab11_memory *shared, const lab11_arguments *given, int *result);                     \
    static lab_status name(void *memory, const void *arguments, void *result)                                          \
    {                                                                                                                  \
        LAB_TRY(prepare(memory, arguments));                                                                           \
        return run_##name(memory, arguments, result);                                                                  \
    }                                                                                                                  \
    static lab_status run_##name(lab11_memory *shared, const lab11_arguments *given, int *result)

/* The result is the type of the array's elements, or 0 without an array. */
ENTRY(make_one)
{
    array[0] = NULL;
    CALL(status, given, lab11_make(&array[0], given->to, given->count));
    if (!array[0]) return LAB_SUCCESS;
    *result = lab_array_dtype(array[0]);
    LAB_TRY(lab_array_set(array[0], shared->in[0]));
    return finish(shared, 1);
}

ENTRY(advance)
{
    (void)result;
    LAB_TRY(make(&array[0], given->to, given, shared->in[0]));
    LAB_TRY(make(&array[1], given->to, given, NULL));
    work.advance = advance_nothing;
    CALL(status, given, lab11_advance(&work, array[1], array[0]));
    return finish(shared, 2);
}

ENTRY(split)
{
    (void)result;
    work.count = given->count;
    worker_lend(shared->in[0], (size_t)given->count * sizeof(float));
    worker_lend(shared->out[0], (size_t)given->count * sizeof(float));
    CALL(status, given, lab11_split(&work, shared->out[0], shared->in[0]));
    worker_take_back();
    return finish(shared, 0);
}

/* to = mix(from, from), without the student's help. */
static lab_status launch(lab_array *to, lab_array *from)
{
    const lab11_device *device = &work.device[lab_array_device(to)];
    const int count = (int)lab_array_count(to);
    return lab_launch(device->mix, LAB11_GRID(count), LAB11_BLOCK, 0, device->stream, LAB_ARGS(to, from, from, count));
}

/* Before the call device `from` writes what is moved, and `to` still reads what the copy overwrites. After the call the
 * first overwrites what was moved, and the second reads it. In a call that shall fail, `to` is too small. */
ENTRY(move)
{
    enum { SOURCE, OTHER, MOVED, TARGET, OLD, NEW, ARRAYS };
    (void)result;
    for (int i = 0; i < ARRAYS; i++) {
        lab11_arguments of = *given;
        if (i == TARGET && given->broken) of.count /= 2;
        LAB_TRY(make(&array[i], i <= MOVED ? given->from : given->to, &of,
                     i == SOURCE || i == OTHER || i == TARGET ? shared->in[i] : NULL));
    }
    if (!given->broken) {
        LAB_TRY(launch(array[MOVED], array[SOURCE]));
        LAB_TRY(launch(array[OLD], array[TARGET]));
    }
    CALL(status, given, lab11_move(&work, array[TARGET], array[MOVED]));
    LAB_TRY(launch(array[MOVED], array[OTHER]));
    LAB_TRY(launch(array[NEW], array[TARGET]));
    return finish(shared, ARRAYS);
}

ENTRY(ring)
{
    lab_array **of[] = {work.x, work.u, work.left};
    (void)result;
    work.rounds = given->rounds;
    for (int i = 0; i < 3; i++)
        for (int d = 0; d < work.devices; d++) {
            lab_array **made = &array[i * work.devices + d];
            LAB_TRY(make(made, d, given, i == 0 ? shared->in[d] : NULL));
            of[i][d] = *made;
        }
    CALL(status, given, lab11_ring(&work));
    return finish(shared, 3 * work.devices);
}

const worker_entry worker_entries[] = {{"lab11_make", make_one}, {"lab11_advance", advance}, {"lab11_split", split},
                                       {"lab11_move", move},     {"lab11_ring", ring},       {0}};
