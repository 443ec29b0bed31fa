/* A launch is an operation of the compute queue, with the arguments in its payload. */
#include "cpu_launch.h"

#include "cpu/apart/apart.h"
#include "cpu/engine/engine.h"
#include "cpu/engine/engine_lock.h"
#include "cpu/engine/process_failure.h"
#include "cpu/engine/schedule_setting.h"
#include "cpu/engine/serial_requests.h"
#include "cpu/engine/standstill.h"
#include "cpu/kernel/grid.h"
#include "cpu/kernel/kernel_run.h"
#include "cpu/checks/memcheck.h"
#include "cpu/checks/touched.h"
#include "cpu_device.h"
#include "cpu_graph.h"
#include "cpu_stream.h"
#include "seam/ledger.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The pointers to the arguments come first, then the values, each with the alignment that suits every type. */
typedef struct launch_work {
    const cpu_kernel *kernel;
    uint64_t function; /* as in backend_launch */
    bool (*is_loaded)(uint64_t function);
    bool cooperative;
    call_site launched; /* the program's call */
    size_t memcheck;    /* where a cpu_memcheck lies, in bytes from here, if the kernel is built for checking */
    cpu_launch launch;
    const void **arguments;
    unsigned char values[];
} launch_work;

static size_t padded(size_t bytes)
{
    return (bytes + _Alignof(max_align_t) - 1) / _Alignof(max_align_t) * _Alignof(max_align_t);
}

/* The blocks of a launch; the seed stays the caller's. */
static kernel_blocks select_blocks(const launch_work *work, uint64_t first, uint64_t count, const uint64_t *seed)
{
    return (kernel_blocks){.kernel = work->kernel,
                           .args = work->arguments,
                           .launch = &work->launch,
                           .first = first,
                           .count = count,
                           .shuffle_seed = cpu_schedule_shuffles_threads() ? seed : NULL};
}

static uint64_t blocks_of(const unsigned grid[3]) { return (uint64_t)grid[0] * grid[1] * grid[2]; }

/* A cooperative launch is one block to the engine. */
static kernel_blocks blocks_to_run(const cpu_op *op, uint64_t first, uint64_t count, const uint64_t *seed)
{
    const launch_work *work = (const void *)op->payload;
    if (!work->cooperative) return select_blocks(work, first, count, seed);
    kernel_blocks all = select_blocks(work, 0, blocks_of(work->launch.grid), seed);
    all.together = true;
    return all;
}

/* A member of a group counts from the launch of the group. */
static void run_blocks(cpu_op *op, uint64_t first, uint64_t count)
{
    launch_work *work = cpu_op_payload(op);
    const uint64_t seed = cpu_schedule_seed();
    const kernel_blocks blocks = blocks_to_run(op, first, count, &seed);
    cpu_memcheck *memcheck = work->memcheck ? (void *)((unsigned char *)work + work->memcheck) : NULL;
    const uint64_t ledger_count = cpu_op_ledger_count(op);
    kernel_error error;
    bool done;
    if (blocks.kernel->apart)
        done = apart_run_blocks(&error, &blocks, op->divided ? op->division : NULL, memcheck, ledger_count);
    else if (memcheck)
        done = cpu_memcheck_run(&error, memcheck, &blocks, ledger_count);
    else
        done = cpu_kernel_run(&error, &blocks);
    if (done) return;
    char launched[LEDGER_PLACE_WORDS];
    ledger_write_place(launched, sizeof launched, work->launched);
    if (*launched && !memcheck) kernel_error_say(&error, "; the launch is%s", launched); /* else it has said so */
    cpu_process_fail(error.status, error.message);
}

/* Blocks that the threads of the process of kernels divide: a message for each part would cost more than 10%. */
static bool begin_division(cpu_op *op, int threads) { return (op->division = apart_claim_begin(op->blocks, threads)); }

static uint64_t count_begun(const cpu_op *op)
{
    const apart_claim *claim = op->division;
    const uint64_t next = atomic_load(&claim->next);
    return next < op->blocks ? next : op->blocks;
}

static void pause_division(cpu_op *op, bool wanted)
{
    apart_claim *claim = op->division;
    atomic_store(&claim->pause, wanted);
}

static void end_division(cpu_op *op) { apart_claim_end(op->division); }

static const cpu_divider division = {begin_division, count_begun, pause_division, end_division};

