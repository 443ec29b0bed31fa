/* The files are taken in by the assembler; their paths are relative to the folder that make runs in. */
#include "builtins.h"

/* Not used here: so that this object is made anew when it changes. */
#include <stdbool.h>
#include "kernel_abi.h"

#define INCLUDE_TEXT(file) ".incbin \"lib/src/cpu/" file "\"\n"

/* All that changes a kernel's code between the compiler's stages. */
#define REWRITER                                                                                                       \
    INCLUDE_TEXT("ir/ir.c")                                                                                            \
    INCLUDE_TEXT("ir/ir_accesses.c")                                                                                   \
    INCLUDE_TEXT("compiler/accesses.c")                                                                                \
    INCLUDE_TEXT("ir/ir_variables.c")                                                                                  \
    INCLUDE_TEXT("ir/ir_text.c")                                                                                       \
    INCLUDE_TEXT("ir/ir_function.c")                                                                                   \
    INCLUDE_TEXT("ir/ir_memcheck.c")                                                                                   \
    INCLUDE_TEXT("ir/ir_debug.c")                                                                                      \
    INCLUDE_TEXT("ir/ir_masks.c")                                                                                      \
    INCLUDE_TEXT("ir/ir_monotone.c")                                                                                   \
    INCLUDE_TEXT("ir/ir_divide.c")                                                                                     \
    INCLUDE_TEXT("ir/ir_symbols.c")                                                                                    \
    INCLUDE_TEXT("split/ir_cfg.c")                                                                                     \
    INCLUDE_TEXT("split/ir_regions.c")                                                                                 \
    INCLUDE_TEXT("split/ir_varying.c")                                                                                 \
    INCLUDE_TEXT("split/ir_split.c")                                                                                   \
    INCLUDE_TEXT("split/ir_split_writer.c")                                                                            \
    INCLUDE_TEXT("split/ir_split_body.c")                                                                              \
    INCLUDE_TEXT("split/ir_split_loop.c")                                                                              \
    INCLUDE_TEXT("split/ir_split_write.c")                                                                             \
    INCLUDE_TEXT("ir/ir_host.c")

__asm__(".pushsection .rodata\n"
        ".global cpu_builtins\n"
        "cpu_builtins:\n" INCLUDE_TEXT("builtins/kernel_abi.h") INCLUDE_TEXT("builtins/builtins.cuh")
            INCLUDE_TEXT("builtins/builtins_math.cuh") INCLUDE_TEXT("builtins/builtins_atomic.cuh")
                INCLUDE_TEXT("builtins/builtins_warp.cuh") INCLUDE_TEXT(
                    "builtins/builtins_entry.cuh") ".byte 0\n"
                                                   ".global cpu_check_builtins\n"
                                                   "cpu_check_builtins:\n" INCLUDE_TEXT(
                                                       "builtins/builtins_memcheck.cuh") ".byte 0\n"
                                                                                         ".global cpu_rewriter\n"
                                                                                         "cpu_rewriter:\n" REWRITER
                                                                                         ".byte 0\n"
                                                                                         ".popsection\n");
