/* Probes go, masks get a second form, facts are added. */
#include "passes.h"
#include "accesses.h"
#include "facts.h"
#include "masks.h"

#include "cpu/ir/emit.h"

#include <stdlib.h>

static bool leave_out_probes(cpu_text *out, const char *ir)
{
    FILE *file = open_memstream(&out->data, &out->size);
    if (!file) return false;
    ir_accesses_leave_out(file, ir);
    return ir_emit_end(file, out);
}

bool cpu_ir_finish(cpu_text *out, const char *ir, const char *judged, const char *const *kernel, int count)
{
    cpu_text compiled = {0};
    FILE *file = leave_out_probes(&compiled, ir) ? open_memstream(&out->data, &out->size) : NULL;
    bool done = file;
    if (file) {
        done = cpu_ir_split_masks(file, compiled.data);
        if (done && count > 0) done = ir_write_facts(file, compiled.data, judged, kernel, count);
        done = ir_emit_end(file, out) && done;
    }
    free(compiled.data);
    return done;
}
