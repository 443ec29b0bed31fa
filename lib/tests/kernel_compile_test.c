/* What the kernel compiler finds out about kernels, its messages, and when it runs at all. */
#include "kernels.h"
#include "lab_trace.h"
#include "seam/backend.h"
#include "test_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>

static const char one_kernel[] = "extern \"C\" __global__ void fill(int *y) { y[threadIdx.x] = 7; }\n";

/* The message of a source that must not compile. */
static const char *message_of(const char *source)
{
    cpu_module *module = NULL;
    kernels_use_kept_cache();
    kernels_use_kept_clang();
    cr_assert_eq(cpu_module_load(&module, source, "folder/test.cu", NULL), LAB_ERROR_INVALID_SOURCE, "%s",
                 lab_error_message());
    cr_assert_null(module);
    return lab_error_message();
}

static void assert_contains(const char *text, const char *part)
{
    cr_assert_not_null(strstr(text, part), "'%s' is not in: %s", part, text);
}

static void assert_lacks(const char *text, const char *part)
{
    cr_assert_null(strstr(text, part), "'%s' is in: %s", part, text);
}

/* ---- what is known about kernels ---- */

Test(kernel_compile, parameters_are_described_as_the_source_declares_them)
{
    kernels_use_kept_cache();
    cpu_module *module = kernels_load(
        "struct box { float side; int corner[3]; };\n"
        "typedef float real;\n"
        "enum color { RED };\n"
        "extern \"C\" __global__ void __launch_bounds__(256)\n"
        "all(const float *x, real y[], double scale, unsigned char small, box volume, const int *const *rows,\n"
        "    void *anything, long long *__restrict__ wide, const volatile short flags[4], color c, bool, int "
        "(*f)(int));\n"
        "extern \"C\" __global__ void __launch_bounds__(256)\n"
        "all(const float *x, real y[], double scale, unsigned char small, box volume, const int *const *rows,\n"
        "    void *anything, long long *__restrict__ wide, const volatile short flags[4], color c, bool, int "
        "(*f)(int))\n"
        "{\n"
        "}\n"
        "extern \"C\" __global__ void none(void) {}\n");
    static const cpu_param expected[] = {
        {"x", "const float *", CPU_PARAM_POINTER, 8, 8, CPU_ELEMENT_FLOAT32, 4, true},
        {"y", "float *", CPU_PARAM_POINTER, 8, 8, CPU_ELEMENT_FLOAT32, 4, false},
        {"scale", "double", CPU_PARAM_FLOAT, 8, 8, CPU_ELEMENT_UNKNOWN, 0, false},
        {"small", "unsigned char", CPU_PARAM_INTEGER, 1, 1, CPU_ELEMENT_UNKNOWN, 0, false},
        {"volume", "box", CPU_PARAM_BYTES, 16, 4, CPU_ELEMENT_UNKNOWN, 0, false},
        {"rows", "const int *const *", CPU_PARAM_POINTER, 8, 8, CPU_ELEMENT_UNKNOWN, 8, true},
        {"anything", "void *", CPU_PARAM_POINTER, 8, 8, CPU_ELEMENT_UNKNOWN, 0, false},
        {"wide", "long long *", CPU_PARAM_POINTER, 8, 8, CPU_ELEMENT_INT64, 8, false},
        {"flags", "const volatile short *", CPU_PARAM_POINTER, 8, 8, CPU_ELEMENT_INT16, 2, true},
        {"c", "color", CPU_PARAM_INTEGER, 4, 4, CPU_ELEMENT_UNKNOWN, 0, false},
        {"", "bool", CPU_PARAM_INTEGER, 1, 1, CPU_ELEMENT_UNKNOWN, 0, false},
        {"f", "int (*)(int)", CPU_PARAM_POINTER, 8, 8, CPU_ELEMENT_UNKNOWN, 0, false},
    };
    enum { PARAMS = sizeof expected / sizeof *expected };
    cr_assert_eq(module->kernels, 2);
    const cpu_kernel *all = &module->kernel[0];
    cr_assert_str_eq(all->name, "all");
    cr_assert_eq(all->line, 8);
    cr_assert_eq(all->params, PARAMS);
    for (int i = 0; i < PARAMS; i++) {
        const cpu_param *found = &all->param[i], *wanted = &expected[i];
        cr_assert_str_eq(found->name, wanted->name);
        cr_assert_str_eq(found->type, wanted->type);
        cr_assert_eq(found->kind, wanted->kind, "%s", wanted->name);
        cr_assert_eq(found->size, wanted->size, "%s", wanted->name);
        cr_assert_eq(found->align, wanted->align, "%s", wanted->name);
        cr_assert_eq(found->element, wanted->element, "%s", wanted->name);
        cr_assert_eq(found->element_size, wanted->element_size, "%s", wanted->name);
        cr_assert_eq(found->pointer_to_const, wanted->pointer_to_const, "%s", wanted->name);
    }
    cr_assert_str_eq(module->kernel[1].name, "none");
    cr_assert_eq(module->kernel[1].params, 0);
    cpu_module_unload(module);
}

