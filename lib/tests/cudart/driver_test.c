/* The driver API as textbooks' programs use it: contexts and their stack, modules of NVRTC's, launches with void **. */
#include "kit.h"

#include "lab_trace.h"

static const char source[] = "struct box { float low, high; int steps; };\n"
                             "__device__ int calls;\n"
                             "__constant__ float factor[2];\n"
                             "extern \"C\" __global__ void scale(float *x, box by, int count)\n"
                             "{\n"
                             "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "    if (i < count) x[i] *= by.high * factor[1];\n"
                             "    if (i == 0) calls++;\n"
                             "}\n";

typedef struct box {
    float low, high;
    int steps;
} box;

static CUcontext make_context(void)
{
    CUcontext context;
    MUST(cuInit(0));
    MUST(cuCtxCreate(&context, 0, 0));
    return context;
}

Test(driver, a_module_has_kernels_and_variables_and_takes_arguments_by_pointer)
{
    enum { COUNT = 8 };
    CUmodule module;
    CUfunction scale;
    CUdeviceptr memory, variable;
    size_t bytes;
    float host[COUNT] = {1, 2, 3, 4, 5, 6, 7, 8}, factors[2] = {0, 10};
    box by = {0, 2, 0};
    int count = COUNT, calls = 0;
    const CUcontext context = make_context();
    char *image = kit_image(source);
    MUST(cuModuleLoadDataEx(&module, image, 0, NULL, NULL));
    MUST(cuModuleGetFunction(&scale, module, "scale"));
    MUST(cuMemAlloc(&memory, sizeof host));
    MUST(cuMemcpyHtoD(memory, host, sizeof host));
    MUST(cuModuleGetGlobal(&variable, &bytes, module, "factor"));
    cr_assert_eq(bytes, sizeof factors);
    MUST(cuMemcpyHtoD(variable, factors, sizeof factors));
    void *arguments[] = {&memory, &by, &count};
    MUST(cuLaunchKernel(scale, 2, 1, 1, 4, 1, 1, 0, NULL, arguments, NULL));
    MUST(cuCtxSynchronize());
    MUST(cuMemcpyDtoH(host, memory, sizeof host));
    cr_assert(host[0] == 20 && host[7] == 160, "%g %g", host[0], host[7]);
    struct {
        CUdeviceptr memory;
        box by;
        int count;
    } packed = {memory, {0, 0.1f, 0}, COUNT};
    bytes = sizeof packed;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
    MUST(cuLaunchKernel(scale, 2, 1, 1, 4, 1, 1, 0, NULL, NULL, extra));
    MUST(cuMemcpyDtoH(host, memory, sizeof host));
    cr_assert_float_eq(host[7], 160, 1e-3);
    MUST(cuModuleGetGlobal(&variable, &bytes, module, "calls"));
    MUST(cuMemcpyDtoH(&calls, variable, sizeof calls));
    cr_assert_eq(calls, 2);
    MUST(cuModuleUnload(module));
    MUST(cuCtxDestroy(context));
    free(image);
}

Test(driver, calls_need_a_context_and_contexts_are_a_stack)
{
    CUcontext found, popped;
    CUdeviceptr memory;
    MUST(cuInit(0));
    cr_assert_eq(cuMemAlloc(&memory, 16), CUDA_ERROR_INVALID_CONTEXT);
    MUST(cuCtxGetCurrent(&found));
    cr_assert_null(found);
    const CUcontext below = make_context(), above = make_context();
    MUST(cuCtxGetCurrent(&found));
    cr_assert_eq(found, above);
    MUST(cuCtxPopCurrent(&popped));
    cr_assert_eq(popped, above);
    MUST(cuMemAlloc(&memory, 16));
    MUST(cuCtxPushCurrent(above));
    MUST(cuCtxDestroy(above));
    MUST(cuCtxGetCurrent(&found));
    cr_assert_eq(found, below);
    MUST(cuCtxSetCurrent(NULL));
    cr_assert_eq(cuMemFree(memory), CUDA_ERROR_INVALID_CONTEXT);
}

Test(driver, the_runtime_works_in_the_context_that_is_current)
{
    CUcontext primary, found;
    unsigned flags;
    int active;
    void *memory;
    MUST(cuInit(0));
    MUST(cuDevicePrimaryCtxGetState(0, &flags, &active));
    cr_assert_eq(active, 0);
    MUST(cudaMalloc(&memory, 16));
    MUST(cuDevicePrimaryCtxGetState(0, &flags, &active));
    cr_assert_eq(active, 1);
    MUST(cuDevicePrimaryCtxRetain(&primary, 0));
    MUST(cuCtxGetCurrent(&found));
    cr_assert_eq(found, primary);
    MUST(cuMemFree(kit_address(memory)));
}

