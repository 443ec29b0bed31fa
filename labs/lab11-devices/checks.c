/* The checks of lab 11: the numbers, and from the record which device did what, and what waits for what across them. */
#include "checks_call.h"

#include <string.h>

CHECK_LAB("lab11", "Devices");

/* ---- Task 1 ------------------------------------------------------------------------------------------------------ */

static const check_case makes = {.function = "lab11_make",
                                 .result_bytes = sizeof(int),
                                 .block = "array",
                                 .given = CHECK_CASE_GIVEN(lab11_arguments, count, {.name = NULL}),
                                 .array = {{"the numbers", CALL_IN(0)},
                                           {"the array, which they were copied to and from", CALL_OUT(0),
                                            .is = check_copied, .from = {"the numbers"}}},
                                 .no_kernel = true};
static const check_case advances = {
    CALL_COMMON, .function = "lab11_advance",
    .array = {{"`from`", CALL_IN(0)}, {"`to`", CALL_OUT(1), .is = check_advanced, .from = {"`from`"}}}};

static const int sizes[] = {1, 127, 128, 129, LAB11_MOST};
enum { SIZES = sizeof sizes / sizeof *sizes, LONG = 200 };

static int few(void) { return check_draw(800, 1200); }

CHECK(array_on_its_device, .points = 10, .devices = 2, .title = "Task 1: an array on the device that is asked for",
      .hints = {"Task 1, lab11_make: on which device does lab_array_empty make an array?",
                "On the calling thread's current device. LAB_WITH_DEVICE(device) makes another one current.",
                "LAB_WITH_DEVICE(device) LAB_TRY(lab_array_empty(out, LAB_FLOAT32, LAB_SHAPE((size_t)count)));"})
{
    check_program *program = check_start(sizeof(lab11_memory));
    for (int k = 0; k < SIZES; k++) {
        const lab11_arguments given = {.devices = 2, .current = k % 2, .to = k / 2 % 2, .count = sizes[k]};
        const check_case_run now = check_case_with(&makes, program, &given);
        const int type = *(const int *)now.result;
        const lab_trace_op *made = check_leaves(now.trace, now.span, "pool block"),
                           *copied_in = check_last_op(now.trace, LAB_OP_COPY_HTOD);
        CHECK_THAT(made, CHECK_RULE, "lab11_make makes no array", .at = check_at_no_line(),
                   .cause = "lab11_make calls nothing that makes an array");
        CHECK_THAT(type, CHECK_RULE, "lab11_make does not hand out the array that it makes", .at = check_at(made),
                   .expected = "the array in *out", .found = "no array in *out",
                   .cause = "the array is the caller's, who gets it by `out`: this one is lost");
        CHECK_THAT(made->device == given.to, CHECK_RULE, "lab11_make makes the array on another device",
                   .at = check_at(made), .expected = check_text("an array on device %d", given.to),
                   .found = check_text("an array on device %d", made->device),
                   .cause = check_text(
                       "an array is made on the current device; here that was device %d when lab11_make was called",
                       given.current));
        CHECK_THAT(type == LAB_FLOAT32, CHECK_RULE, "lab11_make makes an array of other elements", .at = check_at(made),
                   .expected = check_text("elements of type %s", lab_dtype_name(LAB_FLOAT32)),
                   .found = lab_dtype_name((lab_dtype)type));
        CHECK_THAT(copied_in && copied_in->bytes == now.count * sizeof(float), CHECK_RULE,
                   "lab11_make makes an array of another size", .at = check_at(made),
                   .expected = check_text("%d numbers", given.count),
                   .found = check_text("%zu", copied_in ? (size_t)copied_in->bytes / sizeof(float) : 0));
        check_returns_at_once(now.trace, now.span);
        check_case_prove(&now);
    }
}