Test(kernel_compile, only_kernels_that_cuda_would_find_by_name_are_listed)
{
    kernels_use_kept_cache();
    cpu_module *module = kernels_load("#if 0\n"
                                      "extern \"C\" __global__ void removed(int *y) {}\n"
                                      "#endif\n"
                                      "// extern \"C\" __global__ void in_a_comment() {}\n"
                                      "__device__ const char *text = \"__global__ void in_a_string() {}\";\n"
                                      "__global__ void mangled(int *y) { *y = 1; }\n"
                                      "template <class T> __global__ void generic(T *y) { *y = 1; }\n"
                                      "namespace inner { __global__ void hidden(int *y) { *y = 1; } }\n"
                                      "extern \"C\" {\n"
                                      "#ifdef NEVER\n"
                                      "__global__ void chosen(float other) {}\n"
                                      "#else\n"
                                      "__global__ void chosen(int *y) { *y = 1; }\n"
                                      "#endif\n"
                                      "}\n");
    cr_assert_eq(module->kernels, 1);
    cr_assert_str_eq(module->kernel[0].name, "chosen");
    cr_assert_eq(module->kernel[0].params, 1);
    cr_assert_str_eq(module->kernel[0].param[0].type, "int *");
    cpu_module_unload(module);
}

Test(kernel_compile, a_source_without_kernels_is_a_module_without_kernels)
{
    kernels_use_kept_cache();
    cpu_module *module = kernels_load("");
    cr_assert_eq(module->kernels, 0);
    cpu_module_unload(module);
}

Test(kernel_compile, barriers_and_warp_operations_are_found_behind_device_functions)
{
    kernels_use_kept_cache();
    cpu_module *module = kernels_load(
        "__device__ __noinline__ void wait() { __syncthreads(); }\n"
        "__device__ float total(float v) { for (int o = 16; o; o /= 2) v += __shfl_down_sync(~0u, v, o); return v; }\n"
        "extern \"C\" __global__ void none(float *y) { __shared__ float a[8][4]; a[threadIdx.x][0] = *y; *y = a[0][0]; "
        "}\n"
        "extern \"C\" __global__ void waits(float *y)\n"
        "{ __shared__ float a[64]; a[threadIdx.x] = *y; wait(); *y = a[63 - threadIdx.x]; }\n"
        "extern \"C\" __global__ void shuffles(float *y) { *y = total(*y); }\n"
        "extern \"C\" __global__ void votes(int *y) { *y = __ballot_sync(~0u, *y) + __any_sync(~0u, *y); }\n"
        "extern \"C\" __global__ void never(int *y) { if (0) __syncthreads(); *y = 1; }\n");
    static const char *const suspends[] = {NULL, "__syncthreads", "__shfl_down_sync", "__ballot_sync", NULL};
    static const unsigned long shared[] = {128, 256, 0, 0, 0};
    cr_assert_eq(module->kernels, 5);
    for (int i = 0; i < 5; i++) {
        const cpu_kernel *kernel = &module->kernel[i];
        cr_assert_eq(kernel->suspends == NULL, suspends[i] == NULL, "%s", kernel->name);
        if (suspends[i] && strcmp(suspends[i], "__ballot_sync") != 0) cr_assert_str_eq(kernel->suspends, suspends[i]);
        cr_assert_eq(kernel->shared_bytes, shared[i], "%s: %lu bytes", kernel->name, kernel->shared_bytes);
        cr_assert_not(kernel->dynamic_shared);
    }
    cpu_module_unload(module);
}

Test(kernel_compile, macros_of_the_source_do_not_reach_what_is_added_to_it)
{
    kernels_use_kept_cache();
    cpu_module *module =
        kernels_load("#define first 1\n#define count 2\n#define args 3\n#define launch 4\n#define run 5\n"
                     "#define kernel 6\n#define param 7\n#define x y\n#define params 8\n#define P 9\n"
                     "extern \"C\" __global__ void fill(int *y) { y[0] = count; }\n");
    int y = 0, *const result = &y;
    kernels_run(&module->kernel[0], 1, 1, &result);
    cr_assert_eq(y, 2);
    cpu_module_unload(module);
}

/* ---- messages ---- */

Test(kernel_compile, errors_name_file_line_and_text_of_the_source_and_nothing_else)
{
    const char *message = message_of("extern \"C\" __global__ void k(float *y)\n"
                                     "{\n"
                                     "    y[threadIdx.x] = missing(3);\n"
                                     "    y[1] = min(1, 2.0f, 3);\n"
                                     "}\n");
    assert_contains(message, "folder/test.cu:3:22: error: use of undeclared identifier 'missing'");
    assert_contains(message, "    y[threadIdx.x] = missing(3);\n");
    assert_contains(message, "                     ^");
    assert_contains(message, "folder/test.cu:4:12: error: no matching function for call to 'min'");
    assert_lacks(message, "built-ins");
    assert_lacks(message, "kernel table");
    assert_lacks(message, "generated");
    assert_lacks(message, P_tmpdir);
    assert_lacks(message, "\x1b");
}

Test(kernel_compile, a_missing_brace_is_reported_in_the_source)
{
    const char *message = message_of("extern \"C\" __global__ void k(float *y)\n{\n    if (y) {\n}\n");
    assert_contains(message, "folder/test.cu:");
    assert_contains(message, "error: expected '}'");
    assert_contains(message, "folder/test.cu:2:1: note: to match this '{'");
    assert_lacks(message, "kernel table");
}

Test(kernel_compile, a_function_without_a_body_is_named)
{
    assert_contains(message_of("__device__ float scale(float x);\n"
                               "extern \"C\" __global__ void k(float *y) { *y = scale(*y); }\n"),
                    "error: scale(float) is declared, but never defined");
}

