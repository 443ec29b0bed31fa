/* Probes go, what all lanes load is loaded once, masks get a second form, variables are found once, facts are added. */
#include "passes.h"
#include "accesses.h"
#include "facts.h"
#include "thread_local.h"
#include "cpu/vectors/masks.h"
#include "cpu/vectors/uniform.h"

#include "cpu/ir/emit.h"

#include <stdlib.h>

/* Copies code with a change. False when memory runs out. */
typedef bool change(FILE *out, const char *ir);

static bool leave_out_probes(FILE *out, const char *ir)
{
    ir_accesses_leave_out(out, ir);
    return true;
}

static bool make_change(cpu_text *out, const char *ir, change *how)
{
    FILE *file = open_memstream(&out->data, &out->size);
    if (!file) return false;
    const bool done = how(file, ir);
    return ir_emit_end(file, out) && done;
}

bool cpu_ir_finish(cpu_text *out, const char *ir, const char *judged, const char *const *kernel, int count)
{
    cpu_text compiled = {0}, with_loads = {0}, without_masks = {0};
    bool done = make_change(&compiled, ir, leave_out_probes) &&
                make_change(&with_loads, compiled.data, cpu_ir_load_once) &&
                make_change(&without_masks, with_loads.data, cpu_ir_split_masks);
    FILE *file = done ? open_memstream(&out->data, &out->size) : NULL;
    if (file) {
        ir_find_thread_local_once(file, without_masks.data);
        if (count > 0) done = ir_write_facts(file, compiled.data, judged, kernel, count);
        done = ir_emit_end(file, out) && done;
    }
    free(without_masks.data);
    free(with_loads.data);
    free(compiled.data);
    return file && done;
}
