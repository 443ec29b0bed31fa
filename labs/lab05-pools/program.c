/* The program around the student's functions: pools, kernels, a stream that is held while another one could overwrite
 * its block, and scripts of calls for the student's own pool. */
#include "lab05.h"
#include "lab_trace.h"
#include "shared.h"
#include "worker.h"

#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

/* ---- tasks 1 to 3 ---------------------------------------------------------------------------------------------- */

/* The user of the look. */
static int token;

static void look(void *user, int step)
{
    char name[64];
    snprintf(name, sizeof name, LAB05_AFTER "%d", step);
    lab_trace_mark(user == &token ? name : LAB05_OTHER_USER);
}

static lab_status sequence(void *memory, const void *arguments, void *result)
{
    static lab_deviceptr hole, behind;
    lab_mempool *pool;
    (void)memory, (void)arguments, (void)result;
    if (!behind) { /* a fits into the hole, and b does not: their addresses differ */
        LAB_TRY(lab_mem_alloc(&hole, LAB05_UNIT));
        LAB_TRY(lab_mem_alloc(&behind, LAB05_UNIT));
        LAB_TRY(lab_mem_free(hole));
    }
    LAB_TRY(lab_mempool_create(&pool, NULL));
    look(&token, 0);
    LAB_TRY(lab05_sequence(pool, (lab05_look){look, &token}));
    return lab_mempool_used_bytes(pool) ? LAB_SUCCESS : lab_mempool_destroy(pool);
}

static lab_status smooth(void *memory, const void *arguments, void *result)
{
    const lab05_arguments *given = arguments;
    lab05_memory *shared = memory;
    lab_array *array;
    lab_function function;
    (void)result;
    LAB_TRY(worker_runtime_kernel(&function, "smooth"));
    LAB_TRY(lab_array_from_host(&array, LAB_FLOAT32, LAB_SHAPE((size_t)given->count), shared->input));
    worker_lend(shared->output, (size_t)given->count * sizeof(float));
    return WORKER_CALL(lab05_smooth(shared->output, array, given->count, given->steps, function));
}

static lab_status twice(void *memory, const void *arguments, void *result)
{
    const lab05_arguments *given = arguments;
    lab05_memory *shared = memory;
    lab_mempool *pool;
    lab_function function;
    LAB_TRY(worker_runtime_kernel(&function, "twice"));
    LAB_TRY(lab_mempool_create(&pool, NULL));
    LAB_TRY(lab_mempool_set_limit(pool, given->limit));
    worker_lend(shared->input, (size_t)given->count * sizeof(float));
    worker_lend(shared->output, (size_t)given->count * sizeof(float));
    LAB_TRY(WORKER_CALL(lab05_twice(shared->output, shared->input, given->count, pool, function)));
    *(size_t *)result = lab_mempool_get_limit(pool);
    return lab_mempool_used_bytes(pool) ? LAB_SUCCESS : lab_mempool_destroy(pool);
}

/* ---- task 4 ---------------------------------------------------------------------------------------------------- */

static lab_status upload(void *memory, const void *arguments, void *result)
{
    const lab05_arguments *given = arguments;
    lab05_memory *shared = memory;
    const size_t length = (size_t)given->count;
    const float *row[LAB05_ROWS];
    lab_array *rows[LAB05_ROWS];
    lab_pinned_mempool *pool;
    lab_stream *stream;
    (void)result;
    LAB_TRY(lab_pinned_mempool_create(&pool));
    LAB_TRY(worker_runtime_stream(&stream, "stream"));
    for (int k = 0; k < given->steps; k++) {
        row[k] = shared->row[k];
        worker_lend(row[k], length * sizeof(float));
        LAB_TRY(lab_array_empty(&rows[k], LAB_FLOAT32, LAB_SHAPE(length)));
    }
    LAB_TRY(worker_settle(WORKER_CALL(lab05_upload(rows, row, given->steps, length * sizeof(float), pool, stream))));
    for (int k = 0; k < given->steps; k++) {
        LAB_TRY(lab_array_get(rows[k], shared->arrived[k]));
        LAB_TRY(lab_array_destroy(rows[k]));
    }
    return lab_pinned_mempool_used_bytes(pool) ? LAB_SUCCESS : lab_pinned_mempool_destroy(pool);
}

/* ---- task 5 ---------------------------------------------------------------------------------------------------- */

/* Holds a stream until the gate opens, or for some seconds. */
static void wait_at_gate(void *user)
{
    enum { PATIENCE_MS = 3000 };
    const struct timespec millisecond = {.tv_nsec = 1000000};
    for (int waited = 0; waited < PATIENCE_MS && !atomic_load((atomic_bool *)user); waited++)
        nanosleep(&millisecond, NULL);
}

static lab_status open_loan(lab05_loan *loan, const float *input, int count)
{
    loan->count = count;
    LAB_TRY(worker_runtime_kernel(&loan->gather, "gather"));
    LAB_TRY(lab_mempool_create(&loan->pool, NULL));
    LAB_TRY(worker_runtime_stream(&loan->owner, "owner"));
    LAB_TRY(worker_runtime_stream(&loan->borrower, "borrower"));
    LAB_TRY(lab_mempool_alloc(&loan->block, loan->pool, (size_t)count * sizeof(float), loan->owner));
    LAB_TRY(lab_memcpy_htod(loan->block, input, (size_t)count * sizeof(float)));
    LAB_TRY(lab_array_empty(&loan->to, LAB_FLOAT32, LAB_SHAPE((size_t)count)));
    return lab_array_from_host(&loan->table, LAB_UINT64, LAB_SHAPE(1), &loan->block);
}

