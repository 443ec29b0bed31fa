/* Records in memory and in files: what they keep, the messages for damaged files, and summaries. */
#include "base/op_kind.h"
#include "test_folder.h"
#include "trace/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

/* --- Records to test with --------------------------------------------------------------------------------------- */

static lab_trace *new_record(void)
{
    lab_trace *trace = NULL;
    cr_assert_eq(lab_trace_create(&trace), LAB_SUCCESS, "%s", lab_error_message());
    lab_trace_set_device(trace, "Test CPU", "cpu", 2);
    trace->duration_ns = 1000000000;
    return trace;
}

static void add_stream(lab_trace *trace, uint64_t id)
{
    lab_trace_stream stream = {
        .id = id, .context = id + 6, .priority = -(int)id, .null_stream = id == 1, .non_blocking = id == 3};
    cr_assert_eq(lab_trace_append_stream(trace, &stream), LAB_SUCCESS, "%s", lab_error_message());
}

static void add(lab_trace *trace, lab_trace_op op)
{
    if (op.thread == 0) op.thread = 1;
    cr_assert_eq(lab_trace_append(trace, &op), LAB_SUCCESS, "%s", lab_error_message());
}

static void add_work(lab_trace *trace, lab_op_kind kind, uint64_t stream, int64_t start_ns, int64_t end_ns)
{
    add(trace, (lab_trace_op){.kind = kind, .stream = stream, .start_ns = start_ns, .end_ns = end_ns, .lane = -1});
}

/* Two streams and an operation of each interesting shape, with unusual values in all fields if possible. */
static lab_trace *full_record(void)
{
    lab_trace *trace = new_record();
    add_stream(trace, 1);
    add_stream(trace, 3);
    add(trace, (lab_trace_op){.kind = LAB_OP_COPY_HTOD,
                              .stream = 3,
                              .thread = 2,
                              .bytes = 4096,
                              .host_memory = LAB_HOST_PAGEABLE,
                              .call_ns = 5,
                              .return_ns = 40,
                              .host_waits = true,
                              .start_ns = 10,
                              .end_ns = 30,
                              .lane = 0,
                              .file = "lab03.c",
                              .line = 12});
    add(trace, (lab_trace_op){.kind = LAB_OP_EVENT_RECORD,
                              .stream = 3,
                              .object = 7,
                              .call_ns = 41,
                              .return_ns = 42,
                              .start_ns = 43,
                              .end_ns = 43,
                              .lane = -1});
    const lab_trace_access access[] = {{0xfffffffffffff000u, 0x1000u - 1, false, true, false},
                                       {0x10, 0, true, true, true},
                                       {1, 2, false, false, false}};
    const uint64_t waits[] = {2, 1};
    add(trace, (lab_trace_op){.kind = LAB_OP_KERNEL,
                              .name = "scale \"2\" <b>&amp;\\ \xC3\xA9\xE6\xBC\xA2",
                              .stream = 1,
                              .call_ns = 44,
                              .return_ns = 45,
                              .start_ns = 50,
                              .end_ns = 90,
                              .lane = 1,
                              .grid = {1, 2, 4294967295u},
                              .block = {256, 1, 1},
                              .access = access,
                              .accesses = 3,
                              .declared = 2,
                              .waits_for = waits,
                              .waits = 2});
    add(trace, (lab_trace_op){.kind = LAB_OP_HOST_ALLOC,
                              .object = UINT64_MAX,
                              .bytes = UINT64_MAX,
                              .kept = UINT64_MAX,
                              .module = "a digest",
                              .compile_ns = 60000000,
                              .arguments = "0x7f00dead0000 0000803f",
                              .call_ns = 91,
                              .return_ns = -1,
                              .start_ns = -1,
                              .end_ns = -1,
                              .lane = -1,
                              .host_memory = LAB_HOST_PINNED});
    add(trace, (lab_trace_op){.kind = LAB_OP_COPY_DTOH,
                              .stream = 1,
                              .call_ns = 95,
                              .return_ns = 96,
                              .start_ns = 97,
                              .end_ns = -1,
                              .lane = 2147483647,
                              .line = 2147483647});
    add(trace, (lab_trace_op){.kind = LAB_OP_EVENT_SYNC,
                              .object = 7,
                              .call_ns = 97,
                              .return_ns = 98,
                              .start_ns = -1,
                              .end_ns = -1,
                              .lane = -1,
                              .waits_for = waits,
                              .waits = 1});
    return trace;
}

static void assert_same_lists(const lab_trace_op *a, const lab_trace_op *b)
{
    cr_assert_eq(a->accesses, b->accesses, "operation %d", (int)a->id);
    cr_assert_eq(a->declared, b->declared, "operation %d", (int)a->id);
    for (int i = 0; i < a->accesses; i++) {
        const lab_trace_access *x = &a->access[i], *y = &b->access[i];
        cr_assert(x->address == y->address && x->bytes == y->bytes && x->host == y->host && x->reads == y->reads &&
                      x->writes == y->writes,
                  "access %d of operation %d", i, (int)a->id);
    }
    cr_assert_eq(a->waits, b->waits, "operation %d", (int)a->id);
    for (int i = 0; i < a->waits; i++) cr_assert_eq(a->waits_for[i], b->waits_for[i], "operation %d", (int)a->id);
}

