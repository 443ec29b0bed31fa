/* The cost of one operation alone, by a profile; independent of this machine. */
#include "model.h"

static double nanoseconds(double us) { return us * 1e3; }

static double larger(double a, double b) { return a > b ? a : b; }

static double threads_of(const lab_trace_op *op)
{
    double threads = (double)op->grid.x * op->grid.y * op->grid.z * op->block.x * op->block.y * op->block.z;
    return threads > 0 ? threads : 1;
}

/* The bytes behind a kernel's pointers. */
static double bytes_used(const lab_trace_op *op)
{
    double bytes = 0;
    for (int i = 0; i < op->accesses; i++) bytes += (double)op->access[i].bytes;
    return bytes;
}

/* The time of a listed kernel is proportional to the work of each thread; for an unlisted one only the memory traffic
 * is known. Neither is faster than the memory. */
static model_cost cost_of_kernel(const lab_trace_op *op, const lab_profile *profile, double scale)
{
    const profile_kernel *measured = lab_profile_kernel(profile, op->name);
    const double most = profile->multiprocessors * profile->threads_per_multiprocessor;
    double threads = threads_of(op);
    double bytes = bytes_used(op) * scale;
    double at_once = threads < most ? threads : most;
    double memory = bytes / profile->memory_rate;
    model_cost cost = {.bytes = bytes, .share = at_once / most};
    if (measured) {
        double work = bytes / at_once / (measured->bytes / measured->threads);
        cost.cached = larger(measured->cached_us * work, memory);
        cost.uncached = larger(measured->memory_us * work, memory);
    } else {
        cost.cached = cost.uncached = larger(bytes / (at_once * profile->thread_rate), memory);
    }
    cost.cached = nanoseconds(cost.cached + profile->kernel_start);
    cost.uncached = nanoseconds(cost.uncached + profile->kernel_start);
    return cost;
}

/* The fixed start-up time of a copy counts as additional bytes. */
static model_cost cost_of_copy(double bytes, double rate, double pageable_rate, const lab_profile *profile,
                               bool pageable)
{
    if (pageable && pageable_rate < rate) rate = pageable_rate;
    return (model_cost){.bytes = bytes + profile->copy_start * rate, .rate = rate / 1e3};
}

model_cost lab_model_cost(const lab_trace_op *op, const lab_profile *profile, double scale, bool pinned)
{
    bool pageable = op->host_memory == LAB_HOST_PAGEABLE && !pinned;
    double bytes = (double)op->bytes * scale;
    double moved = bytes;
    switch (op->kind) {
    case LAB_OP_COPY_HTOD:
        return cost_of_copy(bytes, profile->htod_rate, profile->pageable_htod_rate, profile, pageable);
    case LAB_OP_COPY_DTOH:
        return cost_of_copy(bytes, profile->dtoh_rate, profile->pageable_dtoh_rate, profile, pageable);
    case LAB_OP_KERNEL: return cost_of_kernel(op, profile, scale);
    case LAB_OP_COPY_DTOD: moved = 2 * bytes; break; /* read and written */
    case LAB_OP_FILL: break;
    case LAB_OP_HOST_FUNCTION: return (model_cost){.cached = nanoseconds(profile->host_function)};
    default: moved = 0; break; /* a graph's nodes are not in the record */
    }
    double time = nanoseconds(moved / profile->memory_rate + profile->kernel_start);
    return (model_cost){.bytes = moved, .cached = time, .uncached = time};
}

double lab_model_call_cost(const lab_trace_op *op, const lab_profile *profile)
{
    switch (op->kind) {
    case LAB_OP_KERNEL: return nanoseconds(profile->launch_call);
    case LAB_OP_COPY_HTOD:
    case LAB_OP_COPY_DTOH:
    case LAB_OP_COPY_DTOD:
    case LAB_OP_FILL: return nanoseconds(profile->copy_call);
    case LAB_OP_EVENT_RECORD:
    case LAB_OP_EVENT_WAIT: return nanoseconds(profile->event_call);
    case LAB_OP_GRAPH_LAUNCH: return nanoseconds(profile->graph_call);
    case LAB_OP_MARK: return 0;
    default: return nanoseconds(profile->other_call);
    }
}