/* Tries to write a byte into each open file in memory that holds compiled kernels. Counts the files, and the writes
 * that succeed. */
static void write_into_kernels(int *files, int *written)
{
    char path[64], name[64];
    *files = *written = 0;
    for (int descriptor = 3; descriptor < 1024; descriptor++) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
        const ssize_t length = readlink(path, name, sizeof name - 1);
        if (length < 0) continue;
        name[length] = '\0';
        if (!strstr(name, "memfd:kernels")) continue;
        ++*files;
        *written += pwrite(descriptor, "", 1, 0) == 1;
    }
}

Test(kernel_compile, code_that_is_loaded_cannot_be_changed_through_its_file)
{
    int files, written;
    kernels_use_kept_clang();
    setenv("LAB_CACHE_DIR", "/dev/null/cache", 1);
    cpu_module *module = kernels_load(one_kernel);
    write_into_kernels(&files, &written);
    cr_assert_eq(files, 1);
    cr_assert_eq(written, 0);
    cpu_module_unload(module);
}

/* ---- code of the host: nvcc refuses all of this for a GPU ---- */

/* Each source is refused with a message that has its name and the reason. */
static void assert_refused(const char *const sources[][2], size_t count, const char *reason)
{
    for (size_t i = 0; i < count; i++) {
        const char *message = message_of(sources[i][0]);
        assert_contains(message, sources[i][1]);
        assert_contains(message, reason);
    }
}

Test(kernel_compile, a_function_of_the_host_is_refused_by_name)
{
    static const char *const sources[][2] = {
        {"extern \"C\" int getpid();\nextern \"C\" __global__ void k(int *y) { *y = getpid(); }\n", "getpid"},
        {"int get() asm(\"getpid\");\nextern \"C\" __global__ void k(int *y) { *y = get(); }\n", "getpid"},
        {"extern \"C\" int getpid();\nextern \"C\" __global__ void k(int *y) { int (*f)() = getpid; *y = f(); }\n",
         "getpid"},
        {"extern \"C\" __global__ void k(int *y) { *y = dprintf(1, \"x\"); }\n", "dprintf"},
    };
    assert_refused(sources, sizeof sources / sizeof *sources, "a kernel cannot call the host's");
}

Test(kernel_compile, headers_do_not_declare_what_only_the_host_has)
{
    static const char *const sources[][2] = {
        {"#include <stdio.h>\nextern \"C\" __global__ void k(int *y) { *y = fopen(\"/etc/passwd\", \"r\") != 0; }\n",
         "'fopen'"},
        {"#include <stdio.h>\nextern \"C\" __global__ void k(int *y) { *y = stderr != 0; }\n", "'stderr'"},
    };
    assert_refused(sources, sizeof sources / sizeof *sources, "use of undeclared identifier");
}

Test(kernel_compile, a_variable_of_the_host_is_refused_by_name)
{
    static const char *const sources[][2] = {
        {"extern \"C\" char **environ;\nextern \"C\" __global__ void k(int *y) { *y = environ[0][0]; }\n", "environ"},
        {"extern int secret asm(\"lab_failures\");\n__device__ int *at = &secret;\n"
         "extern \"C\" __global__ void k(int *y) { *y = *at; }\n",
         "lab_failures"},
        {"extern \"C\" __thread int errno_here;\nextern \"C\" __global__ void k(int *y) { *y = errno_here; }\n",
         "errno_here"},
        {"extern \"C\" __attribute__((weak)) int worker_entries;\n"
         "extern \"C\" __global__ void k(int *y) { *y = *&worker_entries; }\n",
         "worker_entries"},
    };
    assert_refused(sources, sizeof sources / sizeof *sources, "a kernel cannot use the host's variables");
}

Test(kernel_compile, builtins_that_find_the_hosts_data_are_refused)
{
    assert_contains(message_of("extern \"C\" __global__ void k(long *y) { *y = (long)__builtin_return_address(0); }\n"),
                    "llvm.returnaddress is the host's processor's own");
    assert_contains(message_of("extern \"C\" __global__ void k(long *y) { *y = (long)__builtin_frame_address(0); }\n"),
                    "is the host's processor's own");
#if defined(__x86_64__)
    assert_contains(message_of("extern \"C\" __global__ void k(long *y) { *y = (long)__builtin_ia32_rdtsc(); }\n"),
                    "llvm.x86.rdtsc is the host's processor's own");
    assert_contains(message_of("__attribute__((target(\"fsgsbase\"))) static long base()\n"
                               "{ return (long)__builtin_ia32_rdfsbase64(); }\n"
                               "extern \"C\" __global__ void k(long *y) { *y = base(); }\n"),
                    "llvm.x86.rdfsbase.64 is the host's processor's own");
#endif
}

Test(kernel_compile, what_cuda_has_for_kernels_may_be_called)
{
    kernels_use_kept_cache();
    cpu_module_unload(kernels_load("extern \"C\" void *malloc(size_t);\nextern \"C\" void free(void *);\n"
                                   "struct point { float x; __device__ point() : x(1) {} };\n"
                                   "__device__ const char text[] = \"no asm in , section \";\n"
                                   "extern \"C\" __global__ void k(float *y)\n"
                                   "{\n"
                                   "    point p;\n"
                                   "    int *room = (int *)malloc(16), exponent;\n"
                                   "    memset(room, 0, 16);\n"
                                   "    memcpy(y, room, 4);\n"
                                   "    free(room);\n"
                                   "    printf(\"%f asm %s\\n\", y[0], text);\n"
                                   "    assert(y);\n"
                                   "    y[1] = p.x + erfcf(y[0]) + tgammaf(y[0]) + frexpf(y[0], &exponent) + "
                                   "(float)lrint((double)y[0]) + abs(-1);\n"
                                   "}\n"));
}

