/* The checks of lab 11: the numbers, and from the record which device did what, and what waits for what across them. */
#include "checks_ring.h"

#include <stdlib.h>
#include <string.h>

CHECK_LAB("lab11", "Devices");

/* ------------------------------------------------------------------------------------------------------
 * Task 1
 */

static const int sizes[] = {1, 127, 128, 129, LAB11_MOST};
enum { SIZES = sizeof sizes / sizeof *sizes, LONG = 200 };

static int few(void) { return check_draw(800, 1200); }

/* What the call of lab11_make made: one array, which is there when it returns, and nothing else. NULL without one. */
static const lab_trace_op *the_array(const call *now)
{
    const lab_trace_op *array = NULL;
    lab_lifetime *life;
    size_t lives;
    if (lab_trace_lifetimes(&life, &lives, now->trace) != LAB_SUCCESS) check_fault("%s", lab_error_message());
    for (size_t i = 0; i < lives; i++) {
        const lab_lifetime *each = &life[i];
        const bool later = each->ended && each->ended < now->span.ends;
        if (each->made < now->span.begins || each->made > now->span.ends || later) continue;
        if (each->made->kind == LAB_OP_MEMORY_ALLOC) continue; /* the pool's */
        CHECK_THAT(!array && each->made->kind == LAB_OP_POOL_ALLOC, CHECK_LEAK,
                   check_text("lab11_make leaves %s behind", array ? "another array" : check_one(each->noun)),
                   .at = check_at(each->made), .expected = "one array, and nothing else",
                   .found = check_text("%s%s", array ? "also " : "", check_one(each->noun)));
        array = each->made;
    }
    free(life);
    return array;
}

CHECK(array_on_its_device, .points = 10, .devices = 2, .title = "Task 1: an array on the device that is asked for",
      .hints = {"Task 1, lab11_make: on which device does lab_array_empty make an array?",
                "On the calling thread's current device. LAB_WITH_DEVICE(device) makes another one current.",
                "LAB_WITH_DEVICE(device) LAB_TRY(lab_array_empty(out, LAB_FLOAT32, LAB_SHAPE((size_t)count)));"})
{
    check_program *program = check_start(sizeof(lab11_memory));
    for (int k = 0; k < SIZES; k++) {
        call now = call_make(program, "lab11_make",
                             (lab11_arguments){.devices = 2, .current = k % 2, .to = k / 2 % 2, .count = sizes[k]});
        call_put_numbers(&now, 0);
        now.out[0] = now.in[0];
        now.what[0] = "the array, which they were copied to and from";
        call_run(&now);
        const lab_trace_op *made = the_array(&now);
        CHECK_THAT(made && now.result, CHECK_RULE, "lab11_make makes no array", .at = check_at_no_line(),
                   .cause = made ? NULL : "lab11_make is not written yet");
        CHECK_THAT(made->device == now.given.to, CHECK_RULE, "lab11_make makes the array on another device",
                   .at = check_at(made), .expected = check_text("an array on device %d", now.given.to),
                   .found = check_text("an array on device %d", made->device),
                   .cause = check_text(
                       "an array is made on the current device; here that was device %d when lab11_make was called",
                       now.given.current));
        CHECK_THAT(now.result == LAB_FLOAT32, CHECK_RULE, "lab11_make makes an array of other elements",
                   .at = check_at(made), .expected = check_text("elements of type %s", lab_dtype_name(LAB_FLOAT32)),
                   .found = lab_dtype_name((lab_dtype)now.result));
        const lab_trace_op *copied = NULL;
        for (const lab_trace_op *op = now.span.ends; op < now.trace->op + now.trace->ops; op++)
            if (op->kind == LAB_OP_COPY_HTOD) copied = op;
        CHECK_THAT(copied && copied->bytes == call_bytes(&now), CHECK_RULE, "lab11_make makes an array of another size",
                   .at = check_at(made), .expected = check_text("%d numbers", now.given.count),
                   .found = check_text("%zu", copied ? (size_t)copied->bytes / sizeof(float) : 0));
        check_returns_at_once(now.trace, now.span);
        call_check_numbers(&now);
        call_add_passage(&now, NULL, now.out[0], now.in[0], (part){0, (uint64_t)now.given.count});
        check_flow(program, now.trace,
                   &(check_way){
                       .function = now.function, .passage = now.passage, .passages = now.passages, .no_kernel = true});
    }
}

