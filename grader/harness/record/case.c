/* A call as a table of its arrays and of its work; see case.h. */
#include "case.h"

#include <math.h>
#include <string.h>

#include "check_state.h"
#include "find.h"
#include "record/records.h"

/* ---- the table --------------------------------------------------------------------------------------------------- */

static bool is_array(const check_case *of, int k) { return k < CHECK_CASE_ARRAYS && of->array[k].name; }

/* The number of the array with this name; -1 for none. */
static int find_array(const check_case *of, const char *name)
{
    for (int k = 0; is_array(of, k); k++)
        if (strcmp(of->array[k].name, name) == 0) return k;
    return -1;
}

/* Source number s of an array: an array above it; -1 behind the last. */
static int source_of(const check_case *of, int array, int s)
{
    const char *name = s < CHECK_INPUTS ? of->array[array].from[s] : NULL;
    if (!name) return -1;
    const int source = find_array(of, name);
    if (source < 0 || source >= array)
        check_fault("%s of %s is made from \"%s\", and no array above it has that name", of->array[array].name,
                    of->function, name);
    return source;
}

/* ---- the call ---------------------------------------------------------------------------------------------------- */

static size_t count_of(const check_case_run *now, int k)
{
    return now->of->array[k].numbers ? now->of->array[k].numbers : now->count;
}

static size_t bytes_of(const check_case_run *now, int k) { return count_of(now, k) * sizeof(float); }

static int rows_of(const check_case_run *now, int k) { return now->of->array[k].stride ? now->rows : 1; }

static const char *row_name(const check_case_run *now) { return now->of->row ? now->of->row : "row"; }

/* The numbers of a row; of an array without rows, those of the array. */
static float *row_of(const check_case_run *now, int k, int row)
{
    return now->numbers[k] + (now->of->array[k].stride ? (size_t)row * now->room : 0);
}

/* Where a row is in the shared memory. */
static size_t offset_of(const check_case_run *now, int k, int row)
{
    const check_case_array *array = &now->of->array[k];
    return check_case_begin(now->of, k) + array->place * bytes_of(now, k) +
           (size_t)row * (array->stride == CHECK_PACKED ? bytes_of(now, k) : (size_t)array->stride);
}

/* The numbers behind those of a call, up to the end of an array. */
static size_t behind(const check_case_run *now, int k)
{
    const check_case_array *array = &now->of->array[k];
    return now->of->most > now->count && !array->stride && !array->numbers ? now->of->most - now->count : 0;
}

static void make_row(const check_case_run *now, int k)
{
    static uint64_t drawn;
    const check_case_array *array = &now->of->array[k];
    const size_t offset = offset_of(now, k, now->row);
    float *to = row_of(now, k, now->row);
    const float *from[CHECK_INPUTS] = {NULL};
    for (int s = 0, source; (source = source_of(now->of, k, s)) >= 0; s++) from[s] = row_of(now, source, now->row);
    if (array->is) {
        array->is(to, from, now);
        if (!array->mistake) check_poison(now->program, offset, bytes_of(now, k) + behind(now, k) * sizeof(float));
    } else {
        check_random_floats(to, count_of(now, k), ++drawn, array->low, array->high);
        for (size_t i = 0; i < count_of(now, k) && array->whole; i++) to[i] = floorf(to[i]);
        if (now->of->starts_with_0) to[0] = 0;
        memcpy((unsigned char *)check_memory(now->program) + offset, to, bytes_of(now, k));
    }
}

static void make_numbers(check_case_run *now)
{
    for (int k = 0; is_array(now->of, k); k++) {
        now->numbers[k] = check_alloc((size_t)rows_of(now, k) * now->room * sizeof(float));
        for (int row = 0; row < rows_of(now, k); row++) {
            const check_case_run at = check_case_row(now, row);
            make_row(&at, k);
        }
    }
}