static void assert_same_op(const lab_trace_op *a, const lab_trace_op *b)
{
    cr_assert(a->id == b->id && a->kind == b->kind && a->device == b->device && a->stream == b->stream &&
                  a->object == b->object && a->thread == b->thread && a->bytes == b->bytes && a->kept == b->kept &&
                  strcmp(a->module, b->module) == 0 && a->compile_ns == b->compile_ns,
              "identity of operation %d", (int)a->id);
    cr_assert(a->host_memory == b->host_memory && a->host_waits == b->host_waits && a->lane == b->lane &&
                  a->line == b->line && memcmp(&a->grid, &b->grid, sizeof a->grid) == 0 &&
                  memcmp(&a->block, &b->block, sizeof a->block) == 0,
              "shape of operation %d", (int)a->id);
    cr_assert(a->call_ns == b->call_ns && a->return_ns == b->return_ns && a->start_ns == b->start_ns &&
                  a->end_ns == b->end_ns,
              "times of operation %d", (int)a->id);
    cr_assert_str_eq(a->name, b->name);
    cr_assert_str_eq(a->arguments, b->arguments);
    cr_assert_str_eq(a->file, b->file);
    assert_same_lists(a, b);
}

static void assert_same_record(const lab_trace *a, const lab_trace *b)
{
    cr_assert_str_eq(a->device_name, b->device_name);
    cr_assert_str_eq(a->device_kind, b->device_kind);
    cr_assert_eq(a->multiprocessors, b->multiprocessors);
    cr_assert_eq(a->duration_ns, b->duration_ns);
    cr_assert_eq(a->streams, b->streams);
    for (size_t i = 0; i < a->streams; i++)
        cr_assert(a->stream[i].id == b->stream[i].id && a->stream[i].device == b->stream[i].device &&
                      a->stream[i].context == b->stream[i].context && a->stream[i].priority == b->stream[i].priority &&
                      a->stream[i].null_stream == b->stream[i].null_stream &&
                      a->stream[i].non_blocking == b->stream[i].non_blocking,
                  "stream %zu", i);
    cr_assert_eq(a->ops, b->ops);
    for (size_t i = 0; i < a->ops; i++) assert_same_op(&a->op[i], &b->op[i]);
}

/* --- Files ------------------------------------------------------------------------------------------------------ */

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file, "%s: %s", path, strerror(errno));
    char *text = calloc(1, 1 << 20);
    size_t length = fread(text, 1, (1 << 20) - 1, file);
    text[length] = '\0';
    fclose(file);
    return text;
}

/* The text of the record's file. */
static char *saved_text(const lab_trace *trace)
{
    test_folder folder = test_folder_make("trace.json");
    cr_assert_eq(lab_trace_save(trace, folder.file), LAB_SUCCESS, "%s", lab_error_message());
    char *text = read_text(folder.file);
    test_folder_remove(&folder);
    return text;
}

static char *full_text(void)
{
    lab_trace *trace = full_record();
    char *text = saved_text(trace);
    lab_trace_free(trace);
    return text;
}

static void assert_round_trip(lab_trace *trace)
{
    char *text = saved_text(trace);
    lab_trace *again = NULL;
    cr_assert_eq(lab_trace_load_bytes(&again, text, strlen(text), "file"), LAB_SUCCESS, "%s", lab_error_message());
    assert_same_record(trace, again);
    free(text);
    lab_trace_free(trace);
    lab_trace_free(again);
}

Test(trace, file_keeps_every_field_of_every_operation) { assert_round_trip(full_record()); }

Test(trace, file_keeps_a_record_without_operations) { assert_round_trip(new_record()); }

Test(trace, file_keeps_every_kind_of_operation)
{
    lab_trace *trace = new_record();
    for (int kind = 0; kind < LAB_OP_KINDS; kind++)
        add(trace, (lab_trace_op){.kind = (lab_op_kind)kind, .start_ns = -1, .end_ns = -1, .lane = -1});
    assert_round_trip(trace);
}

Test(trace, file_keeps_a_list_of_many_waits)
{
    lab_trace *trace = new_record();
    uint64_t waits[1000];
    for (size_t i = 0; i < 1000; i++) {
        waits[i] = i + 1;
        add(trace, (lab_trace_op){.kind = LAB_OP_MARK, .start_ns = -1, .end_ns = -1, .lane = -1});
    }
    add(trace,
        (lab_trace_op){
            .kind = LAB_OP_DEVICE_SYNC, .start_ns = -1, .end_ns = -1, .lane = -1, .waits_for = waits, .waits = 1000});
    assert_round_trip(trace);
}

Test(trace, load_reads_what_save_wrote)
{
    test_folder folder = test_folder_make("trace.json");
    lab_trace *trace = full_record(), *again = NULL;
    cr_assert_eq(lab_trace_save(trace, folder.file), LAB_SUCCESS, "%s", lab_error_message());
    cr_assert_eq(lab_trace_load(&again, folder.file), LAB_SUCCESS, "%s", lab_error_message());
    assert_same_record(trace, again);
    lab_trace_free(trace);
    lab_trace_free(again);
    cr_assert_eq(test_folder_remove(&folder), 1, "beside the file there is nothing");
}

/* --- Memory ----------------------------------------------------------------------------------------------------- */

Test(trace, appended_operation_is_a_copy)
{
    lab_trace *trace = new_record();
    char name[] = "before";
    uint64_t waits[] = {1};
    add(trace, (lab_trace_op){.kind = LAB_OP_MARK, .name = name, .waits_for = waits, .waits = 1});
    strcpy(name, "after");
    waits[0] = 99;
    cr_assert_str_eq(trace->op[0].name, "before");
    cr_assert_eq(trace->op[0].waits_for[0], 1);
    lab_trace_free(trace);
}

Test(trace, operations_are_numbered_in_the_order_of_appending)
{
    lab_trace *trace = new_record();
    for (uint64_t i = 1; i <= 300; i++) {
        add(trace, (lab_trace_op){.kind = LAB_OP_MARK, .id = 77});
        cr_assert_eq(trace->op[i - 1].id, i);
    }
    lab_trace_free(trace);
}

