/*
 * The passes over a module of LLVM IR between the compiler's stages. They read the text as LLVM 14 and later write it.
 * The compiler calls them in this order: ir_find_host_code (host_code.h), cpu_ir_prepare, cpu_ir_check (memcheck.h) or
 * the passes of split.h, cpu_ir_finish. The caller frees what a pass writes, also where the pass fails.
 */
#ifndef LAB_CPU_PASSES_PASSES_H
#define LAB_CPU_PASSES_PASSES_H

#include "cpu/ir/text.h"

/* Between front end and optimiser. Casts from floating point to integers get CUDA's results (casts.h), and divisions of
 * integers always have one (divide.h). The host can still find the module's variables (variables.h). Functions that
 * only the module can call become internal. False when memory runs out. */
bool cpu_ir_prepare(cpu_text *out, const char *ir);

/* Between optimiser and code generator. What all lanes load is loaded once (uniform.h), masked vector loops get a form
 * without masks (masks.h), thread-local variables are found once (thread_local.h), and the facts are added (facts.h).
 * The entry of a kernel is the function lab_entry_NAME; a name of NULL is a kernel that cannot be called. What kernels
 * read and write is judged by `judged`: `ir` itself or, if that has checks, the same module optimised without them.
 * False when memory runs out. */
bool cpu_ir_finish(cpu_text *out, const char *ir, const char *judged, const char *const *kernel, int count);

#endif