/* Gives the program its numbers and calls the function. Returns the milliseconds. */
static double call_function(check_case_run *now)
{
    const check_case *of = now->of;
    void *result = of->result_bytes ? check_alloc(of->result_bytes) : NULL;
    now->result = result;
    make_numbers(now);
    check_expect_launches(of->kernel, memcpy(check_alloc(sizeof now->argument), now->argument, sizeof now->argument));
    return check_call(now->program, of->function, now->arguments, now->argument_bytes, result, of->result_bytes);
}

static check_case_run call_in(check_program *program, check_case_run now)
{
    const check_case *of = now.of;
    now.program = program ? program : check_start(check_case_bytes(of));
    check_trace_begin(now.program);
    call_function(&now);
    now.trace = check_trace(now.program);
    now.span = of->begins ? check_between(now.trace, of->begins, of->ends, of->function)
                          : check_span_of(now.trace, of->function);
    now.span.block = of->block;
    return now;
}

check_case_run check_case_with(const check_case *of, check_program *program, const void *arguments)
{
    return call_in(program, check_case_drawn(of, arguments, 0));
}

check_case_run check_case_at(const check_case *of, check_program *program, size_t count)
{
    return call_in(program, check_case_drawn(of, NULL, count));
}

double check_case_time(const check_case *of, check_program *program, const void *arguments)
{
    check_case_run now = check_case_drawn(of, arguments, 0);
    now.program = program;
    const double milliseconds = call_function(&now);
    check_case_numbers(&now);
    return milliseconds;
}

/* ---- the plan ---------------------------------------------------------------------------------------------------- */

static uint64_t stream_named(const check_plan *plan, const char *name)
{
    if (!name) return 0;
    for (int i = 0; i < CHECK_PLAN_STREAMS && plan->stream[i].id; i++)
        if (strcmp(plan->stream[i].name, name) == 0) return plan->stream[i].id;
    check_fault("the case of %s has no stream %s", plan->span.function, name);
}

static int step_named(const check_plan *plan, const char *name)
{
    for (int i = 0; i < plan->steps; i++)
        if (strcmp(plan->step[i].name, name) == 0) return i;
    check_fault("the case of %s has no step %s above those that wait for it", plan->span.function, name);
}

check_plan check_case_plan(const check_case_run *now)
{
    const check_case *of = now->of;
    check_plan plan = {
        .program = now->program, .trace = now->trace, .span = now->span, .threads = of->threads, .pieces = of->pieces};
    for (int i = 0; i < CHECK_PLAN_STREAMS && of->stream[i].mark; i++) {
        plan.stream[i].id = check_mark(now->trace, of->stream[i].mark)->stream;
        plan.stream[i].name = of->stream[i].name;
    }
    for (int i = 0; i < CHECK_CASE_STEPS && of->step[i].name; i++) {
        const check_case_step *step = &of->step[i];
        const bool kernel = step->kind == LAB_OP_KERNEL || step->kind == LAB_OP_GRAPH_NODE;
        const int array = of->in_blocks && kernel ? find_array(of, step->name) : -1;
        int after[CHECK_CASE_AFTER + 1], waits = 0;
        while (waits < CHECK_CASE_AFTER && step->after[waits]) {
            after[waits] = step_named(&plan, step->after[waits]);
            waits++;
        }
        after[waits] = CHECK_PLAN_STEPS;
        check_plan_add(&plan,
                       (check_step){.name = step->name,
                                    .kind = step->kind,
                                    .stream = stream_named(&plan, step->on),
                                    .block = array < 0 ? NULL : check_pool_block(now->trace, array),
                                    .kernel = !kernel        ? NULL
                                              : step->kernel ? step->kernel
                                                             : step->name},
                       after);
    }
    return plan;
}

void check_case_keeps_plan(const check_case_run *now)
{
    if (now->of->keeps) {
        now->of->keeps(now);
    } else if (now->of->step[0].name) {
        check_plan plan = check_case_plan(now);
        check_plan_find(&plan);
        check_plan_edges(&plan, NULL);
    }
}