/* Fails the check if work->advance was called, which does what the student is to write. */
static void check_own_work(const call *now)
{
    for (const lab_trace_op *op = now->span.begins; op < now->span.ends; op++)
        CHECK_THAT(op->kind != LAB_OP_MARK || strcmp(op->name, LAB11_ASKED) != 0, CHECK_RULE,
                   "lab11_advance calls work->advance", .at = check_at_name("advance in lab11_advance"),
                   .expected = "a launch in lab11_advance itself", .found = "a call of work->advance",
                   .cause = "it is given for tasks 2 and 3, and enqueues nothing in task 1");
}

CHECK(kernel_where_the_arrays_are, .points = 10, .devices = 2, .title = "Task 1: the kernel runs where the arrays are",
      .hints = {"Task 1, lab11_advance: which device's stream, and which device's kernel?",
                "An array knows its device: lab_array_device. Kernel, stream and arrays of a launch belong to one "
                "device; which one is current does not matter.",
                "device = &work->device[lab_array_device(to)]; launch device->advance on device->stream."})
{
    check_program *program = check_start(sizeof(lab11_memory));
    for (int k = 0; k < SIZES; k++) {
        call now = call_make(program, "lab11_advance",
                             (lab11_arguments){.devices = 2, .current = k % 2, .to = k / 2 % 2, .count = sizes[k]});
        call_put_numbers(&now, 0);
        call_expect(&now, 1, "`to`", call_advanced(&now, now.in[0]), now.in[0], NULL);
        call_run(&now);
        check_own_work(&now);
        call_check_written(&now);
        check_returns_at_once(now.trace, now.span);
        int kernels = 0;
        for (const lab_trace_op *op = now.span.begins; op < now.span.ends; op++) {
            if (check_is_work(op)) call_check_place(&now, op, now.given.to);
            CHECK_THAT(!check_is_work(op) || op->kind == LAB_OP_KERNEL, CHECK_RULE,
                       "lab11_advance enqueues something else than its kernel", .at = check_at(op),
                       .expected = "one kernel", .found = lab_op_kind_name(op->kind));
            if (op->kind == LAB_OP_KERNEL) call_check_launch(&now, op, now.given.count);
            kernels += op->kind == LAB_OP_KERNEL;
            CHECK_THAT(kernels < 2, CHECK_RULE, "lab11_advance launches its kernel twice", .at = check_at(op),
                       .expected = "one kernel", .found = "a second one");
        }
        call_check_numbers(&now);
        call_prove(&now);
    }
    /* Whether a query finds the kernel at work is luck above. */
    call late = call_make(check_start_unkind(sizeof(lab11_memory)), "lab11_advance",
                          (lab11_arguments){.devices = 2, .to = 1, .count = few()});
    call_put_numbers(&late, 0);
    call_run(&late);
    check_returns_at_once(late.trace, late.span);
}

/* ------------------------------------------------------------------------------------------------------
 * Task 2
 */

/* The numbers of device d, as lab11.h has them. */
static part part_of(const call *now, int device)
{
    const int count = now->given.count, devices = now->given.devices;
    return (part){(uint64_t)(count * device / devices), (uint64_t)(count * (device + 1) / devices)};
}

/* The last work of this kind on the device in the span, or on any; NULL without any. */
enum { ANY_DEVICE = -1, ANY_KIND = -1 };
static const lab_trace_op *last_work(const call *now, int device, int kind)
{
    const lab_trace_op *last = NULL;
    for (const lab_trace_op *op = now->span.begins; op < now->span.ends; op++)
        if (check_is_work(op) && (device == ANY_DEVICE || op->device == device) &&
            (kind == ANY_KIND || (int)op->kind == kind))
            last = op;
    return last;
}

/* The copy out of the first wrong number, and the copy in of that device. */
static check_place place_of_wrong(const call *now, uint64_t number)
{
    int owner = 0;
    while (owner + 1 < now->given.devices && part_of(now, owner).end <= number) owner++;
    const lab_trace_op *out = last_work(now, owner, LAB_OP_COPY_DTOH), *in = last_work(now, owner, LAB_OP_COPY_HTOD);
    return out && in ? check_at_after(out, in) : check_at(NULL);
}

