/* Making and freeing operations and groups, and noting what they wait for. */
#include "operation.h"

#include "engine_lock.h"
#include "schedule_setting.h"

#include <stdlib.h>
#include <string.h>

cpu_op *cpu_op_create(cpu_queue queue, size_t payload_bytes)
{
    cpu_op *op = malloc(sizeof *op + payload_bytes);
    if (!op) {
        lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory to enqueue an operation");
        return NULL;
    }
    memset(op, 0, sizeof *op);
    op->queue = queue;
    op->payload_bytes = payload_bytes;
    op->blocks = 1;
    op->references = 1;
    op->unfinished = 1;
    if (!cpu_schedule_is_on()) return op;
    op->entry = calloc(1, sizeof *op->entry);
    if (op->entry) return op;
    free(op);
    lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory to enqueue an operation");
    return NULL;
}

void cpu_op_release(cpu_op *op)
{
    if (!op || --op->references > 0) return;
    if (op->queue == CPU_QUEUE_GROUP) cpu_group_release(op->group);
    if (op->discard) op->discard(op);
    cpu_op_release(op->model);
    free(op->dependent);
    free(op->entry);
    free(op);
}

void cpu_op_drop(cpu_op *op)
{
    cpu_engine_lock();
    cpu_op_release(op);
    cpu_engine_unlock();
}

void cpu_op_touches(cpu_op *op, cpu_touch touch)
{
    cpu_schedule_entry *entry = op->entry;
    if (entry && entry->touches < CPU_MOST_TOUCHES) entry->touch[entry->touches++] = touch;
}

lab_status cpu_op_depend(cpu_op *op, cpu_op *first)
{
    if (!first || first == op || cpu_op_done(first)) return LAB_SUCCESS;
    if (first->dependents == first->dependents_capacity) {
        int capacity = first->dependents_capacity ? 2 * first->dependents_capacity : 2;
        cpu_op **larger = realloc(first->dependent, (size_t)capacity * sizeof(cpu_op *));
        if (!larger) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory to order an operation after another");
        first->dependent = larger;
        first->dependents_capacity = capacity;
    }
    first->dependent[first->dependents++] = op;
    op->unfinished++;
    return LAB_SUCCESS;
}

/* ---- Groups ---- */

cpu_group *cpu_group_create(int members)
{
    cpu_group *made = calloc(1, sizeof *made + (size_t)members * sizeof made->member[0]);
    if (!made) lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for a graph of %d nodes", members);
    if (made) made->references = 1;
    return made;
}

/* A member like the model, not yet in its place. */
static cpu_op *create_member(cpu_group *group, cpu_op *model)
{
    cpu_op *made = cpu_op_create(model->queue, model->payload_bytes);
    if (!made) return NULL;
    memcpy(made->payload, model->payload, model->payload_bytes);
    made->run = model->run;
    made->blocks = model->blocks;
    made->bytes = model->bytes;
    made->device = model->device;
    made->rank = model->rank;
    made->cancelled = model->cancelled;
    made->divider = model->divider;
    made->model = cpu_op_retain(model);
    made->group = group;
    made->unfinished = 0;
    for (int i = 0; made->entry && i < model->entry->touches; i++) cpu_op_touches(made, model->entry->touch[i]);
    return made;
}

lab_status cpu_group_add(cpu_group *group, cpu_op *model)
{
    cpu_op *made = create_member(group, model);
    if (!made) return LAB_ERROR_OUT_OF_MEMORY;
    group->member[group->members++] = made;
    group->calls_host = group->calls_host || made->queue == CPU_QUEUE_HOST;
    return LAB_SUCCESS;
}

lab_status cpu_group_depend(cpu_group *group, int member, int first)
{
    LAB_TRY(cpu_op_depend(group->member[member], group->member[first]));
    group->member[member]->waits = group->member[member]->unfinished;
    return LAB_SUCCESS;
}

lab_status cpu_group_replace(cpu_group *group, int member, cpu_op *model, const int *before, int befores)
{
    cpu_op *made = create_member(group, model), *replaced = group->member[member];
    if (!made) return LAB_ERROR_OUT_OF_MEMORY;
    made->waits = made->unfinished = replaced->waits;
    made->dependent = replaced->dependent;
    made->dependents = replaced->dependents;
    made->dependents_capacity = replaced->dependents_capacity;
    replaced->dependent = NULL;
    for (int i = 0; i < befores; i++) {
        cpu_op *first = group->member[before[i]];
        for (int d = 0; d < first->dependents; d++)
            if (first->dependent[d] == replaced) first->dependent[d] = made;
    }
    group->member[member] = made;
    cpu_op_release(replaced);
    return LAB_SUCCESS;
}

void cpu_op_run_group(cpu_op *op, cpu_group *group)
{
    group->references++;
    op->group = group;
}

void cpu_group_release(cpu_group *group)
{
    if (!group || --group->references > 0) return;
    for (int i = 0; i < group->members; i++) cpu_op_release(group->member[i]);
    free(group);
}