/* Whether a kernel of the case writes an element with each thread. */
static bool needs_a_thread_each(const check_case *of, const lab_trace_op *op)
{
    const size_t length = strlen(op->name);
    for (int k = 0; k < CHECK_KERNELS && of->kernel[k].declaration; k++) {
        const char *declaration = of->kernel[k].declaration;
        if (strncmp(declaration, op->name, length) == 0 && declaration[length] == '(')
            return !strstr(declaration, ", any grid");
    }
    return false;
}

/* ---- why numbers are wrong --------------------------------------------------------------------------------------- */

static bool is_copy(const lab_trace_op *op) { return op->kind == LAB_OP_COPY_HTOD || op->kind == LAB_OP_COPY_DTOH; }

/* Whether the operation uses host memory of the array; with `other`, whether it uses other host memory. */
static bool uses_array(const check_case_run *now, const lab_trace_op *op, int k, bool other)
{
    const uint64_t begin = check_address(now->program) + offset_of(now, k, now->row);
    for (int i = 0; i < op->accesses; i++)
        if (op->access[i].host && (op->access[i].address - begin < bytes_of(now, k)) != other) return true;
    return false;
}

/* Memory of the device that an array's numbers came from, found from the end of the call to its beginning. */
typedef struct origin {
    lab_trace_access part[32];
    int parts;
} origin;

static bool is_written(const origin *of, const lab_trace_op *op)
{
    for (int i = 0; i < op->accesses; i++)
        for (int p = 0; p < of->parts; p++)
            if (op->access[i].writes && !op->access[i].host &&
                op->access[i].address < of->part[p].address + of->part[p].bytes &&
                of->part[p].address < op->access[i].address + op->access[i].bytes)
                return true;
    return false;
}

static void add_reads(origin *of, const lab_trace_op *op)
{
    enum { MOST = sizeof of->part / sizeof *of->part };
    for (int i = 0; i < op->accesses && of->parts < MOST; i++)
        if (op->access[i].reads && !op->access[i].host) of->part[of->parts++] = op->access[i];
}

/* Whether the operation writes to memory that has room for all numbers. A piece of them needs fewer threads. */
static bool writes_them_all(const check_case_run *now, const lab_trace_op *op)
{
    for (int i = 0; i < op->accesses; i++)
        if (op->access[i].writes && op->access[i].bytes >= now->count * sizeof(float)) return true;
    return false;
}

/* The first kernel on the way to array k that has fewer threads than there are numbers; NULL for none. */
static const lab_trace_op *small_kernel(const check_case_run *now, int k)
{
    const lab_trace_op *small = NULL;
    origin from = {.parts = 0};
    if (now->of->in_blocks) {
        const lab_trace_op *block = check_pool_block(now->trace, k);
        from.part[from.parts++] = (lab_trace_access){.address = block->object, .bytes = block->bytes};
    }
    for (const lab_trace_op *op = now->span.ends; op-- > now->span.begins;) {
        const bool writes = is_written(&from, op);
        if (writes || (op->kind == LAB_OP_COPY_DTOH && uses_array(now, op, k, false))) add_reads(&from, op);
        if (writes && (op->kind == LAB_OP_KERNEL || op->kind == LAB_OP_GRAPH_NODE) &&
            (size_t)op->grid.x * op->block.x < now->count && writes_them_all(now, op) &&
            needs_a_thread_each(now->of, op))
            small = op;
    }
    return small;
}

/* How many kernels of the call have this name, or how many bytes copies of this kind move. */
static size_t work_like(const check_case_run *now, const lab_trace_op *like)
{
    size_t work = 0;
    for (const lab_trace_op *op = now->span.begins; op < now->span.ends; op++)
        if (op->kind == like->kind && strcmp(op->name, like->name) == 0) work += is_copy(op) ? op->bytes : 1;
    return work;
}