Test(trace, equal_texts_are_kept_once_but_for_rare_collisions)
{
    lab_trace *trace = new_record();
    char name[32];
    for (int i = 0; i < 2000; i++) {
        snprintf(name, sizeof name, "kernel%d", i % 1000);
        add(trace, (lab_trace_op){.kind = LAB_OP_KERNEL, .name = name});
    }
    int twice = 0;
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "kernel%d", i);
        cr_assert_str_eq(trace->op[i].name, name);
        cr_assert_str_eq(trace->op[i + 1000].name, name);
        twice += trace->op[i].name != trace->op[i + 1000].name;
    }
    cr_assert_leq(twice, 20);
    lab_trace_free(trace);
}

Test(trace, text_of_a_record_has_no_control_characters)
{
    lab_trace *trace = new_record();
    add(trace, (lab_trace_op){.kind = LAB_OP_MARK, .name = "a\033[31m\nb\xFF\xC2\x9B\xE2\x80\xAE"});
    cr_assert_str_eq(trace->op[0].name, "a\uFFFD[31m b\uFFFD\uFFFD\uFFFD");
    lab_trace_free(trace);
}

Test(trace, long_text_is_cut_between_characters)
{
    lab_trace *trace = new_record();
    char name[2001] = "";
    for (size_t i = 0; i < 2000; i += 2) memcpy(name + i, "\u00E9", 3);
    add(trace, (lab_trace_op){.kind = LAB_OP_MARK, .name = name});
    cr_assert_eq(strlen(trace->op[0].name), LAB_TRACE_TEXT_BYTES - 2, "the last whole character ends there");
    cr_assert_null(strstr(trace->op[0].name, "\uFFFD"));
    lab_trace_free(trace);
}

Test(trace, stream_is_found_by_its_number)
{
    lab_trace *trace = new_record();
    for (uint64_t id = 1; id <= 500; id++) add_stream(trace, id * 1000);
    for (size_t i = 0; i < 500; i++) cr_assert_eq(lab_trace_find_stream(trace, (i + 1) * 1000), i);
    cr_assert_eq(lab_trace_find_stream(trace, 999), trace->streams);
    lab_trace_free(trace);
}

Test(trace, stream_cannot_be_appended_twice)
{
    lab_trace *trace = new_record();
    add_stream(trace, 5);
    cr_assert_eq(lab_trace_append_stream(trace, &(lab_trace_stream){.id = 5}), LAB_ERROR_INVALID_VALUE);
    cr_assert_str_eq(lab_error_message(), "stream 5 is in the record already");
    lab_trace_free(trace);
}

Test(trace, freeing_no_record_is_accepted) { lab_trace_free(NULL); }

Test(trace, every_kind_has_a_word_and_work_has_an_engine)
{
    for (int kind = 0; kind < LAB_OP_KINDS; kind++)
        cr_assert_str_neq(lab_op_kind_name((lab_op_kind)kind), "unknown", "kind %d", kind);
    cr_assert_str_eq(lab_op_kind_name(LAB_OP_COPY_HTOD), "copy htod");
    cr_assert_str_eq(lab_op_kind_engine(LAB_OP_COPY_HTOD), "htod");
    cr_assert_str_eq(lab_op_kind_engine(LAB_OP_STREAM_SYNC), "");
    cr_assert_str_eq(lab_op_kind_name(LAB_OP_KINDS), "unknown");
}

Test(trace, work_with_an_engine_is_enqueued_on_a_stream_and_is_not_a_wait_of_the_host)
{
    for (int kind = 0; kind < LAB_OP_KINDS; kind++) {
        const bool work = lab_op_is_stream_work((lab_op_kind)kind);
        if (*lab_op_kind_engine((lab_op_kind)kind)) cr_assert(work, "kind %d", kind);
        if (work) cr_assert_not(lab_op_waits_on_host((lab_op_kind)kind), "kind %d", kind);
    }
    cr_assert(lab_op_is_stream_work(LAB_OP_EVENT_WAIT));
    cr_assert_not(lab_op_is_stream_work(LAB_OP_STREAM_SYNC));
    cr_assert(lab_op_waits_on_host(LAB_OP_MEMORY_FREE));
    cr_assert_not(lab_op_waits_on_host(LAB_OP_POOL_FREE));
    cr_assert_not(lab_op_is_stream_work(LAB_OP_KINDS));
    cr_assert_not(lab_op_waits_on_host(LAB_OP_KINDS));
}

/* --- Writing ---------------------------------------------------------------------------------------------------- */

/* Limits the files of this process to this number of bytes, like a full disk. */
static void limit_files(rlim_t bytes)
{
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit limit;
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = bytes;
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0, "%s", strerror(errno));
}

Test(trace, file_that_does_not_fit_leaves_nothing)
{
    test_folder folder = test_folder_make("trace.json");
    lab_trace *trace = full_record();
    limit_files(1000);
    lab_status status = lab_trace_save(trace, folder.file);
    limit_files(RLIM_INFINITY);
    cr_assert_eq(status, LAB_ERROR_IO);
    cr_assert_not_null(strstr(lab_error_message(), folder.file), "%s", lab_error_message());
    cr_assert_eq(test_folder_remove(&folder), 0, "the folder is empty");
    lab_trace_free(trace);
}

Test(trace, file_that_does_not_fit_leaves_the_one_before)
{
    test_folder folder = test_folder_make("trace.json");
    lab_trace *small = new_record(), *large = full_record(), *again = NULL;
    cr_assert_eq(lab_trace_save(small, folder.file), LAB_SUCCESS, "%s", lab_error_message());
    limit_files(1000);
    lab_status status = lab_trace_save(large, folder.file);
    limit_files(RLIM_INFINITY);
    cr_assert_eq(status, LAB_ERROR_IO);
    cr_assert_eq(lab_trace_load(&again, folder.file), LAB_SUCCESS, "%s", lab_error_message());
    assert_same_record(small, again);
    cr_assert_eq(test_folder_remove(&folder), 1);
    lab_trace_free(small);
    lab_trace_free(large);
    lab_trace_free(again);
}

