/* The assembler includes the files; their paths are relative to the folder in which make runs. */
#include "builtins.h"

#include "seam/kernel_headers.h"

#include <stddef.h>

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
        FILE_TEXT("builtins_memory.cuh")
        FILE_TEXT("builtins_atomic.cuh")
        FILE_TEXT("builtins_warp.cuh")
        FILE_TEXT("builtins_loops.cuh")
        FILE_TEXT("builtins_entry.cuh")
        TEXT_ENDS
        TEXT_BEGINS("cpu_check_builtins")
        FILE_TEXT("race_abi.h")
        FILE_TEXT("builtins_memcheck.cuh")
        TEXT_ENDS
        TEXT_BEGINS("cpu_assembly")
        FILE_TEXT("builtins_assembly.cuh")
        TEXT_ENDS
        TEXT_BEGINS("cpu_cuda_builtins")
        FILE_TEXT("kernel_abi.h")
        FILE_TEXT("builtins.cuh")
        FILE_TEXT("builtins_math.cuh")
        FILE_TEXT("builtins_memory.cuh")
        FILE_TEXT("builtins_special.cuh")
        FILE_TEXT("builtins_rounding.cuh")
        FILE_TEXT("builtins_simd.cuh")
        FILE_TEXT("builtins_spaces.cuh")
        FILE_TEXT("builtins_atomic.cuh")
        FILE_TEXT("builtins_warp.cuh")
        FILE_TEXT("builtins_missing.cuh")
        FILE_TEXT("texture_abi.h")
        FILE_TEXT("builtins_texture.cuh")
        FILE_TEXT("builtins_loops.cuh")
        FILE_TEXT("race_abi.h")
        FILE_TEXT("builtins_memcheck.cuh")
        FILE_TEXT("builtins_cuda.cuh")
        TEXT_ENDS
        TEXT_BEGINS("cpu_builtins_special")
        FILE_TEXT("builtins_special.cuh")
        TEXT_ENDS
        TEXT_BEGINS("cpu_builtins_rounding")
        FILE_TEXT("builtins_rounding.cuh")
        TEXT_ENDS
        TEXT_BEGINS("cpu_builtins_half")
        FILE_TEXT("../../../include/cuda/lab_narrow.h")
        FILE_TEXT("../../../include/cuda/lab_half.h")
        FILE_TEXT("builtins_half.cuh")
        TEXT_ENDS
        TEXT_BEGINS("cpu_builtins_missing")
        FILE_TEXT("builtins_missing.cuh")
        TEXT_ENDS
        TEXT_BEGINS("cpu_builtins_spaces")
        FILE_TEXT("builtins_spaces.cuh")
        TEXT_ENDS
        TEXT_BEGINS("cpu_builtins_simd")
        FILE_TEXT("builtins_simd.cuh")
        TEXT_ENDS
        ".popsection\n");
/* clang-format on */

extern const char cpu_builtins_special[], cpu_builtins_rounding[], cpu_builtins_half[], cpu_builtins_simd[],
    cpu_builtins_spaces[], cpu_builtins_missing[];

const cpu_builtins_part cpu_builtins_parts[] = {
    {cpu_builtins_special,
     0,
     {"norm", "rhypot", "bessel", "erfc", "erfinv", "j0", "j1", "jn", "y0", "y1", "yn", "remquo", "scalbln", "nan(",
      "nanf(", "sincospi", "fdivide", "__tanhf"}},
    {cpu_builtins_rounding, KERNEL_HEADER_HALF, {"_rz", "_ru", "_rd", "_ieee_rn"}},
    {cpu_builtins_half, KERNEL_HEADER_HALF, {NULL}},
    {cpu_builtins_simd, 0, {"__v", "__dp"}},
    {cpu_builtins_spaces, 0, {"__isGlobal", "__isShared", "__isConstant", "__isLocal"}},
    {cpu_builtins_missing,
     0,
     {"tex1D",
      "tex2D",
      "tex3D",
      "texCubemap",
      "surf",
      "Object_t",
      "__mbarrier_t",
      "__isGridConstant",
      "__cluster",
      "__isClusterShared",
      "__threadfence_cluster",
      "__barrier_sync",
      "__fadd2",
      "__fmul2",
      "__ffma2",
      "__shfl(",
      "__shfl_up(",
      "__shfl_down(",
      "__shfl_xor(",
      "__any(",
      "__all(",
      "__ballot("}},
    {NULL, 0, {NULL}},
};