/* How many steps have such an operation. All were found. Copies in pieces count as one for each array. */
static size_t steps_like(const check_case_run *now, const check_plan *plan, const lab_trace_op *like)
{
    size_t steps = 0, arrays = 0;
    for (int i = 0; i < plan->steps; i++)
        steps += plan->step[i].kind == like->kind && strcmp(plan->step[i].op->name, like->name) == 0;
    for (int k = 0; is_array(now->of, k); k++)
        arrays += !now->of->array[k].mistake && !!now->of->array[k].is == (like->kind == LAB_OP_COPY_DTOH);
    return is_copy(like) && arrays < steps ? arrays : steps;
}

/* The step that was found next to step s, before it if there is one. */
static const lab_trace_op *found_beside(const check_plan *plan, int s)
{
    for (int i = s; i-- > 0;)
        if (plan->step[i].op) return plan->step[i].op;
    for (int i = s + 1; i < plan->steps; i++)
        if (plan->step[i].op) return plan->step[i].op;
    return NULL;
}

/* The name of a kernel's step right before step s in the plan, where no such kernel writes anything that step s reads;
 * NULL for none. */
static const char *kernel_not_read(const check_plan *plan, int s)
{
    const char *unread = NULL;
    origin from = {.parts = 0};
    add_reads(&from, plan->step[s].op);
    for (int i = 0; i < s; i++) {
        bool direct = plan->waits[s][i] && plan->step[i].op->kind == LAB_OP_KERNEL;
        for (int by = i + 1; by < s; by++) direct = direct && !(plan->waits[s][by] && plan->waits[by][i]);
        if (direct && is_written(&from, plan->step[i].op)) return NULL;
        if (direct) unread = plan->step[i].name;
    }
    return unread;
}

/* What is wrong with step s, which was found; NULL for nothing. */
static const char *cause_in_step(const check_case_run *now, const check_plan *plan, int s)
{
    const check_step *step = &plan->step[s];
    const size_t work = work_like(now, step->op), steps = steps_like(now, plan, step->op),
                 bytes = now->count * sizeof(float);
    bool own = false;
    for (int i = 0; i < s; i++)
        if (plan->waits[s][i] && plan->step[i].op->id > step->op->id)
            return check_text("%s is enqueued before %s, whose numbers it needs", step->name, plan->step[i].name);
    if (!is_copy(step->op)) return work > steps ? check_text("%s is launched %zu times", step->op->name, work) : NULL;
    if (work < steps * bytes)
        return check_text("the copy moves %zu bytes; %zu floats have %zu", work, now->count, bytes);
    const char *unread = step->kind == LAB_OP_COPY_DTOH ? kernel_not_read(plan, s) : NULL;
    if (unread) return check_text("this copy is of another array than the one that %s writes", unread);
    for (int k = 0; is_array(now->of, k); k++)
        own =
            own || (!!now->of->array[k].is == (step->kind == LAB_OP_COPY_DTOH) && !uses_array(now, step->op, k, true));
    return own ? NULL : "this copy is of other host memory than the contract names";
}

/* Why array k is wrong, as far as the steps and their sizes show it, and where; else `why`. */
static check_finding explain_steps(const check_case_run *now, int k, check_finding why)
{
    check_plan plan = check_case_plan(now);
    const lab_trace_op *small = small_kernel(now, k);
    check_plan_match(&plan);
    for (int s = 0; s < plan.steps; s++)
        if (!plan.step[s].op && found_beside(&plan, s))
            return (check_finding){.at = check_at(found_beside(&plan, s)),
                                   .cause = check_text("%s is missing: nothing does it", plan.step[s].name)};
        else if (!plan.step[s].op)
            return why;
    for (int s = plan.steps; s-- > 0 && !small;) {
        const char *cause = cause_in_step(now, &plan, s);
        if (cause) return (check_finding){.at = check_at(plan.step[s].op), .cause = cause};
    }
    if (!small) return why;
    return (check_finding){
        .at = check_at(small),
        .cause =
            check_text("%s is launched with %u blocks of %u threads, which is %zu; %zu numbers need one each",
                       small->name, small->grid.x, small->block.x, (size_t)small->grid.x * small->block.x, now->count)};
}

