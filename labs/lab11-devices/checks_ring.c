/* The operations of lab 11's ring, from the record of a call; see checks_call.h. */
#include "checks_call.h"

#include <stdio.h>
#include <string.h>

enum { MOST_OPERATIONS = 256 };

/* The arrays of the ring as program.c makes them, and the operations of a round. */
enum { X, U, LEFT, RING_ARRAYS, ADVANCE = 0, COPY, MIX };
static const char *const word[] = {"advance", "copy", "mix"};

static uint64_t array_of(const check_case_run *now, int which, int device)
{
    return check_pool_block(now->trace, which * call_given(now)->devices + device)->object;
}

/* "u[1]", or what else is at the address. */
static const char *array_at(const check_case_run *now, uint64_t address, char room[16])
{
    static const char *const name[] = {"x", "u", "left"};
    snprintf(room, 16, "another array");
    for (int i = 0; i < RING_ARRAYS * call_given(now)->devices; i++)
        if (address == array_of(now, i / call_given(now)->devices, i % call_given(now)->devices))
            snprintf(room, 16, "%s[%d]", name[i / call_given(now)->devices], i % call_given(now)->devices);
    return room;
}

/* Fails the check unless the operation uses this array in this place. */
static void check_array(const check_case_run *now, const lab_trace_op *op, const char *what, uint64_t expected,
                        uint64_t found)
{
    char one[16], other[16];
    CHECK_THAT(expected == found, CHECK_WRONG_RESULT, "lab11_ring works on another array than it should",
               .at = call_place(now, op),
               .expected = check_text("%s on device %d: %s is %s", *op->name ? op->name : "copy", op->device, what,
                                      array_at(now, expected, one)),
               .found = array_at(now, found, other));
}

/* Fails the check unless a kernel of the ring has the arrays of its device. */
static void check_ring_kernel(const check_case_run *now, const lab_trace_op *op)
{
    static const char *const what[] = {"the first array", "the second array", "the third array"};
    const bool mixes = strcmp(op->name, "mix") == 0;
    const int of[][RING_ARRAYS] = {{U, X}, {X, U, LEFT}};
    call_check_place(now, op, op->device < call_given(now)->devices ? op->device : 0);
    for (int i = 0; i < 2 + mixes; i++)
        check_array(now, op, what[i], array_of(now, of[mixes][i], op->device), call_argument(op, i));
    call_check_launch(now, op, call_given(now)->count);
}

/* The device whose `left` the copy fills. Fails the check if it fills something else, or from elsewhere. */
static int check_ring_copy(const check_case_run *now, const lab_trace_op *op)
{
    const int devices = call_given(now)->devices;
    uint64_t from = 0, to = 0;
    for (int i = 0; i < op->accesses; i++) *(op->access[i].writes ? &to : &from) = op->access[i].address;
    int device = devices - 1;
    while (device > 0 && array_of(now, LEFT, device) != to) device--;
    check_array(now, op, "what is copied to", array_of(now, LEFT, device), to);
    check_array(now, op, "what is copied", array_of(now, U, (device + devices - 1) % devices), from);
    return device;
}

/* The operations of the ring, in the order of the calls. */
typedef struct round_operation {
    const lab_trace_op *op;
    int step, device; /* of a copy the device that gets it */
} round_operation;

/* Where an operation is missing: at that of another device; without one, at what comes next to it. */
static check_place place_of_missing(const check_case_run *now, const round_operation *all, int count, int step)
{
    const lab_trace_op *same = NULL, *next = NULL, *last = now->span.begins;
    for (int i = count; i-- > 0;) {
        if (all[i].step == step && !same) same = all[i].op;
        if (all[i].step == (step == ADVANCE ? COPY : ADVANCE)) next = all[i].op;
    }
    for (const lab_trace_op *op = now->span.begins + 1; op < now->span.ends; op++)
        if (op->stream && !check_is_note(op)) last = op;
    return call_place(now, same ? same : step == MIX || !next ? last : next);
}

/* Fails the check unless each device has each operation once a round. */
static void check_counts(const check_case_run *now, const round_operation *all, int count)
{
    int done[LAB11_DEVICES][3] = {0};
    const int rounds = call_given(now)->rounds, devices = call_given(now)->devices;
    for (int i = 0; i < count; i++) done[all[i].device][all[i].step]++;
    bool equal = true;
    for (int i = 0; i < 3 * devices; i++) equal = equal && done[i / 3][i % 3] == done[0][0];
    for (int i = 0; i < 3 * devices; i++) {
        const int device = i / 3, step = i % 3;
        CHECK_THAT(done[device][step] == rounds, CHECK_RULE,
                   "lab11_ring does not enqueue two kernels and a copy for each device and round",
                   .at = equal ? check_at_name("rounds in lab11_ring") : place_of_missing(now, all, count, step),
                   .expected = check_text("in %d rounds %d times %s for device %d", rounds, rounds, word[step], device),
                   .found = check_text("%d", done[device][step]));
    }
}

/* Fails the check unless each operation is enqueued behind those that it needs. */
static void check_turns(const check_case_run *now, const round_operation *all, int count)
{
    int done[LAB11_DEVICES][3] = {0};
    for (int i = 0; i < count; i++) {
        const int d = all[i].device, devices = call_given(now)->devices, *its = done[d];
        const int before = (d + devices - 1) % devices, next = (d + 1) % devices;
        const bool ready = all[i].step == ADVANCE ? its[MIX] == its[ADVANCE] && done[next][COPY] == its[ADVANCE]
                           : all[i].step == COPY  ? done[before][ADVANCE] == its[COPY] + 1 && its[MIX] == its[COPY]
                                                  : its[COPY] == its[MIX] + 1 && its[ADVANCE] == its[MIX] + 1;
        CHECK_THAT(ready, CHECK_WRONG_RESULT, "lab11_ring enqueues the operations of a round in another order",
                   .at = call_place(now, all[i].op),
                   .expected = "in each round advance, a copy of what it made, and mix when both arrays are there",
                   .found = check_text("for device %d %s of round %d, before what it needs is enqueued", d,
                                       word[all[i].step], its[all[i].step]));
        done[d][all[i].step]++;
    }
}

void ring_check_operations(const check_case_run *now)
{
    round_operation all[MOST_OPERATIONS];
    int count = 0;
    for (const lab_trace_op *op = now->span.begins; op < now->span.ends && count < MOST_OPERATIONS; op++) {
        if (!check_is_work(op)) continue;
        const bool copies = op->kind == LAB_OP_COPY_DTOD;
        CHECK_THAT(op->kind == LAB_OP_KERNEL || copies, CHECK_RULE, "lab11_ring enqueues something else",
                   .at = check_at(op), .expected = "kernels, and copies from device to device",
                   .found = lab_op_kind_name(op->kind));
        if (!copies) check_ring_kernel(now, op);
        const int device = copies ? check_ring_copy(now, op) : op->device;
        all[count++] = (round_operation){op, copies ? COPY : strcmp(op->name, "mix") == 0 ? MIX : ADVANCE, device};
    }
    check_counts(now, all, count);
    check_turns(now, all, count);
}
