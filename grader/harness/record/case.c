/* A call as a table of its arrays and of its work; see case.h. */
#include "case.h"

#include <string.h>

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

static void make_numbers(check_case_run *now, int k)
{
    static uint64_t drawn;
    const check_case_array *array = &now->of->array[k];
    const size_t bytes = now->count * sizeof(float);
    now->numbers[k] = check_alloc(bytes);
    if (array->is) {
        const float *from[CHECK_INPUTS] = {NULL};
        for (int s = 0, source; (source = source_of(now->of, k, s)) >= 0; s++) from[s] = now->numbers[source];
        array->is(now->numbers[k], from, now);
        check_poison(now->program, array->offset, bytes);
    } else {
        check_random_floats(now->numbers[k], now->count, ++drawn, array->low, array->high);
        memcpy((unsigned char *)check_memory(now->program) + array->offset, now->numbers[k], bytes);
    }
}

void check_case_call(check_case_run *now)
{
    const check_case *of = now->of;
    if (now->arguments) now->arguments = memcpy(check_alloc(now->argument_bytes), now->arguments, now->argument_bytes);
    void *result = of->result_bytes ? check_alloc(of->result_bytes) : NULL;
    now->result = result;
    check_trace_begin(now->program);
    for (int k = 0; is_array(of, k); k++) make_numbers(now, k);
    check_call(now->program, of->function, now->arguments, now->argument_bytes, result, of->result_bytes);
    now->trace = check_trace(now->program);
    now->span = check_between(now->trace, of->begins ? of->begins : check_text("%s begins", of->function),
                              of->ends ? of->ends : check_text("%s ends", of->function), of->function);
}

/* The arguments for now->count, which become the run's. */
void check_case_give(check_case_run *now)
{
    const check_case_given *given = &now->of->given;
    const int count = (int)now->count;
    unsigned char *made = check_alloc(given->bytes);
    const bool is_int = given->count_bytes == sizeof count;
    memcpy(made + given->count_at, is_int ? (const void *)&count : &now->count, given->count_bytes);
    for (int i = 0; i < CHECK_ARGUMENTS && given->draw[i].name; i++) {
        const float low = given->draw[i].low, high = given->draw[i].high,
                    value = low + (high - low) * check_random_float((uint64_t)i, now->count);
        memcpy(made + given->draw[i].offset, &value, sizeof value);
        now->argument[i] = (check_argument){given->draw[i].name, (double)value};
    }
    now->arguments = made;
    now->argument_bytes = given->bytes;
}

check_case_run check_case_at(const check_case *of, check_program *program, size_t count)
{
    check_case_run now = {.of = of, .program = program ? program : check_start(of->memory_bytes), .count = count};
    check_case_give(&now);
    check_case_call(&now);
    return now;
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
    check_plan plan = {.program = now->program, .trace = now->trace, .span = now->span, .threads = of->threads};
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
                                    .kernel = kernel ? step->name : NULL},
                       after);
    }
    return plan;
}

