/* Two GPUs: work split over both compared with the same work on one, and copies between them compared with the
 * driver's. With one GPU there are no rows. */
#include "cuda_raw.h"

enum { STEPS = 400, COPIES = 5 };
#define COUNT ((size_t)1 << 27)
#define BYTES (COUNT * sizeof(float))

static const char SOURCE[] = "extern \"C\" __global__ void advance(float *x, long long count, int steps)\n"
                             "{\n"
                             "    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;\n"
                             "    if (i >= count) return;\n"
                             "    float value = x[i];\n"
                             "    for (int step = 0; step < steps; step++) value = 3.9f * value * (1.0f - value);\n"
                             "    x[i] = value;\n"
                             "}\n";

typedef struct devices {
    lab_module *module[2];
    lab_function advance[2];
    lab_array *data[2];
    lab_stream *stream[2];
    CUcontext context[2];
    CUstream raw_stream;
    CUresult (*raw_copy)(CUdeviceptr destination, CUcontext destination_context, CUdeviceptr source,
                         CUcontext source_context, size_t bytes, CUstream stream);
} devices;

/* Does the work on the first `used` devices, a part on each; gives the milliseconds. */
static lab_status advance(double *took, const devices *setup, int used)
{
    const long long part = (long long)COUNT / used;
    double start = bench_now();
    for (int d = 0; d < used; d++)
        LAB_TRY(lab_launch(setup->advance[d], LAB_DIM((unsigned)(part / 256)), LAB_DIM(256), 0, setup->stream[d],
                           LAB_ARGS(setup->data[d], part, STEPS)));
    for (int d = 0; d < used; d++) LAB_TRY(lab_stream_synchronize(setup->stream[d]));
    *took = 1e3 * (bench_now() - start);
    return LAB_SUCCESS;
}

static lab_status on_one(double *took, void *user) { return advance(took, user, 1); }

static lab_status on_two(double *took, void *user) { return advance(took, user, 2); }

static lab_status copies(double *rate, void *user)
{
    const devices *setup = user;
    double start = bench_now();
    for (int i = 0; i < COPIES; i++)
        LAB_TRY(lab_memcpy_peer_async(lab_array_data(setup->data[1]), 1, lab_array_data(setup->data[0]), 0, BYTES,
                                      setup->stream[0]));
    LAB_TRY(lab_stream_synchronize(setup->stream[0]));
    *rate = 1e-9 * COPIES * (double)BYTES / (bench_now() - start);
    return LAB_SUCCESS;
}

static lab_status raw_copies(double *rate, void *user)
{
    const devices *setup = user;
    double start = bench_now();
    for (int i = 0; i < COPIES; i++)
        RAW_TRY(setup->raw_copy, lab_array_data(setup->data[1]), setup->context[1], lab_array_data(setup->data[0]),
                setup->context[0], BYTES, setup->raw_stream);
    RAW_TRY(cuda.cuStreamSynchronize, setup->raw_stream);
    *rate = 1e-9 * COPIES * (double)BYTES / (bench_now() - start);
    return LAB_SUCCESS;
}

static lab_status prepare_on(devices *setup, int device)
{
    LAB_TRY(lab_device_use(device));
    LAB_TRY(lab_module_load_source(&setup->module[device], SOURCE, "advance.cu"));
    LAB_TRY(lab_module_get_function(&setup->advance[device], setup->module[device], "advance"));
    LAB_TRY(lab_array_random_uniform(&setup->data[device], LAB_FLOAT32, LAB_SHAPE(COUNT), 0, 1, 1));
    LAB_TRY(lab_stream_create(&setup->stream[device], LAB_STREAM_NON_BLOCKING));
    return lab_stream_synchronize(NULL);
}