Test(kernel_compile, inline_assembly_is_refused)
{
    assert_contains(message_of("extern \"C\" __global__ void k(int *y) { asm volatile(\"nop\"); *y = 1; }\n"),
                    "inline assembly is a GPU's own");
    assert_contains(message_of("asm(\".globl f\\nf: ret\");\nextern \"C\" __global__ void k(int *y) { *y = 1; }\n"),
                    "inline assembly is a GPU's own");
}

/* The message of a kernel with this statement, after these lines. */
static const char *message_about(const char *lines, const char *statement)
{
    static char source[1024];
    snprintf(source, sizeof source, "%s__global__ void k(float *y, int *z) { %s }\n", lines, statement);
    return message_of(source);
}

Test(kernel_compile, what_the_cpu_device_lacks_is_told_in_a_sentence)
{
    assert_contains(message_about("", "y[0] = tex2D<float>((cudaTextureObject_t)z[0], 1.5f, 2.5f);"),
                    "is unavailable: the CPU device has no texture and surface objects");
    assert_contains(message_about("", "surf2Dwrite(y[0], (cudaSurfaceObject_t)z[0], 4, 2);"),
                    "is unavailable: the CPU device has no texture and surface objects");
    assert_contains(message_about("", "z[0] = __isGridConstant(y);"),
                    "is unavailable: the CPU device has each thread's parameters in its local memory");
    assert_contains(message_about("", "z[0] = __clusterRelativeBlockRank();"),
                    "is unavailable: the CPU device has no clusters of blocks");
    assert_contains(message_about("", "__barrier_sync(1);"),
                    "is unavailable: the CPU device has no barriers with a number");
    assert_contains(message_about("", "z[0] = __ballot(z[1] > 0);"),
                    "is unavailable: CUDA has removed it: __ballot_sync takes a mask of the lanes that take part");
    assert_contains(message_about("#include <cuda_pipeline.h>\n", "__shared__ __mbarrier_t b;"),
                    "is unavailable: the CPU device has no asynchronous barriers");
    assert_contains(message_about("__global__ void child(int *z);\n", "child<<<1, 32>>>(z);"),
                    "a kernel that launches a kernel (dynamic parallelism) cannot run on the CPU device");
    assert_contains(message_about("#include <cub/block/block_reduce.cuh>\n", ""),
                    "cub/block/block_reduce.cuh is not available to kernels on the CPU device: it has no CUB");
    assert_contains(message_about("#include <curand_kernel.h>\n", ""),
                    "curand_kernel.h is not available to kernels on the CPU device: it has no cuRAND");
    assert_contains(lab_error_message(), "folder/test.cu:1:");
    assert_contains(
        message_about("#include <cuda_fp8.h>\n", ""),
        "cuda_fp8.h is not available to kernels on the CPU device: it computes in no type narrower than half");
    assert_contains(message_about("", "asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(z[0]));"), "inline assembly");
    assert_contains(message_about("", "float3 v = __ldca((float3 *)y);"),
                    "CUDA has __ldca for numbers, and for vectors");
}

/* clang's vectors convert as the host's processor does, and nvcc has none. */
Test(kernel_compile, conversions_of_vectors_are_refused)
{
    assert_contains(message_of("typedef float wide __attribute__((ext_vector_type(4)));\n"
                               "typedef int whole __attribute__((ext_vector_type(4)));\n"
                               "extern \"C\" __global__ void k(int *y, float x) { wide v = x; y[0] = "
                               "__builtin_convertvector(v, whole)[0]; }\n"),
                    "a conversion of a whole vector to integers");
}

Test(kernel_compile, code_that_would_run_when_the_module_is_loaded_is_refused)
{
    assert_contains(message_of("static int begun;\n__attribute__((constructor)) static void begin() { begun = 1; }\n"
                               "extern \"C\" __global__ void k(int *y) { *y = begun; }\n"),
                    "nothing may run when the module is loaded");
    assert_contains(message_of("struct point { int x; point(int *at) : x(*at) {} };\n__device__ int seven = 7;\n"
                               "static point p(&seven);\n"
                               "extern \"C\" __global__ void k(int *y) { *y = p.x; }\n"),
                    "nothing may run when the module is loaded");
    assert_contains(message_of("static void begin() {}\n"
                               "__attribute__((section(\".init_array\"), used)) static void (*at_start)() = begin;\n"
                               "extern \"C\" __global__ void k(int *y) { *y = 1; }\n"),
                    "section of its own");
}

Test(kernel_compile, a_kernel_behind_a_macro_is_refused_by_name)
{
    assert_contains(message_of("#define KERNEL extern \"C\" __global__ void\n"
                               "KERNEL\n"
                               "#define NAME twice\n"
                               "NAME(float *y) { *y *= 2; }\n"),
                    "the kernel twice is declared through a macro");
}

Test(kernel_compile, a_kernel_whose_name_is_not_ascii_is_refused_by_name)
{
    assert_contains(message_of("extern \"C\" __global__ void größer_2(float *größe) { *größe *= 2; }\n"),
                    "the kernel größer_2 has a letter in its name that is not ASCII's");
}