Test(trace, saving_into_a_missing_folder_says_so)
{
    lab_trace *trace = new_record();
    cr_assert_eq(lab_trace_save(trace, "no/such/folder/trace.json"), LAB_ERROR_IO);
    cr_assert_str_eq(lab_error_message(), "cannot write no/such/folder/trace.json: No such file or directory");
    lab_trace_free(trace);
}

Test(trace, saving_over_a_folder_is_refused)
{
    lab_trace *trace = new_record();
    cr_assert_eq(lab_trace_save(trace, "lib"), LAB_ERROR_IO);
    cr_assert_not_null(strstr(lab_error_message(), "not a regular file"), "%s", lab_error_message());
    lab_trace_free(trace);
}

/* The number of events with this phase, and with this name unless that is NULL. */
static size_t count_events(const json_t *events, const char *phase, const char *name)
{
    size_t count = 0, index;
    json_t *event;
    json_array_foreach(events, index, event)
    {
        const char *its_name = json_string_value(json_object_get(event, "name"));
        if (strcmp(json_string_value(json_object_get(event, "ph")), phase) == 0 &&
            (!name || (its_name && strcmp(its_name, name) == 0)))
            count++;
    }
    return count;
}

Test(trace, file_is_a_chrome_trace)
{
    char *text = full_text();
    json_t *file = json_loads(text, 0, NULL);
    cr_assert_not_null(file);
    cr_assert_str_eq(json_string_value(json_object_get(file, "displayTimeUnit")), "ns");
    const json_t *events = json_object_get(file, "traceEvents");
    cr_assert_eq(count_events(events, "M", "process_name"), 2, "the host and a device");
    cr_assert_eq(count_events(events, "M", "thread_name"), 4, "two streams and two host threads");
    cr_assert_eq(count_events(events, "i", "event record"), 1, "an event record is an instant on its stream");
    /* Six calls of the host, and the copy and the kernel that the device finished. */
    cr_assert_eq(count_events(events, "X", NULL), 8);
    /* The kernel waits for two operations, the event sync for one. */
    cr_assert_eq(count_events(events, "s", NULL), 3);
    cr_assert_eq(count_events(events, "f", NULL), 3);
    cr_assert_not_null(strstr(text, "\"name\":\"null stream\""));
    cr_assert_not_null(strstr(text, "\"name\":\"stream 3\""));
    cr_assert_not_null(strstr(text, "\"name\":\"device 0 (Test CPU)\""));
    json_decref(file);
    free(text);
}

Test(trace, arrow_of_a_stream_wait_points_to_the_next_work_of_the_stream)
{
    lab_trace *trace = new_record();
    add_stream(trace, 2);
    add_stream(trace, 4);
    add_work(trace, LAB_OP_EVENT_RECORD, 2, 100000, 100000);
    add(trace, (lab_trace_op){.kind = LAB_OP_EVENT_WAIT,
                              .stream = 4,
                              .start_ns = -1,
                              .end_ns = -1,
                              .lane = -1,
                              .waits_for = (const uint64_t[]){1},
                              .waits = 1});
    add_work(trace, LAB_OP_KERNEL, 2, 100000, 900000);
    add_work(trace, LAB_OP_KERNEL, 4, 123000, 150000);
    char *text = saved_text(trace);
    cr_assert_not_null(strstr(text,
                              "\"ph\":\"f\",\"bp\":\"e\",\"name\":\"waits\",\"cat\":\"order\",\"id\":1,\"pid\":1000000,"
                              "\"tid\":4,\"ts\":123.0}"));
    free(text);
    lab_trace_free(trace);
}

Test(trace, arrow_of_a_query_points_to_the_host)
{
    lab_trace *trace = new_record();
    add_stream(trace, 2);
    add_work(trace, LAB_OP_KERNEL, 2, 100000, 110000);
    add(trace, (lab_trace_op){.kind = LAB_OP_STREAM_QUERY,
                              .stream = 2,
                              .call_ns = 123000,
                              .return_ns = 124000,
                              .start_ns = -1,
                              .end_ns = -1,
                              .lane = -1,
                              .waits_for = (const uint64_t[]){1},
                              .waits = 1});
    add_work(trace, LAB_OP_KERNEL, 2, 150000, 160000);
    char *text = saved_text(trace);
    cr_assert_not_null(strstr(text,
                              "\"ph\":\"f\",\"bp\":\"e\",\"name\":\"waits\",\"cat\":\"order\",\"id\":1,\"pid\":999999,"
                              "\"tid\":100001,\"ts\":123.0}"));
    free(text);
    lab_trace_free(trace);
}

/* --- Damaged files ---------------------------------------------------------------------------------------------- */

static void assert_refused(const char *text, size_t size, const char *message)
{
    lab_trace *trace = NULL;
    lab_status status = lab_trace_load_bytes(&trace, text, size, "run.json");
    cr_assert_eq(status, LAB_ERROR_INVALID_VALUE, "accepted, but should say: %s", message);
    cr_assert_null(trace);
    cr_assert_eq(strncmp(lab_error_message(), "run.json is not a record of this library: ", 42), 0, "%s",
                 lab_error_message());
    cr_assert_not_null(strstr(lab_error_message(), message), "says \"%s\", should say \"%s\"", lab_error_message(),
                       message);
}

