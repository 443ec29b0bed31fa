/* Finds the order in the graph of trace/dependence.h: first all that the second operation needs, then that operation,
 * then the rest in the order of the program. */
#include "story.h"

#include "base/status.h"
#include "base/text_writer.h"
#include "trace/dependence.h"

#include <stdlib.h>
#include <string.h>

typedef struct teller {
    play_story *story;
    const play_program *program;
    const play_listing *listing;
    const play_run *run;
    const lab_order_finding *finding;
    int writer[PLAY_STATEMENTS]; /* of each memory: the statement that has written it last; PLAY_NOTHING at first */
    int freed; /* the statement of the finding that frees memory, once its stream has reached it; PLAY_NOTHING before */
    bool called[PLAY_STATEMENTS];
} teller;

static const char *describe(char text[64], const teller *telling, int statement)
{
    play_describe(text, 64, telling->program, statement);
    return text;
}

static const char *stream_of(const teller *telling, int statement)
{
    const play_statement *each = &telling->program->statement[statement];
    if (each->kind == PLAY_COPY_NOW || each->stream == PLAY_NULL) return "the null stream";
    return each->stream >= 0 ? play_name_of(telling->program, each->stream) : "";
}

/* The statement of one side of the finding: for a node, that of the launch. */
static int statement_of(const teller *telling, const lab_order_side *side)
{
    return side->graph ? play_statement_at(telling->listing, side->launch_file, side->launch_line)
                       : play_statement_at(telling->listing, side->file, side->line);
}

static void add_uses(play_use *sum, const play_statement *each, bool *found)
{
    for (int i = 0; i < each->uses; i++) {
        if (each->use[i].memory != sum->memory) continue;
        *found = true;
        sum->reads |= each->use[i].reads && !sum->writes;
        sum->writes |= each->use[i].writes;
    }
}

/* How the statement uses the memory when it runs, and whether it does. A launch uses what the graph's nodes use, and
 * reads what none of them has written before. The calls that were captured do nothing themselves. */
static bool find_use(play_use *out, const teller *telling, int statement, int memory)
{
    const play_program *program = telling->program;
    const play_statement *each = &program->statement[statement];
    bool found = false;
    *out = (play_use){.memory = memory};
    for (int i = 0; each->kind == PLAY_LAUNCH && i < statement; i++)
        if (telling->run->graph[i] == each->graph) add_uses(out, &program->statement[i], &found);
    if (telling->run->graph[statement] == PLAY_NOTHING) add_uses(out, each, &found);
    return found;
}

/* The statement that writes the memory last before this one, in the order of the program. */
static int meant_writer(const teller *telling, int memory, int before)
{
    play_use use;
    for (int i = before - 1; i >= 0; i--) {
        if (!find_use(&use, telling, i, memory)) continue;
        if (use.writes) return i;
        if (telling->program->statement[i].kind == PLAY_ALLOC) return PLAY_NOTHING;
    }
    return PLAY_NOTHING;
}

static void write_reading(text_writer *out, play_step *step, const teller *telling, const play_use *use)
{
    char it[64], other[64];
    const int found = telling->writer[use->memory], meant = meant_writer(telling, use->memory, step->statement);
    const char *memory = play_name_of(telling->program, use->memory);
    if (found == meant) return;
    step->wrong = true;
    if (found > step->statement)
        text_write(out, ". It reads %s, which %s has overwritten already", memory, describe(it, telling, found));
    else if (found == PLAY_NOTHING)
        text_write(out, ". It reads %s before %s has written it", memory, describe(it, telling, meant));
    else
        text_write(out, ". It reads what %s left in %s, since %s has not run", describe(it, telling, found), memory,
                   describe(other, telling, meant));
}

static void write_writing(text_writer *out, play_step *step, const teller *telling, const play_use *use)
{
    char it[64];
    const int found = telling->writer[use->memory];
    if (found <= step->statement) return;
    step->wrong = true;
    text_write(out, ". It overwrites what %s has put into %s", describe(it, telling, found),
               play_name_of(telling->program, use->memory));
}

/* The pool may have given the memory to others: behind the free, and before the allocation on its stream. */
static void write_pooling(text_writer *out, play_step *step, const teller *telling, const play_use *use)
{
    char it[64];
    play_use other;
    const char *memory = play_name_of(telling->program, use->memory);
    const int first = statement_of(telling, &telling->finding->first);
    if (telling->freed > step->statement && find_use(&other, telling, telling->freed, use->memory)) {
        step->wrong = true;
        text_write(out, ". It uses %s, which %s has returned to the pool", memory,
                   describe(it, telling, telling->freed));
    } else if (telling->finding->kind == LAB_ORDER_USE_BEFORE_ALLOCATION &&
               step->statement == statement_of(telling, &telling->finding->second) && first >= 0 &&
               find_use(&other, telling, first, use->memory)) {
        step->wrong = true;
        text_write(out, ". It uses %s, which %s gives to later work on %s alone", memory, describe(it, telling, first),
                   stream_of(telling, first));
    }
}

/* Two nodes of one launch, between which the graph has no edge. */
static void write_nodes(text_writer *out, play_step *step, const teller *telling)
{
    char it[64], other[64];
    const lab_order_side *first = &telling->finding->first, *second = &telling->finding->second;
    if (!first->graph || !second->graph || statement_of(telling, first) != step->statement ||
        statement_of(telling, second) != step->statement)
        return;
    step->wrong = true;
    text_write(out, ". In it %s may run before %s",
               describe(it, telling, play_statement_at(telling->listing, second->file, second->line)),
               describe(other, telling, play_statement_at(telling->listing, first->file, first->line)));
}