/* The array that is given, or that a mistake makes, whose numbers were found in place of those of this row; NULL for
 * none. Of the only source, check_compare_floats knows. */
static const check_case_array *found_instead(const check_case_run *now, const float *found, int source, bool mistakes)
{
    for (int k = 0; is_array(now->of, k); k++) {
        const check_case_array *array = &now->of->array[k];
        const bool looked_for = mistakes ? array->mistake != NULL : k != source && !array->is;
        if (looked_for && memcmp(found, row_of(now, k, now->row), bytes_of(now, k)) == 0) return array;
    }
    return NULL;
}

/* Whether array k of this row would have the numbers that were found, if it were made from these. */
static bool gives(const check_case_run *now, int k, const float *const *from, const float *found)
{
    float *made = check_alloc((1 + now->room) * sizeof *made);
    if (now->row) *made = row_of(now, k, now->row)[-1];
    now->of->array[k].is(made + 1, from, now);
    return memcmp(made + 1, found, bytes_of(now, k)) == 0;
}

/* Which sources give what was found in array k: two of its own exchanged, or another array in the place of one; NULL
 * for none. */
static const char *other_sources(const check_case_run *now, int k, const float *found)
{
    const check_case_array *array = now->of->array;
    const float *from[CHECK_INPUTS] = {NULL};
    for (int s = 0, source; (source = source_of(now->of, k, s)) >= 0; s++) from[s] = row_of(now, source, now->row);
    for (int a = 0; a < CHECK_INPUTS && from[a]; a++) {
        const float *own = from[a];
        for (int b = 0; b < a; b++) {
            from[a] = from[b], from[b] = own;
            if (gives(now, k, from, found))
                return check_text("with %s and %s exchanged these numbers come out", array[k].from[b],
                                  array[k].from[a]);
            from[b] = from[a], from[a] = own;
        }
        for (int other = 0; is_array(now->of, other); other++) {
            from[a] = row_of(now, other, now->row);
            if (from[a] != own && other != k && !array[other].mistake && gives(now, k, from, found))
                return check_text("with %s in the place of %s these numbers come out", array[other].name,
                                  array[k].from[a]);
        }
        from[a] = own;
    }
    return NULL;
}

/* ---- the numbers ------------------------------------------------------------------------------------------------- */

/* The only source of an array that has as many numbers; -1 for several, or none. */
static int only_source(const check_case *of, int k)
{
    int only = -1;
    for (int s = 0, source; (source = source_of(of, k, s)) >= 0; s++) {
        if (of->array[source].numbers != of->array[k].numbers) continue;
        if (only >= 0) return -1;
        only = source;
    }
    return only;
}

/* What the order checker has found in the call: the second of two operations, and the line of the first. No cause if it
 * has found nothing. What is on another stream, or of another array, has no order either: that is told by the plan. */
static check_finding explain_order(const check_case_run *now)
{
    if (check_unordered(now->program)) check_case_keeps_plan(now);
    const lab_trace *trace = now->trace;
    const bool known = trace->findings && trace->finding->second;
    const lab_trace_op *second = known ? &trace->op[trace->finding->second - 1] : NULL,
                       *first = second && trace->finding->first ? &trace->op[trace->finding->first - 1] : second;
    return (check_finding){.at = second ? check_at_after(second, first) : check_at(NULL),
                           .cause = check_unordered(now->program)};
}