/* Asserts the message for the full record's file with the first `was` after `behind` replaced. */
static void assert_change_refused(const char *behind, const char *was, const char *is, const char *message)
{
    char *text = full_text();
    char *at = strstr(text, behind);
    at = at ? strstr(at, was) : NULL;
    cr_assert_not_null(at, "the file has no %s behind %s", was, behind);
    char *changed = calloc(1, strlen(text) + strlen(is) + 1);
    memcpy(changed, text, (size_t)(at - text));
    strcat(strcat(changed, is), at + strlen(was));
    assert_refused(changed, strlen(changed), message);
    free(changed);
    free(text);
}

/* ---- Findings ---- */

static lab_trace *record_with_a_finding(void)
{
    lab_trace *trace = full_record();
    const lab_trace_finding found = {1, 3, "nothing orders \"these\" two", "wait for stream 2"};
    cr_assert_eq(lab_trace_append_finding(trace, &found), LAB_SUCCESS);
    return trace;
}

Test(trace, file_keeps_findings)
{
    lab_trace *trace = record_with_a_finding();
    char *text = saved_text(trace);
    lab_trace *loaded;
    cr_assert_eq(lab_trace_load_bytes(&loaded, text, strlen(text), "record"), LAB_SUCCESS, "%s", lab_error_message());
    cr_assert_eq(loaded->findings, 1);
    cr_assert_eq(loaded->finding[0].first, 1);
    cr_assert_eq(loaded->finding[0].second, 3);
    cr_assert_str_eq(loaded->finding[0].text, "nothing orders \"these\" two");
    cr_assert_str_eq(loaded->finding[0].edge, "wait for stream 2");
    free(text);
    lab_trace_free(loaded);
    lab_trace_free(trace);
}

Test(trace, file_shows_findings_to_a_viewer_with_an_arrow_between_the_two)
{
    lab_trace *trace = record_with_a_finding();
    char *text = saved_text(trace);
    json_t *file = json_loads(text, 0, NULL), *events = json_object_get(file, "traceEvents");
    cr_assert_eq(count_events(events, "i", "finding A"), 1);
    cr_assert_eq(count_events(events, "s", "nothing orders the two"), 1);
    cr_assert_eq(count_events(events, "f", "nothing orders the two"), 1);
    json_decref(file);
    free(text);
    lab_trace_free(trace);
}

Test(trace, record_holds_a_bounded_number_of_findings)
{
    lab_trace *trace = new_record();
    const lab_trace_finding found = {1, 2, "text", "edge"};
    for (int i = 0; i < LAB_TRACE_FINDINGS; i++) cr_assert_eq(lab_trace_append_finding(trace, &found), LAB_SUCCESS);
    cr_assert_eq(lab_trace_append_finding(trace, &found), LAB_ERROR_INVALID_VALUE);
    lab_trace_free(trace);
}

Test(trace_file, findings_are_checked)
{
    static const struct {
        const char *was, *is, *message;
    } changes[] = {
        {"\"second\":3", "\"second\":300", "finding 1: fields \"first\" and \"second\" are 1 and 300"},
        {"\"first\":1,\"second\":3", "\"first\":0,\"second\":0", "at most one of them 0"},
        {"\"second\":3", "\"second\":\"3\"", "finding 1: fields \"first\" and \"second\" must be numbers"},
        {"\"text\":\"nothing", "\"text\":1,\"x\":\"nothing", "finding 1: fields \"text\" and \"edge\" must be texts"},
        {"\"edge\"", "\"ridge\"", "finding 1: fields \"text\" and \"edge\" must be texts"},
    };
    lab_trace *trace = record_with_a_finding();
    char *text = saved_text(trace);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        const char *at = strstr(text, changes[i].was);
        char *changed;
        cr_assert_not_null(at, "%s", changes[i].was);
        cr_assert_geq(
            asprintf(&changed, "%.*s%s%s", (int)(at - text), text, changes[i].is, at + strlen(changes[i].was)), 0);
        assert_refused(changed, strlen(changed), changes[i].message);
        free(changed);
    }
    free(text);
    lab_trace_free(trace);
}

Test(trace_file, every_shorter_file_is_refused)
{
    char *text = full_text();
    size_t length = strlen(text) - 1; /* the last character is a line end, which may be missing */
    for (size_t size = 0; size < length; size++) {
        lab_trace *trace = NULL;
        cr_assert_neq(lab_trace_load_bytes(&trace, text, size, "run.json"), LAB_SUCCESS, "%zu bytes of it", size);
    }
    free(text);
}

Test(trace_file, other_files_are_refused)
{
    assert_refused("", 0, "line 1: expected '{', but the file ends there");
    assert_refused("\n\n[]", 4, "line 3: expected '{'");
    assert_refused("{}", 2, "line 1:");
    assert_refused("{\"a\":1}", 7, "it has no \"otherData\"");
    assert_refused("{\"traceEvents\":{}}", 18, "line 1: expected '['");
    assert_refused("{\"traceEvents\":[1]}", 19, "an event must be an object");
    assert_refused("{\"traceEvents\":[{\"ph\":\"X\",\"args\":[]}]}", 39, "an event must be an object");
    assert_refused("\x7F"
                   "ELF\x02\x01\x01\0\0\0",
                   10, "line 1: expected '{'");
    assert_refused("{\"\xFF\":1}", 7, "line 1:");
    assert_refused("{\"a\":\"\0\"}", 9, "line 1:");
}

Test(trace_file, what_follows_the_end_is_refused)
{
    char *text = full_text();
    char *longer = calloc(1, strlen(text) + 2);
    strcat(strcpy(longer, text), "x");
    assert_refused(longer, strlen(longer), "something follows its end");
    free(longer);
    free(text);
}

Test(trace_file, deep_nesting_is_refused)
{
    size_t size = 1 << 20;
    char *text = malloc(size);
    memset(text, '[', size);
    memcpy(text, "{\"a\":", 5);
    assert_refused(text, size, "line 1: maximum parsing depth reached");
    free(text);
}