CHECK(kernel_where_the_arrays_are, .points = 10, .devices = 2, .title = "Task 1: the kernel runs where the arrays are",
      .hints = {"Task 1, lab11_advance: which device's stream, and which device's kernel?",
                "An array knows its device: lab_array_device. Kernel, stream and arrays of a launch belong to one "
                "device; which one is current does not matter.",
                "device = &work->device[lab_array_device(to)]; launch device->advance on device->stream."})
{
    check_program *program = check_start(sizeof(lab11_memory));
    for (int k = 0; k < SIZES; k++) {
        const lab11_arguments given = {.devices = 2, .current = k % 2, .to = k / 2 % 2, .count = sizes[k]};
        const check_case_run now = check_case_with(&advances, program, &given);
        check_own_work(now.span, LAB11_ASKED, "work->advance");
        check_returns_at_once(now.trace, now.span);
        const lab_trace_op *kernel = check_op_in(now.span, LAB_OP_KERNEL, 0);
        if (kernel) call_check_place(&now, kernel, given.to);
        check_enqueued(program, now.span, &(check_work){LAB_OP_KERNEL, .count = 1}, 1);
        check_launched(now.span, kernel, (unsigned)(given.count + 127) / 128, 0, 128, NULL);
        call_prove(&now);
    }
    /* Whether a query finds the kernel at work is luck above. */
    const check_case_run late = check_case_with(&advances, check_start_unkind(sizeof(lab11_memory)),
                                                &(lab11_arguments){.devices = 2, .to = 1, .count = few()});
    check_returns_at_once(late.trace, late.span);
}

/* ---- Task 2 ------------------------------------------------------------------------------------------------------ */

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
        const check_case_run now = check_case_with(
            &split_case, program,
            &(lab11_arguments){.devices = 2, .current = k % 2, .count = even[k], .steps = k == 3 ? LONG : 0});
        if (k == 3) check_artifact_trace(now.trace, "lab11_split");
        split_check(&now);
        if (k == 3) split_check_turns(&now);
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
            const check_case_run now = check_case_with(
                &split_case, program,
                &(lab11_arguments){.devices = devices, .current = (int)k % devices, .count = uneven[k]});
            split_check(&now);
        }
}

/* ---- Task 3, lab11_move ------------------------------------------------------------------------------------------ */

enum { SOURCE, OTHER, MOVED, TARGET, OLD, NEW }; /* arrays of program.c */

static const check_case moves = {
    CALL_COMMON, .function = "lab11_move",
    .array = {{"the source", CALL_IN(SOURCE)},
              {"the next source", CALL_IN(OTHER)},
              {"`to` before the call", CALL_IN(TARGET)},
              {"`from`, which is written again after the call", CALL_OUT(MOVED), .is = check_mixed,
               .from = {"the next source"}},
              {"`to`", CALL_OUT(TARGET), .is = check_mixed, .from = {"the source"}},
              {"what was computed from `to` before the call", CALL_OUT(OLD), .is = check_mixed,
               .from = {"`to` before the call"}},
              {"what is computed from `to` after the call", CALL_OUT(NEW), .is = check_mixed, .from = {"`to`"}}}};

static check_case_run move(check_program *program, int from, int to, int count)
{
    const lab11_arguments given = {.devices = 2, .current = (to + count) % 2, .to = to, .from = from, .count = count};
    return check_case_with(&moves, program, &given);
}

/* The only operation of the call. Fails the check unless it copies all numbers from device to device. */
static const lab_trace_op *the_copy(const check_case_run *now)
{
    static const char by_host[] =
        "the numbers go by way of the host: two copies over the bus, and the host's memory in "
        "between; lab_memcpy_peer_async goes from device to device";
    static const check_work work[] = {
        {LAB_OP_COPY_HTOD, .cause = by_host}, {LAB_OP_COPY_DTOH, .cause = by_host}, {LAB_OP_COPY_DTOD, .count = 1}};
    check_enqueued(now->program, now->span, work, sizeof work / sizeof *work);
    const lab_trace_op *copy = check_op_in(now->span, LAB_OP_COPY_DTOD, 0);
    CHECK_THAT(check_uses_block(copy, check_pool_block(now->trace, MOVED)) &&
                   check_uses_block(copy, check_pool_block(now->trace, TARGET)) &&
                   copy->bytes == now->count * sizeof(float),
               CHECK_RULE, "lab11_move copies something else", .at = check_at(copy),
               .expected = check_text("%zu bytes from `from` to `to`", now->count * sizeof(float)),
               .found = check_text("a copy of %zu bytes", (size_t)copy->bytes));
    return copy;
}