static lab_status prepare(devices *setup)
{
    bool can = false;
    for (int device = 1; device >= 0; device--) LAB_TRY(prepare_on(setup, device));
    for (int device = 0; device < 2; device++) {
        CUdevice native;
        RAW_TRY(cuda.cuDeviceGet, &native, device);
        RAW_TRY(cuda.cuDevicePrimaryCtxRetain, &setup->context[device], native);
    }
    LAB_TRY(lab_device_can_access_peer(&can, 0, 1));
    if (!can) bench_add_note("Device 0 cannot use the memory of device 1: copies between them go through the host.");
    setup->raw_copy =
        (CUresult(*)(CUdeviceptr, CUcontext, CUdeviceptr, CUcontext, size_t, CUstream))raw_symbol("cuMemcpyPeerAsync");
    if (!setup->raw_copy) return lab_fail(LAB_ERROR_UNKNOWN, "there is no cuMemcpyPeerAsync");
    RAW_TRY(cuda.cuStreamCreateWithPriority, &setup->raw_stream, CU_STREAM_NON_BLOCKING, 0);
    return LAB_SUCCESS;
}

/* Enables peer access for both sides of the comparison, which use the same contexts. */
static lab_status enable_peer_access(void)
{
    for (int device = 1; device >= 0; device--) {
        lab_context *peer;
        LAB_TRY(lab_context_primary_retain(&peer, 1 - device));
        LAB_TRY(lab_device_use(device));
        LAB_TRY(lab_context_enable_peer_access(peer));
    }
    return LAB_SUCCESS;
}

static void disable_peer_access(void)
{
    for (int device = 1; device >= 0; device--) {
        lab_context *peer;
        if (lab_context_primary_retain(&peer, 1 - device) != LAB_SUCCESS) continue;
        lab_device_use(device);
        lab_context_disable_peer_access(peer);
        for (int retained = 0; retained < 2; retained++) lab_context_primary_release(1 - device);
    }
}

static void release(const devices *setup)
{
    if (setup->raw_stream) cuda.cuStreamDestroy(setup->raw_stream);
    for (int device = 1; device >= 0; device--) {
        lab_device_use(device);
        CUdevice native;
        if (setup->context[device] && cuda.cuDeviceGet(&native, device) == CUDA_SUCCESS)
            cuda.cuDevicePrimaryCtxRelease(native);
        lab_stream_destroy(setup->stream[device]);
        lab_array_destroy(setup->data[device]);
        lab_module_unload(setup->module[device]);
    }
}

void bench_cuda_devices(void)
{
    int count = 0;
    if (lab_device_count(&count) != LAB_SUCCESS || count < 2) return;
    devices setup = {0};
    raw_comparison split = {0}, staged = {0}, peer = {0};
    lab_status status = prepare(&setup);
    if (status == LAB_SUCCESS) status = raw_compare(&split, on_one, on_two, 1, &setup);
    bench_add_row((bench_row){"work on one of two devices", "ms", BENCH_NO_GOAL, 0}, &split.ours, status);
    bench_add_row((bench_row){"  split over both", "ms", BENCH_NO_GOAL, 0}, &split.raw, status);
    bench_add_row((bench_row){"  times as fast as on one", "", BENCH_AT_LEAST, 1.9}, &split.ratio, status);
    if (status == LAB_SUCCESS) status = raw_compare(&staged, copies, raw_copies, 1, &setup);
    bench_add_row((bench_row){"copy to the other device, no peer access", "GB/s", BENCH_NO_GOAL, 0}, &staged.ours,
                  status);
    bench_add_row((bench_row){"  cuMemcpyPeerAsync", "GB/s", BENCH_NO_GOAL, 0}, &staged.raw, status);
    if (status == LAB_SUCCESS) status = enable_peer_access();
    if (status == LAB_SUCCESS) status = raw_compare(&peer, copies, raw_copies, 1, &setup);
    bench_add_row((bench_row){"copy to the other device, peer access", "GB/s", BENCH_NO_GOAL, 0}, &peer.ours, status);
    bench_add_row((bench_row){"  cuMemcpyPeerAsync", "GB/s", BENCH_NO_GOAL, 0}, &peer.raw, status);
    bench_add_row((bench_row){"  over it", "", BENCH_AT_LEAST, 0.9}, &peer.ratio, status);
    disable_peer_access();
    release(&setup);
}