static void copy_arguments(launch_work *work, const backend_launch *launch)
{
    const backend_kernel *kernel = launch->kernel;
    work->arguments = (const void **)(void *)work->values;
    unsigned char *value = (unsigned char *)work + padded(sizeof *work + (size_t)kernel->params * sizeof(void *));
    for (int i = 0; i < kernel->params; i++) {
        memcpy(value, launch->arguments[i], kernel->param[i].size);
        work->arguments[i] = value;
        value += padded(kernel->param[i].size);
    }
}

/* Numbers that are addresses of device memory, alone or in a struct, are taken for pointers. */
static void note_numbers(cpu_op *op, const backend_launch *launch, const unsigned char *value, size_t bytes)
{
    uint64_t number;
    for (size_t offset = 0; offset + sizeof number <= bytes; offset += sizeof number) {
        memcpy(&number, value + offset, sizeof number);
        const size_t reach = launch->find_reach(number);
        if (reach > 0) cpu_op_touches(op, (cpu_touch){number, number + reach - 1, .writes = true, .guessed = true});
    }
}

/* Tells a schedule which memory the kernel is given. */
static void note_memory(cpu_op *op, const backend_launch *launch)
{
    for (int i = 0; op->entry && i < launch->kernel->params; i++) {
        const backend_param *param = &launch->kernel->param[i];
        uint64_t first;
        if (param->kind != LAB_ARG_POINTER) {
            note_numbers(op, launch, launch->arguments[i], param->size);
        } else if (launch->reach[i] > 0) {
            memcpy(&first, launch->arguments[i], sizeof first);
            cpu_op_touches(op, (cpu_touch){first, first + launch->reach[i] - 1, .writes = !param->pointer_to_const});
        }
    }
}

static size_t launch_bytes(const backend_kernel *kernel)
{
    size_t bytes = padded(sizeof(launch_work) + (size_t)kernel->params * sizeof(void *));
    for (int i = 0; i < kernel->params; i++) bytes += padded(kernel->param[i].size);
    return bytes;
}

static void describe_launch(cpu_captured *captured, const cpu_op *op)
{
    const launch_work *work = (const void *)op->payload;
    const cpu_launch *launch = &work->launch;
    captured->node = (lab_graph_node){.kind = LAB_NODE_KERNEL,
                                      .name = work->kernel->name,
                                      .grid = {launch->grid[0], launch->grid[1], launch->grid[2]},
                                      .block = {launch->block[0], launch->block[1], launch->block[2]}};
    captured->function = work->function;
}

/* cpu_op.stands */
static void tell_of_standstill(const cpu_op *op, uint64_t begun, uint64_t latest)
{
    const launch_work *work = (const void *)op->payload;
    unsigned block[3];
    kernel_block_index(block, latest, &work->launch);
    fprintf(stderr,
            "kernel '%s' stands still: for %d seconds none of its blocks has begun, and %llu of %llu have not. One of "
            "the last to begin was block [%u,%u,%u]. A block that waits for one that has not begun may wait for ever: "
            "CUDA begins blocks in any order. Give each block its number when it begins, with atomicAdd on a counter, "
            "or launch with lab_launch_cooperative\n",
            work->kernel->name, STANDSTILL_SECONDS, (unsigned long long)(op->blocks - begun),
            (unsigned long long)op->blocks, block[0], block[1], block[2]);
}

/* Whether the device can run all blocks at the same time. */
static lab_status check_cooperative(const backend_context *context, const backend_launch *launch)
{
    enum { MOST_BLOCKS = 32, MOST_THREADS = 2048 }; /* of a multiprocessor, as on an H200 */
    lab_device_info info;
    const cpu_kernel *native = launch->kernel->native;
    if (native->apart && !apart_runs_cooperative())
        return lab_fail(LAB_ERROR_NOT_SUPPORTED, "kernel '%s': the program said that it launches none cooperatively",
                        launch->kernel->name);
    LAB_TRY(cpu_device_info(&info, context->device));
    const uint64_t threads = (uint64_t)launch->block.x * launch->block.y * launch->block.z;
    const uint64_t each = MOST_THREADS / threads < MOST_BLOCKS ? MOST_THREADS / threads : MOST_BLOCKS;
    const uint64_t all = each * (uint64_t)info.multiprocessors, most = all < GRID_MOST_BLOCKS ? all : GRID_MOST_BLOCKS;
    const uint64_t blocks = (uint64_t)launch->grid.x * launch->grid.y * launch->grid.z;
    if (blocks <= most) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
                    "kernel '%s': %llu blocks of %llu threads, of which the device runs %llu at the same time",
                    launch->kernel->name, (unsigned long long)blocks, (unsigned long long)threads,
                    (unsigned long long)most);
}

