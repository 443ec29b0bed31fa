/* Launches one of the kernels of this folder. Its parameters are an array that nothing has written, one of numbers, one
 * of zeros, and their length. The launch is cooperative if the name begins with grid_. */
#ifndef LAB_TESTS_SANITIZERS_LAUNCH_H
#define LAB_TESTS_SANITIZERS_LAUNCH_H

#include "lab.h"

#include <string.h>

enum { SANITIZER_COUNT = 4096 };

typedef struct sanitizer_launch {
    const char *file, *kernel;
    unsigned blocks, threads, shared_bytes;
} sanitizer_launch;

/* Memory for the kernel, with these contents or with none. */
static inline lab_deviceptr sanitizer_array(const int *contents)
{
    lab_deviceptr array;
    LAB_CHECK(lab_mem_alloc(&array, SANITIZER_COUNT * sizeof *contents));
    if (contents) LAB_CHECK(lab_memcpy_htod(array, contents, SANITIZER_COUNT * sizeof *contents));
    return array;
}

/* The status after the kernel; *out and *zero are its arrays. */
static inline lab_status sanitizer_run(lab_deviceptr *out, lab_deviceptr *zero, const sanitizer_launch *run)
{
    static int numbers[SANITIZER_COUNT], zeros[SANITIZER_COUNT];
    lab_module *module;
    lab_function kernel;
    for (unsigned i = 0; i < SANITIZER_COUNT; i++) numbers[i] = (int)(i * 2654435761u >> 20);
    LAB_CHECK(lab_module_load_file(&module, run->file));
    LAB_CHECK(lab_module_get_function(&kernel, module, run->kernel));
    *out = sanitizer_array(NULL);
    *zero = sanitizer_array(zeros);
    const lab_deviceptr in = sanitizer_array(numbers);
    const lab_dim blocks = LAB_DIM(run->blocks), threads = LAB_DIM(run->threads);
    if (strncmp(run->kernel, "grid_", strlen("grid_")) == 0)
        LAB_CHECK(lab_launch_cooperative(kernel, blocks, threads, run->shared_bytes, NULL,
                                         LAB_ARGS(*out, in, *zero, (int)SANITIZER_COUNT)));
    else
        LAB_CHECK(lab_launch(kernel, blocks, threads, run->shared_bytes, NULL,
                             LAB_ARGS(*out, in, *zero, (int)SANITIZER_COUNT)));
    return lab_device_synchronize();
}

#endif