static void for_each_move(check_program *program, void (*look)(const check_case_run *now))
{
    const int counts[] = {few(), LAB11_MOST, 129, 1};
    for (int k = 0; k < 4; k++) {
        const check_case_run now = move(program, k % 2, k / 2, counts[k]);
        if (k == 1) check_artifact_trace(now.trace, "lab11_move");
        look(&now);
    }
}

static void look_at_copy(const check_case_run *now)
{
    the_copy(now);
    check_returns_at_once(now->trace, now->span);
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
    const check_case_run late = move(check_start_unkind(sizeof(lab11_memory)), 0, 1, few());
    check_returns_at_once(late.trace, late.span);
}

static void look_at_edges(const check_case_run *now)
{
    const lab_trace_op *copy = the_copy(now), *before[2] = {0}, *after[2] = {0};
    lab_relations *relations = check_relations(now->trace);
    for (const lab_trace_op *op = now->trace->op; op < now->trace->op + now->trace->ops; op++) {
        if (op->kind != LAB_OP_KERNEL || !*op->module) continue;
        const lab_trace_op **place = op < now->span.begins ? before : after;
        place[place[0] != NULL] = op;
    }
    if (!after[1] || !before[1]) check_fault("the record does not have the kernels around lab11_move");
    const struct {
        const lab_trace_op *first, *second;
        const char *edge, *cause;
    } needed[] = {{before[0], copy, "the copy waits for the kernel that writes `from`",
                   "the copy reads what the other device may not have written yet"},
                  {before[1], copy, "the copy waits for the kernel that still reads `to`",
                   "the receiving device may still need what the copy overwrites: it has to say when `to` is free"},
                  {copy, after[0], "the next kernel that writes `from` waits for the copy",
                   "the sending device may overwrite what the copy has not read yet"},
                  {copy, after[1], "the kernel that reads `to` waits for the copy",
                   "the receiving device may read before the numbers have arrived"}};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        const check_edge edge = {needed[i].first, needed[i].second, i < 2 ? "the kernel before the call" : "the copy",
                                 i < 2 ? "the copy" : "the kernel after the call"};
        if (lab_relations_before(relations, edge.earlier->id, edge.later->id)) continue;
        const check_edge_cause why = check_cause_no_edge(now->trace, &edge);
        check_fail(CHECK_RACE_SUSPECTED, check_text("lab11_move lacks an edge: %s", needed[i].edge),
                   .at = check_at(why.where ? why.where : copy), .expected = needed[i].edge,
                   .found = "nothing that orders the two", .cause = why.cause ? why.cause : needed[i].cause,
                   .earlier = edge.earlier, .later = edge.later);
    }
    call_prove(now);
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

/* ---- Task 3, lab11_ring ------------------------------------------------------------------------------------------ */

/* x of a device after all rounds, from what it had, and the devices before it, one after another. */
static void ring_x(float *to, const float *const *from, const check_case_run *now)
{
    float *x[LAB11_DEVICES], *u[LAB11_DEVICES];
    const int devices = call_given(now)->devices;
    const size_t bytes = now->count * sizeof(float);
    for (int d = 0; d < devices; d++) {
        u[d] = check_alloc(bytes);
        x[d] = memcpy(check_alloc(bytes), from[d] ? from[d] : from[0], bytes); /* one that is not given is not used */
    }
    for (int round = 0; round < call_given(now)->rounds; round++) {
        for (int d = 0; d < devices; d++) check_advanced(u[d], (const float *[]){x[d]}, now);
        for (int d = 0; d < devices; d++) check_mixed(x[d], (const float *[]){u[d], u[(d + 1) % devices]}, now);
    }
    memcpy(to, x[0], bytes);
}

static check_case_run ring(check_program *program, lab11_arguments given)
{
    static const char *const before[] = {"x[0] before", "x[1] before", "x[2] before"}, *const name[] = {"x[0]", "x[1]",
                                                                                                        "x[2]"};
    check_case *of = check_alloc(sizeof *of);
    memcpy(of, &(check_case){CALL_COMMON, .function = "lab11_ring"}, sizeof *of);
    for (int d = 0; d < given.devices; d++) {
        of->array[d] = (check_case_array){before[d], CALL_IN(d)};
        of->array[given.devices + d] = (check_case_array){name[d], CALL_OUT(d), .is = ring_x};
        for (int i = 0; i < given.devices && i <= given.rounds; i++)
            of->array[given.devices + d].from[i] = before[(d + given.devices - i) % given.devices];
    }
    return check_case_with(of, program, &given);
}