/* Expects the parts one by one: threads may copy them in any order. */
static call split(check_program *program, int devices, int current, int count, int steps)
{
    static const char *const name[] = {"the numbers of device 0", "the numbers of device 1", "the numbers of device 2"};
    call now = call_make(program, "lab11_split",
                         (lab11_arguments){.devices = devices, .current = current, .count = count, .steps = steps});
    const float *in = call_put_numbers(&now, 0);
    now.place_of_wrong = place_of_wrong;
    now.out[0] = call_advanced(&now, in);
    now.what[0] = "out";
    for (int d = 0; d < devices; d++) {
        const part own = part_of(&now, d);
        if (own.first < own.end) call_add_passage(&now, name[d], now.out[0], in, own);
    }
    call_run(&now);
    call_check_written(&now);
    return now;
}

/* The numbers between host memory and the device that the operation copies; none if it is no such copy. */
static part copied_numbers(const call *now, const lab_trace_op *op)
{
    const bool in = op->kind == LAB_OP_COPY_HTOD, out = op->kind == LAB_OP_COPY_DTOH;
    const uint64_t array =
        check_address(now->program) + (in ? offsetof(lab11_memory, in) : offsetof(lab11_memory, out));
    for (int i = 0; i < op->accesses && (in || out); i++)
        if (op->access[i].host)
            return (part){(op->access[i].address - array) / sizeof(float),
                          (op->access[i].address - array + op->access[i].bytes) / sizeof(float)};
    return (part){0, 0};
}

/* Fails the check unless the numbers that are copied in or out are the device's own. Where their number is not that of
 * its share, the mistake is in the shares and not in the copy. */
static void check_own(const call *now, const lab_trace_op *op, part copied)
{
    const part own = part_of(now, op->device);
    const bool inside = copied.first >= own.first && copied.end <= own.end;
    int owner = 0;
    while (owner + 1 < now->given.devices && part_of(now, owner).end <= copied.first) owner++;
    const bool other_size = copied.end - copied.first != own.end - own.first;
    CHECK_THAT(copied.first == copied.end || inside, CHECK_RULE,
               check_text("device %d has numbers that are another's", op->device),
               .at = other_size ? check_at_name("devices in lab11_split") : check_at(op),
               .expected = check_text("device %d: numbers %d up to %d", op->device, (int)own.first, (int)own.end),
               .found = check_text("a %s of numbers %lld up to %lld", lab_op_kind_name(op->kind),
                                   (long long)copied.first, (long long)copied.end),
               .cause = check_text("number %lld is device %d's: device d has those from count * d / devices on",
                                   (long long)(owner == op->device ? own.end : copied.first),
                                   owner == op->device ? owner + 1 : owner));
}

/* Each device must copy its own numbers in and out, and nobody else's, and compute them once on its stream. */
static void check_shares(const call *now)
{
    enum { IN, ADVANCED, OUT, STEPS };
    uint64_t moved[LAB11_DEVICES][STEPS] = {0};
    const lab_trace_op *first = NULL;
    for (const lab_trace_op *op = now->span.begins; op < now->span.ends; op++) {
        if (!check_is_work(op)) continue;
        if (!first) first = op;
        call_check_place(now, op, op->device < now->given.devices ? op->device : 0);
        const part copied = copied_numbers(now, op);
        check_own(now, op, copied);
        if (op->kind == LAB_OP_KERNEL)
            moved[op->device][ADVANCED] += call_argument(op, 2);
        else
            moved[op->device][op->kind == LAB_OP_COPY_DTOH ? OUT : IN] += copied.end - copied.first;
    }
    for (int d = 0; d < now->given.devices; d++) {
        const uint64_t own = part_of(now, d).end - part_of(now, d).first, *its = moved[d];
        const int kind = its[IN] != own ? LAB_OP_COPY_HTOD : its[ADVANCED] != own ? LAB_OP_KERNEL : LAB_OP_COPY_DTOH;
        const lab_trace_op *last = last_work(now, d, kind);
        if (!last) last = last_work(now, d, ANY_KIND);
        if (!last) last = last_work(now, ANY_DEVICE, ANY_KIND);
        CHECK_THAT(its[IN] == own && its[ADVANCED] == own && its[OUT] == own, CHECK_RULE,
                   check_text("device %d does not do its share", d),
                   .at = check_at_after(last, its[IN] || its[OUT] ? last : first),
                   .expected = check_text("device %d: %d numbers in, as many advanced, and as many out", d, (int)own),
                   .found = check_text("%d in, %d advanced, %d out", (int)its[IN], (int)its[ADVANCED], (int)its[OUT]));
    }
}