lab_status cpu_launch_create(cpu_op **out, backend_context *context, const backend_launch *launch)
{
    const cpu_kernel *native = launch->kernel->native;
    const size_t bytes = launch_bytes(launch->kernel);
    if (launch->cooperative) LAB_TRY(check_cooperative(context, launch));
    cpu_op *op = cpu_op_create(CPU_QUEUE_COMPUTE, native->variables ? bytes + sizeof(cpu_memcheck) : bytes);
    if (!op) return LAB_ERROR_OUT_OF_MEMORY;
    launch_work *work = cpu_op_payload(op);
    work->kernel = native;
    work->function = launch->function;
    work->is_loaded = launch->is_loaded;
    work->launched = call_site_now();
    work->launch = (cpu_launch){.grid = {launch->grid.x, launch->grid.y, launch->grid.z},
                                .block = {launch->block.x, launch->block.y, launch->block.z}};
    copy_arguments(work, launch);
    op->run = run_blocks;
    op->divider = native->apart && !launch->cooperative ? &division : NULL;
    work->memcheck = native->variables ? bytes : 0;
    if (native->variables) {
        *(cpu_memcheck *)(void *)((unsigned char *)work + bytes) =
            (cpu_memcheck){.context = context, .dynamic_shared = launch->shared_bytes, .launched = work->launched};
        op->ledger_count = ledger_now();
    }
    op->cancelled = &cpu_process_failure;
    op->describe = describe_launch;
    op->stands = tell_of_standstill;
    work->cooperative = launch->cooperative;
    op->blocks = launch->cooperative ? 1 : blocks_of(work->launch.grid);
    note_memory(op, launch);
    *out = op;
    return LAB_SUCCESS;
}

bool cpu_launch_is_cooperative(const cpu_op *op)
{
    return ((const launch_work *)(const void *)op->payload)->cooperative;
}

lab_status cpu_launch_check_loaded(const cpu_op *op)
{
    const launch_work *work = (const void *)op->payload;
    if (op->run != run_blocks || work->is_loaded(work->function)) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_INVALID_HANDLE, "another thread unloads the kernel's module during the call");
}

static lab_status enqueue(backend_stream *stream, cpu_op *op)
{
    cpu_engine_lock();
    lab_status status = cpu_launch_check_loaded(op);
    if (status == LAB_SUCCESS)
        status = cpu_stream_append(stream, op);
    else
        cpu_op_release(op);
    cpu_engine_unlock();
    cpu_serial_note_enqueued();
    return status;
}

/* Fills in what a launch that is done has touched. Nothing is known if memory ran out, or with too many ranges. */
static void list_touched(backend_touched *out, const touched *noted)
{
    enum { MOST_RANGES = 4096 };
    touched_range *range;
    if (!touched_list(&range, &out->ranges, noted, MOST_RANGES)) return;
    out->range = calloc(out->ranges + 1, sizeof *out->range);
    for (size_t i = 0; out->range && i < out->ranges; i++) {
        out->range[i].address = range[i].start;
        out->range[i].bytes = range[i].end - range[i].start;
        out->range[i].writes = range[i].writes;
    }
    free(range);
    out->known = out->range;
}

/* Runs the launch to its end and notes what it touches. If a host function is still to be called, which may wait for
 * the program, the caller does not wait: then nothing is known. */
static lab_status enqueue_and_measure(backend_touched *out, backend_stream *stream, cpu_op *op)
{
    launch_work *work = cpu_op_payload(op);
    cpu_engine_lock();
    const bool may_wait = !cpu_engine_has_host_work();
    cpu_engine_unlock();
    touched *noted = may_wait && work->memcheck && !work->kernel->apart ? touched_create() : NULL;
    if (!noted) return enqueue(stream, op);
    cpu_memcheck *memcheck = (void *)((unsigned char *)work + work->memcheck);
    memcheck->touched = noted;
    cpu_op_retain(op);
    lab_status status = enqueue(stream, op);
    if (status == LAB_SUCCESS) {
        cpu_op_wait(op, true);
        list_touched(out, noted);
    }
    cpu_op_drop(op);
    touched_free(noted);
    return status;
}

lab_status cpu_launch_kernel(backend_stream *stream, const backend_launch *launch, backend_times *times)
{
    cpu_op *op;
    LAB_TRY(cpu_launch_create(&op, stream->context, launch));
    op->times = times;
    return launch->touched ? enqueue_and_measure(launch->touched, stream, op) : enqueue(stream, op);
}