Test(kernel_compile, a_kernel_that_returns_a_value_is_refused)
{
    assert_contains(message_of("extern \"C\" __global__ int k(float *y) { return 1; }\n"), "a kernel returns void");
}

/* ---- the compiler ---- */

/* Writes a shell script into the folder and makes it the compiler. */
static void use_compiler(const test_folder *folder, const char *text)
{
    FILE *file = fopen(folder->file, "w");
    cr_assert_not_null(file, "%s", folder->file);
    fprintf(file, "#!/bin/sh\n%s\n", text);
    fclose(file);
    chmod(folder->file, 0700);
    setenv("LAB_CLANG", folder->file, 1);
    setenv("LAB_CACHE_DIR", folder->path, 1);
}

static const char *failure(lab_status expected)
{
    cpu_module *module = NULL;
    cr_assert_eq(cpu_module_load(&module, one_kernel, "test.cu", NULL), expected, "%s", lab_error_message());
    return lab_error_message();
}

Test(kernel_compile, without_clang_the_message_says_what_to_run)
{
    kernels_use_kept_cache();
    unsetenv("LAB_CLANG");
    setenv("PATH", "/nowhere:/dev/null", 1);
    assert_contains(failure(LAB_ERROR_COMPILER_UNAVAILABLE), "run make setup");
}

Test(kernel_compile, a_wrong_compiler_is_named)
{
    kernels_use_kept_cache();
    setenv("LAB_CLANG", "/nowhere/clang", 1);
    assert_contains(failure(LAB_ERROR_COMPILER_UNAVAILABLE), "LAB_CLANG is /nowhere/clang");
    setenv("LAB_CLANG", "/bin/false", 1);
    assert_contains(failure(LAB_ERROR_COMPILER_UNAVAILABLE),
                    "/bin/false failed with exit status 1 and without a message");
}

Test(kernel_compile, the_compiler_knows_where_the_users_libraries_are)
{
    const test_folder folder = test_folder_make("clang");
    use_compiler(&folder, "echo \"error: $LIBRARY_PATH and $LD_LIBRARY_PATH\" >&2; exit 1");
    setenv("LIBRARY_PATH", "/one", 1);
    setenv("LD_LIBRARY_PATH", "/two", 1);
    assert_contains(failure(LAB_ERROR_COMPILER_UNAVAILABLE), "/one and /two");
    test_folder_remove(&folder);
}

Test(kernel_compile, a_compiler_that_crashes_is_reported_with_its_signal)
{
    const test_folder folder = test_folder_make("clang");
    use_compiler(&folder, "kill -SEGV $$");
    assert_contains(failure(LAB_ERROR_INVALID_SOURCE), "signal 11 (Segmentation fault)");
    test_folder_remove(&folder);
}

Test(kernel_compile, a_source_that_compiles_is_not_blamed_on_a_missing_compiler)
{
    const test_folder folder = test_folder_make("clang");
    use_compiler(&folder, "case \"$*\" in *'-x ir'*) echo 'no such instruction' >&2; exit 1;; esac\n"
                          "exec " KERNELS_KEPT_CLANG " \"$@\"");
    const char *message = failure(LAB_ERROR_NOT_SUPPORTED);
    assert_contains(message, "test.cu: the source compiles, but the CPU device cannot make its code of these kernels");
    assert_contains(message, "no such instruction");
    test_folder_remove(&folder);
}

Test(kernel_compile, clang_makes_an_object_and_does_not_link_it)
{
    const test_folder folder = test_folder_make("clang");
    use_compiler(&folder, "case \"$*\" in *-shared*) echo 'clang links' >&2; exit 1;; esac\n"
                          "exec " KERNELS_KEPT_CLANG " \"$@\"");
    cpu_module *module = NULL;
    cr_assert_eq(cpu_module_load(&module, one_kernel, "test.cu", NULL), LAB_SUCCESS, "%s", lab_error_message());
    cpu_module_unload(module);
    test_folder_remove(&folder);
}

Test(kernel_compile, the_linker_is_the_first_on_the_path)
{
    const test_folder folder = test_folder_make("compiler");
    char path[8192], linker[PATH_MAX];
    use_compiler(&folder, "exec " KERNELS_KEPT_CLANG " \"$@\"");
    snprintf(linker, sizeof linker, "%s/ld", folder.path);
    FILE *file = fopen(linker, "w");
    cr_assert_not_null(file, "%s", linker);
    fputs("#!/bin/sh\necho 'no such format' >&2; exit 1\n", file);
    fclose(file);
    chmod(linker, 0700);
    snprintf(path, sizeof path, "%s:%s", folder.path, getenv("PATH"));
    setenv("PATH", path, 1);
    assert_contains(failure(LAB_ERROR_NOT_SUPPORTED), "no such format");
    test_folder_remove(&folder);
}

Test(kernel_compile, the_compiler_inherits_no_descriptor)
{
    const test_folder folder = test_folder_make("clang");
    use_compiler(&folder, "ls /proc/$$/fd >&2; exit 1");
    const int null = open("/dev/null", O_RDONLY), held = fcntl(null, F_DUPFD, 200);
    char line[16];
    snprintf(line, sizeof line, "\n%d\n", held);
    const char *message = failure(LAB_ERROR_COMPILER_UNAVAILABLE);
    assert_contains(message, "says: 0\n1\n");
    assert_lacks(message, line);
    close(held);
    close(null);
    test_folder_remove(&folder);
}