/* Fails the check if work of one device waits for that of another. */
static void check_side_by_side(const call *now)
{
    lab_relations *relations = check_relations(now->trace);
    for (const lab_trace_op *later = now->span.begins; later < now->span.ends; later++) {
        for (const lab_trace_op *earlier = now->span.begins; earlier < later && check_is_work(later); earlier++) {
            if (!check_is_work(earlier) || earlier->device == later->device) continue;
            if (lab_relations_may_overlap(relations, earlier->id, later->id)) continue;
            const lab_trace_op *wait = lab_trace_host_wait_between(now->trace, earlier->id, later->id);
            if (earlier->host_waits) wait = earlier;
            check_fail(CHECK_RULE, "one device waits for another, which has nothing that it needs",
                       .at = check_at(wait ? wait : later), .expected = "the devices at work side by side",
                       .found = check_text("device %d begins when device %d is done", later->device, earlier->device),
                       .cause = wait ? "the host waits here before it has given every device its work"
                                     : "an event makes one device wait for the other");
        }
    }
}

/* The first work of the device that got its own when the other's was done; NULL if the two overlapped. A host function
 * may tell the host to go on before it has ended. */
static const lab_trace_op *begins_late(const call *now)
{
    int64_t ends[2] = {0};
    const lab_trace_op *first[2] = {NULL};
    for (const lab_trace_op *op = now->span.begins; op < now->span.ends; op++) {
        if (!check_is_work(op) || op->kind == LAB_OP_HOST_FUNCTION || op->device > 1) continue;
        if (!first[op->device]) first[op->device] = op;
        if (op->end_ns > ends[op->device]) ends[op->device] = op->end_ns;
    }
    for (int d = 0; d < 2; d++)
        if (first[d] && first[d]->call_ns > ends[1 - d] + check_clock_slack_ns()) return first[d];
    return NULL;
}

/* No record shows a lock, or a flag that a host function sets: the times do. A device that is late by luck is not so
 * beside work that takes longer and longer, of CPU devices: the longest takes a GPU two milliseconds. */
static void check_no_turns(const call *before)
{
    static const int longer[] = {10000, 100000, 400000};
    const lab_trace_op *late = begins_late(before);
    if (!late) return;
    check_program *program = check_start_unkind(sizeof(lab11_memory));
    for (size_t k = 0; k < sizeof longer / sizeof *longer; k++) {
        const call now = split(program, 2, 0, 256, longer[k]);
        late = begins_late(&now);
        if (!late) return;
    }
    check_fail(CHECK_RULE, "the devices take turns", .at = check_at(late),
               .expected = "the devices at work side by side",
               .found = check_text("device %d gets its work when device %d is done, each time", late->device,
                                   1 - late->device),
               .cause = "the host waits for one device before it hands out more work, by what no record shows: a lock, "
                        "a semaphore, a flag");
}

CHECK(each_device_its_share, .points = 15, .devices = 2, .any_order = true,
      .title = "Task 2: each device does its share, side by side",
      .hints = {"Task 2: which device computes number 0, and which the last? When does the second device begin?",
                "For each device: two arrays there, copy its numbers in, advance, copy them out, all on its stream. "
                "Only then wait, in a second loop.",
                "first = count * d / devices; in + first and out + first; lab_array_set_async, work->advance, "
                "lab_array_get_async on work->device[d].stream; lab_stream_synchronize for each in a loop of its own."})
{
    check_builds_on(CHECK_TASK(1));
    const int even[] = {2, 256, 2 * check_draw(400, 600), LAB11_MOST};
    check_program *program = check_start(sizeof(lab11_memory));
    for (int k = 0; k < 4; k++) {
        const call now = split(program, 2, k % 2, even[k], k == 3 ? LONG : 5);
        if (k == 3) check_artifact_trace(now.trace, "lab11_split");
        check_shares(&now);
        check_side_by_side(&now);
        call_check_numbers(&now);
        call_check_order(&now);
        check_waits_for_all(now.trace, now.span);
        check_joins(now.trace, "lab11_split");
        call_prove(&now);
        if (k == 3) check_no_turns(&now);
    }
}