/* What the statement uses now. */
static void use_memory(text_writer *out, play_step *step, teller *telling)
{
    play_use use;
    for (int m = 0; m < step->statement; m++)
        if (find_use(&use, telling, step->statement, m)) write_pooling(out, step, telling, &use);
    for (int m = 0; m < step->statement; m++)
        if (find_use(&use, telling, step->statement, m) && use.reads) write_reading(out, step, telling, &use);
    for (int m = 0; m < step->statement; m++) {
        if (!find_use(&use, telling, step->statement, m) || !use.writes) continue;
        write_writing(out, step, telling, &use);
        telling->writer[m] = step->statement;
    }
    write_nodes(out, step, telling);
}

/* What the host does when it makes the call. */
static void write_call(text_writer *out, const teller *telling, int statement)
{
    char it[64];
    const play_statement *each = &telling->program->statement[statement];
    const char *stream = stream_of(telling, statement);
    describe(it, telling, statement);
    if (strncmp(it, "the host ", 9) == 0)
        text_write(out, "The host %s", it + 9);
    else if (each->kind == PLAY_END)
        text_write(out, "The host ends the capture of %s", play_name_of(telling->program, each->graph));
    else
        text_write(out, "The host %s %s on %s",
                   telling->run->graph[statement] == PLAY_NOTHING ? "enqueues" : "captures", it, stream);
}

static void tell_step(teller *telling, play_step_kind kind, int statement)
{
    const play_statement *each = &telling->program->statement[statement];
    play_step *step = &telling->story->step[telling->story->steps++];
    char it[64];
    *step = (play_step){.kind = kind, .statement = statement};
    text_writer out = {step->text, sizeof step->text, 0};
    switch (kind) {
    case PLAY_CALLS:
        write_call(&out, telling, statement);
        if (each->kind == PLAY_HOST) use_memory(&out, step, telling);
        break;
    case PLAY_RUNS:
        text_write(&out, "On %s: %s", stream_of(telling, statement), describe(it, telling, statement));
        use_memory(&out, step, telling);
        if (each->kind == PLAY_FREE) telling->freed = statement;
        break;
    case PLAY_RETURNS: text_write(&out, "The host continues"); break;
    }
}

static void tell_moment(teller *telling, size_t moment)
{
    const lab_trace_op *op = &telling->run->trace->op[dependence_op(moment)];
    const int statement = play_statement_at(telling->listing, op->file, op->line);
    if (statement < 0 || telling->program->statement[statement].kind < PLAY_COPY) return;
    if (!telling->called[statement]) tell_step(telling, PLAY_CALLS, statement);
    telling->called[statement] = true;
    if (!dependence_is_return(moment) && *lab_op_kind_engine(op->kind)) /* not for records and waits of streams */
        tell_step(telling, PLAY_RUNS, statement);
    else if (dependence_is_return(moment) && op->host_waits)
        tell_step(telling, PLAY_RETURNS, statement);
}

/* Marks the moment and all that come before it. */
static void mark_needed(bool *needed, const dependence *order, size_t moment)
{
    needed[moment] = true;
    for (size_t m = moment + 1; m-- > 0;)
        for (size_t e = order->first[m]; needed[m] && e < order->first[m + 1]; e++)
            if (DEPENDENCE_ALL & 1u << order->edge[e].kind) needed[order->edge[e].source] = true;
}

/* Marks what the finding's second operation comes behind. A free has its place on its stream as work has. */
static void mark_before(bool *needed, const dependence *order, const lab_trace *trace, size_t second)
{
    const lab_trace_op *op = &trace->op[second];
    mark_needed(needed, order, lab_dependence_is_work(op) ? dependence_done(second) : dependence_returned(second));
    for (size_t i = 0; op->kind == LAB_OP_POOL_FREE && i < second; i++)
        if (trace->op[i].stream == op->stream && lab_dependence_is_work(&trace->op[i]))
            mark_needed(needed, order, dependence_done(i));
}

lab_status play_tell(play_story *out, const play_program *program, const play_listing *listing, const play_run *run,
                     const lab_order_finding *finding)
{
    teller telling = {
        .story = out, .program = program, .listing = listing, .run = run, .finding = finding, .freed = PLAY_NOTHING};
    const int second = statement_of(&telling, &finding->second);
    out->steps = 0;
    if (second < 0 || run->op[second] == run->trace->ops) return LAB_SUCCESS;
    const size_t op = run->op[second], moments = 2 * run->trace->ops;
    for (int i = 0; i < PLAY_STATEMENTS; i++) telling.writer[i] = PLAY_NOTHING;
    dependence order;
    LAB_TRY(lab_dependence_create(&order, run->trace));
    bool *needed = calloc(moments, sizeof *needed);
    if (needed) {
        mark_before(needed, &order, run->trace, op);
        for (size_t m = 0; m < moments; m++)
            if (needed[m]) tell_moment(&telling, m);
        if (program->statement[second].kind == PLAY_FREE) tell_step(&telling, PLAY_RUNS, second);
        for (size_t m = 0; m < moments; m++)
            if (!needed[m]) tell_moment(&telling, m);
    }
    lab_dependence_clear(&order);
    free(needed);
    return needed ? LAB_SUCCESS : lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no memory for the order of the program");
}
