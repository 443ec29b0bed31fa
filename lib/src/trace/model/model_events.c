/* Events of the simulation, as a binary heap by time, and which calls hold their caller. */
#include "model_simulation.h"

#include <math.h>
#include <stdlib.h>

int64_t lab_model_nanoseconds(double time)
{
    const double most = 1e12;
    return (int64_t)ceil(time < most ? time : most);
}

/* --- Events: a binary heap -------------------------------------------------------------------------------------- */

static bool sooner(const event *a, const event *b)
{
    return a->when != b->when ? a->when < b->when : a->number < b->number;
}

void lab_model_push(simulation *sim, int64_t when, event_kind kind, size_t subject, unsigned version)
{
    if (sim->events == sim->heap_capacity) {
        size_t larger = 2 * sim->heap_capacity + 64;
        event *grown = reallocarray(sim->heap, larger, sizeof *grown);
        if (!grown) {
            sim->failed = true;
            return;
        }
        sim->heap = grown;
        sim->heap_capacity = larger;
    }
    event new = {when, sim->event_number++, kind, subject, version};
    size_t at = sim->events++;
    for (; at > 0 && sooner(&new, &sim->heap[(at - 1) / 2]); at = (at - 1) / 2) sim->heap[at] = sim->heap[(at - 1) / 2];
    sim->heap[at] = new;
}

event lab_model_pop(simulation *sim)
{
    event top = sim->heap[0], last = sim->heap[--sim->events];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < sim->events; at = child) {
        if (child + 1 < sim->events && sooner(&sim->heap[child + 1], &sim->heap[child])) child++;
        if (!sooner(&sim->heap[child], &last)) break;
        sim->heap[at] = sim->heap[child];
    }
    if (sim->events > 0) sim->heap[at] = last;
    return top;
}

/* A copy of pageable memory holds its caller, except a small one to the device, which the host buffers. */
bool lab_model_is_held(const simulation *sim, size_t op)
{
    const lab_trace_op *each = &sim->trace->op[op];
    if (sim->change.pinned || each->host_memory != LAB_HOST_PAGEABLE) return false;
    return each->kind == LAB_OP_COPY_DTOH ||
           (each->kind == LAB_OP_COPY_HTOD && (double)each->bytes * sim->scale > sim->profile->staging_bytes);
}

bool lab_model_waits(const simulation *sim, size_t op)
{
    return lab_model_is_held(sim, op) || (sim->trace->op[op].host_waits && !sim->change.no_wait);
}