CHECK(parts_of_any_size, .points = 5, .devices = 3, .title = "Task 2: one, two and three devices, and uneven parts",
      .hints = {"Task 2: 1000 numbers and three devices, or two numbers and three devices. Who has which?",
                "count / devices forgets the rest. Device d ends where device d + 1 begins: compute both ends by the "
                "same formula. A device without numbers gets no array and no launch.",
                "first = count * d / devices, count of the part = count * (d + 1) / devices - first, in this order of "
                "operations; if that is 0, continue."})
{
    check_builds_on(CHECK_TASK(1));
    static const int uneven[] = {LAB11_MOST, 257, 5, 2, 1};
    check_program *program = check_start(sizeof(lab11_memory));
    for (int devices = LAB11_DEVICES; devices >= 1; devices--)
        for (size_t k = 0; k < sizeof uneven / sizeof *uneven; k++) {
            const call now = split(program, devices, (int)k % devices, uneven[k], 5);
            check_shares(&now);
            check_side_by_side(&now);
            call_check_numbers(&now);
            check_waits_for_all(now.trace, now.span);
            check_joins(now.trace, "lab11_split");
            call_prove(&now);
        }
}

/* ------------------------------------------------------------------------------------------------------
 * Task 3, lab11_move
 */

enum { SOURCE, OTHER, MOVED, TARGET, OLD, NEW }; /* arrays of program.c */

static check_place place_of_move(const call *now, uint64_t number)
{
    return check_at(last_work(now, ANY_DEVICE, LAB_OP_COPY_DTOD));
}

static call move(check_program *program, int devices, int from, int to, int count)
{
    call now =
        call_make(program, "lab11_move",
                  (lab11_arguments){
                      .devices = devices, .current = (to + count) % devices, .to = to, .from = from, .count = count});
    now.place_of_wrong = place_of_move;
    const float *source = call_put_numbers(&now, SOURCE), *other = call_put_numbers(&now, OTHER),
                *target = call_put_numbers(&now, TARGET);
    float *moved = call_mixed(&now, source, source);
    call_expect(&now, MOVED, "`from`, which is written again after the call", call_mixed(&now, other, other), other,
                NULL);
    call_expect(&now, TARGET, "`to`", moved, source, NULL);
    call_expect(&now, OLD, "what was computed from `to` before the call", call_mixed(&now, target, target), target,
                NULL);
    call_expect(&now, NEW, "what is computed from `to` after the call", call_mixed(&now, moved, moved), source, NULL);
    call_run(&now);
    call_check_written(&now);
    return now;
}

/* The only copy within and between devices in the span. Fails the check if there is another operation, or none. */
static const lab_trace_op *the_copy(const call *now)
{
    const lab_trace_op *copy = NULL;
    for (const lab_trace_op *op = now->span.begins; op < now->span.ends; op++) {
        if (!check_is_work(op)) continue;
        const bool bounces = op->kind == LAB_OP_COPY_HTOD || op->kind == LAB_OP_COPY_DTOH;
        CHECK_THAT(
            op->kind == LAB_OP_COPY_DTOD && !copy, CHECK_RULE,
            bounces ? "lab11_move copies by way of the host" : "lab11_move enqueues something else than one copy",
            .at = check_at(op),
            .expected = check_text("one copy from device %d to device %d", now->given.from, now->given.to),
            .found = check_text("%s%s", copy && !bounces ? "one more: " : "", lab_op_kind_name(op->kind)),
            .cause = bounces ? "the numbers go by way of the host: two copies over the bus, and the host's memory "
                               "in between; lab_memcpy_peer_async goes from device to device"
                             : "");
        copy = op;
    }
    const bool whole = check_uses_block(copy, check_pool_block(now->trace, MOVED)) &&
                       check_uses_block(copy, check_pool_block(now->trace, TARGET)) && copy->bytes == call_bytes(now);
    CHECK_THAT(whole, CHECK_RULE, "lab11_move copies something else", .at = check_at(copy),
               .expected = check_text("%d numbers from `from` to `to`", now->given.count),
               .found = check_text("a copy of %zu bytes", (size_t)copy->bytes));
    return copy;
}

