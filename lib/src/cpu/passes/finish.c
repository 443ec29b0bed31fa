/* Probes go, what all lanes load is loaded once, masks get a second form, facts are added. */
#include "passes.h"
#include "accesses.h"
#include "facts.h"
#include "cpu/vectors/masks.h"
#include "cpu/vectors/uniform.h"

#include "cpu/ir/emit.h"

#include <stdlib.h>

static bool leave_out_probes(cpu_text *out, const char *ir)
{
    FILE *file = open_memstream(&out->data, &out->size);
    if (!file) return false;
    ir_accesses_leave_out(file, ir);
    return ir_emit_end(file, out);
}

static bool load_once(cpu_text *out, const char *ir)
{
    FILE *file = open_memstream(&out->data, &out->size);
    if (!file) return false;
    const bool done = cpu_ir_load_once(file, ir);
    return ir_emit_end(file, out) && done;
}

bool cpu_ir_finish(cpu_text *out, const char *ir, const char *judged, const char *const *kernel, int count)
{
    cpu_text compiled = {0}, with_loads = {0};
    const bool is_read = leave_out_probes(&compiled, ir) && load_once(&with_loads, compiled.data);
    FILE *file = is_read ? open_memstream(&out->data, &out->size) : NULL;
    bool done = file;
    if (file) {
        done = cpu_ir_split_masks(file, with_loads.data);
        if (done && count > 0) done = ir_write_facts(file, compiled.data, judged, kernel, count);
        done = ir_emit_end(file, out) && done;
    }
    free(with_loads.data);
    free(compiled.data);
    return done;
}