/* The memory of the device from which array k was copied last; all zeros for none. */
static lab_trace_access memory_of(const check_case_run *now, int k)
{
    for (const lab_trace_op *op = now->trace->op + now->trace->ops; op-- > now->span.begins;)
        if (op->kind == LAB_OP_COPY_DTOH && uses_array(now, op, k, false)) return check_device_access(op);
    return (lab_trace_access){0};
}

/* Why array k is wrong in now->row, and where. */
static check_finding explain(const check_case_run *now, int k, size_t element, const float *found)
{
    if (!now->trace) return (check_finding){.at = check_at_no_line()};
    const check_case_array *array;
    const lab_trace_op *block = now->of->in_blocks ? check_pool_block(now->trace, k) : NULL;
    const char *other = other_sources(now, k, found);
    check_finding why = other ? (check_finding){.at = check_at(NULL)} : explain_order(now);
    if (!why.cause) {
        if (now->of->explain) why = now->of->explain(now, k, element);
        if ((array = found_instead(now, found, -1, true))) why.cause = array->mistake;
    }
    if (!why.at.known) why.at = check_at(check_writer(now->span, block));
    if (!why.cause) why = explain_steps(now, k, why);
    if (!why.cause && (array = found_instead(now, found, only_source(now->of, k), false)))
        why.cause = check_text("the wrong numbers are those of %s, in the same places", array->name);
    if (!why.cause) why.cause = other;
    if (!why.cause) why = check_explain_memory(now->span, memory_of(now, k), why);
    if (!why.cause) why = check_explain_arguments(now->span, now->of->kernel, now->argument, why);
    if (!why.cause) why.cause = now->of->cause;
    return check_explain_calls(now->program, now->span, why);
}

/* What gave the copy to this memory of the host its size: the last copy in of as many bytes, or else itself; NULL
 * without a copy. */
static const lab_trace_op *size_giver(check_span span, uint64_t address)
{
    for (const lab_trace_op *op = span.begins, *in = NULL; op < span.ends; op++) {
        if (op->kind == LAB_OP_COPY_HTOD) in = op;
        for (int i = 0; i < op->accesses; i++)
            if (op->access[i].host && op->access[i].writes && address - op->access[i].address < op->access[i].bytes)
                return in && in->bytes == op->bytes ? in : op;
    }
    return NULL;
}

/* Fails the check if something behind the array's numbers was written. */
static void check_behind(const check_case_run *now, int k)
{
    const check_case_array *array = &now->of->array[k];
    const size_t end = offset_of(now, k, 0) + bytes_of(now, k);
    float *found = check_alloc(behind(now, k) * sizeof *found);
    check_snapshot(now->program, found, end, behind(now, k) * sizeof *found);
    for (size_t i = 0; i < behind(now, k); i++)
        CHECK_THAT(
            float_bits(found[i]) == CHECK_POISON, CHECK_WRONG_RESULT,
            check_text("%s writes past the end of %s", now->of->function, array->name),
            .at = now->trace ? check_at(size_giver(now->span, check_address(now->program) + end + i * sizeof *found))
                             : check_at_no_line(),
            .expected = check_text("%zu numbers in %s and nothing after them", now->count, array->name),
            .found = "something after them", .cause = "the copy there has more bytes than there are numbers left");
}

/* Compares an array with what is expected, and returns what was found. */
static float *check_array(const check_case_run *now, int k)
{
    const check_case_array *array = &now->of->array[k];
    const int source = only_source(now->of, k);
    float *all = check_alloc((size_t)rows_of(now, k) * now->room * sizeof *all), *found = all;
    check_difference difference = {.ulps = array->ulps, .array = array->stride ? row_name(now) : NULL};
    for (int row = 0; row < rows_of(now, k); row++, found += now->room) {
        const check_case_run at = check_case_row(now, row);
        difference.input = source >= 0 ? row_of(now, source, row) : NULL;
        check_snapshot(now->program, found, offset_of(now, k, row), bytes_of(&at, k));
        check_compare_floats(&difference, (size_t)row, row_of(now, k, row), found, count_of(&at, k));
    }
    if (behind(now, k)) check_behind(now, k);
    if (!difference.count) return all;
    const check_case_run wrong = check_case_row(now, (int)difference.first_array);
    check_finding why = explain(&wrong, k, difference.first_element, all + difference.first_array * now->room);
    why.message = check_text("%s leaves wrong numbers in %s", now->of->function, array->name);
    check_fail_if_different(&difference, why);
    return all;
}

