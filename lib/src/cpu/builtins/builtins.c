/* The assembler includes the files; their paths are relative to the folder in which make runs. */
#include "builtins.h"

#define STRING(text) #text
#define STRING_OF(macro) STRING(macro)
const char cpu_compiler_version[] = STRING_OF(CPU_COMPILER_VERSION);

#define FILE_TEXT(file) ".incbin \"lib/src/cpu/builtins/" file "\"\n"
#define TEXT_BEGINS(name) ".global " name "\n" name ":\n"
#define TEXT_ENDS ".byte 0\n"

/* clang-format off */
__asm__(".pushsection .rodata\n"
        TEXT_BEGINS("cpu_builtins")
        FILE_TEXT("kernel_abi.h")
        FILE_TEXT("builtins.cuh")
        FILE_TEXT("builtins_assembly.cuh")
        FILE_TEXT("builtins_math.cuh")
        FILE_TEXT("builtins_atomic.cuh")
        FILE_TEXT("builtins_warp.cuh")
        FILE_TEXT("builtins_loops.cuh")
        FILE_TEXT("builtins_entry.cuh")
        TEXT_ENDS
        TEXT_BEGINS("cpu_check_builtins")
        FILE_TEXT("builtins_memcheck.cuh")
        TEXT_ENDS
        TEXT_BEGINS("cpu_assembly")
        FILE_TEXT("builtins_assembly.cuh")
        TEXT_ENDS
        TEXT_BEGINS("cpu_cuda_builtins")
        FILE_TEXT("kernel_abi.h")
        FILE_TEXT("builtins.cuh")
        FILE_TEXT("builtins_math.cuh")
        FILE_TEXT("builtins_atomic.cuh")
        FILE_TEXT("builtins_warp.cuh")
        FILE_TEXT("builtins_loops.cuh")
        FILE_TEXT("builtins_memcheck.cuh")
        FILE_TEXT("builtins_cuda.cuh")
        TEXT_ENDS
        ".popsection\n");
/* clang-format on */