Test(driver, words_are_filled_also_with_unequal_bytes)
{
    unsigned host[4] = {0};
    CUdeviceptr memory;
    make_context();
    MUST(cuMemAlloc(&memory, sizeof host));
    MUST(cuMemsetD32(memory, 0x12345678, 4));
    MUST(cuMemcpyDtoH(host, memory, sizeof host));
    cr_assert(host[0] == 0x12345678 && host[3] == 0x12345678);
    MUST(cuMemsetD32(memory, 0x05050505, 2));
    MUST(cuMemcpyDtoH(host, memory, sizeof host));
    cr_assert(host[1] == 0x05050505 && host[2] == 0x12345678);
}

/* Fills memory of cuMemAllocAsync on another stream, which waits for the allocation or not, and frees it there. */
static void use_elsewhere(CUstream one, CUstream two, bool waits)
{
    CUdeviceptr memory;
    CUevent allocated;
    MUST(cuEventCreate(&allocated, CU_EVENT_DISABLE_TIMING));
    MUST(cuMemAllocAsync(&memory, 64, one));
    MUST(cuEventRecord(allocated, one));
    if (waits) MUST(cuStreamWaitEvent(two, allocated, 0));
    MUST(cuMemsetD8Async(memory, 1, 64, two));
    MUST(cuMemFreeAsync(memory, two));
}

/* An H200's driver (580.159.04) answers so. */
Test(driver, memory_that_the_driver_does_not_know_has_no_range)
{
    const CUcontext context = make_context();
    CUdeviceptr memory, base = 7;
    size_t bytes = 7;
    MUST(cuMemAlloc(&memory, 1000));
    MUST(cuMemGetAddressRange(&base, &bytes, memory + 999));
    cr_assert(base == memory && bytes == 1000);
    const CUdeviceptr unknown[] = {(CUdeviceptr)(uintptr_t) "a literal", 0, memory + 1000};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        base = bytes = 7;
        cr_assert(cuMemGetAddressRange(&base, &bytes, unknown[i]) == CUDA_ERROR_NOT_FOUND);
        cr_assert(base == 0 && bytes == 0);
    }
    MUST(cuMemFree(memory));
    MUST(cuCtxDestroy(context));
}

Test(driver, memory_of_a_pool_is_there_for_work_that_waits_for_its_allocation)
{
    CUcontext context;
    CUstream one, two;
    lab_order_finding found;
    lab_order_start(LAB_ORDER_COLLECT);
    MUST(cuInit(0));
    MUST(cuDevicePrimaryCtxRetain(&context, 0));
    MUST(cuCtxSetCurrent(context));
    MUST(cuStreamCreate(&one, CU_STREAM_NON_BLOCKING));
    MUST(cuStreamCreate(&two, CU_STREAM_NON_BLOCKING));
    use_elsewhere(one, two, true);
    cr_assert_eq(lab_order_get_counts().findings, 0);
    use_elsewhere(one, two, false);
    cr_assert_geq(lab_order_get_counts().findings, 1);
    cr_assert_eq(lab_order_get_finding(&found, 0), LAB_SUCCESS);
    cr_assert_eq(found.kind, LAB_ORDER_USE_BEFORE_ALLOCATION, "it is %d", found.kind);
    cr_assert(found.first.kind == LAB_OP_POOL_ALLOC && found.second.kind == LAB_OP_FILL);
}

Test(driver, only_images_of_this_nvrtc_are_modules)
{
    CUmodule module;
    make_context();
    cr_assert_eq(cuModuleLoadData(&module, ".version 7.0\n.target sm_70\n"), CUDA_ERROR_INVALID_IMAGE);
}

