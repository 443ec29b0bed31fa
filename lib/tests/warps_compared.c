/*
 * Random kernels whose lanes wait for each other (warp_kernels.h), on any device.
 *
 *   warps_compared FIRST COUNT   a line for each module from FIRST on: its number, and a sum over all results
 *   warps_compared MODULE        its source, and a sum for each of its kernels
 *
 * Each device, and each way to run kernels on the CPU device (LAB_BARRIERS), prints the same.
 */
#include "warp_kernels.h"

#include "lab.h"

#include <inttypes.h>
#include <stdlib.h>

enum { EACH = 10, GRID = 6, MOST_RESULTS = GRID * 1024 };

static const lab_dim blocks[] = {{33, 1, 1}, {256, 1, 1}, {16, 16, 1}, {5, 7, 3}};

static uint64_t sum_with(uint64_t sum, const unsigned *number, size_t count)
{
    for (size_t i = 0; i < count; i++) sum = (sum ^ number[i]) * UINT64_C(1099511628211);
    return sum;
}

/* A sum over the results of a kernel for blocks of all shapes. */
static uint64_t sum_of(lab_module *module, int kernel)
{
    static unsigned host[MOST_RESULTS];
    uint64_t sum = UINT64_C(14695981039346656037);
    lab_function function;
    lab_deviceptr out;
    char name[16];
    snprintf(name, sizeof name, "k%d", kernel);
    LAB_CHECK(lab_module_get_function(&function, module, name));
    LAB_CHECK(lab_mem_alloc(&out, sizeof host));
    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++) {
        const size_t count = (size_t)GRID * blocks[b].x * blocks[b].y * blocks[b].z;
        LAB_CHECK(lab_memset_async(out, 0, count * sizeof *host, NULL));
        LAB_CHECK(lab_launch(function, LAB_DIM(GRID), blocks[b], 0, NULL, LAB_ARGS(out)));
        LAB_CHECK(lab_memcpy_dtoh(host, out, count * sizeof *host));
        sum = sum_with(sum, host, count);
    }
    LAB_CHECK(lab_mem_free(out));
    return sum;
}

static void run(int number, bool shows)
{
    program p = {.text = malloc(SOURCE_BYTES), .random = 1000 + (uint64_t)number};
    lab_module *module;
    uint64_t sum = 0;
    if (!p.text) exit(EXIT_FAILURE);
    add(&p, "%s", warp_declarations);
    for (int k = 0; k < EACH; k++) add_warp_kernel(&p, k);
    if (shows) printf("%s\n", p.text);
    LAB_CHECK(lab_module_load_source(&module, p.text, "warps_compared.cu"));
    for (int k = 0; k < EACH; k++) {
        const uint64_t own = sum_of(module, k);
        sum = sum * 31 + own;
        if (shows) printf("k%d %016" PRIx64 "\n", k, own);
    }
    printf("%d %016" PRIx64 "\n", number, sum);
    fflush(stdout);
    LAB_CHECK(lab_module_unload(module));
    free(p.text);
}

int main(int count, char **argument)
{
    if (count < 2) return 2;
    const int first = atoi(argument[1]), modules = count > 2 ? atoi(argument[2]) : 1;
    for (int i = first; i < first + modules; i++) run(i, count == 2);
    return EXIT_SUCCESS;
}