/* Whether the call leaves the array in the shared memory. */
static bool is_output(const check_case_array *array) { return array->is && !array->mistake; }

void check_case_numbers(const check_case_run *now)
{
    for (int k = 0; is_array(now->of, k); k++)
        if (is_output(&now->of->array[k])) check_array(now, k);
}

/* Adds what a row of array k is made from and what comes from the host, each once. An array that all rows share is the
 * first row's, which is enough: any passage may use the inputs of others. */
static void add_inputs(check_passage *passage, const check_case_run *now, int k)
{
    if (now->row > 0 && !now->of->array[k].stride) return;
    if (now->of->array[k].is && !now->of->array[k].by_host) {
        for (int s = 0, source; (source = source_of(now->of, k, s)) >= 0; s++) add_inputs(passage, now, source);
        return;
    }
    int i = 0;
    const float *numbers = row_of(now, k, now->row);
    while (i < CHECK_INPUTS && passage->input[i].bytes && passage->input[i].bytes != numbers) i++;
    if (i == CHECK_INPUTS) check_fault("an array of %s is made from more than %d", now->of->function, CHECK_INPUTS);
    passage->input[i] = (check_bytes){numbers, bytes_of(now, k)};
}

/* Compares a given array, or adds the passages of an output. */
static void follow_array(const check_case_run *now, int k, check_way *way, const char *what)
{
    const check_case_array *array = &now->of->array[k];
    const float *found = is_output(array) ? check_array(now, k) : NULL;
    for (int row = 0; row < rows_of(now, k) && !array->mistake; row++) {
        const check_case_run at = check_case_row(now, row);
        const size_t bytes = bytes_of(&at, k);
        if (array->unfollowed) continue;
        if (!array->is) {
            check_unchanged(now->program, offset_of(now, k, row), row_of(now, k, row), bytes, array->name);
            continue;
        }
        check_passage *added = (check_passage *)&way->passage[way->passages++];
        const int made = array->by_host ? only_source(now->of, k) : k;
        added->what =
            now->of->row ? check_text("%s%s%s %d", what ? what : "", what ? " of " : "", now->of->row, row) : what;
        added->output = (check_bytes){array->by_host ? row_of(now, made, row) : found + (size_t)row * now->room, bytes};
        memcpy(added->argument, at.argument, sizeof added->argument);
        add_inputs(added, &at, made);
    }
}

void check_case_prove(const check_case_run *now)
{
    const check_case *of = now->of;
    check_way way = {.function = of->function, .no_kernel = of->no_kernel};
    int outputs = 0, passages = 0;
    memcpy(way.kernel, of->kernel, sizeof way.kernel);
    for (int k = 0; is_array(of, k); k++) {
        outputs += is_output(&of->array[k]);
        passages += rows_of(now, k);
    }
    way.passage = check_alloc((size_t)passages * sizeof *way.passage);
    for (int k = 0; is_array(of, k); k++) follow_array(now, k, &way, outputs > 1 ? of->array[k].name : NULL);
    check_flow(now->program, now->trace, &way);
    if (of->waits) check_waits_for_all(now->trace, now->span);
}

check_case_run check_case_proven(const check_case *of, check_program *program, const void *arguments)
{
    const check_case_run now = check_case_with(of, program, arguments);
    check_case_prove(&now);
    return now;
}

void check_case_ordered(const check_case_run *now)
{
    const check_finding why = explain_order(now);
    check_ordered(now->program, now->of->function, why.at);
}