enum { X, U, LEFT }; /* the arrays of program.c, each on all devices, and a step that writes it */
static const int written[] = {U, LEFT, X};

/* The array that a step writes. */
static const char *name_of(int devices, int step)
{
    static const char *const name[] = {"x", "u", "left"};
    return check_text("%s[%d]", name[written[step / devices % 3]], step % devices);
}

/* Fails the check unless the step reads the array that another writes, and comes behind it. A later one stands for what
 * was in that array before the call. */
static void check_reads(const check_plan *plan, int devices, int step, int source)
{
    const lab_trace_op *op = plan->step[step].op, *from = plan->step[source].op,
                       *before = check_beside(plan->trace, op, -1);
    const bool uses = check_uses_block(op, plan->step[source].block), early = uses && source < step && op < from;
    CHECK_THAT(uses && !early, CHECK_WRONG_RESULT,
               early ? check_text("lab11_ring enqueues %s too early", plan->step[step].name)
                     : "lab11_ring works on another array than it should",
               .at = check_at_after(op, before ? before : op),
               .expected = check_text("%s made from %s", name_of(devices, step), name_of(devices, source)),
               .found = early ? "its numbers from before" : "another array",
               .cause = early ? check_text("%s is enqueued behind it", plan->step[source].name) : NULL);
}

/* Fails the check unless each round writes u, left and x of each device, from the right arrays. */
static void check_ring_work(const check_case_run *now)
{
    static const char *const stream[] = {"the stream of device 0", "the stream of device 1", "the stream of device 2"};
    const int devices = call_given(now)->devices, rounds = call_given(now)->rounds;
    check_plan plan = {.program = now->program, .trace = now->trace, .span = now->span, .threads = 128};
    int works = 0;
    for (int d = 0; d < devices; d++) {
        plan.stream[d].id = call_stream(now, d);
        plan.stream[d].name = stream[d];
    }
    for (int i = 0; i < 3 * devices * rounds; i++) {
        const int step = written[i / devices % 3];
        check_plan_add(&plan,
                       (check_step){.name = check_text("%s in round %d", name_of(devices, i), i / devices / 3 + 1),
                                    .kind = step == LEFT ? LAB_OP_COPY_DTOD : LAB_OP_KERNEL,
                                    .stream = step == LEFT ? CHECK_ANY_STREAM : plan.stream[i % devices].id,
                                    .block = check_pool_block(now->trace, step * devices + i % devices)},
                       AFTER());
    }
    for (const lab_trace_op *op = now->span.begins; op < now->span.ends; op++) works += check_is_work(op);
    CHECK_THAT(works % (3 * devices) || works == plan.steps || !works, CHECK_RULE,
               "lab11_ring does not do work->rounds rounds", .at = check_at_name("rounds in lab11_ring"),
               .expected = check_text("two kernels and a copy for each device, %d times", rounds),
               .found = check_text("%d times", works / (3 * devices)));
    check_plan_find(&plan);
    for (int i = 0; i < plan.steps; i++) {
        const int d = i % devices, step = written[i / devices % 3], u = i - d - (step == X ? 2 : 1) * devices;
        check_reads(&plan, devices, i,
                    step == X      ? u + d
                    : step == LEFT ? u + (d + devices - 1) % devices
                                   : i + (i < 3 * devices ? 2 : -1) * devices);
        if (step == X) check_reads(&plan, devices, i, i - devices);
    }
}

static void check_ring(check_program *program, int devices, int rounds, int count, int steps)
{
    const lab11_arguments given = {
        .devices = devices, .current = rounds % devices, .count = count, .rounds = rounds, .steps = steps};
    const check_case_run now = ring(program, given);
    if (steps == LONG) check_artifact_trace(now.trace, "lab11_ring");
    check_returns_at_once(now.trace, now.span);
    check_ring_work(&now);
    check_case_ordered(&now);
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
    for (int k = 0; k < 4; k++) check_ring(program, 2, k + 1, counts[k], k == 3 ? LONG : 0);
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
        for (int rounds = 1; rounds <= 4; rounds += 3) check_ring(program, devices, rounds, few(), 0);
}