void check_case_keeps_plan(const check_case_run *now)
{
    check_plan plan = check_case_plan(now);
    check_plan_find(&plan);
    check_plan_edges(&plan, NULL);
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
    const uint64_t begin = check_address(now->program) + now->of->array[k].offset;
    for (int i = 0; i < op->accesses; i++)
        if (op->access[i].host && (op->access[i].address - begin < now->count * sizeof(float)) != other) return true;
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
        if (writes && op->kind == LAB_OP_KERNEL && (size_t)op->grid.x * op->block.x < now->count &&
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

/* How many steps have such an operation. All were found. */
static size_t steps_like(const check_plan *plan, const lab_trace_op *like)
{
    size_t steps = 0;
    for (int i = 0; i < plan->steps; i++)
        steps += plan->step[i].kind == like->kind && strcmp(plan->step[i].op->name, like->name) == 0;
    return steps;
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

/* What is wrong with step s, which was found; NULL for nothing. */
static const char *cause_in_step(const check_case_run *now, const check_plan *plan, int s)
{
    const check_step *step = &plan->step[s];
    const size_t work = work_like(now, step->op), steps = steps_like(plan, step->op),
                 bytes = now->count * sizeof(float);
    bool own = false;
    for (int i = 0; i < s; i++)
        if (plan->waits[s][i] && plan->step[i].op->id > step->op->id)
            return check_text("%s is enqueued before %s, whose numbers it needs", step->name, plan->step[i].name);
    if (!is_copy(step->op)) return work > steps ? check_text("%s is launched %zu times", step->op->name, work) : NULL;
    if (work < steps * bytes)
        return check_text("the copy moves %zu bytes; %zu floats have %zu", work, now->count, bytes);
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

/* The given array whose numbers were found in place of those that were expected, but for the only source of these, of
 * which check_compare_floats knows; NULL for none. */
static const char *found_instead(const check_case_run *now, const float *found, int source)
{
    for (int k = 0; is_array(now->of, k); k++)
        if (k != source && !now->of->array[k].is && memcmp(found, now->numbers[k], now->count * sizeof *found) == 0)
            return check_text("the wrong numbers are those of %s, in the same places", now->of->array[k].name);
    return NULL;
}

/* ---- the numbers ------------------------------------------------------------------------------------------------- */

/* Compares an array with what is expected, and returns what was found. */
static float *check_array(const check_case_run *now, int k)
{
    const check_case_array *array = &now->of->array[k];
    const int source = source_of(now->of, k, 0);
    const bool only = source >= 0 && source_of(now->of, k, 1) < 0;
    float *found = check_alloc(now->count * sizeof *found);
    check_difference difference = {.ulps = array->ulps, .input = only ? now->numbers[source] : NULL};
    check_snapshot(now->program, found, array->offset, now->count * sizeof *found);
    check_compare_floats(&difference, 0, now->numbers[k], found, now->count);
    if (!difference.count) return found;
    const lab_trace_op *block = now->of->in_blocks ? check_pool_block(now->trace, k) : NULL;
    check_finding why = {.cause = check_unordered(now->program)};
    if (now->of->place) why.at = now->of->place(now, difference.first_element);
    if (!why.at.known) why.at = check_at(check_writer(now->span, block));
    if (!why.cause) why = explain_steps(now, k, why);
    if (!why.cause) why.cause = found_instead(now, found, only ? source : -1);
    why = check_explain_calls(now->program, now->span, why);
    why.message = check_text("%s leaves wrong numbers in %s", now->of->function, array->name);
    check_fail_if_different(&difference, why);
    return found;
}

/* Adds the arrays that the check has put there and from which this one is made, each once. */
static void add_inputs(check_passage *passage, const check_case_run *now, int k)
{
    const size_t bytes = now->count * sizeof(float);
    if (now->of->array[k].is) {
        for (int s = 0, source; (source = source_of(now->of, k, s)) >= 0; s++) add_inputs(passage, now, source);
        return;
    }
    int i = 0;
    while (i < CHECK_INPUTS && passage->input[i].bytes && passage->input[i].bytes != now->numbers[k]) i++;
    if (i == CHECK_INPUTS) check_fault("an array of %s is made from more than %d", now->of->function, CHECK_INPUTS);
    passage->input[i] = (check_bytes){now->numbers[k], bytes};
}

void check_case_prove(const check_case_run *now)
{
    const check_case *of = now->of;
    const size_t bytes = now->count * sizeof(float);
    check_passage passage[CHECK_CASE_ARRAYS] = {{0}};
    check_way way = {.function = of->function, .passage = passage, .no_kernel = of->no_kernel};
    int outputs = 0;
    memcpy(way.kernel, of->kernel, sizeof way.kernel);
    for (int k = 0; is_array(of, k); k++) outputs += of->array[k].is != NULL;
    for (int k = 0; is_array(of, k); k++) {
        if (!of->array[k].is) {
            check_unchanged(now->program, of->array[k].offset, now->numbers[k], bytes, of->array[k].name);
            continue;
        }
        check_passage *added = &passage[way.passages++];
        added->what = outputs > 1 ? of->array[k].name : NULL;
        added->output = (check_bytes){check_array(now, k), bytes};
        memcpy(added->argument, now->argument, sizeof added->argument);
        add_inputs(added, now, k);
    }
    check_flow(now->program, now->trace, &way);
    if (of->waits) check_waits_for_all(now->trace, now->span);
}
