/* The flow of a call, on records and kept bytes made by hand: a small world with host memory, device memory and kernels
 * that do what the record says. */
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "flow/content.h"
#include "flow/flow.h"
#include "trace/trace.h"

enum {
    COUNT = 1000,
    BYTES = COUNT * sizeof(float),
    DEVICE_BYTES = 1 << 20,
    ROOM = 16 << 20,
};
static const uint64_t DEVICE = 0x700000000000, OTHER_DEVICE = DEVICE + DEVICE_BYTES / 2;

/* Digests of two texts that begin with the same 64 bits. */
static const char LAB[] = "8a5edab282632443219e051e4ade2d1d5bbc671c781051bf1437897cbdfea0f1",
                  STUDENT[] = "8a5edab282632443000000000000000000000000000000000000000000000000";

static lab_trace *trace;
static check_evidence kept;
static unsigned char device[DEVICE_BYTES];
static int64_t now_ns;
static float input[COUNT], output[COUNT], staging[4 * COUNT];

/* ---- The world ------------------------------------------------------------------------------------------------- */

static void *at(uint64_t address) { return device + (address - DEVICE); }

static float *floats(uint64_t address) { return at(address); }

static void begin_with(size_t room)
{
    cr_assert_eq(lab_trace_create(&trace), LAB_SUCCESS);
    cr_assert(evidence_begin(room));
    cr_assert(kept_bytes_map(&kept, evidence_descriptor()));
    for (int i = 0; i < COUNT; i++) input[i] = 0.25f + (float)(i * 7919 % 1013) / 1013;
}

static void begin(void) { begin_with(ROOM); }

/* Appends an operation that runs after all before it. */
static uint64_t add(lab_trace_op op)
{
    op.thread = 1;
    op.call_ns = op.start_ns = now_ns += 10;
    op.return_ns = op.end_ns = now_ns += 10;
    op.file = "lab.c";
    op.line = (int)trace->ops + 1;
    op.stream = 0;
    cr_assert_eq(lab_trace_append(trace, &op), LAB_SUCCESS);
    return trace->ops;
}

static uint64_t add_copy(lab_op_kind kind, uint64_t to, uint64_t from, size_t bytes)
{
    const lab_trace_access access[] = {{from, bytes, kind == LAB_OP_COPY_HTOD, true, false},
                                       {to, bytes, kind == LAB_OP_COPY_DTOH, false, true}};
    const uint64_t number = kind == LAB_OP_COPY_DTOD ? 0 : trace->ops + 1000;
    return add((lab_trace_op){.kind = kind, .bytes = bytes, .kept = number, .access = access, .accesses = 2});
}

static uint64_t upload(uint64_t to, const void *from, size_t bytes)
{
    const uint64_t op = add_copy(LAB_OP_COPY_HTOD, to, (uintptr_t)from, bytes);
    cr_assert(evidence_upload(at(to), (uintptr_t)from, bytes, trace->op[op - 1].kept));
    return op;
}

static uint64_t deliver(void *to, uint64_t from, size_t bytes)
{
    const uint64_t op = add_copy(LAB_OP_COPY_DTOH, (uintptr_t)to, from, bytes);
    cr_assert(evidence_deliver((uintptr_t)to, at(from), bytes, trace->op[op - 1].kept));
    return op;
}

static uint64_t copy(uint64_t to, uint64_t from, size_t bytes)
{
    memmove(at(to), at(from), bytes);
    return add_copy(LAB_OP_COPY_DTOD, to, from, bytes);
}

static uint64_t set(uint64_t to, unsigned char value, size_t bytes)
{
    const lab_trace_access access[] = {{to, bytes, .writes = true}};
    memset(at(to), value, bytes);
    return add((lab_trace_op){.kind = LAB_OP_FILL, .bytes = bytes, .access = access, .accesses = 1});
}

/* An operation of the library's on whole arrays. */
static uint64_t library(const char *name, uint64_t to, size_t to_bytes, uint64_t from, size_t from_bytes)
{
    const lab_trace_access access[] = {{to, to_bytes, .writes = true}, {from, from_bytes, .reads = true}};
    return add((lab_trace_op){.kind = LAB_OP_KERNEL, .name = name, .access = access, .accesses = from ? 2 : 1});
}

static void write_word(char *out, const void *value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) sprintf(out + 2 * i, "%02x", ((const unsigned char *)value)[i]);
}

/* How scale(float x[count], int count, float by) is launched. */
typedef struct launch {
    const char *module;
    const char *name;
    uint64_t x;
    int count;
    float by;
    size_t bytes;   /* to the end of x's memory; 0: as many as count says */
    int threads;    /* 0: enough */
    uint64_t claim; /* what the program says that the kernel also reads: an address, for BYTES */
} launch;

static uint64_t record_scale(launch how)
{
    char count[9], by[9], arguments[64];
    const size_t bytes = how.bytes ? how.bytes : (size_t)how.count * sizeof(float);
    const lab_trace_access access[] = {{how.x, bytes, false, true, true}, {how.claim, BYTES, .reads = true}};
    const unsigned threads = how.threads ? (unsigned)how.threads : (unsigned)how.count;
    write_word(count, &how.count, sizeof how.count);
    write_word(by, &how.by, sizeof how.by);
    snprintf(arguments, sizeof arguments, "0x%llx %s %s", (unsigned long long)how.x, count, by);
    return add((lab_trace_op){.kind = LAB_OP_KERNEL,
                              .name = how.name ? how.name : "scale",
                              .module = how.module ? how.module : LAB,
                              .arguments = arguments,
                              .grid = LAB_DIM(1),
                              .block = LAB_DIM(threads),
                              .access = access,
                              .accesses = how.claim ? 2 : 1,
                              .declared = how.claim ? 1 : 0});
}

