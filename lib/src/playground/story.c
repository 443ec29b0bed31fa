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
    const lab_trace *trace;
    int writer[PLAY_STATEMENTS]; /* of each memory: the statement that has written it last; PLAY_NOTHING at first */
    bool called[PLAY_STATEMENTS];
} teller;

static const char *describe(char text[64], const teller *telling, int statement)
{
    play_describe(text, 64, telling->program, statement);
    return text;
}

/* The statement that writes the memory last before this one, in the order of the program. */
static int meant_writer(const play_program *program, int memory, int before)
{
    for (int i = before - 1; i >= 0; i--)
        for (int u = 0; u < program->statement[i].uses; u++)
            if (program->statement[i].use[u].memory == memory && program->statement[i].use[u].writes) return i;
    return PLAY_NOTHING;
}

static void write_reading(text_writer *out, play_step *step, const teller *telling, const play_use *use)
{
    char it[64], other[64];
    const int found = telling->writer[use->memory],
              meant = meant_writer(telling->program, use->memory, step->statement);
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

/* What the statement uses now. */
static void use_memory(text_writer *out, play_step *step, teller *telling)
{
    const play_statement *each = &telling->program->statement[step->statement];
    for (int i = 0; i < each->uses; i++)
        if (each->use[i].reads) write_reading(out, step, telling, &each->use[i]);
    for (int i = 0; i < each->uses; i++) {
        if (!each->use[i].writes) continue;
        write_writing(out, step, telling, &each->use[i]);
        telling->writer[each->use[i].memory] = step->statement;
    }
}

static void tell_step(teller *telling, play_step_kind kind, int statement)
{
    const play_statement *each = &telling->program->statement[statement];
    play_step *step = &telling->story->step[telling->story->steps++];
    char it[64];
    *step = (play_step){.kind = kind, .statement = statement};
    text_writer out = {step->text, sizeof step->text, 0};
    describe(it, telling, statement);
    const bool is_hosts = strncmp(it, "the host ", 9) == 0;
    const char *stream = each->kind == PLAY_COPY_NOW || each->stream == PLAY_NULL ? "the null stream"
                         : each->stream >= 0 ? play_name_of(telling->program, each->stream)
                                             : "";
    switch (kind) {
    case PLAY_CALLS:
        if (is_hosts)
            text_write(&out, "The host %s", it + 9);
        else
            text_write(&out, "The host enqueues %s on %s", it, stream);
        if (each->kind == PLAY_HOST) use_memory(&out, step, telling);
        break;
    case PLAY_RUNS:
        text_write(&out, "On %s: %s", stream, it);
        use_memory(&out, step, telling);
        break;
    case PLAY_RETURNS: text_write(&out, "The host continues"); break;
    }
}

static void tell_moment(teller *telling, size_t moment)
{
    const lab_trace_op *op = &telling->trace->op[dependence_op(moment)];
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

lab_status play_tell(play_story *out, const play_program *program, const play_listing *listing, const play_run *run,
                     const lab_order_finding *finding)
{
    const int second = play_statement_at(listing, finding->second.file, finding->second.line);
    out->steps = 0;
    if (second < 0 || run->op[second] == run->trace->ops) return LAB_SUCCESS;
    const size_t op = run->op[second], moments = 2 * run->trace->ops;
    teller telling = {.story = out, .program = program, .listing = listing, .trace = run->trace};
    for (int i = 0; i < PLAY_STATEMENTS; i++) telling.writer[i] = PLAY_NOTHING;
    dependence order;
    LAB_TRY(lab_dependence_create(&order, run->trace));
    bool *needed = calloc(moments, sizeof *needed);
    if (needed) {
        const bool is_work = lab_dependence_is_work(&run->trace->op[op]);
        mark_needed(needed, &order, is_work ? dependence_done(op) : dependence_returned(op));
        for (size_t m = 0; m < moments; m++)
            if (needed[m]) tell_moment(&telling, m);
        for (size_t m = 0; m < moments; m++)
            if (!needed[m]) tell_moment(&telling, m);
    }
    lab_dependence_clear(&order);
    free(needed);
    return needed ? LAB_SUCCESS : lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no memory for the order of the program");
}