Test(trace_file, value_beyond_the_bound_is_refused)
{
    size_t size = 5 << 20;
    char *text = malloc(size);
    memset(text, 'x', size);
    memcpy(text, "{\"a\":\"", 6);
    memcpy(text + size - 2, "\"}", 2);
    assert_refused(text, size, "line 1: a value of more than 4 MiB");
    free(text);
}

Test(trace_file, head_is_checked)
{
    assert_change_refused("", "lab-trace", "other", "\"format\" and \"version\" are not");
    assert_change_refused("", "\"version\":1", "\"version\":2", "\"format\" and \"version\" are not");
    assert_change_refused("", "\"version\":1", "\"version\":\"1\"", "field \"version\" must be an integer");
    assert_change_refused("", "\"Test CPU\"", "null", "field \"device_name\" must be a text");
    assert_change_refused("", "\"device_kind\":\"cpu\"", "\"device_kind\":\"tpu\"",
                          "must be \"cpu\", \"cuda\" or \"model\"");
    assert_change_refused("", "\"multiprocessors\":2", "\"multiprocessors\":-2", "field \"multiprocessors\"");
    assert_change_refused("", "\"duration_ns\":1000000000", "\"duration_ns\":1e9", "field \"duration_ns\"");
    assert_change_refused("", "\"operations\":6", "\"operations\":7", "holds 6 operations; its \"otherData\" says 7");
    assert_change_refused("", "\"otherData\"", "\"other\"", "it has no \"otherData\"");
    assert_change_refused("", "\"traceEvents\"", "\"events\"", "it has no \"traceEvents\"");
    assert_change_refused("", "\"displayTimeUnit\":\"ns\"", "\"traceEvents\":[]", "it has \"traceEvents\" twice");
    assert_change_refused("", "\"format\"", "\"version\":1,\"format\"", "duplicate object key");
    assert_change_refused("", "\"duration_ns\":1000000000", "\"duration_ns\":97",
                          "operation 6: field \"return_ns\" is after the end of the record, 97");
}

Test(trace_file, streams_are_checked)
{
    assert_change_refused("", "\"stream\":3", "\"stream\":0", "stream 2 of the file: field \"stream\"");
    assert_change_refused("", "\"stream\":3", "\"stream\":\"3\"", "stream 2 of the file: field \"stream\"");
    assert_change_refused("", "\"stream\":3", "\"stream\":1", "stream 1 appears twice");
    assert_change_refused("", "\"device\":0", "\"device\":1000", "stream 1: field \"device\"");
    assert_change_refused("", "\"device\":0", "\"device\":-1", "stream 1: field \"device\"");
    assert_change_refused("", "\"context\":7", "\"context\":-7", "field \"context\" must be a number");
    assert_change_refused("", "\"priority\":-1", "\"priority\":0.5", "field \"priority\" must be an integer");
    assert_change_refused("", "\"priority\":-1", "\"priority\":-3000000000", "field \"priority\"");
    assert_change_refused("", "\"null_stream\":true", "\"null_stream\":1", "\"null_stream\" and \"non_blocking\"");
    assert_change_refused("", "\"device\":0", "\"device\":5", "stream 1 is on device 5");
}

Test(trace_file, types_and_ranges_of_fields_are_checked)
{
    assert_change_refused("", "\"id\":1,", "\"id\":-1,", "operation 1: field \"id\" is negative");
    assert_change_refused("", "\"id\":1,", "\"id\":0,", "operation 1: field \"id\" is 0; it must be from 1 to");
    assert_change_refused("", "\"kind\":\"kernel\"", "\"kind\":\"dance\"", "operation 3: field \"kind\" is not a kind");
    assert_change_refused("", "\"kind\":\"kernel\"", "\"kind\":0", "operation 3: field \"kind\" is not a kind");
    assert_change_refused("", "\"thread\":2", "\"thread\":0", "operation 1: field \"thread\" is 0");
    assert_change_refused("", "\"thread\":2", "\"thread\":65537", "operation 1: field \"thread\" is 65537");
    assert_change_refused("", "\"bytes\":4096", "\"bytes\":4.5",
                          "operation 1: field \"bytes\" is a number with a fraction");
    assert_change_refused("", "\"bytes\":4096", "\"bytes\":\"0x\"", "operation 1: field \"bytes\" is a text");
    assert_change_refused("", "\"bytes\":4096", "\"bytes\":\"0x11112222333344445\"", "field \"bytes\" is a text");
    assert_change_refused("", "\"bytes\":4096", "\"bytes\":99999999999999999999", "line 12: too big integer");
    assert_change_refused("", "\"pageable\"", "\"damp\"",
                          "operation 1: field \"host_memory\" is not a kind of host memory");
    assert_change_refused("", "\"host_waits\":true", "\"host_waits\":1", "field \"host_waits\" is an integer");
    assert_change_refused("", "\"call_ns\":5", "\"call_ns\":-5", "operation 1: field \"call_ns\" is -5");
    assert_change_refused("", "\"start_ns\":10", "\"start_ns\":9007199254740993",
                          "field \"start_ns\" is 9007199254740993");
    assert_change_refused("", "\"start_ns\":10", "\"start_ns\":null", "operation 1: field \"start_ns\" is null");
    assert_change_refused("", "\"lane\":0", "\"lane\":2147483648", "operation 1: field \"lane\" is 2147483648");
    assert_change_refused("", "\"file\":\"lab03.c\"", "\"file\":{}", "operation 1: field \"file\" is an object");
    assert_change_refused("", "\"line\":12", "\"line\":-1", "operation 1: field \"line\" is -1");
    assert_change_refused("", "\"line\":12", "\"colour\":1", "operation 1: field \"colour\" is not a field");
    assert_change_refused("", "\"grid\":[1,", "\"grid\":[-1,", "operation 3: field \"grid\" is -1");
    assert_change_refused("", "\"grid\":[1,", "\"grid\":[", "operation 3: field \"grid\" must be a list of three");
    assert_change_refused("", "4294967295", "4294967296", "operation 3: field \"grid\" is 4294967296");
}

