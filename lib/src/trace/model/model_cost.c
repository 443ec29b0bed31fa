/* The cost of one operation alone, by a profile; independent of this machine. */
#include "model.h"

#include <string.h>

static double nanoseconds(double us) { return us * 1e3; }

static double larger(double a, double b) { return a > b ? a : b; }

static double threads_of(const lab_trace_op *op)
{
    double threads = (double)op->grid.x * op->grid.y * op->grid.z * op->block.x * op->block.y * op->block.z;
    return threads > 0 ? threads : 1;
}

/* The bytes behind a kernel's pointers; those that it reads and those that it writes. */
typedef struct kernel_bytes {
    double used, read, written;
} kernel_bytes;

static kernel_bytes bytes_of(const lab_trace_op *op, double scale)
{
    kernel_bytes bytes = {0};
    for (int i = 0; i < op->accesses; i++) {
        const double each = (double)op->access[i].bytes * scale;
        bytes.used += each;
        if (op->access[i].reads) bytes.read += each;
        if (op->access[i].writes) bytes.written += each;
    }
    return bytes;
}

/* Whether a kernel of the library reduces more to each result than one block does. */
static bool has_parts(kernel_bytes bytes)
{
    const double of_one_block = 16384; /* times the result: SMALLEST_TILE of arrays/reduction.c */
    return bytes.written > 0 && bytes.read > of_one_block * bytes.written;
}

/* Adds what every operation of the multiprocessors takes: the time until it runs. */
static model_cost with_start(model_cost cost, const lab_profile *profile)
{
    cost.cached = nanoseconds(cost.cached + profile->kernel_start);
    cost.uncached = nanoseconds(cost.uncached + profile->kernel_start);
    return cost;
}

/* A kernel that is listed as computing takes what one thread takes, or longer if there are more threads than the
 * multiprocessors compute for at once; its memory does not matter. */
static model_cost cost_of_computing(const profile_kernel *measured, double full, const lab_profile *profile)
{
    model_cost cost = {.share = full < 1 ? full : 1, .computing = nanoseconds(measured->full_us * full)};
    cost.cached = cost.uncached = larger(measured->alone_us, measured->full_us * full);
    return with_start(cost, profile);
}

/* The time of any other listed kernel is proportional to the work of each thread; for an unlisted one only the memory
 * traffic is known. Neither is faster than the memory, or than the cache if that has the bytes. */
static model_cost cost_of_kernel(const lab_trace_op *op, const lab_profile *profile, double scale)
{
    const profile_kernel *measured = lab_profile_kernel(profile, op->name);
    const double most = profile->multiprocessors * profile->threads_per_multiprocessor;
    const double threads = threads_of(op);
    if (measured && measured->alone_us > 0) return cost_of_computing(measured, threads / most, profile);
    const bool library = !measured && (!op->module || *op->module == '\0'); /* it fits its launches to the device */
    const double at_once = threads < most && !library ? threads : most;
    const kernel_bytes bytes = bytes_of(op, scale);
    const double traffic = bytes.read / profile->read_rate + bytes.written / profile->write_rate;
    model_cost cost = {.bytes = bytes.used, .share = at_once / most, .traffic = nanoseconds(traffic)};
    const double work = measured ? bytes.used / at_once / (measured->bytes / measured->threads)
                                 : bytes.used / (at_once * profile->thread_rate);
    cost.cached =
        larger(measured ? measured->cached_us * work : work, (bytes.read + bytes.written) / profile->cache_rate);
    cost.uncached = larger(measured ? measured->memory_us * work : work, traffic);
    if (library && has_parts(bytes)) {
        cost.cached += profile->sum_join;
        cost.uncached += profile->sum_join;
    }
    return with_start(cost, profile);
}

/* The fixed start-up time of a copy counts as additional bytes. */
static model_cost cost_of_copy(double bytes, double rate, double pageable_rate, const lab_profile *profile,
                               bool pageable)
{
    if (pageable && pageable_rate < rate) rate = pageable_rate;
    const double start = profile->copy_start + (pageable ? profile->pageable_start : 0);
    return (model_cost){.bytes = bytes + start * rate, .rate = rate / 1e3};
}

/* A fill, or a copy on the device: `moved` counts the bytes read and those written. */
static model_cost cost_on_device(double moved, const lab_profile *profile)
{
    const double traffic = moved / profile->memory_rate;
    model_cost cost = {.bytes = moved, .traffic = nanoseconds(traffic), .uncached = traffic};
    cost.cached = moved / larger(profile->cache_rate, profile->memory_rate);
    return with_start(cost, profile);
}

/* A copy from one device to another. */
static model_cost cost_between(const lab_trace_op *op, double bytes, const lab_profile *profile)
{
    const double rate = op->peer_access ? profile->peer_access_rate : profile->peer_rate;
    const double time = nanoseconds(profile->copy_start + bytes / rate);
    return (model_cost){.cached = time, .uncached = time};
}

model_cost lab_model_cost(const lab_trace_op *op, const lab_profile *profile, double scale, bool pinned)
{
    bool pageable = op->host_memory == LAB_HOST_PAGEABLE && !pinned;
    double bytes = (double)op->bytes * scale;
    switch (op->kind) {
    case LAB_OP_COPY_HTOD:
        return cost_of_copy(bytes, profile->htod_rate, profile->pageable_htod_rate, profile, pageable);
    case LAB_OP_COPY_DTOH:
        return cost_of_copy(bytes, profile->dtoh_rate, profile->pageable_dtoh_rate, profile, pageable);
    case LAB_OP_KERNEL: return cost_of_kernel(op, profile, scale);
    case LAB_OP_COPY_DTOD: return op->peer ? cost_between(op, bytes, profile) : cost_on_device(2 * bytes, profile);
    case LAB_OP_FILL: return cost_on_device(bytes, profile);
    case LAB_OP_HOST_FUNCTION: {
        const double time = nanoseconds(profile->host_function);
        return (model_cost){.cached = time, .uncached = time};
    }
    default: return cost_on_device(0, profile); /* a graph's launch, to which model_graph.c adds its nodes */
    }
}

/* The record has a word for each. */
static int arguments_of(const lab_trace_op *op)
{
    int count = 0;
    for (const char *at = op->arguments; at && *at; at += strspn(at, " ")) {
        count++;
        at += strcspn(at, " ");
    }
    return count;
}

double lab_model_call_cost(const lab_trace_op *op, const lab_profile *profile)
{
    switch (op->kind) {
    case LAB_OP_KERNEL: return nanoseconds(profile->launch_call + arguments_of(op) * profile->launch_argument);
    case LAB_OP_COPY_HTOD:
    case LAB_OP_COPY_DTOH: return nanoseconds(profile->copy_call);
    case LAB_OP_COPY_DTOD:
    case LAB_OP_FILL: return nanoseconds(profile->fill_call);
    case LAB_OP_EVENT_RECORD:
    case LAB_OP_EVENT_WAIT: return nanoseconds(profile->event_call);
    case LAB_OP_GRAPH_LAUNCH: return nanoseconds(profile->graph_call);
    case LAB_OP_POOL_ALLOC:
    case LAB_OP_POOL_FREE: return nanoseconds(profile->pool_call);
    case LAB_OP_MARK:
    case LAB_OP_RANGE_PUSH:
    case LAB_OP_RANGE_POP: return 0;
    default: return nanoseconds(profile->other_call);
    }
}