static uint64_t scale_as(launch how)
{
    const int threads = how.threads && how.threads < how.count ? how.threads : how.count;
    for (int i = 0; i < threads; i++) floats(how.x)[i] *= how.by;
    return record_scale(how);
}

static uint64_t scale(uint64_t x, int count, float by) { return scale_as((launch){.x = x, .count = count, .by = by}); }

/* shift(float to[count], const float from[count], int count), which writes the first `threads` elements. */
static uint64_t shift_some(uint64_t to, uint64_t from, int count, int threads)
{
    char word[9], arguments[64];
    const lab_trace_access access[] = {{to, (size_t)count * sizeof(float), .writes = true},
                                       {from, (size_t)count * sizeof(float), .reads = true}};
    for (int i = 0; i < threads; i++) floats(to)[i] = floats(from)[i] + 1;
    write_word(word, &count, sizeof count);
    snprintf(arguments, sizeof arguments, "0x%llx 0x%llx %s", (unsigned long long)to, (unsigned long long)from, word);
    return add((lab_trace_op){.kind = LAB_OP_KERNEL,
                              .name = "shift",
                              .module = LAB,
                              .arguments = arguments,
                              .grid = LAB_DIM((unsigned)threads),
                              .block = LAB_DIM(1),
                              .access = access,
                              .accesses = 2});
}

static uint64_t shift(uint64_t to, uint64_t from, int count) { return shift_some(to, from, count, count); }

/* ---- The check ------------------------------------------------------------------------------------------------- */

static flow_finding finding;
static int line; /* of the finding's operation, which is its number in the record; 0 if there is none */
static bool in_order, fills;

static flow_verdict examine(const check_passage *passage, size_t passages, bool no_kernel)
{
    check_way way = {.function = "lab_run",
                     .passage = passage,
                     .passages = passages,
                     .kernel = {{"kernels.cu", "scale(float x[count], int count, float by)"},
                                {"kernels.cu", "shift(float to[count], const float from[count], int count)"}},
                     .no_kernel = no_kernel,
                     .fills = fills};
    const flow_evidence evidence = {trace, &kept, {LAB, LAB}, in_order};
    const flow_verdict verdict = flow_examine(&finding, &evidence, &way);
    line = finding.op ? finding.op->line : 0;
    lab_trace_free(trace);
    kept_bytes_unmap(&kept);
    return verdict;
}

static flow_verdict examine_one(void)
{
    const check_passage passage = {
        .output = {output, BYTES}, .input = {CHECK_BYTES(input)}, .argument = {{"by", 2}, {"unused", 1}}};
    return examine(&passage, 1, false);
}

static void assert_proven(void)
{
    const flow_verdict verdict = examine_one();
    cr_assert_eq(verdict, FLOW_PROVEN, "%s: %s, found %s", finding.message, finding.expected, finding.found);
}

/* The words are a part of the message or the cause; the finding is at that operation, or at none if it is 0. */
static void assert_refused(const char *words, int op)
{
    const flow_verdict verdict = examine_one();
    cr_assert_eq(verdict, FLOW_REFUSED, "%d: %s", (int)verdict, finding.message);
    cr_assert(strstr(finding.message, words) || strstr(finding.cause, words), "%s; %s", finding.message, finding.cause);
    cr_assert_eq(line, op, "operation %d", line);
}

static void set_floats(float *out, float value)
{
    for (int i = 0; i < COUNT; i++) out[i] = value;
}

/* What the host would compute. */
static void compute(float *out)
{
    for (int i = 0; i < COUNT; i++) out[i] = input[i] * 2;
}

/* ---- Right ways ------------------------------------------------------------------------------------------------ */

Test(flow, copy_in_kernel_copy_out_is_proven)
{
    begin();
    upload(DEVICE, input, BYTES);
    scale(DEVICE, COUNT, 2);
    deliver(output, DEVICE, BYTES);
    assert_proven();
}

Test(flow, staging_buffers_on_both_sides_are_proven)
{
    begin();
    memcpy(staging, input, BYTES);
    upload(DEVICE, staging, BYTES);
    scale(DEVICE, COUNT, 2);
    deliver(staging + COUNT, DEVICE, BYTES);
    memcpy(output, staging + COUNT, BYTES);
    assert_proven();
}

/* One copy of several arrays, with bytes in between that no kernel reads. */
Test(flow, an_arena_of_arrays_is_proven)
{
    static float second[COUNT], second_output[COUNT];
    enum { STRIDE = COUNT + 24 };
    begin();
    for (int i = 0; i < COUNT; i++) second[i] = input[i] + 3;
    for (int i = 0; i < 2 * STRIDE; i++) staging[i] = -77;
    memcpy(staging, input, BYTES);
    memcpy(staging + STRIDE, second, BYTES);
    upload(DEVICE, staging, 2 * STRIDE * sizeof(float));
    scale_as((launch){.x = DEVICE + STRIDE * sizeof(float), .count = COUNT, .by = 3});
    scale_as((launch){.x = DEVICE, .count = COUNT, .by = 2, .bytes = 2 * STRIDE * sizeof(float)});
    deliver(staging, DEVICE, 2 * STRIDE * sizeof(float));
    memcpy(output, staging, BYTES);
    memcpy(second_output, staging + STRIDE, BYTES);
    const check_passage passage[] = {
        {"array 0", {output, BYTES}, {CHECK_BYTES(input)}, {{"by", 2}}},
        {"array 1", {second_output, BYTES}, {CHECK_BYTES(second)}, {{"by", 3}}},
    };
    cr_assert_eq(examine(passage, 2, false), FLOW_PROVEN, "%s", finding.message);
}