Test(driver, nvrtc_knows_headers_and_definitions_and_names_the_line_of_an_error)
{
    static const char *const header = "#define SUM(x, y) ((x) + (y))\n", *const name = "sum.cuh";
    static const char *const options[] = {"-DTYPE=int", "--gpu-architecture=compute_70", "-D", "SEVEN=7"};
    static const char good[] = "#include \"sum.cuh\"\n"
                               "extern \"C\" __global__ void put(TYPE *x) { *x = SUM(SEVEN, 1); }\n";
    static const char bad[] = "#include \"sum.cuh\"\n\nextern \"C\" __global__ void put(int *x) { *x = nothing; }\n";
    nvrtcProgram program;
    const char *lowered;
    size_t bytes;
    char log[8192];
    MUST(nvrtcCreateProgram(&program, good, "good.cu", 1, &header, &name));
    MUST(nvrtcAddNameExpression(program, "&put"));
    MUST(nvrtcCompileProgram(program, 4, options));
    MUST(nvrtcGetLoweredName(program, "&put", &lowered));
    cr_assert_str_eq(lowered, "put");
    MUST(nvrtcDestroyProgram(&program));
    MUST(nvrtcCreateProgram(&program, bad, "bad.cu", 1, &header, &name));
    cr_assert_eq(nvrtcCompileProgram(program, 0, NULL), NVRTC_ERROR_COMPILATION);
    MUST(nvrtcGetProgramLogSize(program, &bytes));
    cr_assert_lt(bytes, sizeof log);
    MUST(nvrtcGetProgramLog(program, log));
    cr_assert(strstr(log, "bad.cu:3") && strstr(log, "nothing"), "%s", log);
    MUST(nvrtcDestroyProgram(&program));
    MUST(nvrtcCreateProgram(&program, good, "good.cu", 1, &header, &name));
    MUST(nvrtcAddNameExpression(program, "put<int>"));
    cr_assert_eq(nvrtcCompileProgram(program, 4, options), NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID);
    MUST(nvrtcDestroyProgram(&program));
}

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *out = fopen(path, "w");
    cr_assert(out && fputs(text, out) >= 0 && fclose(out) == 0);
}

/* The value that the kernel `put` of a program stores. */
static int value_put_by(const char *text, const char *name, int options, const char *const *option)
{
    static char log[8192], image[1 << 16];
    nvrtcProgram program;
    CUmodule module;
    CUfunction put;
    CUdeviceptr memory;
    int value = 0;
    size_t bytes = 0;
    MUST(nvrtcCreateProgram(&program, text, name, 0, NULL, NULL));
    const nvrtcResult compiled = nvrtcCompileProgram(program, options, option);
    MUST(nvrtcGetProgramLog(program, log));
    cr_assert_eq(compiled, NVRTC_SUCCESS, "%s", log);
    MUST(nvrtcGetPTXSize(program, &bytes));
    cr_assert_leq(bytes, sizeof image);
    MUST(nvrtcGetPTX(program, image));
    MUST(nvrtcDestroyProgram(&program));
    MUST(cuModuleLoadData(&module, image));
    MUST(cuModuleGetFunction(&put, module, "put"));
    MUST(cuMemAlloc(&memory, sizeof value));
    void *arguments[] = {&memory};
    MUST(cuLaunchKernel(put, 1, 1, 1, 1, 1, 1, 64, NULL, arguments, NULL));
    MUST(cuMemcpyDtoH(&value, memory, sizeof value));
    return value;
}

Test(driver, nvrtc_finds_headers_next_to_the_source_and_in_the_folders_of_its_options)
{
    static const char text[] = "#include \"shared.cuh\"\n#include <one.h>\n#include <stdint.h>\n#if 0\n"
                               "#include \"once.h\"\n#endif\n#include \"once.h\"\n#include \"once.h\"\n"
                               "extern \"C\" __global__ void put(int *x) { *x = in_shared(ONE) + once; }\n";
    char folder[] = "/tmp/lab-nvrtc-XXXXXX", name[64], option[64];
    cr_assert(mkdtemp(folder));
    make_context();
    snprintf(name, sizeof name, "%s/source.cu", folder);
    snprintf(option, sizeof option, "--include-path=%s/", folder);
    write_file(folder, "one.h", "#define ONE 1\n");
    write_file(folder, "once.h", "#pragma once\nstatic const int once = 20;\n");
    write_file(
        folder, "shared.cuh",
        "static __device__ int in_shared(int x) { extern __shared__ int tile[]; tile[3] = x; return tile[3]; }\n");
    cr_assert_eq(value_put_by(text, name, 1, (const char *const[]){option}), 21);
    cr_assert_eq(value_put_by(text, "elsewhere.cu", 2, (const char *const[]){"-I", folder}), 21);
    for (const char *const *each = (const char *const[]){"one.h", "once.h", "shared.cuh", NULL}; *each; each++) {
        snprintf(name, sizeof name, "%s/%s", folder, *each);
        unlink(name);
    }
    rmdir(folder);
}

Test(driver, a_context_with_parameters_has_none_that_are_not_here)
{
    CUcontext context;
    CUexecAffinityParam affinity = {0};
    CUctxCreateParams parameters = {0};
    MUST(cuInit(0));
    MUST(cuCtxCreate(&context, &parameters, 0, 0));
    MUST(cuCtxDestroy(context));
    MUST(cuCtxCreate(&context, (CUctxCreateParams *)NULL, 0, 0));
    MUST(cuCtxDestroy(context));
    parameters = (CUctxCreateParams){.execAffinityParams = &affinity, .numExecAffinityParams = 1};
    cr_assert_eq(cuCtxCreate(&context, &parameters, 0, 0), CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY);
    cr_assert_eq(cuCtxCreate_v3(&context, &affinity, 1, 0, 0), CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY);
}