/* ---- kernels whose split form does not compile ---- */

/* Makes the compiler one that refuses the code of split kernels. */
static void use_compiler_against_split_kernels(const test_folder *folder)
{
    char text[1400];
    snprintf(text, sizeof text,
             "code='%s/code'\n"
             "cat >\"$code\"\n"
             "if grep -q '@lab_split_reverse = ' \"$code\"; then\n"
             "    echo 'this is no code' >&2\n"
             "    echo 'and a second line' >&2\n"
             "    exit 1\n"
             "fi\n"
             "exec " KERNELS_KEPT_CLANG " \"$@\" <\"$code\"",
             folder->path);
    use_compiler(folder, text);
}

static const char reversing[] = "extern \"C\" __global__ void reverse(int *y)\n"
                                "{\n"
                                "    __shared__ int s[64];\n"
                                "    s[threadIdx.x] = threadIdx.x;\n"
                                "    __syncthreads();\n"
                                "    y[threadIdx.x] = s[63 - threadIdx.x];\n"
                                "}\n";

/* Prints whether the kernel's results are right. */
static void run_reversing(void *unused)
{
    (void)unused;
    int y[64];
    bool right = true;
    lab_module *module;
    lab_function reverse;
    lab_deviceptr out;
    LAB_CHECK(lab_module_load_source(&module, reversing, "reverse.cu"));
    LAB_CHECK(lab_module_get_function(&reverse, module, "reverse"));
    LAB_CHECK(lab_mem_alloc(&out, sizeof y));
    LAB_CHECK(lab_launch(reverse, LAB_DIM(1), LAB_DIM(64), 0, NULL, LAB_ARGS(out)));
    LAB_CHECK(lab_memcpy_dtoh(y, out, sizeof y));
    for (int i = 0; i < 64; i++) right = right && y[i] == 63 - i;
    printf("%s, %d failures", right ? "right" : "wrong", (int)lab_failures());
}

Test(kernel_compile, kernels_whose_split_form_does_not_compile_run_on_fibers_and_one_line_says_so)
{
    const test_folder folder = test_folder_make("clang");
    char output[1000], expected[1000];
    use_compiler_against_split_kernels(&folder);
    cr_assert_eq(test_in_child(run_reversing, NULL, output, sizeof output), 0, "%s", output);
    snprintf(expected, sizeof expected,
             "LAB_BARRIERS: reverse.cu: its kernels are slower, since they do not compile split at barriers and loops: "
             "%s failed with exit status 1 and says: this is no code\nright, 0 failures",
             folder.file);
    cr_assert_str_eq(output, expected);
    cr_assert_eq(test_in_child(run_reversing, NULL, output, sizeof output), 0, "%s", output);
    cr_assert_str_eq(output, "right, 0 failures", "nothing is said of kernels from the cache");
    cpu_module *module = kernels_load(reversing);
    cr_assert_null(module->kernel[0].split);
    cr_assert_str_eq(module->kernel[0].suspends, "__syncthreads");
    cpu_module_unload(module);
    test_folder_remove(&folder);
}

static const char on_fibers[] = "__device__ __noinline__ int down(int depth)\n"
                                "{\n"
                                "    __syncthreads();\n"
                                "    return depth ? down(depth - 1) * 3 + threadIdx.x : 0;\n"
                                "}\n"
                                "extern \"C\" __global__ void recursion(int *y) { y[threadIdx.x] = down(y[0]); }\n"
                                "extern \"C\" __global__ void wide(int *y)\n"
                                "{\n"
                                "    __align__(128) int own[32];\n"
                                "    for (int i = 0; i < 32; i++) own[i] = y[i];\n"
                                "    __syncthreads();\n"
                                "    y[threadIdx.x] = own[y[threadIdx.x + 32] & 31];\n"
                                "}\n"
                                "extern \"C\" __global__ void split(int *y) { __syncthreads(); y[0] = 1; }\n"
                                "extern \"C\" __global__ void plain(int *y) { y[0] = 1; }\n";

static void load_on_fibers(void *way)
{
    if (way) setenv("LAB_BARRIERS", way, 1);
    cpu_module_unload(kernels_load(on_fibers));
}

Test(kernel_compile, whoever_asks_for_split_kernels_is_told_which_are_not_and_why)
{
    static char way[] = "split";
    const test_folder folder = test_folder_make("cache");
    char output[1000];
    kernels_use_kept_clang();
    setenv("LAB_CACHE_DIR", folder.path, 1);
    cr_assert_eq(test_in_child(load_on_fibers, way, output, sizeof output), 0, "%s", output);
    cr_assert_str_eq(output,
                     "LAB_BARRIERS: test.cu: kernel 'recursion' gives every thread a stack: the barrier or warp "
                     "function on line 3 is in a function that calls itself or is called through a pointer\n"
                     "LAB_BARRIERS: test.cu: kernel 'wide' gives every thread a stack: a local variable has no fixed "
                     "size, or is aligned to more than 64 bytes\n");
    test_folder_remove(&folder);
}

Test(kernel_compile, nothing_is_said_of_kernels_on_fibers_without_the_question)
{
    const test_folder folder = test_folder_make("cache");
    char output[1000];
    kernels_use_kept_clang();
    unsetenv("LAB_BARRIERS");
    setenv("LAB_CACHE_DIR", folder.path, 1);
    cr_assert_eq(test_in_child(load_on_fibers, NULL, output, sizeof output), 0, "%s", output);
    cr_assert_str_eq(output, "");
    test_folder_remove(&folder);
}

