/* The order checker itself: its modes, its findings' texts, and what it remembers. */
#include "lab_trace.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BYTES = 4096 };

typedef struct two_streams {
    lab_stream *one, *two;
    lab_deviceptr memory;
} two_streams;

static two_streams make_streams(lab_order_mode mode)
{
    two_streams made;
    setenv("LAB_SCHEDULE", "fifo", 0); /* only the checker sees the wrong programs race */
    LAB_CHECK(lab_order_start(mode));
    LAB_CHECK(lab_stream_create(&made.one, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_stream_create(&made.two, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_mem_alloc(&made.memory, BYTES));
    return made;
}

Test(order, fails_the_call_that_completes_the_pair_and_does_not_enqueue_it)
{
    two_streams streams = make_streams(LAB_ORDER_ERROR);
    unsigned char byte = 0;
    LAB_CHECK(lab_memset_async(streams.memory, 1, BYTES, streams.one));
    cr_assert_eq(lab_memset_async(streams.memory, 2, BYTES, streams.two), LAB_ERROR_NOT_ORDERED);
    cr_assert_not_null(strstr(lab_error_message(), "record an event on stream"), "%s", lab_error_message());
    LAB_CHECK(lab_device_synchronize());
    LAB_CHECK(lab_memcpy_dtoh(&byte, streams.memory, 1));
    cr_assert_eq(byte, 1, "the refused fill ran: %d", byte);
}

Test(order, does_not_hold_a_refused_operation_against_later_ones)
{
    two_streams streams = make_streams(LAB_ORDER_ERROR);
    LAB_CHECK(lab_memset_async(streams.memory, 1, BYTES, streams.one));
    cr_assert_eq(lab_memset_async(streams.memory, 2, BYTES, streams.two), LAB_ERROR_NOT_ORDERED);
    LAB_CHECK(lab_memset_async(streams.memory, 3, BYTES, streams.one));
}

Test(order, off_finds_nothing)
{
    two_streams streams = make_streams(LAB_ORDER_OFF);
    LAB_CHECK(lab_memset_async(streams.memory, 1, BYTES, streams.one));
    LAB_CHECK(lab_memset_async(streams.memory, 2, BYTES, streams.two));
    cr_assert_eq(lab_order_get_counts().findings, 0);
}

Test(order, keeps_one_finding_for_a_pair_of_places_and_counts_it)
{
    two_streams streams = make_streams(LAB_ORDER_COLLECT);
    lab_order_finding found;
    for (int i = 0; i < 5; i++) {
        LAB_CHECK(lab_memset_async(streams.memory, 1, BYTES, streams.one));
        LAB_CHECK(lab_memset_async(streams.memory, 2, BYTES, streams.two));
        LAB_CHECK(lab_device_synchronize());
    }
    cr_assert_eq(lab_order_get_counts().findings, 1);
    LAB_CHECK(lab_order_get_finding(&found, 0));
    cr_assert_eq(found.times, 5);
    cr_assert_eq(found.second.number, found.first.number + 1);
    cr_assert_eq(lab_order_get_finding(&found, 1), LAB_ERROR_INVALID_VALUE);
    LAB_CHECK(lab_order_start(LAB_ORDER_OFF));
    cr_assert_eq(lab_order_get_counts().findings, 1, "stopping forgets the findings");
    LAB_CHECK(lab_order_start(LAB_ORDER_COLLECT));
    cr_assert_eq(lab_order_get_counts().findings, 0, "starting keeps the old findings");
}

/* Each side says what its own call does, in the order of the calls. */
Test(order, says_which_of_the_two_writes)
{
    two_streams streams = make_streams(LAB_ORDER_COLLECT);
    lab_order_finding found;
    LAB_CHECK(lab_memset_async(streams.memory, 1, BYTES / 2, streams.one));
    LAB_CHECK(lab_memcpy_dtod_async(streams.memory + BYTES / 2, streams.memory, BYTES / 2, streams.two));
    LAB_CHECK(lab_memset_async(streams.memory, 1, 1, streams.one));
    LAB_CHECK(lab_order_get_finding(&found, 0));
    cr_assert(found.first.writes && !found.second.writes, "%s", found.text);
    LAB_CHECK(lab_order_get_finding(&found, 1));
    cr_assert(!found.first.writes && found.second.writes, "%s", found.text);
    cr_assert_eq(lab_order_get_counts().findings, 2);
}

static const char *edge_of(size_t number)
{
    lab_order_finding found;
    LAB_CHECK(lab_order_get_finding(&found, number - 1));
    return found.edge;
}

/* Whoever names no stream means the null stream: the stream may be wrong, and not the order. */
Test(order, offers_the_other_stream_to_an_operation_of_the_null_stream)
{
    char wanted[40];
    uint64_t id;
    two_streams streams = make_streams(LAB_ORDER_COLLECT);
    LAB_CHECK(lab_stream_get_id(&id, streams.one));
    snprintf(wanted, sizeof wanted, ") on stream %llu, too", (unsigned long long)id);
    LAB_CHECK(lab_memset_async(streams.memory, 1, 1, streams.one));
    LAB_CHECK(lab_memset_async(streams.memory, 2, 1, NULL));
    LAB_CHECK(lab_memset_async(streams.memory + 1, 1, 1, NULL));
    LAB_CHECK(lab_memset_async(streams.memory + 1, 2, 1, streams.one));
    LAB_CHECK(lab_memset_async(streams.memory + 2, 1, 1, streams.one));
    LAB_CHECK(lab_memset_async(streams.memory + 2, 2, 1, streams.two));
    cr_assert_eq(lab_order_get_counts().findings, 3);
    cr_assert_not_null(strstr(edge_of(1), wanted), "%s", edge_of(1));
    cr_assert_not_null(strstr(edge_of(2), wanted), "%s", edge_of(2));
    cr_assert_null(strstr(edge_of(3), "belongs"), "no rule says which of the two is wrong: %s", edge_of(3));
}

/* Asserts that the record's finding names the two operations by the record's ids. */
static void assert_recorded(const lab_trace *trace, lab_op_kind first, lab_op_kind second)
{
    cr_assert_eq(trace->findings, 1);
    const lab_trace_finding *found = &trace->finding[0];
    cr_assert(found->first && found->second && found->first < found->second && found->second <= trace->ops);
    cr_assert_eq(trace->op[found->first - 1].kind, first);
    cr_assert_eq(trace->op[found->second - 1].kind, second);
    cr_assert_not_null(strstr(found->text, "nothing orders them"));
    cr_assert_not_null(strstr(found->edge, "record an event on stream"));
}

Test(order, record_holds_the_findings_that_were_made_in_it)
{
    two_streams streams = make_streams(LAB_ORDER_COLLECT);
    lab_trace *trace;
    for (int round = 0; round < 2; round++) { /* the second time they are known already */
        LAB_CHECK(lab_trace_begin());
        lab_trace_mark("so that ids and the checker's numbers differ");
        LAB_CHECK(lab_memset_async(streams.memory, 1, BYTES, streams.one));
        LAB_CHECK(lab_memcpy_dtod_async(streams.memory + BYTES / 2, streams.memory, BYTES / 2, streams.two));
        LAB_CHECK(lab_device_synchronize());
        LAB_CHECK(lab_trace_end(&trace));
        assert_recorded(trace, LAB_OP_FILL, LAB_OP_COPY_DTOD);
        lab_trace_free(trace);
    }
    LAB_CHECK(lab_trace_begin());
    LAB_CHECK(lab_memset_async(streams.memory, 1, BYTES, streams.one));
    LAB_CHECK(lab_trace_end(&trace));
    cr_assert_eq(trace->findings, 0, "the record does not contain earlier findings");
    lab_trace_free(trace);
}

static void race_twice(void *mode)
{
    setenv("LAB_ORDER", mode, 1);
    setenv("LAB_SCHEDULE", "fifo", 0);
    lab_stream *one, *two;
    lab_deviceptr memory;
    LAB_CHECK(lab_stream_create(&one, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_stream_create(&two, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_mem_alloc(&memory, BYTES));
    for (int i = 0; i < 2; i++) {
        LAB_CHECK(lab_memset_async(memory, 1, BYTES, one));
        LAB_CHECK(lab_memset_async(memory, 2, BYTES, two));
        LAB_CHECK(lab_device_synchronize());
    }
}

Test(order, prints_each_finding_once_when_the_environment_asks_for_a_report)
{
    char output[8192];
    cr_assert_eq(test_in_child(race_twice, "report", output, sizeof output), 0, "%s", output);
    const char *first = strstr(output, "LAB_ORDER: finding ");
    cr_assert_not_null(first, "%s", output);
    cr_assert_null(strstr(first + 1, "LAB_ORDER: finding "), "%s", output);
    cr_assert_not_null(strstr(output, "checker_test.c:"), "%s", output);
}

static void race_twice_and_exit(void *mode)
{
    race_twice(mode);
    exit(0);
}

static void order_twice_and_exit(void *mode)
{
    setenv("LAB_ORDER", mode, 1);
    lab_deviceptr memory;
    LAB_CHECK(lab_mem_alloc(&memory, BYTES));
    for (int i = 0; i < 2; i++) LAB_CHECK(lab_memset_async(memory, 1, BYTES, NULL));
    exit(0);
}

Test(order, report_ends_with_the_number_of_findings_also_if_there_are_none)
{
    char output[8192];
    cr_assert_eq(test_in_child(race_twice_and_exit, "report", output, sizeof output), 0, "%s", output);
    cr_assert_not_null(strstr(output, "LAB_ORDER: 1 finding in 4 operations\n"), "%s", output);
    cr_assert_eq(test_in_child(order_twice_and_exit, "report", output, sizeof output), 0, "%s", output);
    cr_assert_str_eq(output, "LAB_ORDER: no findings in 2 operations\n");
}

static void exit_late(void *unused)
{
    (void)unused;
    nanosleep(&(struct timespec){.tv_nsec = 20 * 1000 * 1000}, NULL);
    exit(0);
}

static void race_twice_and_exit_in_a_host_function(void *mode)
{
    static float numbers[BYTES / sizeof(float)];
    lab_array *array;
    race_twice(mode);
    LAB_CHECK(lab_array_empty(&array, LAB_FLOAT32, LAB_SHAPE(BYTES / sizeof(float))));
    LAB_CHECK(lab_stream_launch_host_func(lab_stream_null(), exit_late, NULL));
    lab_array_set(array, numbers); /* in this schedule it holds the checker's lock while it waits */
    for (;;) pause();              /* a device in a process of its own may let it return */
}

Test(order, report_of_a_program_that_ends_inside_a_host_function_has_its_findings)
{
    char output[8192];
    const int status = test_in_child(race_twice_and_exit_in_a_host_function, "report:37", output, sizeof output);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 37, "%d: %s", status, output);
    /* With a device in a process of its own, that process counts. */
    cr_assert(strstr(output, "LAB_ORDER: 1 finding before the program ended inside a host function\n") ||
                  strstr(output, "LAB_ORDER: 1 finding in "),
              "%s", output);
}

Test(order, report_with_a_status_exits_with_it_if_there_are_findings)
{
    char output[8192];
    const int status = test_in_child(race_twice_and_exit, "report:37", output, sizeof output);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 37, "%d: %s", status, output);
    cr_assert_eq(test_in_child(order_twice_and_exit, "report:37", output, sizeof output), 0, "%s", output);
}

Test(order, report_fits_into_80_columns)
{
    char output[8192];
    setenv("COLUMNS", "80", 1);
    test_in_child(race_twice_and_exit, "report", output, sizeof output);
    int lines = 0;
    for (const char *line = strtok(output, "\n"); line; line = strtok(NULL, "\n"), lines++)
        cr_assert_leq(strlen(line), (size_t)80, "%s", line);
    cr_assert_gt(lines, 5);
}

/* The cause of the finding of that number, from 1; 0: its own. */
static uint64_t cause_of(size_t number)
{
    lab_order_finding found;
    LAB_CHECK(lab_order_get_finding(&found, number - 1));
    return found.same_cause;
}

Test(order, marks_a_finding_that_has_the_cause_of_an_earlier_one)
{
    two_streams streams = make_streams(LAB_ORDER_COLLECT);
    LAB_CHECK(lab_memset_async(streams.memory, 1, 1, streams.one));
    LAB_CHECK(lab_memset_async(streams.memory + 1, 1, 1, streams.one));
    LAB_CHECK(lab_memset_async(streams.memory, 2, 1, streams.two));
    LAB_CHECK(lab_memset_async(streams.memory + 1, 2, 1, streams.two));
    cr_assert_eq(lab_order_get_counts().findings, 2);
    cr_assert_eq(cause_of(1), 0);
    cr_assert_eq(cause_of(2), 1, "an event after both fills of stream one, waited for before both of stream two");
    LAB_CHECK(lab_memset_async(streams.memory + 2, 1, 1, streams.one));
    LAB_CHECK(lab_memset_async(streams.memory + 2, 2, 1, streams.two));
    cr_assert_eq(lab_order_get_counts().findings, 3);
    cr_assert_eq(cause_of(3), 0, "the first operation was enqueued after the earlier second ones");
}

Test(order, fails_the_call_when_the_environment_asks_for_an_error_and_nothing_when_it_is_off)
{
    char output[8192];
    cr_assert_neq(test_in_child(race_twice, "error", output, sizeof output), 0);
    cr_assert_not_null(strstr(output, "LAB_ERROR_NOT_ORDERED"), "%s", output);
    cr_assert_not_null(strstr(output, "To order them: record an event on stream"), "%s", output);
    cr_assert_eq(test_in_child(race_twice, "off", output, sizeof output), 0, "%s", output);
    cr_assert_null(strstr(output, "LAB_ORDER"), "%s", output);
}

Test(order, refuses_an_invalid_mode_in_the_environment)
{
    char output[8192];
    cr_assert_neq(test_in_child(race_twice, "loud", output, sizeof output), 0);
    cr_assert_not_null(strstr(output, "LAB_ORDER=loud is not a mode"), "%s", output);
    static const char *const modes[] = {"report:",   "report:0", "report:256", "report:-1",
                                        "report:1x", "reports",  "error:1"};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        cr_assert_neq(test_in_child(race_twice, (void *)modes[i], output, sizeof output), 0, "%s", modes[i]);
        cr_assert_not_null(strstr(output, "is not a mode"), "%s", output);
    }
    cr_assert_eq(lab_order_start((lab_order_mode)9), LAB_ERROR_INVALID_VALUE);
}

static lab_deviceptr with_a_call_of_its_own(lab_deviceptr memory, lab_stream *stream)
{
    LAB_CHECK(lab_event_record(NULL, stream) == LAB_SUCCESS ? LAB_ERROR_UNKNOWN : LAB_SUCCESS);
    LAB_CHECK(lab_memset_async(memory + 1, 0, 1, stream));
    return memory;
}

Test(order, names_the_line_of_a_call_whose_arguments_are_calls)
{
    two_streams streams = make_streams(LAB_ORDER_COLLECT);
    lab_order_finding found;
    LAB_CHECK(lab_memset_async(streams.memory, 1, 1, streams.one));
    const int line = __LINE__ + 1;
    LAB_CHECK(lab_memset_async(with_a_call_of_its_own(streams.memory, streams.two), 2, 1, streams.two));
    LAB_CHECK(lab_order_get_finding(&found, 0));
    cr_assert_eq(found.first.line, line - 2);
    cr_assert_eq(found.second.line, line);
}

Test(order, forgets_what_every_host_thread_has_waited_for)
{
    enum { ROUNDS = 300, PARTS = 64 };
    two_streams streams = make_streams(LAB_ORDER_COLLECT);
    for (int i = 0; i < ROUNDS; i++) {
        for (unsigned part = 0; part < PARTS; part++)
            LAB_CHECK(lab_memset_async(streams.memory + part * 64, 1, (size_t)(i % 64) + 1,
                                       part % 2 ? streams.one : streams.two));
        LAB_CHECK(lab_device_synchronize());
    }
    lab_order_counts counts = lab_order_get_counts();
    cr_assert_eq(counts.operations, ROUNDS * PARTS);
    cr_assert_eq(counts.findings, 0);
    cr_assert_lt(counts.segments, 10000, "%zu ranges are remembered", counts.segments);
}

Test(order, uses_the_lanes_of_streams_that_ended_again)
{
    two_streams streams = make_streams(LAB_ORDER_COLLECT);
    for (int i = 0; i < 2000; i++) {
        lab_stream *passing;
        LAB_CHECK(lab_stream_create(&passing, LAB_STREAM_NON_BLOCKING));
        LAB_CHECK(lab_memset_async(streams.memory, 1, BYTES, passing));
        LAB_CHECK(lab_stream_synchronize(passing));
        LAB_CHECK(lab_stream_destroy(passing));
    }
    cr_assert_leq(lab_order_get_counts().lanes, 3, "%zu lanes", lab_order_get_counts().lanes);
    cr_assert_eq(lab_order_get_counts().findings, 0);
}