Test(driver, boxes_are_copied_between_host_pitched_memory_and_arrays)
{
    enum { WIDTH = 6, HEIGHT = 4 };
    CUarray array;
    CUdeviceptr pitched;
    size_t pitch;
    short host[HEIGHT][WIDTH], back[2][3] = {{0}};
    CUDA_ARRAY3D_DESCRIPTOR of;
    const CUDA_ARRAY_DESCRIPTOR wanted = {WIDTH, HEIGHT, CU_AD_FORMAT_SIGNED_INT16, 1};
    for (int i = 0; i < WIDTH * HEIGHT; i++) host[i / WIDTH][i % WIDTH] = (short)(100 + i);
    const CUcontext context = make_context();
    MUST(cuMemAllocPitch(&pitched, &pitch, sizeof host[0], HEIGHT, 4));
    MUST(cuArrayCreate(&array, &wanted));
    MUST(cuArray3DGetDescriptor(&of, array));
    cr_assert(of.Width == WIDTH && of.Height == HEIGHT && of.Depth == 0 && of.NumChannels == 1);
    cr_assert_eq(of.Format, CU_AD_FORMAT_SIGNED_INT16);

    CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                          .srcHost = host,
                          .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                          .dstDevice = pitched,
                          .dstPitch = pitch,
                          .WidthInBytes = sizeof host[0],
                          .Height = HEIGHT};
    MUST(cuMemcpy2D(&copy));
    copy = (CUDA_MEMCPY2D){.srcMemoryType = CU_MEMORYTYPE_UNIFIED,
                           .srcDevice = pitched,
                           .srcPitch = pitch,
                           .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                           .dstArray = array,
                           .WidthInBytes = sizeof host[0],
                           .Height = HEIGHT};
    MUST(cuMemcpy2DAsync(&copy, NULL));
    copy = (CUDA_MEMCPY2D){.srcXInBytes = 2 * sizeof(short),
                           .srcY = 1,
                           .srcMemoryType = CU_MEMORYTYPE_ARRAY,
                           .srcArray = array,
                           .dstMemoryType = CU_MEMORYTYPE_HOST,
                           .dstHost = back,
                           .WidthInBytes = sizeof back[0],
                           .Height = 2};
    MUST(cuMemcpy2D(&copy));
    cr_assert(back[0][0] == 108 && back[0][2] == 110 && back[1][0] == 114, "%d %d %d", back[0][0], back[0][2],
              back[1][0]);

    copy.Height = HEIGHT; /* from row 1 that is a row too many */
    cr_assert_eq(cuMemcpy2D(&copy), CUDA_ERROR_INVALID_VALUE);
    copy.srcMemoryType = (CUmemorytype)9;
    cr_assert_eq(cuMemcpy2D(&copy), CUDA_ERROR_INVALID_VALUE);
    cr_assert_eq(cudaPeekAtLastError(), cudaSuccess);
    MUST(cuArrayDestroy(array));
    cr_assert_eq(cuArrayDestroy(array), CUDA_ERROR_INVALID_HANDLE);
    MUST(cuMemFree(pitched));
    MUST(cuCtxDestroy(context));
}

Test(driver, layers_of_a_box_have_the_height_of_their_memory)
{
    const CUcontext context = make_context();
    unsigned char host[2][3][4], back[2][2][2] = {{{0}}};
    CUdeviceptr memory;
    for (int i = 0; i < 24; i++) host[i / 12][i / 4 % 3][i % 4] = (unsigned char)i;
    MUST(cuMemAlloc(&memory, sizeof host));
    MUST(cuMemcpyHtoD(memory, host, sizeof host));
    const CUDA_MEMCPY3D copy = {.srcXInBytes = 1,
                                .srcY = 1,
                                .srcMemoryType = CU_MEMORYTYPE_DEVICE,
                                .srcDevice = memory,
                                .srcPitch = 4,
                                .srcHeight = 3,
                                .dstMemoryType = CU_MEMORYTYPE_HOST,
                                .dstHost = back,
                                .WidthInBytes = 2,
                                .Height = 2,
                                .Depth = 2};
    MUST(cuMemcpy3D(&copy));
    cr_assert(back[0][0][0] == 5 && back[0][1][1] == 10 && back[1][0][0] == 17 && back[1][1][1] == 22, "%d %d %d %d",
              back[0][0][0], back[0][1][1], back[1][0][0], back[1][1][1]);
    MUST(cuMemFree(memory));
    MUST(cuCtxDestroy(context));
}
