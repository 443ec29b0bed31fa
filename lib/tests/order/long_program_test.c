/* The order checker's memory in a long program: it does not grow with the number of operations. */
#include "lab_trace.h"
#include "test.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

/* A tenth of the operations where everything runs many times slower and leaks are found by other means. */
#if defined LAB_PLAIN_TESTS || defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { OPERATIONS = 100 * 1000 };
#else
enum { OPERATIONS = 1000 * 1000 };
#endif

/* The same where device or kernels have their own process: a call is two messages, each of which wakes a thread. */
static int number_of_operations(void) { return getenv("LAB_KERNELS_APART") ? OPERATIONS / 10 : OPERATIONS; }

enum { STREAMS = 4, PARTS = 64, PART = 64, STEPS = 250 };

typedef struct long_program {
    lab_stream *stream[STREAMS];
    lab_event *event;
    lab_mempool *pool;
    lab_deviceptr memory;
} long_program;

static long_program begin(void)
{
    unsetenv("LAB_SCHEDULE"); /* the checker sees the order of the calls, which does not depend on the schedule */
    long_program made;
    LAB_CHECK(lab_order_start(LAB_ORDER_COLLECT));
    for (int i = 0; i < STREAMS; i++) LAB_CHECK(lab_stream_create(&made.stream[i], LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_event_create(&made.event, LAB_EVENT_DISABLE_TIMING));
    LAB_CHECK(lab_mempool_create(&made.pool, NULL));
    LAB_CHECK(lab_mem_alloc(&made.memory, PARTS * PART));
    return made;
}

/* One stream writes a part; another then reads it and all earlier parts into a pool's block, in order. */
static void take_step(const long_program *program, int step)
{
    lab_stream *writer = program->stream[step % STREAMS], *reader = program->stream[(step + 1) % STREAMS];
    const size_t part = (size_t)(step * 7 % PARTS), bytes = 1 + (size_t)step % PART;
    lab_deviceptr block;
    LAB_CHECK(lab_stream_wait_event(writer, program->event));
    LAB_CHECK(lab_memset_async(program->memory + part * PART, 1, bytes, writer));
    LAB_CHECK(lab_event_record(program->event, writer));
    LAB_CHECK(lab_stream_wait_event(reader, program->event));
    LAB_CHECK(lab_mempool_alloc(&block, program->pool, bytes, reader));
    LAB_CHECK(lab_memcpy_dtod_async(block, program->memory + part * PART, bytes, reader));
    LAB_CHECK(lab_memset_async(program->memory + part * PART, 2, 1, reader));
    LAB_CHECK(lab_memset_async(block, 3, bytes, reader));
    LAB_CHECK(lab_mempool_free(program->pool, block, reader));
    LAB_CHECK(lab_event_record(program->event, reader));
}

/* Runs this number of operations that use memory, 4 per step; every round creates and destroys a stream. */
static void run(long_program *program, int operations)
{
    for (int done = 0; done < operations; done += 4 * STEPS) {
        LAB_CHECK(lab_stream_destroy(program->stream[0]));
        LAB_CHECK(lab_stream_create(&program->stream[0], LAB_STREAM_NON_BLOCKING));
        for (int step = 0; step < STEPS; step++) take_step(program, step);
        LAB_CHECK(lab_event_synchronize(program->event));
    }
    LAB_CHECK(lab_device_synchronize());
}

/* The bytes that the process holds on its heap; 0 if a sanitizer has its own heap, or if a driver uses the heap too. */
static size_t heap_bytes(void)
{
    lab_device_info info;
    LAB_CHECK(lab_device_get_info(&info, 0));
    return strcmp(info.kind, "cpu") == 0 ? mallinfo2().uordblks : 0;
}

Test(order, remembers_no_more_after_a_million_operations_than_after_a_tenth)
{
    enum { MOST_SEGMENTS = 4 * PARTS * STREAMS, MOST_GROWTH = 1 << 20 };
    const int operations = number_of_operations();
    long_program program = begin();
    run(&program, operations / 10);
    const lab_order_counts early = lab_order_get_counts();
    const size_t held = heap_bytes();
    run(&program, operations - operations / 10);
    const lab_order_counts late = lab_order_get_counts();
    cr_assert_geq(late.operations, (uint64_t)operations);
    cr_assert_eq(late.findings, 0);
    cr_assert_not(late.gave_up);
    cr_assert_leq(late.segments, MOST_SEGMENTS, "%zu ranges, %zu after a tenth", late.segments, early.segments);
    cr_assert_leq(late.lanes, early.lanes, "%zu lanes, %zu after a tenth", late.lanes, early.lanes);
    cr_assert_leq(heap_bytes(), held + MOST_GROWTH, "%zu bytes, %zu after a tenth", heap_bytes(), held);
}