/* ---- All tasks --------------------------------------------------------------------------------------------------- */

CHECK(right_in_any_order, .points = 5, .schedule = "adversarial", .seeds = 3, .any_order = true, .devices = 2,
      .title = "Tasks 2 and 3: right in every order that the rules allow",
      .hints = {"Devices know nothing of each other. Which of your operations needs what another device has done?",
                "Right numbers on a quiet machine prove nothing. A stream orders its own work; between devices only an "
                "event, or the host, does.",
                "Record behind what is waited for, wait right before what needs it, and call the record first."})
{
    check_builds_on(CHECK_TASK(1));
    check_program *program = check_start(sizeof(lab11_memory));
    check_case_run now = check_case_with(&split_case, program, &(lab11_arguments){.devices = 2, .count = few()});
    split_prove(&now);
    for (int from = 0; from < 2; from++) {
        now = move(program, from, 1 - from, few());
        call_prove(&now);
    }
    now = ring(program, (lab11_arguments){.devices = 2, .current = 1, .count = few(), .rounds = 4});
    call_prove(&now);
}

#define ALL_TASKS                                                                                                      \
    "array_on_its_device, kernel_where_the_arrays_are, each_device_its_share, copy_from_device_to_device, "            \
    "ring_in_step"

/* The current device and stream must be those from before. */
static void check_current(check_program *program, const char *function, lab11_arguments given)
{
    const check_case of = {CALL_COMMON, .function = function,
                           .array = {{"0", CALL_IN(0)}, {"1", CALL_IN(1)}, {"2", CALL_IN(2)}, {"3", CALL_IN(3)}}};
    const check_case_run now = check_case_with(&of, program, &given);
    const lab_trace_op *before = now.span.begins, *after = now.span.ends;
    const bool same_device = before->object == after->object;
    CHECK_THAT(same_device && before->stream == after->stream, CHECK_RULE,
               check_text("%s leaves another %s current than it found", function, same_device ? "stream" : "device"),
               .at = check_at_name(function),
               .expected = check_text("afterwards: device %d is current, and its stream%s", given.current,
                                      given.fails ? ", also if a call fails" : ""),
               .found = same_device ? "another stream" : check_text("device %d", after->device),
               .cause = given.fails
                            ? "the function makes a device current, a call fails, and it returns before it goes back"
                            : "the function makes a device current and does not go back to what was current before");
}

static const char *const functions[] = {"lab11_make", "lab11_advance", "lab11_split", "lab11_move", "lab11_ring"};
enum { OF_TASK_1 = 2, FUNCTIONS = sizeof functions / sizeof *functions };

CHECK(current_device_is_restored, .points = 5, .devices = 2, .any_order = true, .after = ALL_TASKS,
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
        check_current(f < OF_TASK_1 ? first : later, functions[f],
                      (lab11_arguments){.devices = 2,
                                        .current = 0,
                                        .to = f == 0 ? 99 : 1,
                                        .count = 2 * check_draw(40, 600),
                                        .rounds = 2,
                                        .broken = true,
                                        .fails = true});
    }
}

CHECK(failures_are_passed_on, CHECK_OF_FAILURES, .points = 5, .devices = 2, .after = ALL_TASKS,
      .hints = {[2] = "LAB_TRY around each call of the five functions; the last may be what you return."})
{
    const lab11_arguments given = {
        .devices = 2, .count = 2 * check_draw(1, 600), .steps = check_draw(2, 9), .rounds = check_draw(1, 3), .to = 1};
    for (int f = 0; f < FUNCTIONS; f++) {
        check_builds_on(f < OF_TASK_1 ? 0 : CHECK_TASK(1));
        check_failures(&(check_failing){.function = functions[f],
                                        CHECK_GIVEN(given),
                                        .memory_bytes = sizeof(lab11_memory),
                                        .also = CHECK_FAIL_WAITS,
                                        .at_once = true,
                                        .restores = true});
    }
}