Test(trace_file, fields_that_must_be_there_are_asked_for)
{
    assert_change_refused("", "\"kind\":\"copy htod\",", "", "operation 1: field \"kind\" is missing");
    assert_change_refused("", "\"thread\":2,", "", "operation 1: field \"thread\" is missing");
    assert_change_refused("", "\"call_ns\":5,", "", "operation 1: field \"call_ns\" is missing");
}

Test(trace_file, lists_of_operations_are_checked)
{
    assert_change_refused("\"access\":", "[", "{\"a\":[", "line 17:");
    assert_change_refused("\"access\":", "\"r\"", "\"x\"", "operation 3: field \"access\" holds an access that is not");
    assert_change_refused("\"access\":", "\"r\"", "1", "operation 3: field \"access\" must hold lists of");
    assert_change_refused("\"access\":", "4095", "4096", "goes past the last address");
    assert_change_refused("", "\"waits_for\":[2,1]", "\"waits_for\":[2,3]",
                          "\"waits_for\" has 3, which is not an earlier");
    assert_change_refused("", "\"waits_for\":[2,1]", "\"waits_for\":[2,0]", "operation 3: field \"waits_for\" is 0");
    assert_change_refused("", "\"waits_for\":[2,1]", "\"waits_for\":2",
                          "operation 3: field \"waits_for\" is an integer");
}

Test(trace_file, list_beyond_the_bound_is_refused)
{
    size_t size = 400000;
    char *waits = calloc(1, size);
    char *at = stpcpy(waits, "\"waits_for\":[1");
    for (int i = 0; i < LAB_TRACE_LIST_LENGTH; i++) at = stpcpy(at, ",1");
    strcpy(at, "]");
    assert_change_refused("", "\"waits_for\":[2,1]", waits, "\"waits_for\" has 65537 entries; it may have 65536");
    free(waits);
}

Test(trace_file, text_beyond_the_bound_is_refused)
{
    char name[LAB_TRACE_TEXT_BYTES + 16] = "\"file\":\"";
    memset(name + 8, 'x', LAB_TRACE_TEXT_BYTES);
    strcat(name, "\"");
    assert_change_refused("", "\"file\":\"lab03.c\"", name,
                          "operation 1: field \"file\" has 1024 bytes; it may have 1023");
}

Test(trace_file, order_of_operations_and_times_is_checked)
{
    assert_change_refused("", "\"declared\":2", "\"declared\":4", "is 4, but there are 3 accesses");
    assert_change_refused("", "\"id\":2,", "\"id\":3,", "operation 2: field \"id\" is 3; operations are numbered");
    assert_change_refused("\"id\":1,", "\"stream\":3", "\"stream\":4", "field \"stream\" is 4, which no earlier event");
    assert_change_refused("", "\"return_ns\":40", "\"return_ns\":4", "\"return_ns\" is 4, before \"call_ns\" 5");
    assert_change_refused("", "\"end_ns\":30", "\"end_ns\":9",
                          "operation 1: field \"end_ns\" is 9, before \"start_ns\" 10");
    assert_change_refused("", "\"start_ns\":10,", "", "operation 1: field \"end_ns\" is 30, before \"start_ns\" -1");
}

Test(trace_file, message_about_a_hostile_field_is_harmless)
{
    assert_change_refused("", "\"line\":12", "\"\\u001b[2J\\u202e\":12",
                          "operation 1: field \"\uFFFD[2J\uFFFD\" is not");
}

Test(trace_file, hostile_text_is_cleaned)
{
    lab_trace *trace = new_record(), *again = NULL;
    add(trace, (lab_trace_op){.kind = LAB_OP_MARK, .name = "ESCAPE"});
    char *text = saved_text(trace);
    memcpy(strstr(strstr(text, "\"id\""), "ESCAPE"), "\\u001b", 6);
    cr_assert_eq(lab_trace_load_bytes(&again, text, strlen(text), "file"), LAB_SUCCESS, "%s", lab_error_message());
    cr_assert_str_eq(again->op[0].name, "\uFFFD");
    free(text);
    lab_trace_free(trace);
    lab_trace_free(again);
}

Test(trace_file, events_of_other_programs_are_passed_over)
{
    char *text = full_text();
    lab_trace *trace = NULL;
    char *events = strstr(text, "[\n");
    memcpy(events, "[\t", 2); /* any white space is valid */
    cr_assert_eq(lab_trace_load_bytes(&trace, text, strlen(text), "file"), LAB_SUCCESS, "%s", lab_error_message());
    lab_trace_free(trace);
    free(text);
}

Test(trace_file, missing_file_and_folder_are_told_apart)
{
    lab_trace *trace = NULL;
    cr_assert_eq(lab_trace_load(&trace, "no/such/file"), LAB_ERROR_FILE_NOT_FOUND);
    cr_assert_str_eq(lab_error_message(), "cannot read no/such/file: No such file or directory");
    cr_assert_eq(lab_trace_load(&trace, "lib"), LAB_ERROR_FILE_NOT_FOUND);
    cr_assert_str_eq(lab_error_message(), "cannot read lib: it is not a regular file");
}

