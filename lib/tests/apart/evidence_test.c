/* The bytes that are kept as evidence: of every copy between host and device, in the order in which they ran, whatever
 * kind of memory the program uses. */
#include "apart.h"
#include "base/system/evidence.h"
#include "conformance/buffers.h"
#include "conformance/gate.h"
#include "lab_trace.h"

#include <sys/mman.h>

enum { BYTES = 3 * MEBIBYTE + 5, ROOM = 64 * MEBIBYTE };

/* ---- as the check sees it ---- */

static const evidence_head *begin(size_t bytes)
{
    cr_assert(evidence_begin(bytes));
    const evidence_head *head = mmap(NULL, bytes, PROT_READ, MAP_SHARED, evidence_descriptor(), 0);
    cr_assert_neq(head, MAP_FAILED);
    cr_assert_eq(head->bytes, bytes);
    return head;
}

static const evidence_entry *entry_at(const evidence_head *head, uint64_t at)
{
    return at < head->end ? (const evidence_entry *)((const char *)head + at) : NULL;
}

static const evidence_entry *first(const evidence_head *head) { return entry_at(head, head->first); }

static const evidence_entry *next(const evidence_head *head, const evidence_entry *entry)
{
    return entry_at(head, evidence_after((uint64_t)((const char *)entry - (const char *)head), entry->bytes));
}

static size_t count(const evidence_head *head)
{
    size_t entries = 0;
    for (const evidence_entry *entry = first(head); entry; entry = next(head, entry)) entries++;
    return entries;
}

/* Asserts that the entries from *from on are the parts of one copy of BYTES, byte_at(0) to byte_at(BYTES - 1), and are
 * those of the record's operation. *from moves on. */
static void check_copy(const evidence_head *head, const evidence_entry **from, evidence_way way, const void *memory,
                       const lab_trace_op *op)
{
    size_t done = 0;
    for (; done < BYTES; *from = next(head, *from)) {
        const evidence_entry *entry = *from;
        const unsigned char *kept = (const unsigned char *)(entry + 1);
        cr_assert_not_null(entry);
        cr_assert_eq(entry->state, (uint32_t)EVIDENCE_WHOLE);
        cr_assert_eq(entry->way, (uint32_t)way);
        cr_assert_eq(entry->address, apart_address(memory) + done);
        cr_assert_eq(entry->copy, op->kept);
        for (size_t i = 0; i < entry->bytes; i++) cr_assert_eq(kept[i], byte_at(done + i), "byte %zu", done + i);
        done += entry->bytes;
    }
    cr_assert_eq(done, BYTES);
}

static lab_trace *end_record(void)
{
    lab_trace *trace;
    LAB_CHECK(lab_trace_end(&trace));
    return trace;
}

static const lab_trace_op *find(const lab_trace *trace, lab_op_kind kind)
{
    for (size_t i = 0; i < trace->ops; i++)
        if (trace->op[i].kind == kind) return &trace->op[i];
    cr_fail("the record has no %s", lab_op_kind_name(kind));
    return NULL;
}

/* Whether memory of lab_host_alloc is local, and kernels can use it. */
static bool is_shared(void)
{
    const char *pinned = getenv("APART_PINNED");
    return pinned && strcmp(pinned, "shared") == 0;
}

/* Copies up and down, asynchronously or not, and compares. `local`: the library needs no functions to reach the memory,
 * which count what they move. */
