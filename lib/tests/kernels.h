/* For tests of compiled kernels: the folder that keeps them, loading them, and running their blocks. */
#ifndef LAB_TESTS_KERNELS_H
#define LAB_TESTS_KERNELS_H

#include "cpu/compiler/compile.h"
#include "cpu/kernel/kernel_run.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

/* Keeps the tests' compiled kernels from run to run, in the build folder. */
static inline void kernels_use_kept_cache(void) { setenv("LAB_CACHE_DIR", "build/test-kernels", 1); }

/* Makes the compiler a clang whose runs are kept too, for tests that compile the same source again. */
#define KERNELS_KEPT_CLANG "lib/tests/kept-clang.sh"
static inline void kernels_use_kept_clang(void) { setenv("LAB_CLANG", KERNELS_KEPT_CLANG, 1); }

/* Intermediate code of a kernel k(ptr %out, i32 %n) with this body, marked as one to split, and of its entry. */
#define KERNELS_TO_SPLIT(body)                                                                                         \
    "@_ZL10lab_thread = internal thread_local global [3 x i32] zeroinitializer, align 4\n"                             \
    "define hidden void @k(ptr %out, i32 %n) #1 {\n"                                                                   \
    "entry:\n" body "  ret void\n"                                                                                     \
    "}\n"                                                                                                              \
    "define void @lab_thread_k(ptr %a, ptr %b, ptr %c, ptr %d) #1 {\n"                                                 \
    "  call void @k(ptr %a, i32 5)\n"                                                                                  \
    "  ret void\n"                                                                                                     \
    "}\n"                                                                                                              \
    "declare void @lab_suspend_syncthreads(ptr, ptr, i32)\n"                                                           \
    "attributes #1 = { noinline \"lab-kernel\" }\n"                                                                    \
    "attributes #2 = { nounwind }\n"

static inline cpu_module *kernels_load(const char *source)
{
    cpu_module *module = NULL;
    const lab_status status = cpu_module_load(&module, source, "test.cu", NULL);
    cr_assert_eq(status, LAB_SUCCESS, "%s", lab_error_message());
    return module;
}

static inline const cpu_kernel *kernels_find(const cpu_module *module, const char *name)
{
    for (int i = 0; i < module->kernels; i++)
        if (strcmp(module->kernel[i].name, name) == 0) return &module->kernel[i];
    cr_fail("the module has no kernel %s", name);
    return NULL;
}

/* Runs all blocks of a one-dimensional grid and block. Each further argument is the address of a kernel argument. */
#define kernels_run(which, grid_size, block_size, ...)                                                                 \
    do {                                                                                                               \
        const void *const kernels_args[] = {__VA_ARGS__};                                                              \
        const cpu_launch kernels_launch = {.grid = {(grid_size), 1, 1}, .block = {(block_size), 1, 1}};                \
        const kernel_blocks kernels_blocks = {                                                                         \
            .kernel = (which), .args = kernels_args, .launch = &kernels_launch, .count = (grid_size)};                 \
        kernel_error kernels_error = {0};                                                                              \
        cr_assert(cpu_kernel_run(&kernels_error, &kernels_blocks), "%s", kernels_error.message);                       \
    } while (0)

#endif