Test(flow, pieces_of_a_copy_are_proven)
{
    begin();
    upload(DEVICE + BYTES / 2, input + COUNT / 2, BYTES / 2);
    upload(DEVICE, input, BYTES / 2);
    scale(DEVICE, COUNT, 2);
    deliver(output, DEVICE, 100);
    deliver((char *)output + 100, DEVICE + 100, BYTES - 100);
    assert_proven();
}

Test(flow, pieces_by_way_of_one_small_buffer_are_proven)
{
    begin();
    for (int first = 0; first < COUNT; first += 100) {
        upload(DEVICE, input + first, 400);
        scale(DEVICE, 100, 2);
        deliver(output + first, DEVICE, 400);
    }
    assert_proven();
}

/* Too small to be found alone: they lie side by side in the program's memory, not in the device's. */
Test(flow, tiny_pieces_by_way_of_one_small_buffer_are_proven)
{
    begin();
    memcpy(staging, input, BYTES);
    for (int first = 0; first < COUNT; first += 5) {
        upload(DEVICE, staging + first, 20);
        scale(DEVICE, 5, 2);
        deliver(output + first, DEVICE, 20);
    }
    assert_proven();
}

Test(flow, tiny_pieces_from_the_end_by_way_of_one_small_buffer_are_proven)
{
    begin();
    memcpy(staging, input, BYTES);
    for (int end = COUNT, count; end > 0; end -= count) {
        count = end < 5 ? end : end == COUNT ? 3 : 5;
        upload(DEVICE, staging + end - count, 4 * (uint64_t)count);
        scale(DEVICE, count, 2);
        deliver(output + end - count, DEVICE, 4 * (uint64_t)count);
    }
    assert_proven();
}

/* Large pieces are searched one by one; the second one begins at any place of the array. */
Test(flow, large_pieces_are_proven_wherever_they_are_cut)
{
    enum { LENGTH = 5000, CUT = 2003 };
    static float in[LENGTH], out[LENGTH];
    begin();
    for (int i = 0; i < LENGTH; i++) in[i] = sqrtf((float)i);
    upload(DEVICE + 4 * CUT, in + CUT, 4 * (LENGTH - CUT));
    upload(DEVICE, in, 4 * CUT);
    scale(DEVICE, LENGTH, 2);
    deliver(out + CUT, DEVICE + 4 * CUT, 4 * (LENGTH - CUT));
    deliver(out, DEVICE, 4 * CUT);
    const check_passage passage = {.output = CHECK_BYTES(out), .input = {CHECK_BYTES(in)}, .argument = {{"by", 2}}};
    cr_assert_eq(examine(&passage, 1, false), FLOW_PROVEN, "%s: %s", finding.message, finding.found);
}

Test(flow, arrays_that_are_copied_element_by_element_are_proven)
{
    float element;
    begin();
    for (int i = 0; i < COUNT; i++) {
        element = input[i];
        upload(DEVICE + (uint64_t)i * 4, &element, 4);
    }
    scale(DEVICE, COUNT, 2);
    for (int i = 0; i < COUNT; i++) {
        deliver(&element, DEVICE + (uint64_t)i * 4, 4);
        output[i] = element;
    }
    assert_proven();
}

/* The arena that is copied has other bytes before and behind the output. */
Test(flow, copies_within_and_between_devices_are_proven)
{
    begin();
    upload(DEVICE, input, BYTES);
    copy(OTHER_DEVICE, DEVICE, BYTES);
    scale(OTHER_DEVICE, COUNT, 2);
    copy(DEVICE + BYTES, OTHER_DEVICE, BYTES);
    copy(OTHER_DEVICE + BYTES, DEVICE, 2 * BYTES);
    deliver(output, OTHER_DEVICE + 2 * BYTES, BYTES);
    assert_proven();
}

Test(flow, a_chain_of_kernels_is_proven)
{
    begin();
    set(DEVICE + BYTES, 0, BYTES);
    upload(DEVICE, input, BYTES);
    scale(DEVICE, COUNT, 2);
    shift(DEVICE + BYTES, DEVICE, COUNT);
    shift(DEVICE, DEVICE + BYTES, COUNT);
    deliver(output, DEVICE, BYTES);
    assert_proven();
}

/* What a kernel has overwritten completely does not matter. */
Test(flow, old_contents_below_a_kernel_are_no_matter)
{
    begin();
    for (int i = 0; i < COUNT; i++) staging[i] = (float)-i;
    upload(DEVICE + BYTES, staging, BYTES);
    upload(DEVICE, input, BYTES);
    scale(DEVICE, COUNT, 2);
    shift(DEVICE + BYTES, DEVICE, COUNT);
    deliver(output, DEVICE + BYTES, BYTES);
    assert_proven();
}

Test(flow, an_intermediate_result_may_pass_through_the_host)
{
    begin();
    upload(DEVICE, input, BYTES);
    scale(DEVICE, COUNT, 2);
    deliver(staging, DEVICE, BYTES);
    memcpy(staging + COUNT, staging, BYTES);
    upload(OTHER_DEVICE, staging + COUNT, BYTES);
    shift(DEVICE, OTHER_DEVICE, COUNT);
    deliver(staging, DEVICE, BYTES);
    upload(OTHER_DEVICE, staging, BYTES);
    deliver(output, OTHER_DEVICE, BYTES);
    assert_proven();
}

