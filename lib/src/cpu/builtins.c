/* The files are taken in by the assembler; their paths are relative to the folder that make runs in. */
#include "builtins.h"

/* Not used here: so that this object is made anew when it changes. */
#include <stdbool.h>
#include "kernel_abi.h"

#define INCLUDE_TEXT(file) ".incbin \"lib/src/cpu/" file "\"\n"

/* All that changes a kernel's code between the compiler's stages. */
#define REWRITER                                                                                                       \
    INCLUDE_TEXT("ir.c")                                                                                               \
    INCLUDE_TEXT("ir_accesses.c")                                                                                      \
    INCLUDE_TEXT("accesses.c")                                                                                         \
    INCLUDE_TEXT("ir_variables.c")                                                                                     \
    INCLUDE_TEXT("ir_text.c")                                                                                          \
    INCLUDE_TEXT("ir_function.c")                                                                                      \
    INCLUDE_TEXT("ir_check.c")                                                                                         \
    INCLUDE_TEXT("ir_debug.c")                                                                                         \
    INCLUDE_TEXT("ir_masks.c")                                                                                         \
    INCLUDE_TEXT("ir_monotone.c")                                                                                      \
    INCLUDE_TEXT("ir_divide.c")                                                                                        \
    INCLUDE_TEXT("ir_symbols.c")                                                                                       \
    INCLUDE_TEXT("ir_cfg.c")                                                                                           \
    INCLUDE_TEXT("ir_regions.c")                                                                                       \
    INCLUDE_TEXT("ir_varying.c")                                                                                       \
    INCLUDE_TEXT("ir_split.c")                                                                                         \
    INCLUDE_TEXT("ir_split_writer.c")                                                                                  \
    INCLUDE_TEXT("ir_split_body.c")                                                                                    \
    INCLUDE_TEXT("ir_split_loop.c")                                                                                    \
    INCLUDE_TEXT("ir_split_write.c")                                                                                   \
    INCLUDE_TEXT("ir_host.c")

__asm__(".pushsection .rodata\n"
        ".global cpu_builtins\n"
        "cpu_builtins:\n" INCLUDE_TEXT("kernel_abi.h") INCLUDE_TEXT("builtins.cuh") INCLUDE_TEXT("builtins_math.cuh")
            INCLUDE_TEXT("builtins_atomic.cuh") INCLUDE_TEXT("builtins_warp.cuh")
                INCLUDE_TEXT("builtins_entry.cuh") ".byte 0\n"
                                                   ".global cpu_check_builtins\n"
                                                   "cpu_check_builtins:\n" INCLUDE_TEXT(
                                                       "builtins_check.cuh") ".byte 0\n"
                                                                             ".global cpu_rewriter\n"
                                                                             "cpu_rewriter:\n" REWRITER ".byte 0\n"
                                                                             ".popsection\n");
