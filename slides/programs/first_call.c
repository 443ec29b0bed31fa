/*
 * What the first call costs. LAB_CACHE_DIR names an empty folder, so that the kernel is compiled.
 */
#include "slide.h"

static double since(double *before)
{
    const double now = slide_clock(), passed = now - *before;
    *before = now;
    return passed;
}

int main(int argc, char **argv)
{
    lab_array *array;
    slide_open(argc, argv, 0);
    json_t *rows = json_array();
    double clock = slide_clock();
    LAB_CHECK(lab_device_synchronize());
    json_array_append_new(rows, slide_row("first call: makes the context", "ms", since(&clock)));
    slide_kernel("labs/lab00-measure/kernels.cu", "work");
    json_array_append_new(rows, slide_row("load the kernel: compiles it", "ms", since(&clock)));
    const lab_function kernel = slide_kernel("labs/lab00-measure/kernels.cu", "work");
    json_array_append_new(rows, slide_row("load it again: from the cache", "ms", since(&clock)));
    LAB_CHECK(lab_array_empty(&array, LAB_FLOAT32, LAB_SHAPE(64)));
    clock = slide_clock();
    static const char *const names[] = {"first launch and wait", "second launch and wait"};
    for (int k = 0; k < 2; k++) {
        LAB_CHECK(lab_launch(kernel, LAB_DIM(1), LAB_DIM(64), 0, NULL, LAB_ARGS(array, 64, 1)));
        LAB_CHECK(lab_device_synchronize());
        json_array_append_new(rows, slide_row(names[k], "ms", since(&clock)));
    }
    slide_save(json_pack("{s:o}", "rows", rows));
    return 0;
}