static void copy_and_check(unsigned char *source, unsigned char *destination, bool wait, bool local)
{
    const evidence_head *head = begin(ROOM);
    const size_t read = apart_bytes_read, moved = local ? 0 : BYTES;
    lab_deviceptr device = allocate(BYTES);
    lab_stream *stream = make_stream();
    fill(source, BYTES);
    LAB_CHECK(lab_trace_begin());
    if (wait) {
        LAB_CHECK(lab_memcpy_htod(device, source, BYTES));
        LAB_CHECK(lab_memcpy_dtoh(destination, device, BYTES));
    } else {
        LAB_CHECK(lab_memcpy_htod_async(device, source, BYTES, stream));
        LAB_CHECK(lab_memcpy_dtoh_async(destination, device, BYTES, stream));
        LAB_CHECK(lab_stream_synchronize(stream));
    }
    cr_assert_eq(first_difference(destination, BYTES), BYTES);
    cr_assert_eq(apart_bytes_read - read, moved, "read once, so that it cannot change in between");
    lab_trace *trace = end_record();
    const lab_trace_op *up = find(trace, LAB_OP_COPY_HTOD), *down = find(trace, LAB_OP_COPY_DTOH);
    cr_assert_neq(up->kept, 0);
    cr_assert_neq(up->kept, down->kept);
    const evidence_entry *entry = first(head);
    check_copy(head, &entry, EVIDENCE_UPLOAD, source, up);
    check_copy(head, &entry, EVIDENCE_DELIVERY, destination, down);
    cr_assert_null(entry);
    cr_assert_eq(head->incomplete, 0);
    lab_trace_free(trace);
}

Test(host_memory, the_bytes_of_copies_of_pageable_memory_are_kept)
{
    copy_and_check(allocate_pages(BYTES), allocate_pages(BYTES), true, false);
    copy_and_check(allocate_pages(BYTES), allocate_pages(BYTES), false, false);
}

Test(host_memory, the_bytes_of_copies_of_registered_memory_are_kept)
{
    unsigned char *source = allocate_pages(BYTES), *destination = allocate_pages(BYTES);
    LAB_CHECK(lab_host_register(source, BYTES));
    LAB_CHECK(lab_host_register(destination, BYTES));
    copy_and_check(source, destination, true, false);
    copy_and_check(source, destination, false, false);
}

Test(host_memory, the_bytes_of_copies_of_memory_that_both_processes_have_are_kept)
{
    unsigned char *source = allocate_pinned(BYTES), *destination = allocate_pinned(BYTES);
    copy_and_check(source, destination, true, is_shared());
    copy_and_check(source, destination, false, is_shared());
}

Test(host_memory, copies_whose_bytes_are_kept_do_not_hold_the_host)
{
    static gate closed = GATE_CLOSED;
    begin(ROOM);
    unsigned char *source = allocate_pinned(BYTES), *destination = allocate_pinned(BYTES);
    lab_deviceptr device = allocate(BYTES);
    lab_stream *stream = make_stream();
    fill(source, BYTES);
    for (int round = 0; round < 2; round++) {
        if (round > 0) gate_close_stream(&closed, stream);
        LAB_CHECK(lab_memcpy_htod_async(device, source, BYTES, stream));
        LAB_CHECK(lab_memcpy_dtoh_async(destination, device, BYTES, stream));
        if (round > 0) gate_open(&closed); /* what waits above waits for ever */
        LAB_CHECK(lab_stream_synchronize(stream));
    }
    cr_assert_eq(first_difference(destination, BYTES), BYTES);
}

/* Each launch copies, under a number that no operation of the record has. */
Test(host_memory, the_bytes_of_copies_in_a_graph_are_kept_at_each_launch)
{
    const evidence_head *head = begin(ROOM);
    unsigned char *source = allocate_pinned(BYTES);
    lab_deviceptr device = allocate(BYTES);
    lab_stream *stream = make_stream();
    lab_graph *graph;
    lab_graph_exec *exec;
    fill(source, BYTES);
    LAB_CHECK(lab_trace_begin());
    LAB_CHECK(lab_stream_begin_capture(stream, LAB_CAPTURE_GLOBAL));
    LAB_CHECK(lab_memcpy_htod_async(device, source, BYTES, stream));
    LAB_CHECK(lab_stream_end_capture(&graph, stream));
    LAB_CHECK(lab_graph_instantiate(&exec, graph));
    cr_assert_eq(count(head), 0, "nothing has run");
    for (int launch = 0; launch < 2; launch++) {
        LAB_CHECK(lab_graph_launch(exec, stream));
        LAB_CHECK(lab_stream_synchronize(stream));
    }
    lab_trace *trace = end_record();
    const evidence_entry *entry = first(head);
    const lab_trace_op captured = {.kept = entry->copy};
    for (size_t i = 0; i < trace->ops; i++) cr_assert(!trace->op[i].kept || trace->op[i].kept != captured.kept);
    for (int launch = 0; launch < 2; launch++) check_copy(head, &entry, EVIDENCE_UPLOAD, source, &captured);
    cr_assert_null(entry);
}