Test(flow, a_kernel_of_the_program_that_ended_before_is_no_matter)
{
    begin();
    scale_as((launch){.module = STUDENT, .name = "warm_up", .x = DEVICE, .count = COUNT, .by = 2});
    upload(DEVICE, input, BYTES);
    scale(DEVICE, COUNT, 2);
    deliver(output, DEVICE, BYTES);
    scale_as((launch){.module = STUDENT, .name = "cool_down", .x = DEVICE, .count = COUNT, .by = 2});
    assert_proven();
}

Test(flow, an_operation_of_the_library_is_proven_down_to_one_number)
{
    begin();
    float sum = 0;
    upload(DEVICE, input, BYTES);
    for (int i = 0; i < COUNT; i++) sum += input[i];
    floats(DEVICE + BYTES)[0] = sum;
    library("array_sum", DEVICE + BYTES, 4, DEVICE, BYTES);
    deliver(&sum, DEVICE + BYTES, 4);
    *output = sum;
    const check_passage passage = {.output = {output, 4}, .input = {CHECK_BYTES(input)}};
    cr_assert_eq(examine(&passage, 1, false), FLOW_PROVEN, "%s", finding.message);
}

/* Zeros that the host uploads are initial values. */
Test(flow, one_number_that_the_device_moves_byte_by_byte_in_any_order_is_proven)
{
    begin();
    float sum;
    upload(DEVICE, input, BYTES);
    library("array_sum", DEVICE + BYTES, sizeof sum, DEVICE, BYTES);
    *floats(DEVICE + BYTES) = 510.5f;
    const uint64_t op = add_copy(LAB_OP_COPY_DTOH, (uintptr_t)&sum, DEVICE + BYTES, sizeof sum);
    for (size_t i = sizeof sum; i-- > 0;)
        cr_assert(
            evidence_deliver((uintptr_t)&sum + i, (unsigned char *)at(DEVICE + BYTES) + i, 1, trace->op[op - 1].kept));
    const check_passage passage = {.output = {&sum, sizeof sum}, .input = {CHECK_BYTES(input)}};
    cr_assert_eq(examine(&passage, 1, false), FLOW_PROVEN, "%s", finding.message);
}

Test(flow, zeros_beside_the_input_are_proven)
{
    enum { PART = 300 };
    begin();
    memset(staging, 0, sizeof staging);
    memcpy(staging, input, PART * 4);
    upload(DEVICE, staging, BYTES);
    scale(DEVICE, COUNT, 2);
    deliver(output, DEVICE, BYTES);
    const check_passage passage = {.output = {output, PART * 4}, .input = {{input, PART * 4}}, .argument = {{"by", 2}}};
    cr_assert_eq(examine(&passage, 1, false), FLOW_PROVEN, "%s", finding.message);
}

Test(flow, a_copy_without_a_kernel_is_proven_where_that_is_asked_for)
{
    begin();
    upload(DEVICE, input, BYTES);
    copy(OTHER_DEVICE, DEVICE, BYTES);
    deliver(output, OTHER_DEVICE, BYTES);
    const check_passage passage = {.output = {output, BYTES}, .input = {CHECK_BYTES(input)}};
    cr_assert_eq(examine(&passage, 1, true), FLOW_PROVEN, "%s", finding.message);
}

/* An earlier call of the record had other inputs. */
Test(flow, an_earlier_call_is_no_matter)
{
    begin();
    for (int i = 0; i < COUNT; i++) staging[i] = input[i] / 3;
    upload(DEVICE, staging, BYTES);
    scale(DEVICE, COUNT, 5);
    deliver(output, DEVICE, BYTES);
    upload(DEVICE, input, BYTES);
    scale(DEVICE, COUNT, 2);
    deliver(output, DEVICE, BYTES);
    assert_proven();
}

Test(flow, each_of_many_arrays_has_its_own_arguments)
{
    enum { ARRAYS = 200, LENGTH = 250 };
    static float in[ARRAYS][LENGTH], out[ARRAYS][LENGTH];
    static check_passage passage[ARRAYS];
    begin();
    for (int k = 0; k < ARRAYS; k++) {
        for (int i = 0; i < LENGTH; i++) in[k][i] = (float)((k * 31 + i * 17) % 509) + (float)k / 512;
        upload(DEVICE + (uint64_t)k * 1000, in[k], 1000);
    }
    for (int k = ARRAYS; k-- > 0;) scale(DEVICE + (uint64_t)k * 1000, LENGTH, 1 + (float)k / 64);
    for (int k = 0; k < ARRAYS; k++) {
        deliver(out[k], DEVICE + (uint64_t)k * 1000, 1000);
        passage[k] = (check_passage){"an array", {out[k], 1000}, {{in[k], 1000}}, {{"by", 1 + (float)k / 64}}};
    }
    cr_assert_eq(examine(passage, ARRAYS, false), FLOW_PROVEN, "%s: %s", finding.message, finding.found);
}

/* ---- Ways that are refused ------------------------------------------------------------------------------------- */

Test(flow, an_output_that_the_host_writes_is_refused)
{
    begin();
    upload(DEVICE, input, BYTES);
    scale(DEVICE, COUNT, 3);
    deliver(staging, DEVICE, BYTES);
    compute(output);
    assert_refused("the output did not come from the device", 0);
}

