/*
 * One of every object of lab.h, for tests that give bad input to every function; and REFUSED, which asserts that a call
 * fails with a status and a sentence. bad-input.sh checks that these tests cover every function of lab.h.
 */
#ifndef LAB_TESTS_EVERYTHING_H
#define LAB_TESTS_EVERYTHING_H

#include "lab.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

enum { THINGS = 4, THINGS_BYTES = THINGS * sizeof(float) };

typedef struct everything {
    lab_stream *stream; /* non-blocking */
    lab_event *event;
    lab_mempool *pool;
    lab_pinned_mempool *pinned_pool;
    lab_array *array, *one; /* float32: of THINGS elements, and of one */
    lab_array *place;       /* int64, of one element */
    lab_array *truth;       /* uint8, of one element */
    lab_module *module;
    lab_function function; /* takes one int array */
    lab_elementwise *elementwise;
    lab_reduction *reduction;
    lab_expression *expression;
    lab_graph *graph;
    lab_graph_exec *exec;
    lab_deviceptr memory; /* THINGS_BYTES bytes of the device's memory and of the pool's; as many host bytes */
    lab_deviceptr block;
    void *pinned;
    void *pinned_block;
} everything;

static inline lab_reduction_source everything_sum(void)
{
    return (lab_reduction_source){
        .inputs = "T x", .outputs = "T y", .map = "x", .reduce = "a + b", .post_map = "y = a", .identity = "0"};
}

/* Creates everything in the current context. */
static inline everything make_everything(void)
{
    static const char source[] = "extern \"C\" __global__ void touch(float *out) { *out = 1; }\n";
    const lab_reduction_source sum = everything_sum();
    everything made;
    LAB_CHECK(lab_stream_create(&made.stream, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_event_create(&made.event, LAB_EVENT_DEFAULT));
    LAB_CHECK(lab_mempool_create(&made.pool, NULL));
    LAB_CHECK(lab_pinned_mempool_create(&made.pinned_pool));
    LAB_CHECK(lab_array_zeros(&made.array, LAB_FLOAT32, LAB_SHAPE(THINGS)));
    LAB_CHECK(lab_array_zeros(&made.one, LAB_FLOAT32, LAB_SHAPE(1)));
    LAB_CHECK(lab_array_zeros(&made.place, LAB_INT64, LAB_SHAPE(1)));
    LAB_CHECK(lab_array_zeros(&made.truth, LAB_UINT8, LAB_SHAPE(1)));
    LAB_CHECK(lab_module_load_source(&made.module, source, NULL));
    LAB_CHECK(lab_module_get_function(&made.function, made.module, "touch"));
    LAB_CHECK(lab_elementwise_create(&made.elementwise, "raw T x", "raw T y", "y[i] = x[i] + 1", NULL));
    LAB_CHECK(lab_reduction_create(&made.reduction, &sum));
    LAB_CHECK(lab_expression_create(&made.expression, "x", "x + 1", NULL));
    LAB_CHECK(lab_stream_begin_capture(made.stream, LAB_CAPTURE_RELAXED));
    LAB_CHECK(lab_launch(made.function, LAB_DIM(1), LAB_DIM(1), 0, made.stream, LAB_ARGS(made.array)));
    LAB_CHECK(lab_stream_end_capture(&made.graph, made.stream));
    LAB_CHECK(lab_graph_instantiate(&made.exec, made.graph));
    LAB_CHECK(lab_mem_alloc(&made.memory, THINGS_BYTES));
    LAB_CHECK(lab_host_alloc(&made.pinned, THINGS_BYTES));
    LAB_CHECK(lab_mempool_alloc(&made.block, made.pool, THINGS_BYTES, made.stream));
    LAB_CHECK(lab_pinned_mempool_alloc(&made.pinned_block, made.pinned_pool, THINGS_BYTES));
    LAB_CHECK(lab_device_synchronize());
    return made;
}

/* Asserts that everything works, and destroys it. */
static inline void use_and_destroy_everything(everything *all)
{
    LAB_CHECK(lab_elementwise_launch_sized(all->elementwise, THINGS, all->stream, LAB_ARGS(all->array, all->array)));
    LAB_CHECK(lab_expression_apply(all->expression, all->stream, LAB_ARGS(all->array, all->array)));
    LAB_CHECK(lab_reduction_launch(all->reduction, all->stream, LAB_ARGS(all->array, all->one)));
    LAB_CHECK(lab_graph_launch(all->exec, all->stream));
    LAB_CHECK(lab_event_record(all->event, all->stream));
    LAB_CHECK(lab_event_synchronize(all->event));
    LAB_CHECK(lab_pinned_mempool_free(all->pinned_pool, all->pinned_block));
    LAB_CHECK(lab_mempool_free(all->pool, all->block, all->stream));
    LAB_CHECK(lab_host_free(all->pinned));
    LAB_CHECK(lab_mem_free(all->memory));
    LAB_CHECK(lab_graph_exec_destroy(all->exec));
    LAB_CHECK(lab_graph_destroy(all->graph));
    LAB_CHECK(lab_expression_destroy(all->expression));
    LAB_CHECK(lab_reduction_destroy(all->reduction));
    LAB_CHECK(lab_elementwise_destroy(all->elementwise));
    LAB_CHECK(lab_module_unload(all->module));
    LAB_CHECK(lab_array_destroy(all->truth));
    LAB_CHECK(lab_array_destroy(all->place));
    LAB_CHECK(lab_array_destroy(all->one));
    LAB_CHECK(lab_array_destroy(all->array));
    LAB_CHECK(lab_pinned_mempool_destroy(all->pinned_pool));
    LAB_CHECK(lab_mempool_destroy(all->pool));
    LAB_CHECK(lab_event_destroy(all->event));
    LAB_CHECK(lab_stream_destroy(all->stream));
}

/* Asserts that the call fails with this status, and with a message that it wrote itself. */
#define REFUSED(expected, ...)                                                                                         \
    do {                                                                                                               \
        lab_dtype none_;                                                                                               \
        (void)lab_dtype_parse(&none_, "an earlier failure");                                                           \
        const lab_status got_ = (__VA_ARGS__);                                                                         \
        cr_assert_eq(got_, expected, "%s: %s", lab_status_name(got_), lab_error_message());                            \
        cr_assert(strlen(lab_error_message()) > 10 && !strstr(lab_error_message(), "an earlier failure"),              \
                  "no message of its own");                                                                            \
    } while (0)

#endif
