/* Each statement is one call of lab.h. The record and the order checker listen, as in every program. */
#include "run.h"

#include "base/call_site.h"
#include "base/text_writer.h"
#include "device.h"
#include "order/order.h"

#include <string.h>

/* What the statements have made, by their numbers. */
typedef struct ground {
    const play_program *program;
    lab_stream *stream[PLAY_STATEMENTS];
    lab_event *event[PLAY_STATEMENTS];
    lab_deviceptr device[PLAY_STATEMENTS];
    void *host[PLAY_STATEMENTS];
    lab_graph_exec *graph[PLAY_STATEMENTS];
    lab_module *module;
} ground;

static lab_stream *stream_of(const ground *made, const play_statement *each)
{
    return each->stream == PLAY_NULL ? lab_stream_null() : made->stream[each->stream];
}

static lab_status load_kernels(ground *made)
{
    char source[PLAY_SOURCE_BYTES] = "";
    text_writer out = {source, sizeof source, 0};
    for (int i = 0; i < made->program->statements; i++) {
        const play_statement *each = &made->program->statement[i];
        if (each->kind != PLAY_KERNEL || play_first_of_name(made->program, i) != i) continue;
        text_write(&out, "%s ", each->name);
        for (int u = 0; u < each->uses; u++)
            text_write(&out, "%c", each->use[u].reads && each->use[u].writes ? 'b' : each->use[u].reads ? 'r' : 'w');
        text_write(&out, "\n");
    }
    return out.length ? lab_module_load_source(&made->module, source, "kernels.cu") : LAB_SUCCESS;
}

static lab_status launch(const ground *made, const play_statement *each)
{
    lab_function kernel;
    lab_arg argument[PLAY_USES];
    for (int i = 0; i < each->uses; i++) argument[i] = lab_arg_ptr(made->device[each->use[i].memory]);
    LAB_TRY(lab_module_get_function(&kernel, made->module, each->name));
    return lab_launch(kernel, LAB_DIM(PLAY_KERNEL_THREADS / PLAY_BLOCK), LAB_DIM(PLAY_BLOCK), 0, stream_of(made, each),
                      (lab_args){argument, each->uses});
}

static void nothing(void *user) { (void)user; }

static lab_status call_host_function(const ground *made, const play_statement *each)
{
    for (int i = 0; i < each->uses; i++) {
        const play_use *use = &each->use[i];
        LAB_TRY(lab_next_uses_host(made->host[use->memory], made->program->statement[use->memory].bytes, use->writes));
    }
    return lab_stream_launch_host_func(stream_of(made, each), nothing, NULL);
}

static lab_status copy(const ground *made, const play_statement *each)
{
    const size_t bytes = play_bytes_of(made->program, each);
    const int source = each->use[0].memory, target = each->use[1].memory;
    const bool now = each->kind == PLAY_COPY_NOW;
    lab_stream *stream = now ? NULL : stream_of(made, each);
    switch (play_direction_of(made->program, each)) {
    case PLAY_HTOD:
        return now ? lab_memcpy_htod(made->device[target], made->host[source], bytes)
                   : lab_memcpy_htod_async(made->device[target], made->host[source], bytes, stream);
    case PLAY_DTOH:
        return now ? lab_memcpy_dtoh(made->host[target], made->device[source], bytes)
                   : lab_memcpy_dtoh_async(made->host[target], made->device[source], bytes, stream);
    case PLAY_DTOD: break;
    }
    return lab_memcpy_dtod_async(made->device[target], made->device[source], bytes, stream);
}

static lab_status take_from_pool(ground *made, const play_statement *each)
{
    lab_deviceptr *block = &made->device[each->use[0].memory];
    return lab_mempool_alloc(block, NULL, play_bytes_of(made->program, each), stream_of(made, each));
}

static lab_status end_capture(ground *made, const play_statement *each)
{
    lab_graph *captured;
    LAB_TRY(lab_stream_end_capture(&captured, stream_of(made, each)));
    return lab_graph_instantiate(&made->graph[each->graph], captured);
}

static lab_status use_on_host(const ground *made, const play_statement *each)
{
    const play_statement *memory = &made->program->statement[each->use[0].memory];
    void *address = made->host[each->use[0].memory];
    return each->use[0].writes ? lab_host_writes(address, memory->bytes) : lab_host_reads(address, memory->bytes);
}