static void for_each_move(check_program *program, void (*look)(const call *now))
{
    const int counts[] = {few(), LAB11_MOST, 129, 1};
    for (int k = 0; k < 4; k++) {
        const call now = move(program, 2, k % 2, k / 2, counts[k]);
        if (k == 1) check_artifact_trace(now.trace, "lab11_move");
        look(&now);
    }
}

static void look_at_copy(const call *now)
{
    the_copy(now);
    check_returns_at_once(now->trace, now->span);
    call_check_numbers(now);
    call_prove(now);
}

CHECK(copy_from_device_to_device, .points = 10, .devices = 2, .schedule = "fifo", .any_order = true,
      .title = "Task 3: one copy, from device to device",
      .hints = {"Task 3, lab11_move: how often do the numbers cross a bus?",
                "The given `copy` enqueues one copy from device to device on a stream that you name. Nothing has to go "
                "through the host.",
                "copy(to, from, work->device[lab_array_device(from)].stream), with events before and behind it."})
{
    check_builds_on(CHECK_TASK(1));
    for_each_move(check_start(sizeof(lab11_memory)), look_at_copy);
    /* Whether a query finds the streams at work is luck above. */
    const call late = move(check_start_unkind(sizeof(lab11_memory)), 2, 0, 1, few());
    check_returns_at_once(late.trace, late.span);
}

/* Fails the check unless the second operation waits for the first. */
static void require_edge(const call *now, lab_relations *relations, const lab_trace_op *first,
                         const lab_trace_op *second, const char *edge, const char *cause)
{
    const lab_trace_op *where = first > second ? first : second;
    for (const lab_trace_op *op = now->span.begins; op < now->span.ends; op++)
        if (op->kind == LAB_OP_COPY_DTOD) where = op;
    CHECK_THAT(lab_relations_before(relations, first->id, second->id), CHECK_RACE_SUSPECTED,
               check_text("lab11_move lacks an edge: %s", edge), .at = check_at(where), .expected = edge,
               .found = "nothing that orders the two", .cause = cause, .earlier = first, .later = second);
}

static void look_at_edges(const call *now)
{
    const lab_trace_op *copy = the_copy(now), *before[2] = {0}, *after[2] = {0};
    lab_relations *relations = check_relations(now->trace);
    for (const lab_trace_op *op = now->trace->op; op < now->trace->op + now->trace->ops; op++) {
        if (op->kind != LAB_OP_KERNEL || !*op->module) continue;
        const lab_trace_op **place = op < now->span.begins ? before : after;
        place[place[0] != NULL] = op;
    }
    if (!after[1] || !before[1]) check_fault("the record does not have the kernels around lab11_move");
    require_edge(now, relations, before[0], copy, "the copy waits for the kernel that writes `from`",
                 "the copy reads what the other device may not have written yet");
    require_edge(now, relations, before[1], copy, "the copy waits for the kernel that still reads `to`",
                 "the receiving device may still need what the copy overwrites: it has to say when `to` is free");
    require_edge(now, relations, copy, after[0], "the next kernel that writes `from` waits for the copy",
                 "the sending device may overwrite what the copy has not read yet");
    require_edge(now, relations, copy, after[1], "the kernel that reads `to` waits for the copy",
                 "the receiving device may read before the numbers have arrived");
    call_check_numbers(now);
    call_prove(now);
    check_keeps_nothing(now->trace, now->span);
}

CHECK(copy_between_both_streams, .points = 15, .devices = 2, .schedule = "fifo", .any_order = true,
      .title = "Task 3: the copy is ordered on both devices, before and after",
      .hints = {"Task 3, lab11_move: a copy is in one stream. What does the other device know about it?",
                "Two events: one says that the other stream has got so far (`to` may be overwritten, or `from` is "
                "written), the other says that the copy is done.",
                "On the source's stream: record ready on the destination's stream, wait for it, copy, record arrived. "
                "The destination's stream waits for arrived."})
{
    check_builds_on(CHECK_TASK(1));
    for_each_move(check_start(sizeof(lab11_memory)), look_at_edges);
}

