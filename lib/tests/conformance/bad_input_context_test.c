/* Bad input: objects of another context, for every function that enqueues. A kernel needs a function, a stream and
 * memory of one context, and a pool's block is used on streams of the pool's context; copies may cross. A refused call
 * harms neither context. */
#include "everything.h"

/* Two of everything: `all` in the primary context, `other` in the context on top of the stack. */
static everything all, other;
static lab_context *context;

static void make_both(void)
{
    all = make_everything();
    LAB_CHECK(lab_context_create(&context, 0));
    other = make_everything();
}

static void destroy_both(void)
{
    use_and_destroy_everything(&other);
    LAB_CHECK(lab_context_destroy(context));
    use_and_destroy_everything(&all);
}

#define FOREIGN(...) REFUSED(LAB_ERROR_INVALID_CONTEXT, __VA_ARGS__)

/* cuda.h, Execution Control: cuLaunchKernel wants function and stream of one context. */
Test(bad_input_context, kernels_on_a_stream_of_another)
{
    make_both();
    REFUSED(LAB_ERROR_INVALID_HANDLE,
            lab_launch(other.function, LAB_DIM(1), LAB_DIM(1), 0, all.stream, LAB_ARGS(other.array)));
    FOREIGN(lab_elementwise_launch_sized(other.elementwise, 1, all.stream, LAB_ARGS(other.array, other.array)));
    FOREIGN(lab_reduction_launch(other.reduction, all.stream, LAB_ARGS(other.array, other.one)));
    FOREIGN(lab_expression_apply(other.expression, all.stream, LAB_ARGS(other.array, other.array)));
    FOREIGN(lab_graph_launch(other.exec, all.stream));
    FOREIGN(lab_graph_upload(other.exec, all.stream));
    FOREIGN(lab_array_fill(other.array, LAB_ARG(1), all.stream));
    FOREIGN(lab_array_sum(other.one, other.array, all.stream));
    FOREIGN(lab_array_mean(other.one, other.array, all.stream));
    FOREIGN(lab_array_min(other.one, other.array, all.stream));
    FOREIGN(lab_array_max(other.one, other.array, all.stream));
    FOREIGN(lab_array_dot(other.one, other.array, other.array, all.stream));
    FOREIGN(lab_stream_use(all.stream));
    destroy_both();
}

/* cuda.h, Execution Control: cuLaunchKernel wants memory of the function's context. */
Test(bad_input_context, kernels_with_memory_of_another)
{
    make_both();
    FOREIGN(lab_launch(other.function, LAB_DIM(1), LAB_DIM(1), 0, other.stream, LAB_ARGS(all.array)));
    FOREIGN(lab_launch(other.function, LAB_DIM(1), LAB_DIM(1), 0, other.stream, LAB_ARGS(all.memory)));
    FOREIGN(lab_elementwise_launch_sized(other.elementwise, 1, other.stream, LAB_ARGS(all.array, other.array)));
    FOREIGN(lab_reduction_launch(other.reduction, other.stream, LAB_ARGS(all.array, other.one)));
    FOREIGN(lab_expression_apply(other.expression, other.stream, LAB_ARGS(other.array, all.array)));
    FOREIGN(lab_array_fill(all.array, LAB_ARG(1), other.stream));
    FOREIGN(lab_array_sum(other.one, all.array, other.stream));
    FOREIGN(
        lab_graph_exec_update_kernel(other.exec, 0, other.function, LAB_DIM(1), LAB_DIM(1), 0, LAB_ARGS(all.array)));
    destroy_both();
}

/* cuda.h, Stream Ordered Memory Allocator: a pool's memory is for streams of its context. */
Test(bad_input_context, pools_and_streams_of_another)
{
    lab_deviceptr memory = 0;
    make_both();
    FOREIGN(lab_mempool_alloc(&memory, other.pool, 64, all.stream));
    cr_assert_eq(memory, 0);
    REFUSED(LAB_ERROR_INVALID_HANDLE, lab_event_record(other.event, all.stream));
    destroy_both();
}
