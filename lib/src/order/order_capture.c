/* Operations that do not run yet: nodes, and the captures that collect them. */
#include "order_state.h"

#include <stdlib.h>
#include <string.h>

void order_node_clear(order_node *node)
{
    for (int i = 0; node->life && i < node->accesses; i++) order_life_release(node->life[i]);
    free(node->life);
    free(node->access);
    order_host_call_release(node->call);
    node->life = NULL;
    node->access = NULL;
    node->accesses = 0;
    node->call = NULL;
}

bool order_node_copy(order_node *copy, const order_node *node)
{
    *copy = *node;
    copy->access = NULL;
    copy->life = NULL;
    copy->call = order_host_call_retain(node->call);
    if (node->accesses == 0) return true;
    copy->access = malloc((size_t)node->accesses * sizeof *copy->access);
    copy->life = calloc((size_t)node->accesses, sizeof *copy->life);
    if (!copy->access || !copy->life) {
        order_node_clear(copy);
        return false;
    }
    memcpy(copy->access, node->access, (size_t)node->accesses * sizeof *copy->access);
    for (int i = 0; node->life && i < node->accesses; i++) copy->life[i] = order_life_retain(node->life[i]);
    return true;
}

/* Field by field: copying a struct that was just filled in would wait for its stores. */
void order_node_set(order_node *node, const lab_trace_op *op, const stream_identity *identity)
{
    node->kind = op->kind;
    node->name = op->name && *op->name ? order_intern(op->name) : "";
    node->file = op->file ? op->file : "";
    node->line = op->line;
    node->number = 0;
    node->stream = op->stream;
    node->stream_made = identity ? identity->made : (call_site){0};
    node->context = identity ? identity->context : 0;
    node->null_stream = identity && identity->null;
    node->thread = op->thread;
    node->record = op->id;
    node->pageable = op->host_memory == LAB_HOST_PAGEABLE;
    node->host_waits = op->host_waits;
    node->access = (lab_trace_access *)op->access;
    node->accesses = op->accesses;
    node->declared = 0;
    node->updated = false;
    node->ends_memory = false;
    node->life = NULL;
    node->call = NULL;
}

order_capture *order_capture_create(void)
{
    order_capture *made = calloc(1, sizeof *made);
    if (made) made->references = 1;
    return made;
}

order_capture *order_capture_retain(order_capture *capture)
{
    if (capture) capture->references++;
    return capture;
}

void order_capture_release(order_capture *capture)
{
    if (!capture || --capture->references > 0) return;
    for (int i = 0; i < capture->nodes; i++) order_node_clear(&capture->node[i]);
    free(capture->node);
    free(capture);
}

order_node *order_capture_add(order_capture *capture, const order_node *node)
{
    if (capture->nodes == capture->capacity) {
        int capacity = 2 * capture->capacity + 8;
        order_node *larger = realloc(capture->node, (size_t)capacity * sizeof *larger);
        if (!larger) return NULL;
        capture->node = larger;
        capture->capacity = capacity;
    }
    if (!order_node_copy(&capture->node[capture->nodes], node)) return NULL;
    return &capture->node[capture->nodes++];
}