/* ------------------------------------------------------------------------------------------------------
 * Task 3, lab11_ring
 */

static call ring(check_program *program, int devices, int current, int rounds, int count, int steps)
{
    static const char *const name[] = {"x[0]", "x[1]", "x[2]"};
    float *x[LAB11_DEVICES], *u[LAB11_DEVICES];
    call now = call_make(
        program, "lab11_ring",
        (lab11_arguments){.devices = devices, .current = current, .count = count, .rounds = rounds, .steps = steps});
    for (int d = 0; d < devices; d++) x[d] = call_put_numbers(&now, d);
    for (int round = 0; round < rounds; round++) {
        for (int d = 0; d < devices; d++) u[d] = call_advanced(&now, x[d]);
        for (int d = 0; d < devices; d++) x[d] = call_mixed(&now, u[d], u[(d + devices - 1) % devices]);
    }
    for (int d = 0; d < devices; d++) {
        call_expect(&now, d, name[d], x[d], now.in[d], now.in[(d + devices - 1) % devices]);
        if (devices == 3 && rounds > 1)
            now.passage[d].input[2] = (check_bytes){now.in[(d + 1) % devices], call_bytes(&now)};
    }
    call_run(&now);
    call_check_written(&now);
    return now;
}

static void check_ring(check_program *program, int devices, int rounds, int count, int steps)
{
    const call now = ring(program, devices, rounds % devices, rounds, count, steps);
    if (steps == LONG) check_artifact_trace(now.trace, "lab11_ring");
    check_returns_at_once(now.trace, now.span);
    ring_check_operations(&now);
    call_check_numbers(&now);
    call_check_order(&now);
    call_prove(&now);
    check_chain(now.trace, now.span, 3 * rounds);
}

CHECK(ring_in_step, .points = 15, .devices = 2, .any_order = true,
      .title = "Task 3: two devices, round by round, without the host",
      .hints = {"Task 3, lab11_ring: who may not go on before the copy is done? There are two such devices.",
                "left[d] may be overwritten when device d has mixed it, and may be mixed when the copy has arrived: "
                "two events for each device, recorded again in each round. First enqueue every device's kernel and "
                "copy, then, in a second loop, every device's mix.",
                "First loop: work->advance, wait for is_free[next], copy to left[next], record arrived[d]. Second "
                "loop: wait for arrived[device before], launch mix, record is_free[d]."})
{
    check_builds_on(CHECK_TASK(1));
    static const int counts[] = {1, 128, 129, LAB11_MOST};
    check_program *program = check_start(sizeof(lab11_memory));
    for (int k = 0; k < 4; k++) check_ring(program, 2, k + 1, counts[k], k == 3 ? LONG : 5);
}

CHECK(ring_of_any_size, .points = 5, .devices = 3, .any_order = true,
      .title = "Task 3: a ring of one and of three devices",
      .hints = {"Task 3: which device comes before device 0, if there are three? And if there is one?",
                "(d + 1) % devices is the next, (d + devices - 1) % devices the one before. A device alone is its own "
                "neighbour.",
                "Write all indices of neighbours with % devices, and let loops end at work->devices."})
{
    check_builds_on(CHECK_TASK(1));
    check_program *program = check_start(sizeof(lab11_memory));
    for (int devices = 1; devices <= LAB11_DEVICES; devices += 2)
        for (int rounds = 1; rounds <= 4; rounds += 3) check_ring(program, devices, rounds, few(), 5);
}

/* ------------------------------------------------------------------------------------------------------
 * All tasks
 */

CHECK(right_in_any_order, .points = 5, .schedule = "adversarial", .seeds = 3, .any_order = true, .devices = 2,
      .title = "Tasks 2 and 3: right in every order that the rules allow",
      .hints = {"Devices know nothing of each other. Which of your operations needs what another device has done?",
                "Right numbers on a quiet machine prove nothing. A stream orders its own work; between devices only an "
                "event, or the host, does.",
                "Record behind what is waited for, wait right before what needs it, and call the record first."})
{
    check_builds_on(CHECK_TASK(1));
    check_program *program = check_start(sizeof(lab11_memory));
    call now = split(program, 2, 0, few(), 5);
    call_check_numbers(&now);
    call_prove(&now);
    for (int from = 0; from < 2; from++) {
        now = move(program, 2, from, 1 - from, few());
        call_check_numbers(&now);
        call_prove(&now);
    }
    now = ring(program, 2, 1, 4, few(), 5);
    call_check_numbers(&now);
    call_prove(&now);
}

