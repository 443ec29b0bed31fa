/* A barrier is "call void @lab_suspend_syncthreads(%struct.cpu_launch* %3, i8* getelementptr (...), i32 12)". What a
 * thread brings to a wait stands after the first argument. */
#include "waits.h"

#include <ctype.h>

static span next_item(span before) { return ir_item(span_end(before) + 2, ","); }

/* The operand of an argument, "i32 noundef 5". */
static span operand_of(span argument)
{
    static const char *const words[] = {"noundef ", "zeroext ", "signext "};
    const size_t type = ir_item(argument.start, " ").length + 1;
    span operand = {argument.start + type, argument.length - type};
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
        const size_t length = span_starts_with(operand, words[i]) ? strlen(words[i]) : 0;
        operand = (span){operand.start + length, operand.length - length};
    }
    return operand;
}

static ir_argument read_argument(const ir_graph *g, span argument)
{
    const span operand = operand_of(argument);
    return (ir_argument){operand, ir_find_operand(g, operand)};
}

bool ir_read_wait(ir_wait *wait, const ir_graph *g, int node)
{
    static const struct {
        const char *name;
        cpu_wait_kind kind;
        int arguments;
    } forms[] = {
        {"syncthreads", CPU_WAIT_BARRIER, 0},
        {"syncthreads_count", CPU_WAIT_BARRIER_COUNT, 1},
        {"syncthreads_and", CPU_WAIT_BARRIER_AND, 1},
        {"syncthreads_or", CPU_WAIT_BARRIER_OR, 1},
        {"syncwarp", CPU_WAIT_SYNCWARP, 2},
        {"activemask", CPU_WAIT_ACTIVEMASK, 2},
        {"all_sync", CPU_WAIT_ALL, 2},
        {"any_sync", CPU_WAIT_ANY, 2},
        {"ballot_sync", CPU_WAIT_BALLOT, 2},
        {"shfl_sync", CPU_WAIT_SHUFFLE, 4},
        {"shfl_up_sync", CPU_WAIT_SHUFFLE_UP, 4},
        {"shfl_down_sync", CPU_WAIT_SHUFFLE_DOWN, 4},
        {"shfl_xor_sync", CPU_WAIT_SHUFFLE_XOR, 4},
        {"match_any_sync", CPU_WAIT_MATCH_ANY, 2},
        {"match_all_sync", CPU_WAIT_MATCH_ALL, 2},
        {"reduce_and_sync", CPU_WAIT_REDUCE_AND, 2},
        {"reduce_or_sync", CPU_WAIT_REDUCE_OR, 2},
        {"reduce_xor_sync", CPU_WAIT_REDUCE_XOR, 2},
        {"reduce_add_sync", CPU_WAIT_REDUCE_ADD, 2},
        {"reduce_min_sync", CPU_WAIT_REDUCE_MIN, 2},
        {"reduce_max_sync", CPU_WAIT_REDUCE_MAX, 2},
    };
    const ir_instr *call = ir_last_instr(g, node);
    const span callee = ir_callee(call),
               name = {callee.start + strlen(IR_WAIT_PREFIX), callee.length - strlen(IR_WAIT_PREFIX)};
    for (size_t f = 0; f < sizeof forms / sizeof *forms; ++f) {
        if (!span_is(name, forms[f].name)) continue;
        *wait = (ir_wait){.kind = forms[f].kind, .arguments = forms[f].arguments, .result = call->value};
        span item = ir_item(span_end(callee) + 1, ",");
        for (int a = 0; a < wait->arguments; ++a) {
            item = next_item(item);
            wait->argument[a] = read_argument(g, item);
        }
        const span file = next_item(item);
        wait->file = operand_of(file);
        wait->line = operand_of(next_item(file));
        return *wait->file.start != '%' && wait->line.length && isdigit((unsigned char)*wait->line.start);
    }
    return false;
}

bool ir_is_wait_instr(const ir_graph *g, const ir_instr *i)
{
    const ir_node *n = &g->node[i->node];
    return n->waits && &g->instr[n->end - 1] == i;
}
