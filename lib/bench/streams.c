/* Arithmetic kernels of one block each: one stream each, compared with the null stream, where they run one after
 * another. */
#include "bench.h"

enum { KERNELS = 64, THREADS = 64, STEPS = 100000 };

static const char SOURCE[] = "extern \"C\" __global__ void iterate(float *out, int steps)\n"
                             "{\n"
                             "    float x = threadIdx.x;\n"
                             "    for (int i = 0; i < steps; ++i) x = 0.999f * x + 0.5f;\n"
                             "    out[threadIdx.x] = x;\n"
                             "}\n";

typedef struct kernels {
    lab_module *module;
    lab_function function;
    lab_stream *stream[KERNELS];
    lab_array *out[KERNELS];
} kernels;

static lab_status run(const kernels *setup, bool one_stream_each)
{
    for (int i = 0; i < KERNELS; i++)
        LAB_TRY(lab_launch(setup->function, LAB_DIM(1), LAB_DIM(THREADS), 0,
                           one_stream_each ? setup->stream[i] : lab_stream_null(),
                           LAB_ARGS(setup->out[i], (int)STEPS)));
    return lab_device_synchronize();
}

static lab_status run_serial(void *user) { return run(user, false); }

static lab_status run_on_streams(void *user) { return run(user, true); }

static lab_status prepare(kernels *setup)
{
    for (int i = 0; i < KERNELS; i++) {
        LAB_TRY(lab_stream_create(&setup->stream[i], LAB_STREAM_DEFAULT));
        LAB_TRY(lab_array_empty(&setup->out[i], LAB_FLOAT32, LAB_SHAPE(THREADS)));
    }
    LAB_TRY(lab_module_load_source(&setup->module, SOURCE, "iterate.cu"));
    return lab_module_get_function(&setup->function, setup->module, "iterate");
}

void bench_streams(void)
{
    static kernels setup;
    bench_samples factor = {0}, fraction = {0};
    lab_device_info info;
    lab_status status = lab_device_get_info(&info, 0);
    if (status == LAB_SUCCESS) status = prepare(&setup);
    if (status == LAB_SUCCESS) status = bench_compare(&factor, run_serial, run_on_streams, &setup);
    for (int i = 0; status == LAB_SUCCESS && i < factor.count; i++)
        bench_add_sample(&fraction, factor.value[i] / info.multiprocessors);
    bench_add_row((bench_row){"64 kernels, a stream each: faster than serial", "x", BENCH_NO_GOAL, 0}, &factor, status);
    bench_add_row((bench_row){"  the same over the multiprocessors", "", BENCH_AT_LEAST, 0.85}, &fraction, status);
    for (int i = 0; i < KERNELS; i++) {
        lab_stream_destroy(setup.stream[i]);
        lab_array_destroy(setup.out[i]);
    }
    lab_module_unload(setup.module);
}