static lab_status call(ground *made, int number)
{
    const play_statement *each = &made->program->statement[number];
    switch (each->kind) {
    case PLAY_STREAM: return lab_stream_create(&made->stream[number], LAB_STREAM_NON_BLOCKING);
    case PLAY_BLOCKING: return lab_stream_create(&made->stream[number], LAB_STREAM_DEFAULT);
    case PLAY_EVENT: return lab_event_create(&made->event[number], LAB_EVENT_DISABLE_TIMING);
    case PLAY_GRAPH:
    case PLAY_POOLED: return LAB_SUCCESS;
    case PLAY_DEVICE: return lab_mem_alloc(&made->device[number], each->bytes);
    case PLAY_PINNED: return lab_host_alloc(&made->host[number], each->bytes);
    case PLAY_PAGEABLE: made->host[number] = play_pageable(each->bytes); return LAB_SUCCESS;
    case PLAY_COPY:
    case PLAY_COPY_NOW: return copy(made, each);
    case PLAY_FILL:
        return lab_memset_async(made->device[each->use[0].memory], 0, play_bytes_of(made->program, each),
                                stream_of(made, each));
    case PLAY_KERNEL: return launch(made, each);
    case PLAY_FUNCTION: return call_host_function(made, each);
    case PLAY_CAPTURE: return lab_stream_begin_capture(stream_of(made, each), LAB_CAPTURE_GLOBAL);
    case PLAY_END: return end_capture(made, each);
    case PLAY_LAUNCH: return lab_graph_launch(made->graph[each->graph], stream_of(made, each));
    case PLAY_ALLOC: return take_from_pool(made, each);
    case PLAY_FREE: return lab_mempool_free(NULL, made->device[each->use[0].memory], stream_of(made, each));
    case PLAY_RECORD: return lab_event_record(made->event[each->event], stream_of(made, each));
    case PLAY_WAIT: return lab_stream_wait_event(stream_of(made, each), made->event[each->event]);
    case PLAY_SYNC:
        return each->event >= 0 ? lab_event_synchronize(made->event[each->event])
                                : lab_stream_synchronize(stream_of(made, each));
    case PLAY_SYNC_DEVICE: return lab_device_synchronize();
    case PLAY_HOST: return use_on_host(made, each);
    case PLAY_KINDS: break;
    }
    return LAB_SUCCESS;
}

static lab_status call_all(ground *made, const play_listing *listing, play_fault *fault)
{
    LAB_TRY(load_kernels(made));
    for (int i = 0; i < made->program->statements; i++) {
        fault->text_line = made->program->statement[i].text_line;
        call_site_begin((call_site){listing->file, listing->line[i], 0});
        LAB_TRY(lab_here_ends(call(made, i)));
    }
    return LAB_SUCCESS;
}

static lab_status find_streams(play_run *out, const ground *made)
{
    LAB_TRY(lab_stream_get_id(&out->null_stream, lab_stream_null()));
    for (int i = 0; i < made->program->statements; i++)
        if (made->stream[i]) LAB_TRY(lab_stream_get_id(&out->stream[i], made->stream[i]));
    return LAB_SUCCESS;
}

int play_statement_at(const play_listing *listing, const char *file, int line)
{
    for (int i = 0; i < listing->lines && strcmp(file, listing->file) == 0; i++)
        if (listing->line[i] == line) return i;
    return PLAY_NOTHING;
}

/* A pool may also allocate from the device, and record events and wait for them. */
static bool is_of_pool(const play_statement *each, const lab_trace_op *op)
{
    return (each->kind == PLAY_ALLOC && op->kind != LAB_OP_POOL_ALLOC) ||
           (each->kind == PLAY_FREE && op->kind != LAB_OP_POOL_FREE);
}

/* The graph of the capture before the statement, if its call has become a node. */
static int graph_of(const play_run *run, const play_program *program, int statement)
{
    const size_t op = run->op[statement];
    if (op == run->trace->ops || run->trace->op[op].kind != LAB_OP_GRAPH_NODE) return PLAY_NOTHING;
    while (program->statement[statement].kind != PLAY_CAPTURE) statement--;
    return program->statement[statement].graph;
}

static void read_record(play_run *out, const play_program *program, const play_listing *listing)
{
    for (int i = 0; i < PLAY_STATEMENTS; i++) out->op[i] = out->trace->ops;
    for (size_t i = 0; i < out->trace->ops; i++) {
        const int statement = play_statement_at(listing, out->trace->op[i].file, out->trace->op[i].line);
        if (statement >= 0 && !is_of_pool(&program->statement[statement], &out->trace->op[i])) out->op[statement] = i;
    }
    for (int i = 0; i < program->statements; i++) out->graph[i] = graph_of(out, program, i);
    while (out->findings < PLAY_FINDINGS &&
           lab_order_get_finding(&out->finding[out->findings], out->findings) == LAB_SUCCESS)
        out->findings++;
}

bool play_start(play_run *out, play_fault *fault, const play_program *program, const play_listing *listing)
{
    ground made = {.program = program};
    *out = (play_run){0};
    *fault = (play_fault){0};
    order_speak(listing->language == PLAY_LAB ? ORDER_LAB : ORDER_CUDA);
    lab_status status = lab_order_start(LAB_ORDER_COLLECT);
    if (status == LAB_SUCCESS) status = lab_trace_begin();
    if (status == LAB_SUCCESS) status = call_all(&made, listing, fault);
    if (status == LAB_SUCCESS) status = find_streams(out, &made);
    if (status != LAB_SUCCESS) strncpy(fault->text, lab_error_message(), sizeof fault->text - 1);
    if (lab_trace_end(&out->trace) == LAB_SUCCESS) read_record(out, program, listing);
    lab_order_start(LAB_ORDER_OFF);
    lab_device_reset(0);
    if (status != LAB_SUCCESS) play_run_clear(out);
    return status == LAB_SUCCESS;
}

void play_run_clear(play_run *run)
{
    lab_trace_free(run->trace);
    run->trace = NULL;
}
