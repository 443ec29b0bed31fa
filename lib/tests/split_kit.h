/* For tests of split kernels: the two ways to run kernels whose threads wait for each other, compared. */
#ifndef LAB_TESTS_SPLIT_KIT_H
#define LAB_TESTS_SPLIT_KIT_H

#include "kernels.h"
#include "random_kernels.h"

#include "lab.h"

enum { MOST_THREADS = 1024, GRID = 6 };

static lab_module *load(const char *way, const char *source)
{
    lab_module *module;
    setenv("LAB_BARRIERS", way, 1);
    const lab_status status = lab_module_load_source(&module, source, "split_test.cu");
    cr_assert_eq(status, LAB_SUCCESS, "%s\nof\n%s", lab_error_message(), source);
    return module;
}

/* The results of the kernel for blocks of this shape. The caller frees them. */
static unsigned *results_of(lab_module *module, const char *kernel, lab_dim block)
{
    const size_t count = (size_t)GRID * block.x * block.y * block.z;
    lab_function function;
    lab_deviceptr out;
    unsigned *host = malloc(count * sizeof *host);
    LAB_CHECK(lab_module_get_function(&function, module, kernel));
    LAB_CHECK(lab_mem_alloc(&out, count * sizeof *host));
    LAB_CHECK(lab_memset_async(out, 0, count * sizeof *host, NULL));
    LAB_CHECK(lab_launch(function, LAB_DIM(GRID), block, MOST_THREADS * sizeof(unsigned), NULL, LAB_ARGS(out)));
    LAB_CHECK(lab_memcpy_dtoh(host, out, count * sizeof *host));
    LAB_CHECK(lab_mem_free(out));
    return host;
}

/* Kernels that do not read threadIdx.y are for blocks of one dimension. */
static void check_same(const char *source, lab_module *split, lab_module *fibers, const char *kernel)
{
    static const lab_dim blocks[] = {{1, 1, 1}, {33, 1, 1}, {256, 1, 1},  {16, 16, 1},
                                     {5, 7, 3}, {1, 64, 1}, {1024, 1, 1}, {16, 3, 5}};
    const bool in_one = !strstr(source, "threadIdx.y");
    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++) {
        if (in_one && blocks[b].y > 1) continue;
        const unsigned threads = blocks[b].x * blocks[b].y * blocks[b].z;
        unsigned *one = results_of(split, kernel, blocks[b]), *two = results_of(fibers, kernel, blocks[b]);
        for (unsigned i = 0; i < GRID * threads; i++)
            cr_assert_eq(one[i], two[i], "%s, block %u of %ux%ux%u threads, thread %u: %u split, %u on fibers, of\n%s",
                         kernel, i / threads, blocks[b].x, blocks[b].y, blocks[b].z, i % threads, one[i], two[i],
                         source);
        free(one);
        free(two);
    }
}

static void check_decision(const char *source, const char *const *name, int count, bool is_split)
{
    kernels_use_kept_cache();
    setenv("LAB_BARRIERS", "split", 1);
    cpu_module *module = kernels_load(source);
    for (int i = 0; i < count; i++) {
        const cpu_kernel *kernel = kernels_find(module, name[i]);
        cr_assert_not_null(kernel->suspends, "%s", name[i]);
        cr_assert_eq(kernel->split != NULL, is_split, "%s", name[i]);
    }
    cpu_module_unload(module);
}

/* ---- random kernels ---- */

enum { KERNELS = 4, MODULES = 3 };

/* Compares both ways for the random kernels k0, k1 ... that add_kernel writes behind the declarations. */
static void check_random(uint64_t seed, const char *declarations, void (*add_kernel)(program *p, int number))
{
    program p = {.text = malloc(SOURCE_BYTES), .random = seed};
    add(&p, "%s", declarations);
    for (int k = 0; k < KERNELS; k++) add_kernel(&p, k);
    cr_assert(p.used < SOURCE_BYTES);
    static const char *const names[KERNELS] = {"k0", "k1", "k2", "k3"};
    check_decision(p.text, names, KERNELS, true);
    lab_module *split = load("split", p.text), *fibers = load("fibers", p.text);
    for (int k = 0; k < KERNELS; k++) check_same(p.text, split, fibers, names[k]);
    LAB_CHECK(lab_module_unload(split));
    LAB_CHECK(lab_module_unload(fibers));
    free(p.text);
}

static void check_modules(const char *declarations, void (*add_kernel)(program *p, int number))
{
    kernels_use_kept_cache();
    const char *first = getenv("LAB_TEST_SEED");
    for (unsigned seed = 0; seed < MODULES; seed++)
        check_random((first ? strtoul(first, NULL, 10) : 1) + seed, declarations, add_kernel);
}

#endif