/* Holds the borrower while the block is lent and freed, and while the owner allocates it again and overwrites it. */
static lab_status lend(void *memory, const void *arguments, void *result)
{
    const lab05_arguments *given = arguments;
    lab05_memory *shared = memory;
    size_t bytes = (size_t)given->count * sizeof(float);
    static atomic_bool open;
    lab05_loan loan;
    lab_deviceptr again;
    (void)result;
    atomic_store(&open, false);
    LAB_TRY(open_loan(&loan, shared->input, given->count));
    LAB_TRY(lab_device_synchronize());
    LAB_TRY(lab_stream_launch_host_func(loan.borrower, wait_at_gate, &open));
    const lab_status status = WORKER_CALL(lab05_lend(&loan));
    if (status != LAB_SUCCESS) atomic_store(&open, true);
    LAB_TRY(status);
    LAB_TRY(lab_mempool_alloc(&again, loan.pool, bytes, loan.owner));
    LAB_TRY(lab_memset_async(again, 0, bytes, loan.owner));
    atomic_store(&open, true);
    LAB_TRY(lab_device_synchronize());
    LAB_TRY(lab_array_get(loan.to, shared->output));
    LAB_TRY(lab_mempool_free(loan.pool, again, loan.owner));
    LAB_TRY(lab_array_destroy(loan.to));
    LAB_TRY(lab_array_destroy(loan.table));
    return lab_mempool_used_bytes(loan.pool) ? LAB_SUCCESS : lab_mempool_destroy(loan.pool);
}

/* ---- task 6 ---------------------------------------------------------------------------------------------------- */

static lab_status run_script(void *memory, const void *arguments, void *result)
{
    const lab05_script *script = arguments;
    lab05_memory *shared = memory;
    static lab05_pool pool[LAB05_POOLS];
    (void)result;
    for (int p = 0; p < LAB05_POOLS; p++)
        pool[p] = (lab05_pool){.block = {{script->base[p], script->capacity, false}}, .blocks = 1};
    for (int i = 0; i < script->calls && i < LAB05_SCRIPT; i++) {
        lab05_call *call = &shared->call[i];
        lab_deviceptr address = 0;
        if (call->bytes) {
            call->status = (int)lab05_alloc(&address, call->bytes, NULL, &pool[call->pool]);
            call->address = call->status == (int)LAB_SUCCESS ? address : 0;
        } else {
            const lab05_call *given = call->frees >= 0 ? &shared->call[call->frees] : call;
            call->status = (int)lab05_free(given->address, given->bytes, NULL, &pool[call->pool]);
        }
        shared->after[i] = pool[call->pool];
    }
    return LAB_SUCCESS;
}

/* The loop of task 2 with every array from one allocator. */
WORKER_SOLVES(2)
static lab_status smooth_with(const lab_allocator *allocator, const lab05_arguments *given, lab05_memory *shared)
{
    const lab_shape shape = LAB_SHAPE((size_t)given->count);
    lab_array *array, *next;
    lab_function function;
    LAB_TRY(worker_runtime_kernel(&function, "smooth"));
    LAB_TRY(lab_set_allocator(allocator));
    LAB_TRY(lab_array_from_host(&array, LAB_FLOAT32, shape, shared->input));
    for (int step = 0; step < given->steps; step++) {
        LAB_TRY(lab_array_empty(&next, LAB_FLOAT32, shape));
        LAB_TRY(
            lab_launch(function, LAB05_GRID(given->count), LAB05_BLOCK, 0, NULL, LAB_ARGS(next, array, given->count)));
        LAB_TRY(lab_array_destroy(array));
        array = next;
    }
    LAB_TRY(lab_array_get(array, shared->output));
    LAB_TRY(lab_array_destroy(array));
    return lab_set_allocator(NULL);
}

/* The student's pool hands out a piece of device memory with room for four arrays. */
static lab_status smooth_with_own_pool(void *memory, const void *arguments, void *result)
{
    const lab05_arguments *given = arguments;
    const size_t bytes = 4 * ((size_t)given->count * sizeof(float) + LAB05_UNIT) / LAB05_UNIT * LAB05_UNIT;
    static lab05_pool pool;
    static lab_deviceptr piece;
    (void)result;
    if (!piece) LAB_TRY(lab_mem_alloc(&piece, bytes));
    pool = (lab05_pool){.block = {{piece, bytes, false}}, .blocks = 1};
    return WORKER_CALL(smooth_with(&(lab_allocator){lab05_alloc, lab05_free, &pool}, given, memory));
}

static lab_status smooth_without_pool(void *memory, const void *arguments, void *result)
{
    const lab_allocator device = lab_device_allocator();
    (void)result;
    return WORKER_CALL(smooth_with(&device, arguments, memory));
}

const worker_entry worker_entries[] = {
    {"lab05_sequence", sequence},
    {"lab05_smooth", smooth},
    {"lab05_twice", twice},
    {"lab05_upload", upload},
    {"lab05_lend", lend},
    {"lab05_alloc", run_script},
    {"a loop of arrays from your pool", smooth_with_own_pool},
    {"a loop of arrays without a pool", smooth_without_pool},
    {0},
};