Test(host_memory, a_kernel_uses_pinned_memory_at_its_address_while_bytes_are_kept)
{
    if (!is_shared()) return;
    const evidence_head *head = begin(ROOM);
    lab_module *module;
    lab_function set;
    unsigned char *memory = allocate_pinned(4);
    LAB_CHECK(lab_module_load_source(&module, "extern \"C\" __global__ void set(int *x) { *x = 77; }", "set.cu"));
    LAB_CHECK(lab_module_get_function(&set, module, "set"));
    LAB_CHECK(lab_launch(set, LAB_DIM(1), LAB_DIM(1), 0, NULL, LAB_ARGS((lab_deviceptr)apart_address(memory))));
    LAB_CHECK(lab_device_synchronize());
    cr_assert_eq(memory[0], 77);
    cr_assert_eq(count(head), 0, "it is no copy");
}

Test(host_memory, a_copy_that_the_program_does_not_survive_is_not_whole)
{
    const evidence_head *head = begin(ROOM);
    lab_deviceptr device = allocate(BYTES);
    unsigned char *source = allocate_pages(BYTES);
    apart_end_after(10);
    cr_assert_eq(lab_memcpy_htod(device, source, BYTES), LAB_ERROR_ILLEGAL_ADDRESS);
    apart_end_after(SIZE_MAX);
    for (const evidence_entry *entry = first(head); entry; entry = next(head, entry))
        cr_assert_eq(entry->state, (uint32_t)EVIDENCE_FAILED);
    cr_assert_geq(count(head), 1);
}

Test(host_memory, evidence_without_room_says_that_it_is_incomplete_and_copies_go_on)
{
    const evidence_head *head = begin(MEBIBYTE);
    lab_deviceptr device = allocate(BYTES);
    unsigned char *source = allocate_pages(BYTES), *destination = allocate_pages(BYTES);
    fill(source, BYTES);
    LAB_CHECK(lab_memcpy_htod(device, source, 1000));
    cr_assert_eq(head->incomplete, 0);
    LAB_CHECK(lab_memcpy_htod(device, source, BYTES));
    cr_assert_eq(head->incomplete, 1);
    const size_t entries = count(head);
    cr_assert_geq(entries, 1);
    LAB_CHECK(lab_memcpy_dtoh(destination, device, BYTES));
    cr_assert_eq(first_difference(destination, BYTES), BYTES);
    LAB_CHECK(lab_memcpy_htod(device, source, 1000));
    cr_assert_eq(count(head), entries, "what comes later is missing too, however small it is");
}

Test(host_memory, evidence_begins_again_without_entries)
{
    const evidence_head *head = begin(MEBIBYTE);
    lab_deviceptr device = allocate(BYTES);
    unsigned char *source = allocate_pages(BYTES);
    for (int round = 0; round < 10; round++) {
        LAB_CHECK(lab_memcpy_htod(device, source, 900000));
        cr_assert_eq(head->incomplete, 0, "round %d", round);
        cr_assert_geq(count(head), 1);
        LAB_CHECK(lab_device_synchronize());
        evidence_clear();
        cr_assert_eq(count(head), 0);
    }
    LAB_CHECK(lab_memcpy_htod(device, source, BYTES));
    cr_assert_eq(head->incomplete, 1);
    evidence_clear();
    cr_assert_eq(head->incomplete, 0);
}

Test(host_memory, no_byte_is_kept_unless_it_is_asked_for)
{
    lab_deviceptr device = allocate(BYTES);
    unsigned char *source = allocate_pages(BYTES);
    cr_assert_eq(evidence_descriptor(), -1);
    evidence_clear();
    const evidence_head *head = begin(ROOM);
    evidence_end();
    LAB_CHECK(lab_trace_begin());
    LAB_CHECK(lab_memcpy_htod(device, source, BYTES));
    lab_trace *trace = end_record();
    cr_assert_eq(find(trace, LAB_OP_COPY_HTOD)->kept, 0);
    cr_assert_eq(count(head), 0);
}