static void load_wrong_source(void *unused)
{
    (void)unused;
    cpu_module *module;
    const lab_status status = cpu_module_load(&module,
                                              "__device__ int missing();\n"
                                              "extern \"C\" __global__ void k(int *y)\n"
                                              "{ __syncthreads(); y[0] = missing(); }\n",
                                              "test.cu", NULL);
    printf("%s: %s", lab_status_name(status), lab_error_message());
}

Test(kernel_compile, a_source_that_compiles_neither_way_is_said_to_be_wrong_and_nothing_else)
{
    char output[1000];
    kernels_use_kept_cache();
    kernels_use_kept_clang();
    cr_assert_eq(test_in_child(load_wrong_source, NULL, output, sizeof output), 0, "%s", output);
    cr_assert_str_eq(output,
                     "LAB_ERROR_INVALID_SOURCE: test.cu does not compile:\ntest.cu: error: missing() is declared, "
                     "but never defined");
}

/* ---- the cache ---- */

/* The number of lines in the compiler's log: one for each run. */
static int compiler_runs(const test_folder *folder)
{
    char path[600];
    int lines = 0;
    snprintf(path, sizeof path, "%s/log", folder->path);
    FILE *file = fopen(path, "r");
    for (int c; file && (c = fgetc(file)) != EOF;) lines += c == '\n';
    if (file) fclose(file);
    return lines;
}

static void use_counted_compiler(const test_folder *folder)
{
    char text[1400];
    snprintf(text, sizeof text, "echo run >>'%s/log'\nexec " KERNELS_KEPT_CLANG " \"$@\"", folder->path);
    use_compiler(folder, text);
}

static void load_and_check(const char *source, bool from_cache)
{
    cpu_module *module;
    cpu_compile_result result;
    cr_assert_eq(cpu_module_load(&module, source, "test.cu", &result), LAB_SUCCESS, "%s", lab_error_message());
    cr_assert_eq(result.compile_ns == 0, from_cache);
    int y[4] = {0}, *const values = y;
    kernels_run(&module->kernel[0], 1, 4, &values);
    for (int i = 0; i < 4; i++) cr_assert_eq(y[i], 7);
    cpu_module_unload(module);
}

Test(kernel_compile, a_second_load_runs_no_compiler)
{
    const test_folder folder = test_folder_make("clang");
    use_counted_compiler(&folder);
    load_and_check(one_kernel, false);
    const int runs = compiler_runs(&folder);
    cr_assert_gt(runs, 0);
    load_and_check(one_kernel, true);
    cr_assert_eq(compiler_runs(&folder), runs);
    test_folder_remove(&folder);
}

Test(kernel_compile, clang_is_loaded_once_for_all_runs_of_a_module)
{
    const test_folder folder = test_folder_make("clang");
    char text[1400];
    snprintf(text, sizeof text, "echo $PPID >>'%s/log'\nexec " KERNELS_KEPT_CLANG " \"$@\"", folder.path);
    use_compiler(&folder, text);
    load_and_check(one_kernel, false);
    snprintf(text, sizeof text, "%s/log", folder.path);
    FILE *file = fopen(text, "r");
    cr_assert_not_null(file);
    int loaded = 0, runs = 0;
    for (int parent; fscanf(file, "%d", &parent) == 1; runs++, loaded = parent) {
        cr_assert_neq(parent, getpid(), "run %d loads it itself", runs);
        if (runs > 0) cr_assert_eq(parent, loaded, "run %d loads it again", runs);
    }
    cr_assert_geq(runs, 3);
    fclose(file);
    test_folder_remove(&folder);
}

/* The ways to compile kernels with barriers: split in the default order, on fibers for schedules that let threads run
 * ahead of each other. */
static void load_both_ways(const char *source, bool second_from_cache)
{
    for (int way = 0; way < 2; way++) {
        cpu_module *module;
        cpu_compile_result result;
        setenv("LAB_BARRIERS", way == 0 ? "split" : "fibers", 1);
        cr_assert_eq(cpu_module_load(&module, source, "test.cu", &result), LAB_SUCCESS, "%s", lab_error_message());
        cr_assert_eq(result.compile_ns == 0, way == 1 && second_from_cache, "%s", source);
        cpu_module_unload(module);
    }
}

Test(kernel_compile, kernels_without_barriers_are_compiled_once_for_all_schedules)
{
    const test_folder folder = test_folder_make("clang");
    use_counted_compiler(&folder);
    load_both_ways(one_kernel, true);
    load_both_ways("extern \"C\" __global__ void fill(int *y) { __syncthreads(); y[threadIdx.x] = 7; }\n", false);
    load_both_ways("#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
                   "extern \"C\" __global__ void fill(int *y)\n"
                   "{ cg::wait(cg::this_thread_block()); y[threadIdx.x] = 7; }\n",
                   false);
#define FILL "void fill(int *y) { for (int i = threadIdx.x; i < 64; i += 64) y[i] = 7; }\n"
    load_both_ways("extern \"C\" __global__ " FILL, false);
    load_both_ways(GENERATED_SOURCE "extern \"C\" __global__ __noinline__ " FILL, true);
    test_folder_remove(&folder);
}