Test(flow, an_output_of_which_the_host_changes_one_byte_is_refused)
{
    begin();
    upload(DEVICE, input, BYTES);
    scale(DEVICE, COUNT, 2);
    deliver(output, DEVICE, BYTES);
    ((char *)output)[1234] ^= 1;
    assert_refused("the output did not come from the device", 0);
    cr_assert_not_null(strstr(finding.found, "missing is byte 1234"), "%s", finding.found);
}

Test(flow, an_output_that_the_host_computes_and_uploads_is_refused)
{
    begin();
    compute(staging);
    upload(DEVICE, input, BYTES);
    scale(DEVICE, COUNT, 2);
    upload(DEVICE, staging, BYTES);
    deliver(output, DEVICE, BYTES);
    assert_refused("the host computed the output", 3);
}

Test(flow, an_output_that_a_memset_writes_is_refused)
{
    begin();
    upload(DEVICE, input, BYTES);
    scale(DEVICE, COUNT, 2);
    set(DEVICE, 0x3f, BYTES);
    deliver(output, DEVICE, BYTES);
    assert_refused("written by a memset or a fill, not by a kernel", 3);
}

Test(flow, an_output_that_a_fill_writes_is_refused)
{
    begin();
    upload(DEVICE, input, BYTES);
    library("fill", DEVICE, BYTES, 0, 0);
    deliver(output, DEVICE, BYTES);
    assert_refused("written by a memset or a fill, not by a kernel", 2);
}

Test(flow, an_output_that_a_fill_writes_is_proven_where_fills_are_the_task)
{
    const check_passage passage = {.output = {output, BYTES}};
    fills = true;
    begin();
    library("fill", DEVICE, BYTES, 0, 0);
    deliver(output, DEVICE, BYTES);
    cr_assert_eq(examine(&passage, 1, false), FLOW_PROVEN, "%s", finding.message);
}

Test(flow, an_output_that_is_the_input_again_is_refused)
{
    begin();
    upload(DEVICE, input, BYTES);
    copy(OTHER_DEVICE, DEVICE, BYTES);
    deliver(output, OTHER_DEVICE, BYTES);
    assert_refused("is the input, copied to the device and back", 1);
}

Test(flow, an_output_of_uploaded_zeros_is_refused)
{
    begin();
    set_floats(staging, 0);
    upload(OTHER_DEVICE, input, BYTES);
    scale(OTHER_DEVICE, COUNT, 2);
    upload(DEVICE, staging, BYTES);
    deliver(output, DEVICE, BYTES);
    assert_refused("uploads what the host made", 3);
}

Test(flow, an_output_that_nothing_wrote_is_refused)
{
    begin();
    upload(DEVICE, input, BYTES);
    deliver(output, OTHER_DEVICE, BYTES);
    assert_refused("written by nothing", 2);
}

Test(flow, a_kernel_launched_for_nothing_is_refused)
{
    begin();
    compute(staging);
    upload(OTHER_DEVICE, input, BYTES);
    scale(OTHER_DEVICE, COUNT, 2);
    deliver(staging + COUNT, OTHER_DEVICE, 4);
    upload(DEVICE, staging, BYTES);
    scale(DEVICE, COUNT, 1);
    deliver(output, DEVICE, BYTES);
    assert_refused("ran with another by", 5);
}

/* The kernel covers only the first elements of what the host has computed. */
Test(flow, a_kernel_with_too_few_threads_proves_nothing)
{
    begin();
    compute(staging);
    memcpy(staging, input, 40);
    upload(DEVICE, staging, BYTES);
    scale_as((launch){.x = DEVICE, .count = COUNT, .by = 2, .threads = 10});
    deliver(output, DEVICE, BYTES);
    assert_refused("the host changed the input, or computed something", 1);
}

Test(flow, a_kernel_for_any_grid_writes_everything_with_few_threads)
{
    begin();
    for (int i = 0; i < COUNT; i++) staging[i] = (float)-i;
    upload(OTHER_DEVICE, staging, BYTES);
    upload(DEVICE, input, BYTES);
    shift_some(OTHER_DEVICE, DEVICE, COUNT, COUNT);
    trace->op[2].grid = LAB_DIM(1);
    deliver(output, OTHER_DEVICE, BYTES);
    const check_passage passage = {.output = {output, BYTES}, .input = {CHECK_BYTES(input)}};
    const check_way way = {
        .function = "lab_run",
        .passage = &passage,
        .passages = 1,
        .kernel = {{"k.cu", "shift(float to[count], const float from[count], int count), any grid"}}};
    const flow_evidence evidence = {trace, &kept, {LAB}, false};
    cr_assert_eq(flow_examine(&finding, &evidence, &way), FLOW_PROVEN, "%s", finding.message);
    lab_trace_free(trace);
    kept_bytes_unmap(&kept);
}

/* It reads nothing of the memory that it should overwrite. */
Test(flow, what_a_kernel_leaves_as_it_was_counts)
{
    begin();
    compute(staging);
    upload(DEVICE, input, BYTES);
    upload(OTHER_DEVICE, staging, BYTES);
    shift_some(OTHER_DEVICE, DEVICE, COUNT, 1);
    deliver(output, OTHER_DEVICE, BYTES);
    assert_refused("the host changed the input, or computed something", 2);
}

