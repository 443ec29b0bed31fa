/*
 * Many arrays, one stream each: copies in both directions and kernels of different arrays run at the same time.
 *
 * This needs three things. The host memory is pinned: an asynchronous copy of pageable memory may hold the host. The
 * streams are non-blocking, or at least not the null stream. And the clock stops after all streams are done: every call
 * here only enqueues work, and returns before that work begins.
 * Arguments: the number of arrays (20) and their length (65536). The seed has 200 arrays of 1048576 elements.
 */
#include "arrays.h"

int main(int argc, char **argv)
{
    const int arrays = number_argument(argc, argv, 1, 20), length = number_argument(argc, argv, 2, 65536);
    const size_t bytes = (size_t)length * sizeof(float);
    lab_stream **stream = calloc((size_t)arrays, sizeof *stream);
    lab_array **on_device = calloc((size_t)arrays, sizeof *on_device);
    void *pinned;
    lab_module *module;
    lab_function add_fifty;
    int wrong = 0;
    if (!stream || !on_device) return 1;

    LAB_CHECK(lab_module_load_file(&module, add_fifty_file));
    LAB_CHECK(lab_module_get_function(&add_fifty, module, "add_fifty"));
    LAB_CHECK(lab_host_alloc(&pinned, (size_t)arrays * bytes));
    float *memory = pinned;
    for (int k = 0; k < arrays; k++) {
        fill_array(memory + (size_t)k * length, k, length);
        LAB_CHECK(lab_stream_create(&stream[k], LAB_STREAM_NON_BLOCKING));
    }

    const double begin = host_clock();
    for (int k = 0; k < arrays; k++) LAB_WITH_STREAM(stream[k])
        {
            float *const host = memory + (size_t)k * length;
            LAB_CHECK(lab_array_from_host_async(&on_device[k], LAB_FLOAT32, LAB_SHAPE(length), host, NULL));
            LAB_CHECK(lab_launch(add_fifty, LAB_DIM(1), LAB_DIM(64), 0, NULL, LAB_ARGS(on_device[k], length)));
            LAB_CHECK(lab_array_get_async(on_device[k], host, NULL));
        }
    const double enqueued = host_clock();
    for (int k = 0; k < arrays; k++) LAB_CHECK(lab_stream_synchronize(stream[k]));
    const double end = host_clock();

    for (int k = 0; k < arrays; k++) wrong += count_wrong(memory + (size_t)k * length, k, length);
    printf("one stream each: %.1f ms, of which enqueuing took %.1f ms\n", end - begin, enqueued - begin);
    printf("wrong elements: %d\n", wrong);

    for (int k = 0; k < arrays; k++) {
        LAB_CHECK(lab_array_destroy(on_device[k]));
        LAB_CHECK(lab_stream_destroy(stream[k]));
    }
    LAB_CHECK(lab_host_free(pinned));
    LAB_CHECK(lab_module_unload(module));
    free(on_device);
    free(stream);
    return wrong > 0;
}
