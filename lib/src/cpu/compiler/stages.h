/*
 * Compiles a unit in three runs of clang (front end, optimiser, code generator) and one of the linker. The passes
 * rewrite the code between the runs of clang (passes.h). The front end does not optimise, so that it computes no cast
 * at compile time by rules that are not CUDA's.
 *
 * LAB_ERROR_INVALID_SOURCE means that the source does not compile, and comes with the compiler's messages.
 * LAB_ERROR_COMPILER_UNAVAILABLE means that the compiler is at fault, not the source.
 */
#ifndef LAB_CPU_COMPILER_STAGES_H
#define LAB_CPU_COMPILER_STAGES_H

#include "clang.h"
#include "translation_unit.h"

/* The preprocessed unit, which contains the files that the source includes. */
lab_status cpu_unit_preprocess(cpu_text *out, const cpu_clang *clang, const cpu_unit *unit);

/* Compiles a unit to a shared object. Kernels whose threads wait or take turns are split (split.h). If the split form
 * does not compile, the unit is compiled without it, and those that wait run on fibers; a line on stderr says why. */
lab_status cpu_unit_compile(cpu_text *object, const cpu_clang *clang, const cpu_unit *unit);

/* The optimised code of the source alone, with the kernels' probes (accesses.h) and all variables. */
lab_status cpu_unit_optimise(cpu_text *out, const cpu_clang *clang, const cpu_unit *unit);

#endif