/* The input is there, but the kernel does not read it: it only leaves it as it was. */
Test(flow, what_a_kernel_leaves_as_it_was_is_not_read)
{
    begin();
    set(DEVICE, 1, BYTES);
    upload(OTHER_DEVICE, input, BYTES);
    shift_some(OTHER_DEVICE, DEVICE, COUNT, 1);
    deliver(output, OTHER_DEVICE, BYTES);
    assert_refused("does not come from all of the input", 0);
}

Test(flow, a_kernel_that_counts_past_its_array_is_refused)
{
    begin();
    upload(DEVICE, input, BYTES);
    scale_as((launch){.x = DEVICE, .count = COUNT, .by = 2, .bytes = BYTES - 4});
    deliver(output, DEVICE, BYTES);
    assert_refused("not called as the lab declares it", 2);
}

Test(flow, another_value_of_an_argument_is_refused)
{
    begin();
    upload(DEVICE, input, BYTES);
    scale(DEVICE, COUNT, 3);
    deliver(output, DEVICE, BYTES);
    assert_refused("scale ran with another by than it was given", 2);
    cr_assert_str_eq(finding.expected, "by = 2");
    cr_assert_str_eq(finding.found, "by = 3");
}

Test(flow, a_kernel_of_the_programs_own_is_refused_whatever_its_name)
{
    begin();
    upload(DEVICE, input, BYTES);
    scale_as((launch){.module = STUDENT, .x = DEVICE, .count = COUNT, .by = 2});
    deliver(output, DEVICE, BYTES);
    assert_refused("the kernel scale is not one of the lab's", 2);
}

/* Its arguments do not show what it writes. */
Test(flow, a_kernel_of_the_programs_own_may_write_anything)
{
    begin();
    upload(DEVICE, input, BYTES);
    scale(DEVICE, COUNT, 2);
    compute(floats(DEVICE));
    scale_as((launch){.module = STUDENT, .name = "sneak", .x = OTHER_DEVICE, .count = 1, .by = 1});
    deliver(output, DEVICE, BYTES);
    assert_refused("the kernel sneak is not one of the lab's", 3);
    cr_assert_str_eq(finding.expected, "a kernel named scale or shift");
}

Test(flow, a_kernel_of_the_programs_own_may_write_as_long_as_it_runs)
{
    begin();
    scale_as((launch){.module = STUDENT, .name = "lurk", .x = OTHER_DEVICE, .count = 1, .by = 1});
    upload(DEVICE, input, BYTES);
    scale(DEVICE, COUNT, 2);
    deliver(output, DEVICE, BYTES);
    trace->op[0].end_ns = trace->op[2].end_ns + 5;
    assert_refused("the kernel lurk is not one of the lab's", 1);
}

Test(flow, a_graph_may_write_anything)
{
    begin();
    upload(DEVICE, input, BYTES);
    scale(DEVICE, COUNT, 2);
    add((lab_trace_op){.kind = LAB_OP_GRAPH_LAUNCH, .name = "graph 1"});
    deliver(output, DEVICE, BYTES);
    assert_refused("nothing shows what it does", 3);
}

/* The operation becomes a node of graph 1. */
static void make_node(uint64_t op)
{
    trace->op[op - 1].kind = LAB_OP_GRAPH_NODE;
    trace->op[op - 1].object = 1;
}

/* Captures scale(x, COUNT, 2) as the last node of graph 1, which becomes executable graph 5. */
static void capture_scale(uint64_t x)
{
    make_node(record_scale((launch){.x = x, .count = COUNT, .by = 2}));
    add((lab_trace_op){.kind = LAB_OP_GRAPH_CREATE, .name = "graph 1", .object = 1});
    add((lab_trace_op){.kind = LAB_OP_EXEC_CREATE, .name = "graph 1", .object = 5});
}

static uint64_t launch_graph(void)
{
    return add((lab_trace_op){.kind = LAB_OP_GRAPH_LAUNCH, .name = "graph 1", .object = 5});
}

Test(flow, a_graph_counts_as_its_nodes)
{
    begin();
    capture_scale(DEVICE);
    upload(DEVICE, input, BYTES);
    compute(floats(DEVICE));
    launch_graph();
    deliver(output, DEVICE, BYTES);
    assert_proven();
}

/* An operation on other memory as a node before scale, with this name. */
static void capture_another(const char *name)
{
    static const lab_trace_access access = {OTHER_DEVICE, BYTES, .writes = true};
    make_node(add((lab_trace_op){.kind = LAB_OP_FILL, .name = name, .access = &access, .accesses = 1}));
    capture_scale(DEVICE);
    upload(DEVICE, input, BYTES);
    compute(floats(DEVICE));
    launch_graph();
    deliver(output, DEVICE, BYTES);
}

Test(flow, a_node_may_fill)
{
    begin();
    capture_another("fill");
    assert_proven();
}

Test(flow, a_graph_with_a_copy_may_do_anything)
{
    begin();
    capture_another("copy htod");
    assert_refused("nothing shows what it does", trace->ops - 1);
}

Test(flow, an_updated_node_counts_from_the_next_launch_on)
{
    begin();
    capture_scale(OTHER_DEVICE);
    upload(DEVICE, input, BYTES);
    const uint64_t update = record_scale((launch){.x = DEVICE, .count = COUNT, .by = 2});
    trace->op[update - 1].kind = LAB_OP_EXEC_UPDATE;
    trace->op[update - 1].object = 5;
    trace->op[update - 1].bytes = 0;
    compute(floats(DEVICE));
    launch_graph();
    deliver(output, DEVICE, BYTES);
    assert_proven();
}

