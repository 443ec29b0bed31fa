/* A barrier is "call void @lab_suspend_syncthreads(%struct.cpu_launch* %3, i8* getelementptr (...), i32 12)". The other
 * three have a predicate after the first argument. */
#include "barriers.h"

#include <ctype.h>

static span last_word(span s)
{
    const char *space = memrchr(s.start, ' ', s.length);
    return space ? (span){space + 1, (size_t)(span_end(s) - space - 1)} : s;
}

static span next_argument(span before) { return ir_item(span_end(before) + 2, ","); }

bool ir_read_barrier(ir_barrier *b, const ir_graph *g, int node)
{
    static const struct {
        const char *name;
        cpu_wait_kind kind;
    } forms[] = {{"lab_suspend_syncthreads", CPU_WAIT_BARRIER},
                 {"lab_suspend_syncthreads_count", CPU_WAIT_BARRIER_COUNT},
                 {"lab_suspend_syncthreads_and", CPU_WAIT_BARRIER_AND},
                 {"lab_suspend_syncthreads_or", CPU_WAIT_BARRIER_OR}};
    const ir_instr *call = ir_last_instr(g, node);
    const span callee = ir_callee(call);
    for (size_t f = 0; f < sizeof forms / sizeof *forms; ++f) {
        if (!span_is(callee, forms[f].name)) continue;
        *b = (ir_barrier){.kind = forms[f].kind, .predicate_value = -1, .result = call->value};
        span argument = ir_item(span_end(callee) + 1, ",");
        if (forms[f].kind != CPU_WAIT_BARRIER) {
            argument = next_argument(argument);
            b->predicate = last_word(argument);
            b->predicate_value = ir_find_operand(g, b->predicate);
        }
        const span file = next_argument(argument);
        const char *address = span_find(file, "getelementptr");
        b->file = address ? (span){address, (size_t)(span_end(file) - address)} : last_word(file);
        b->line = last_word(next_argument(file));
        return *b->file.start != '%' && b->line.length && isdigit((unsigned char)*b->line.start);
    }
    return false;
}

bool ir_is_barrier_instr(const ir_graph *g, const ir_instr *i)
{
    const ir_node *n = &g->node[i->node];
    return n->is_barrier && &g->instr[n->end - 1] == i;
}