Test(trace_file, file_beyond_the_bound_is_not_read)
{
    test_folder folder = test_folder_make("huge.json");
    lab_trace *trace = NULL;
    int descriptor = open(folder.file, O_WRONLY | O_CREAT, 0600);
    cr_assert(descriptor >= 0 && ftruncate(descriptor, (off_t)300 << 20) == 0, "%s", strerror(errno));
    close(descriptor);
    cr_assert_eq(lab_trace_load(&trace, folder.file), LAB_ERROR_INVALID_VALUE);
    cr_assert_not_null(strstr(lab_error_message(), "has 300 MiB; a record of at most 256 MiB can be read"), "%s",
                       lab_error_message());
    test_folder_remove(&folder);
}

/* --- Summaries -------------------------------------------------------------------------------------------------- */

static const int64_t ms = 1000000;

Test(trace_summary, empty_record_has_only_zeros)
{
    lab_trace *trace = new_record();
    lab_trace_summary sum = lab_trace_summarize(trace);
    cr_assert(sum.kernels == 0 && sum.copies_htod == 0 && sum.copies_dtoh == 0 && sum.streams_used == 0);
    cr_assert(sum.span_ms == 0 && sum.copy_kernel_overlap_ms == 0 && sum.both_ways_ms == 0);
    lab_trace_free(trace);
}

Test(trace_summary, counts_and_adds_durations)
{
    lab_trace *trace = new_record();
    for (uint64_t id = 1; id <= 3; id++) add_stream(trace, id);
    add_work(trace, LAB_OP_COPY_HTOD, 2, 10 * ms, 13 * ms);
    add_work(trace, LAB_OP_KERNEL, 2, 13 * ms, 20 * ms);
    add_work(trace, LAB_OP_KERNEL, 3, 30 * ms, 31 * ms);
    add_work(trace, LAB_OP_COPY_DTOH, 3, 31 * ms, 36 * ms);
    lab_trace_summary sum = lab_trace_summarize(trace);
    cr_assert(sum.kernels == 2 && sum.copies_htod == 1 && sum.copies_dtoh == 1 && sum.streams_used == 2);
    cr_assert_float_eq(sum.span_ms, 26, 1e-9);
    cr_assert_float_eq(sum.kernel_ms, 8, 1e-9);
    cr_assert_float_eq(sum.htod_ms, 3, 1e-9);
    cr_assert_float_eq(sum.dtoh_ms, 5, 1e-9);
    cr_assert(sum.copy_kernel_overlap_ms == 0 && sum.kernel_kernel_overlap_ms == 0 && sum.both_ways_ms == 0,
              "what only touches does not overlap");
    lab_trace_free(trace);
}

Test(trace_summary, a_graph_counts_as_a_kernel)
{
    lab_trace *trace = new_record();
    for (uint64_t id = 1; id <= 2; id++) add_stream(trace, id);
    add_work(trace, LAB_OP_GRAPH_LAUNCH, 1, 0, 10 * ms);
    add_work(trace, LAB_OP_COPY_HTOD, 2, 4 * ms, 9 * ms);
    lab_trace_summary sum = lab_trace_summarize(trace);
    cr_assert_eq(sum.kernels, 1);
    cr_assert_float_eq(sum.copy_kernel_overlap_ms, 5, 1e-9);
    lab_trace_free(trace);
}

Test(trace_summary, measures_each_kind_of_overlap)
{
    lab_trace *trace = new_record();
    for (uint64_t id = 1; id <= 4; id++) add_stream(trace, id);
    add_work(trace, LAB_OP_KERNEL, 1, 0, 10 * ms);
    add_work(trace, LAB_OP_KERNEL, 2, 6 * ms, 14 * ms);
    add_work(trace, LAB_OP_COPY_HTOD, 3, 8 * ms, 20 * ms);
    add_work(trace, LAB_OP_COPY_DTOH, 4, 18 * ms, 21 * ms);
    lab_trace_summary sum = lab_trace_summarize(trace);
    cr_assert_float_eq(sum.kernel_kernel_overlap_ms, 4, 1e-9, "6 to 10");
    cr_assert_float_eq(sum.copy_kernel_overlap_ms, 6, 1e-9, "8 to 14");
    cr_assert_float_eq(sum.both_ways_ms, 2, 1e-9, "18 to 20");
    cr_assert_float_eq(sum.span_ms, 21, 1e-9);
    lab_trace_free(trace);
}

Test(trace_summary, copy_beside_a_kernel_of_its_own_stream_does_not_overlap)
{
    lab_trace *trace = new_record();
    add_stream(trace, 2);
    add_work(trace, LAB_OP_KERNEL, 2, 0, 10 * ms);
    add_work(trace, LAB_OP_COPY_HTOD, 2, 2 * ms, 8 * ms);
    cr_assert_float_eq(lab_trace_summarize(trace).copy_kernel_overlap_ms, 0, 1e-9);
    lab_trace_free(trace);
}

Test(trace_summary, what_did_not_finish_does_not_count)
{
    lab_trace *trace = new_record();
    add_stream(trace, 2);
    add_work(trace, LAB_OP_KERNEL, 2, 5 * ms, -1);
    add_work(trace, LAB_OP_COPY_HTOD, 2, -1, -1);
    lab_trace_summary sum = lab_trace_summarize(trace);
    cr_assert(sum.kernels == 0 && sum.copies_htod == 0 && sum.streams_used == 0 && sum.span_ms == 0);
    lab_trace_free(trace);
}

Test(trace_summary, work_of_no_length_is_counted)
{
    lab_trace *trace = new_record();
    add_stream(trace, 2);
    add_stream(trace, 3);
    add_work(trace, LAB_OP_KERNEL, 2, 5 * ms, 5 * ms);
    add_work(trace, LAB_OP_KERNEL, 3, 5 * ms, 5 * ms);
    lab_trace_summary sum = lab_trace_summarize(trace);
    cr_assert(sum.kernels == 2 && sum.streams_used == 2 && sum.span_ms == 0 && sum.kernel_kernel_overlap_ms == 0);
    lab_trace_free(trace);
}