Test(flow, a_graph_that_uses_other_memory_is_not_where_the_output_came_from)
{
    begin();
    capture_scale(OTHER_DEVICE);
    upload(DEVICE, input, BYTES);
    compute(floats(DEVICE));
    launch_graph();
    deliver(output, DEVICE, BYTES);
    assert_refused("is the input, copied to the device and back", 4);
}

Test(flow, a_kernel_that_uses_host_memory_is_refused)
{
    begin();
    upload(DEVICE, input, BYTES);
    const lab_trace_access access[] = {{DEVICE, BYTES, .writes = true},
                                       {(uintptr_t)staging, BYTES, .host = true, .reads = true}};
    compute(floats(DEVICE));
    add((lab_trace_op){.kind = LAB_OP_KERNEL, .name = "astype", .access = access, .accesses = 2});
    deliver(output, DEVICE, BYTES);
    assert_refused("the kernel astype uses host memory by itself", 2);
}

Test(flow, an_input_that_the_host_changes_before_the_copy_is_refused)
{
    begin();
    memcpy(staging, input, BYTES);
    staging[500] += 1;
    upload(DEVICE, staging, BYTES);
    scale(DEVICE, COUNT, 2);
    deliver(output, DEVICE, BYTES);
    assert_refused("uploads what the host made, not the input", 1);
    cr_assert_not_null(strstr(finding.found, "from byte 200"), "%s", finding.found); /* 2000 to 2003 */
}

Test(flow, a_part_of_the_input_is_not_enough)
{
    begin();
    upload(DEVICE, input, BYTES);
    scale(DEVICE, COUNT / 2, 2);
    deliver(output, DEVICE, BYTES / 2);
    const check_passage passage = {
        .output = {output, BYTES / 2}, .input = {CHECK_BYTES(input)}, .argument = {{"by", 2}}};
    cr_assert_eq(examine(&passage, 1, false), FLOW_REFUSED);
    cr_assert_not_null(strstr(finding.message, "does not come from all of the input"), "%s", finding.message);
    cr_assert_not_null(strstr(finding.found, "missing is byte 2000"), "%s", finding.found);
}

/* The program says that the kernel reads the input too. */
Test(flow, a_use_that_the_program_declares_does_not_count)
{
    begin();
    upload(OTHER_DEVICE, input, BYTES);
    set(DEVICE, 1, BYTES);
    scale_as((launch){.x = DEVICE, .count = COUNT, .by = 2, .claim = OTHER_DEVICE});
    deliver(output, DEVICE, BYTES);
    assert_refused("does not come from all of the input", 0);
}

Test(flow, a_use_that_is_declared_for_the_library_does_not_count)
{
    begin();
    upload(OTHER_DEVICE, input, BYTES);
    set(DEVICE, 1, BYTES);
    const lab_trace_access access[] = {{DEVICE, BYTES, .reads = true, .writes = true},
                                       {OTHER_DEVICE, BYTES, .reads = true}};
    add((lab_trace_op){.kind = LAB_OP_KERNEL, .name = "astype", .access = access, .accesses = 2, .declared = 1});
    deliver(output, DEVICE, BYTES);
    assert_refused("does not come from all of the input", 0);
}

/* Fills with values of the host's choice are initial values, but then the input is missing. */
Test(flow, values_set_by_fills_are_no_input)
{
    begin();
    upload(DEVICE, input, BYTES);
    scale(DEVICE, COUNT, 2);
    for (int i = 0; i < COUNT; i++) {
        library("fill", DEVICE + (uint64_t)i * 4, 4, 0, 0);
        floats(DEVICE)[i] = (float)i;
    }
    scale(DEVICE, COUNT, 2);
    deliver(output, DEVICE, BYTES);
    assert_refused("does not come from all of the input", 0);
}

Test(flow, another_arrays_input_is_refused)
{
    static float second[COUNT];
    begin();
    for (int i = 0; i < COUNT; i++) second[i] = input[i] + 3;
    upload(DEVICE, second, BYTES);
    scale(DEVICE, COUNT, 2);
    deliver(output, DEVICE, BYTES);
    upload(OTHER_DEVICE, input, BYTES);
    scale(OTHER_DEVICE, COUNT, 2);
    deliver(staging, OTHER_DEVICE, BYTES);
    const check_passage passage[] = {
        {"array 0", {output, BYTES}, {CHECK_BYTES(input)}, {{"by", 2}}},
        {"array 1", {staging, BYTES}, {CHECK_BYTES(second)}, {{"by", 2}}},
    };
    cr_assert_eq(examine(passage, 2, false), FLOW_REFUSED);
    cr_assert_not_null(strstr(finding.message, "lab_run, array 0: the output does not come from all"), "%s",
                       finding.message);
}

/* The device delivers the same bytes, but later: the host knew them before. */
Test(flow, an_upload_of_what_is_delivered_later_is_refused)
{
    begin();
    compute(staging);
    upload(DEVICE, staging, BYTES);
    shift(OTHER_DEVICE, DEVICE, COUNT);
    deliver(output, OTHER_DEVICE, BYTES);
    upload(DEVICE, input, BYTES);
    scale(DEVICE, COUNT, 2);
    deliver(staging + COUNT, DEVICE, BYTES);
    assert_refused("uploads what the host made, not the input", 1);
}

/* As long as the order checker's sentences about two kernels that use the same memory. */
static const char unordered[] =
    "kernel consume (lab02.c:13) reads device memory that kernel produce (lab02.c:7) writes, and nothing orders them. "
    "Operation 3 (stream 3 made at program.c:37, host thread 1) and operation 2 (stream 2 made at program.c:36, host "
    "thread 1) use bytes 0 to 3999 of the 4000 made at program.c:34";

