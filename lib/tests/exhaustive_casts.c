/*
 * Every cast from float to the eight integer types, and 2^30 casts from double, compiled by the CPU device's kernel
 * compiler. Their sums are compared with those of an H200 (casts_h200.h). Takes half a minute on two cores.
 */
#include "casts_h200.h"
#include "cpu/compiler/compile.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { BLOCK = 64, BLOCKS = 1024, THREADS = BLOCK * BLOCKS, MAX_WORKERS = 64 };

/* Each thread of a kernel adds up its own part of the inputs. INPUT is an expression in i. */
static const char template[] = "extern \"C\" __global__ void add_casts(unsigned long long *sum, unsigned count)\n"
                               "{\n"
                               "    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;\n"
                               "    unsigned long long total = 0;\n"
                               "    for (unsigned k = 0; k < count; ++k) {\n"
                               "        const unsigned i = thread * count + k;\n"
                               "        const TYPE result = (TYPE)(INPUT);\n"
                               "        total += (unsigned long long)result * (2ull * i + 1);\n"
                               "    }\n"
                               "    sum[thread] = total;\n"
                               "}\n";

static const char float_of_bits[] = "#define INPUT __uint_as_float(i)\n";

static const char double_of_splitmix64[] = "__device__ double splitmix64(unsigned i)\n"
                                           "{\n"
                                           "    unsigned long long z = (i + 1ull) * 0x9E3779B97F4A7C15ull;\n"
                                           "    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;\n"
                                           "    z = (z ^ z >> 27) * 0x94D049BB133111EBull;\n"
                                           "    return __longlong_as_double((long long)(z ^ z >> 31));\n"
                                           "}\n"
                                           "#define INPUT splitmix64(i)\n";

static const char *const c_type[CASTS_TYPES] = {"signed char", "unsigned char", "short",     "unsigned short",
                                                "int",         "unsigned",      "long long", "unsigned long long"};

typedef struct work {
    const cpu_kernel *kernel;
    const void *const *args;
    unsigned long first, count;
} work;

static void *run_blocks(void *argument)
{
    const work *w = argument;
    const cpu_launch launch = {.grid = {BLOCKS, 1, 1}, .block = {BLOCK, 1, 1}};
    w->kernel->entry(w->args, &launch, w->first, w->count);
    return NULL;
}

/* Runs the kernel's blocks on all cores. */
static void run_kernel(const cpu_kernel *kernel, const void *const *args)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const int workers = cores > MAX_WORKERS ? MAX_WORKERS : (int)cores;
    pthread_t thread[MAX_WORKERS];
    work share[MAX_WORKERS];
    for (int i = 0; i < workers; i++) {
        const unsigned long first = (unsigned long)BLOCKS * i / workers,
                            end = (unsigned long)BLOCKS * (i + 1) / workers;
        share[i] = (work){kernel, args, first, end - first};
        if (pthread_create(&thread[i], NULL, run_blocks, &share[i]) != 0) abort();
    }
    for (int i = 0; i < workers; i++) pthread_join(thread[i], NULL);
}

/* Whether the sum over `inputs` inputs is the expected one. */
static bool check(const char *contents, const char *input, int type, uint64_t inputs, uint64_t expected)
{
    char source[2048];
    snprintf(source, sizeof source, "typedef %s TYPE;\n%s%s", c_type[type], input, template);
    cpu_module *module;
    if (cpu_module_load(&module, source, "casts.cu", NULL) != LAB_SUCCESS) {
        printf("%s\n", lab_error_message());
        return false;
    }
    static uint64_t sum[THREADS];
    const uint64_t *const sums = sum;
    const unsigned count = (unsigned)(inputs / THREADS);
    const void *const args[] = {&sums, &count};
    run_kernel(&module->kernel[0], args);
    cpu_module_unload(module);
    uint64_t total = 0;
    for (int i = 0; i < THREADS; i++) total += sum[i];
    const bool same = total == expected;
    printf("%s to %-6s  %016" PRIx64 "  %s\n", contents, casts_type[type], total,
           same ? "as the H200" : "NOT as the H200");
    return same;
}

int main(void)
{
    int passed = 0;
    for (int type = 0; type < CASTS_TYPES; type++) {
        passed += check("float32", float_of_bits, type, UINT64_C(1) << 32, casts_float32_sum[type]);
        passed += check("float64", double_of_splitmix64, type, UINT64_C(1) << 30, casts_float64_sum[type]);
    }
    printf("%d passed, %d failed\n", passed, 2 * CASTS_TYPES - passed);
    return passed == 2 * CASTS_TYPES ? EXIT_SUCCESS : EXIT_FAILURE;
}
