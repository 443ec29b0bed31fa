/* stages.h says in which order the stages run. */
#include "clang_options.h"

#include <stddef.h>

/* clang-format off */
/* What builtins_math.cuh defines itself: clang would take it for the C library's, and make casts the processor's own
 * instruction. */
#define OWN_FUNCTIONS "-fno-builtin-expf", "-fno-builtin-lrintf", "-fno-builtin-lrint", "-fno-builtin-llrintf", \
    "-fno-builtin-llrint", "-fno-builtin-lroundf", "-fno-builtin-lround", "-fno-builtin-llroundf", \
    "-fno-builtin-llround",
#ifdef __x86_64__
#define NATIVE "-march=native"
#define WRAP "--wrap=__tls_get_addr", /* why: see builtins.cuh */
#else
#define NATIVE "-mcpu=native", "-mno-outline-atomics" /* they are functions of libgcc, and kernels have none */
#define WRAP
#endif

/* Floating point is as in nvcc: contraction unless a function forbids it, no errno, subnormals kept. Every cast
 * saturates; cpu_ir_prepare then decides how. Pointers of any type may alias: kernels reinterpret memory freely. */
const char *const clang_front_end[] = {
    "-x", "c++", "-std=c++17", "-O3", NATIVE, "-fPIC", "-fvisibility=hidden", "-fdeclspec", "-nostdinc++", "-w",
    "-fno-strict-float-cast-overflow", "-Xclang", "-ffp-contract=fast-honor-pragmas", "-fno-math-errno",
    "-fno-trapping-math", "-fno-strict-aliasing", "-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics",
    "-fno-stack-protector", "-fno-color-diagnostics", "-fno-crash-diagnostics", OWN_FUNCTIONS "-iquote", NULL};
const char *const clang_to_code[] = {"-Xclang", "-disable-llvm-passes", "-S", "-emit-llvm", "-o", "-", "-", NULL};
/* Ends of variables would lead all ways out of a loop through one block, whether they leave the kernel or not. What is
 * left on a stack would be a way to other threads, so that a local variable begins with a pattern. */
const char *const clang_to_checked_code[] = {
    "-gline-tables-only", "-ftrivial-auto-var-init=pattern", "-Xclang", "-disable-llvm-passes", "-Xclang",
    "-disable-lifetime-markers", "-S", "-emit-llvm", "-o", "-", "-", NULL};
const char *const clang_to_text[] = {"-E", "-o", "-", "-", NULL};
const char *const clang_to_file_names[] = {"-M", "-H", "-o", "-", "-", NULL};
const char *const clang_to_nothing[] = {"-fsyntax-only", "-", NULL};

/* A CUDA file of labcc: what both passes have. The version of the toolkit decides which functions a launch calls. */
const char *const clang_cuda[] = {
    "-x", "cuda", "-nocudainc", "-nocudalib", "-Xclang", "-target-sdk-version=11.5", "-Wno-unknown-cuda-version",
    "-Wno-register", "-Xclang", "-fcuda-allow-variadic-functions", "-fno-caret-diagnostics", NULL};

/* Its device code is made for a GPU, which decides how arguments are passed, and is made this machine's later. The
 * optimiser never sees it as a GPU's. Names of parameters appear in messages. */
const char *const clang_cuda_device[] = {
    "--cuda-device-only", "--cuda-gpu-arch=sm_70", "-O3", "-gline-tables-only", "-w", "-Xclang",
    "-disable-llvm-passes", "-Xclang", "-disable-lifetime-markers", "-fno-discard-value-names", "-fno-builtin-printf",
    "-fno-strict-float-cast-overflow", "-Xclang", "-ffp-contract=fast-honor-pragmas", "-fno-math-errno",
    "-fno-trapping-math", "-fno-strict-aliasing", "-fno-threadsafe-statics",
    "-fdebug-prefix-map=/usr/=<system>/",
    OWN_FUNCTIONS "-S", "-emit-llvm", NULL};
/* The options for its host code may be gcc's, which clang may not know. */
const char *const clang_cuda_host[] = {"--cuda-host-only", "--driver-mode=g++", "-Wno-unknown-warning-option",
    "-Wno-unused-command-line-argument", "-Wno-ignored-optimization-argument", NULL};

/* Inlining names values and blocks after kernels and the types of their parameters. Without this option LLVM does not
 * read names of more than 1024 letters. */
#define LONG_NAMES "-mllvm", "-non-global-value-max-name-size=1000000"

/* Inlines only functions that must be inlined. */
const char *const clang_inliner[] = {
    "-x", "ir", LONG_NAMES, "-O0", "-S", "-emit-llvm", "-fno-crash-diagnostics", "-o", "-", "-", NULL};

/* Before kernels are split where their threads wait: inlines what they call, and turns variables into values. The steps
 * of a shuffled sum become a row of pieces, each with the distance as a constant. A loop whose trips are not known is
 * not unrolled: the number of each thread's trips would take the place of the test that all threads pass alike. */
const char *const clang_before_split[] = {
    "-x", "ir", LONG_NAMES, "-O1", "-funroll-loops", "-mllvm", "-unroll-runtime=false", NATIVE, "-S", "-emit-llvm",
    "-fno-crash-diagnostics", "-o", "-", "-", NULL};

/* Inlines device functions more eagerly than usual: a call in a kernel prevents vector code. Vector code may begin with
 * more tests than usual, whether arrays overlap and 32-bit indices wrap: a stencil reads the rows of many
 * neighbours. */
const char *const clang_optimiser[] = {
    "-x", "ir", LONG_NAMES, "-O3", NATIVE, "-mllvm", "-inline-threshold=2000", "-mllvm",
    "-runtime-memory-check-threshold=32", "-mllvm", "-vectorize-scev-check-threshold=128", "-S", "-emit-llvm",
    "-fno-crash-diagnostics", "-o", "-", "-", NULL};

const char *const clang_generator[] = {
    "-x", "ir", LONG_NAMES, "-O3", "-Xclang", "-disable-llvm-passes", NATIVE, "-fPIC", "-fno-crash-diagnostics", "-c",
    "-", "-o", NULL};
/* For a debugger each line is code of its own, and variables lie in memory. */
const char *const clang_debug_generator[] = {
    "-x", "ir", LONG_NAMES, "-O0", "-Xclang", "-disable-llvm-passes", NATIVE, "-fPIC", "-fno-crash-diagnostics", "-c",
    "-", "-o", NULL};
const char *const linker_options[] = {
    "-shared", "-z", "defs", "--build-id=none", "--eh-frame-hdr", WRAP
    "--hash-style=both", /* cpu/object counts the symbols by the old table, which newer linkers leave out */
    NULL};
/* clang-format on */

const char *const *const clang_all_options[] = {
    clang_front_end, clang_to_code,   clang_to_checked_code, clang_inliner,  clang_before_split,
    clang_optimiser, clang_generator, clang_debug_generator, linker_options, NULL};