static void add_finding(uint64_t first, uint64_t second)
{
    const lab_trace_finding found = {first, second, unordered, "record an event"};
    cr_assert_eq(lab_trace_append_finding(trace, &found), LAB_SUCCESS);
}

Test(flow, operations_that_nothing_orders_are_refused)
{
    begin();
    upload(DEVICE, input, BYTES);
    scale(DEVICE, COUNT, 2);
    deliver(output, DEVICE, BYTES);
    add_finding(1, 2);
    cr_assert_eq(examine_one(), FLOW_UNORDERED);
    cr_assert_str_eq(finding.message, unordered);
}

Test(flow, order_is_no_matter_where_everything_runs_in_the_order_of_the_calls_or_elsewhere)
{
    for (int round = 0; round < 2; round++) {
        begin();
        set(OTHER_DEVICE, 1, BYTES);
        upload(DEVICE, input, BYTES);
        scale(DEVICE, COUNT, 2);
        deliver(output, DEVICE, BYTES);
        set(OTHER_DEVICE, 2, BYTES);
        if (round == 0)
            add_finding(2, 3);
        else
            add_finding(1, 5);
        add_finding(4, 0); /* the host reads too early: the delivered bytes are what they are */
        in_order = round == 0;
        assert_proven();
    }
}

Test(flow, incomplete_evidence_proves_nothing)
{
    begin_with(2 * BYTES);
    upload(DEVICE, input, BYTES);
    scale(DEVICE, COUNT, 2);
    deliver(output, DEVICE, BYTES);
    cr_assert_eq(examine_one(), FLOW_FLOOD);
    cr_assert_not_null(strstr(finding.message, "copies more between host and device"), "%s", finding.message);
}

/* ---- The check's own mistakes ---------------------------------------------------------------------------------- */

static void assert_wrong(const char *declaration, const char *words)
{
    begin();
    upload(DEVICE, input, BYTES);
    scale(DEVICE, COUNT, 2);
    deliver(output, DEVICE, BYTES);
    const check_passage passage = {.output = {output, BYTES}, .input = {CHECK_BYTES(input)}};
    const check_way way = {
        .function = "lab_run", .passage = &passage, .passages = 1, .kernel = {{"k.cu", declaration}}};
    const flow_evidence evidence = {trace, &kept, {LAB}, false};
    cr_assert_eq(flow_examine(&finding, &evidence, &way), FLOW_WRONG_CHECK, "%s: %s", declaration, finding.message);
    cr_assert_not_null(strstr(finding.message, words), "%s", finding.message);
    lab_trace_free(trace);
    kept_bytes_unmap(&kept);
}

Test(flow, a_check_with_a_wrong_declaration_is_told)
{
    assert_wrong("scale(float x[count], int count, float by)", "does not say what by of scale must be");
    assert_wrong("scale", "not of the form");
    assert_wrong("scale(float x[count], int count), some grid", "not of the form");
    assert_wrong("scale(float x[length], int count, float by)", "neither a number nor another parameter");
    assert_wrong("scale(float *x, int count, float by)", "a pointer, a number of elements");
    assert_wrong("scale(thing x, int count, float by)", "a known type");
}

/* ---- Contents -------------------------------------------------------------------------------------------------- */

static bool keep_longest(void *user, const content_match *match)
{
    content_match *longest = user;
    if (match->text == 1 && match->size > longest->size) *longest = *match;
    return true;
}

/* The index keeps only some blocks with the same bytes: here those of the first text, none of the second's zeros. */
Test(flow, a_text_that_begins_like_many_others_is_found_whole)
{
    static unsigned char zeros[1000], text[200];
    content_match longest = {0};
    for (size_t i = 64; i < sizeof text; i++) text[i] = (unsigned char)(i * i % 251);
    const content_text both[] = {{zeros, sizeof zeros}, {text, sizeof text}};
    content_index *index = content_index_create(both, 2);
    cr_assert_not_null(index);
    content_find(index, text, sizeof text, keep_longest, &longest);
    content_index_free(index);
    cr_assert_eq(longest.offset, 0, "found from byte %zu on", longest.offset);
    cr_assert_eq(longest.size, sizeof text);
}

static bool count_whole(void *user, const content_match *match)
{
    int *found = user;
    found[match->text] += match->offset == 0;
    return true;
}

Test(flow, texts_of_every_size_are_found_next_to_empty_ones)
{
    enum { TEXTS = 60 };
    static unsigned char bytes[TEXTS][TEXTS];
    content_text text[TEXTS];
    for (size_t i = 0; i < TEXTS; i++) {
        for (size_t k = 0; k < TEXTS; k++) bytes[i][k] = (unsigned char)(k % 2 ? k : i + 1);
        text[i] = (content_text){bytes[i], i % 3 ? i : 0};
    }
    content_index *index = content_index_create(text, TEXTS);
    cr_assert_not_null(index);
    for (size_t i = 0; i < TEXTS; i++) {
        int found[TEXTS] = {0};
        content_find(index, text[i].bytes, text[i].size, count_whole, found);
        cr_assert_eq(found[i] > 0, text[i].size > 0, "text %zu of %zu bytes", i, text[i].size);
        for (size_t k = 0; k < TEXTS; k++) cr_assert(k == i || !found[k], "text %zu is found in text %zu", k, i);
    }
    content_index_free(index);
}