Test(kernel_compile, another_compiler_compiles_again)
{
    const test_folder folder = test_folder_make("clang");
    use_counted_compiler(&folder);
    load_and_check(one_kernel, false);
    use_compiler(&folder, "exec " KERNELS_KEPT_CLANG " \"$@\"");
    load_and_check(one_kernel, false);
    test_folder_remove(&folder);
}

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file, "%s", path);
    fputs(text, file);
    fclose(file);
}

Test(kernel_compile, a_change_of_an_included_file_compiles_again)
{
    const test_folder folder = test_folder_make("test.cu");
    kernels_use_kept_clang();
    setenv("LAB_CACHE_DIR", folder.path, 1);
    static const char source[] = "#include \"value.h\"\n"
                                 "extern \"C\" __global__ void fill(int *y) { *y = VALUE; }\n";
    for (int value = 1; value <= 2; value++) {
        write_file(folder.path, "value.h", value == 1 ? "#define VALUE 1\n" : "#define VALUE 2\n");
        for (int again = 0; again < 2; again++) {
            cpu_module *module;
            cpu_compile_result result;
            cr_assert_eq(cpu_module_load(&module, source, folder.file, &result), LAB_SUCCESS, "%s",
                         lab_error_message());
            cr_assert_eq(result.compile_ns == 0, again == 1);
            int y = 0, *const pointer = &y;
            kernels_run(&module->kernel[0], 1, 1, &pointer);
            cr_assert_eq(y, value);
            cpu_module_unload(module);
        }
    }
    test_folder_remove(&folder);
}

Test(kernel_compile, a_file_that_the_source_includes_may_include_the_usual_headers)
{
    const test_folder folder = test_folder_make("test.cu");
    setenv("LAB_CACHE_DIR", folder.path, 1);
    write_file(folder.path, "helper.cuh",
               "#include <cuda_runtime.h>\n#include <math.h>\n#include <stdint.h>\n#include <stdio.h>\n"
               "__device__ inline uint32_t helper() { return (uint32_t)(M_PI * 10); }\n");
    for (int again = 0; again < 2; again++) {
        cpu_module *module;
        cpu_compile_result result;
        cr_assert_eq(cpu_module_load(&module,
                                     "#include \"helper.cuh\"\n"
                                     "extern \"C\" __global__ void k(uint32_t *y) { *y = helper(); }\n",
                                     folder.file, &result),
                     LAB_SUCCESS, "%s", lab_error_message());
        cr_assert_eq(result.compile_ns == 0, again == 1);
        uint32_t y = 0, *const pointer = &y;
        kernels_run(&module->kernel[0], 1, 1, &pointer);
        cr_assert_eq(y, 31);
        cpu_module_unload(module);
    }
    test_folder_remove(&folder);
}

static void load_twice(void *unused)
{
    (void)unused;
    load_and_check(one_kernel, false);
    load_and_check(one_kernel, false);
    lab_cache_info info;
    lab_cache_get_info(&info);
    printf("%d not kept: %s", (int)info.not_kept, info.problem);
}

Test(kernel_compile, without_a_cache_kernels_compile_each_time_and_its_statistics_say_so)
{
    char output[512];
    kernels_use_kept_clang();
    setenv("LAB_CACHE_DIR", "/dev/null/cache", 1);
    const int status = test_in_child(load_twice, NULL, output, sizeof output);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s", output);
    cr_assert_str_eq(output, "2 not kept: /dev/null/cache: Not a directory", "and nothing else is printed");
}

static void load_once(void *unused)
{
    (void)unused;
    kernels_load(one_kernel);
}

Test(kernel_compile, two_processes_fill_one_empty_cache)
{
    const test_folder folder = test_folder_make("log");
    kernels_use_kept_clang();
    setenv("LAB_CACHE_DIR", folder.path, 1);
    fflush(NULL);
    pid_t child[2];
    for (int i = 0; i < 2; i++) {
        child[i] = fork();
        if (child[i] == 0) {
            load_once(NULL);
            _exit(0);
        }
    }
    for (int i = 0; i < 2; i++) {
        int status = -1;
        waitpid(child[i], &status, 0);
        cr_assert_eq(status, 0);
    }
    load_and_check(one_kernel, true);
    cr_assert_eq(test_folder_remove(&folder), 1, "one entry, and nothing half written beside it");
}

static void *load_in_thread(void *failed)
{
    cpu_module *module = NULL;
    if (cpu_module_load(&module, one_kernel, "test.cu", NULL) != LAB_SUCCESS) *(bool *)failed = true;
    cpu_module_unload(module);
    return NULL;
}

static int open_descriptors(void)
{
    int count = 0;
    DIR *list = opendir("/proc/self/fd");
    while (readdir(list)) count++;
    closedir(list);
    return count;
}

Test(kernel_compile, threads_load_at_once_and_leave_no_descriptor)
{
    const test_folder folder = test_folder_make("log");
    kernels_use_kept_clang();
    setenv("LAB_CACHE_DIR", folder.path, 1);
    const int before = open_descriptors();
    pthread_t thread[3];
    bool failed[3] = {false};
    for (int i = 0; i < 3; i++) pthread_create(&thread[i], NULL, load_in_thread, &failed[i]);
    for (int i = 0; i < 3; i++) pthread_join(thread[i], NULL);
    for (int i = 0; i < 3; i++) cr_assert_not(failed[i]);
    cr_assert_eq(open_descriptors(), before);
    test_folder_remove(&folder);
}