/* The current device and stream must be those from before. */
static void check_current(check_program *program, const char *function, lab11_arguments given)
{
    call now = call_make(program, function, given);
    for (int i = 0; i < LAB11_ARRAYS; i++) call_put_numbers(&now, i);
    call_run(&now);
    CHECK_THAT(now.span.begins->object == now.span.ends->object, CHECK_RULE,
               check_text("%s leaves another device current than it found", function), .at = check_at_name(function),
               .expected = check_text("afterwards: device %d is current%s", given.current,
                                      given.fails ? ", also if a call fails" : ""),
               .found = check_text("device %d", now.span.ends->device),
               .cause = given.fails
                            ? "the function makes a device current, a call fails, and it returns before it goes back"
                            : "the function makes a device current and does not go back to what was current before");
    CHECK_THAT(now.span.begins->stream == now.span.ends->stream, CHECK_RULE,
               check_text("%s leaves another stream current than it found", function), .at = check_at_name(function),
               .expected = "afterwards: the current stream from before", .found = "another");
}

static const char *const functions[] = {"lab11_make", "lab11_advance", "lab11_split", "lab11_move", "lab11_ring"};
enum { OF_TASK_1 = 2, FUNCTIONS = sizeof functions / sizeof *functions };

CHECK(current_device_is_restored, .points = 5, .devices = 2,
      .after = "array_on_its_device, kernel_where_the_arrays_are, each_device_its_share, "
               "copy_from_device_to_device, ring_in_step",
      .title = "The current device is the one from before, also after a failure",
      .hints = {"Which device is current when your function returns, and when it returns early?",
                "lab_device_use holds until the next one. LAB_WITH_DEVICE ends with its braces, however they are left.",
                "Write LAB_WITH_DEVICE(d) before the calls that make something, and lab_device_use nowhere."})
{
    check_program *first = check_start(sizeof(lab11_memory));
    check_builds_on(CHECK_TASK(1));
    check_program *later = check_start(sizeof(lab11_memory));
    for (int f = 0; f < FUNCTIONS; f++)
        for (int k = 0; k < 2; k++)
            check_current(
                f < OF_TASK_1 ? first : later, functions[f],
                (lab11_arguments){
                    .devices = 2, .current = k, .to = 1 - k, .from = k, .count = 2 * check_draw(40, 600), .rounds = 2});
    for (int f = 0; f < FUNCTIONS; f++) {
        const bool makes = f == 0;
        check_current(f < OF_TASK_1 ? first : later, functions[f],
                      (lab11_arguments){.devices = 2,
                                        .current = 0,
                                        .to = makes ? 99 : 1,
                                        .count = 2 * check_draw(40, 600),
                                        .rounds = 2,
                                        .broken = true,
                                        .fails = true});
    }
}

CHECK(failures_are_passed_on, .points = 5, .schedule = "fifo", .any_order = true, .devices = 2,
      .after = "array_on_its_device, kernel_where_the_arrays_are, each_device_its_share, "
               "copy_from_device_to_device, ring_in_step",
      .title = "A call that fails ends the function, with its status",
      .hints = CHECK_FAILURE_HINTS("LAB_TRY around each call of the five functions; the last may be what you return."))
{
    const lab11_arguments given = {
        .devices = 2, .count = 2 * check_draw(1, 600), .steps = check_draw(2, 9), .rounds = check_draw(1, 3), .to = 1};
    for (int f = 0; f < FUNCTIONS; f++) {
        check_builds_on(f < OF_TASK_1 ? 0 : CHECK_TASK(1));
        check_failures(&(check_failing){.function = functions[f],
                                        .arguments = &given,
                                        .argument_bytes = sizeof given,
                                        .memory_bytes = sizeof(lab11_memory),
                                        .also = CHECK_FAIL_WAITS,
                                        .at_once = true,
                                        .begins = LAB11_BEGINS,
                                        .ends = LAB11_ENDS});
    }
}
