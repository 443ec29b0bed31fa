/* The runtime's memory: unified addressing, kinds of copies, managed memory, boxes of bytes, pools. */
#include "kit.h"

enum { COUNT = 1024, BYTES = COUNT * sizeof(int) };

static void *device_memory(size_t bytes)
{
    void *memory;
    MUST(cudaMalloc(&memory, bytes));
    return memory;
}

Test(runtime_memory, an_address_says_what_memory_it_is_in)
{
    struct cudaPointerAttributes of;
    int on_stack;
    char *device = device_memory(BYTES);
    void *pinned, *managed;
    MUST(cudaMallocHost(&pinned, BYTES));
    MUST(cudaMallocManaged(&managed, BYTES, cudaMemAttachGlobal));
    MUST(cudaPointerGetAttributes(&of, device + 100));
    cr_assert(of.type == cudaMemoryTypeDevice && of.devicePointer == device + 100 && !of.hostPointer && of.device == 0);
    MUST(cudaPointerGetAttributes(&of, pinned));
    cr_assert(of.type == cudaMemoryTypeHost && of.hostPointer == pinned);
    MUST(cudaPointerGetAttributes(&of, managed));
    cr_assert_eq(of.type, cudaMemoryTypeManaged);
    MUST(cudaPointerGetAttributes(&of, &on_stack));
    cr_assert_eq(of.type, cudaMemoryTypeUnregistered);
}

Test(runtime_memory, a_copy_of_the_default_kind_goes_where_the_addresses_say)
{
    int from[4] = {1, 2, 3, 4}, to[4] = {0};
    void *one = device_memory(sizeof from), *other = device_memory(sizeof from);
    MUST(cudaMemcpy(one, from, sizeof from, cudaMemcpyDefault));
    MUST(cudaMemcpy(other, one, sizeof from, cudaMemcpyDefault));
    MUST(cudaMemcpy(to, other, sizeof to, cudaMemcpyDefault));
    cr_assert_arr_eq(to, from, sizeof to);
    MUST(cudaMemcpy(to, from + 1, sizeof *to, cudaMemcpyDefault));
    cr_assert_eq(to[0], 2, "a copy of the host's");
}

Test(runtime_memory, a_kind_that_the_addresses_contradict_is_refused_and_copies_nothing)
{
    int host = 7;
    void *device = device_memory(sizeof host);
    MUST(cudaMemset(device, 0, sizeof host));
    cr_assert_eq(cudaMemcpy(&host, &host, sizeof host, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    cr_assert_eq(cudaMemcpy(device, &host, sizeof host, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    cr_assert_eq(cudaMemcpy(device, &host, sizeof host, cudaMemcpyDeviceToDevice), cudaErrorInvalidValue);
    cr_assert_eq(host, 7);
    MUST(cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost));
    cr_assert_eq(host, 0);
}

Test(runtime_memory, kernels_and_the_host_share_managed_memory)
{
    int *managed, count = COUNT, on_host[COUNT];
    CUfunction add;
    MUST(cudaMallocManaged((void **)&managed, BYTES, cudaMemAttachGlobal));
    add = kit_function("extern \"C\" __global__ void add(int *x, int count) {\n"
                       "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                       "    if (i < count) x[i] += i;\n"
                       "}\n",
                       "add");
    for (int i = 0; i < COUNT; i++) managed[i] = 1000;
    void *arguments[] = {&managed, &count};
    MUST(cuLaunchKernel(add, 4, 1, 1, 256, 1, 1, 0, 0, arguments, NULL));
    MUST(cudaDeviceSynchronize());
    for (int i = 0; i < COUNT; i++) cr_assert_eq(managed[i], 1000 + i);
    MUST(cudaMemcpy(on_host, managed, BYTES, cudaMemcpyDeviceToHost));
    cr_assert_eq(on_host[5], 1005, "managed memory as the device's side of a copy");
    MUST(cudaMemset(managed, 0, BYTES));
    MUST(cudaDeviceSynchronize());
    cr_assert_eq(managed[5], 0);
    MUST(cudaFree(managed));
    cr_assert_eq(cudaFree(managed), cudaErrorInvalidValue, "freed twice");
}

Test(runtime_memory, rows_of_a_pitched_copy_keep_what_is_between_them)
{
    enum { WIDTH = 5 * sizeof(int), ROWS = 3 };
    int host[ROWS][8], back[ROWS][5];
    char *device;
    size_t pitch;
    for (int i = 0; i < ROWS * 8; i++) host[i / 8][i % 8] = i;
    MUST(cudaMallocPitch((void **)&device, &pitch, WIDTH, ROWS));
    cr_assert(pitch >= WIDTH && pitch % 32 == 0);
    MUST(cudaMemset(device, 0x7f, pitch * ROWS));
    MUST(cudaMemcpy2D(device, pitch, host, sizeof host[0], WIDTH, ROWS, cudaMemcpyHostToDevice));
    MUST(cudaMemcpy2D(back, sizeof back[0], device, pitch, WIDTH, ROWS, cudaMemcpyDeviceToHost));
    for (int row = 0; row < ROWS; row++) cr_assert_arr_eq(back[row], host[row], WIDTH);
    unsigned char between;
    MUST(cudaMemcpy(&between, device + WIDTH, 1, cudaMemcpyDeviceToHost));
    cr_assert_eq(between, 0x7f);
}

Test(runtime_memory, rows_beyond_the_end_are_refused_before_they_touch_the_hosts_memory)
{
    char host[5][64] = {{0}};
    void *device = device_memory(4 * 64);
    cr_assert_eq(cudaMemcpy2D(device, 64, host, 64, 32, 5, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    cr_assert_eq(cudaMemcpy2D(device, 16, host, 64, 32, 2, cudaMemcpyHostToDevice), cudaErrorInvalidPitchValue);
}

Test(runtime_memory, a_box_is_copied_by_its_positions_and_extent)
{
    enum { X = 4, Y = 3, Z = 2 };
    unsigned char host[Z][Y][X], back[Z][Y][X] = {{{0}}};
    struct cudaPitchedPtr device;
    for (int i = 0; i < X * Y * Z; i++) ((unsigned char *)host)[i] = (unsigned char)(i + 1);
    MUST(cudaMalloc3D(&device, make_cudaExtent(X, Y, Z)));
    MUST(cudaMemset3D(device, 0, make_cudaExtent(X, Y, Z)));
    const struct cudaMemcpy3DParms up = {.srcPtr = make_cudaPitchedPtr(host, X, X, Y),
                                         .srcPos = make_cudaPos(1, 1, 0),
                                         .dstPtr = device,
                                         .dstPos = make_cudaPos(0, 1, 1),
                                         .extent = make_cudaExtent(2, 2, 1),
                                         .kind = cudaMemcpyHostToDevice};
    const struct cudaMemcpy3DParms down = {.srcPtr = device,
                                           .dstPtr = make_cudaPitchedPtr(back, X, X, Y),
                                           .extent = make_cudaExtent(X, Y, Z),
                                           .kind = cudaMemcpyDeviceToHost};
    MUST(cudaMemcpy3D(&up));
    MUST(cudaMemcpy3D(&down));
    cr_assert(back[1][1][0] == host[0][1][1] && back[1][2][1] == host[0][2][2] && back[0][0][0] == 0);
}

Test(runtime_memory, memory_of_a_pool_is_used_in_the_order_of_its_stream_and_freed_either_way)
{
    cudaStream_t stream;
    cudaMemPool_t pool;
    void *memory;
    int value = 0;
    unsigned long long used = 0, threshold = 1 << 20;
    MUST(cudaStreamCreate(&stream));
    MUST(cudaMallocAsync(&memory, sizeof value, stream));
    MUST(cudaMemsetAsync(memory, 1, sizeof value, stream));
    MUST(cudaMemcpyAsync(&value, memory, sizeof value, cudaMemcpyDeviceToHost, stream));
    MUST(cudaDeviceGetDefaultMemPool(&pool, 0));
    MUST(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    cr_assert_gt(used, 0);
    MUST(cudaFreeAsync(memory, stream));
    MUST(cudaStreamSynchronize(stream));
    cr_assert_eq(value, 0x01010101);
    MUST(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    cr_assert_eq(used, 0);
    MUST(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &used));
    cr_assert_gt(used, 0);
    MUST(cudaMallocAsync(&memory, 16, stream));
    MUST(cudaFree(memory));
    cr_assert_eq(cudaFreeAsync(memory, stream), cudaErrorInvalidValue);
    MUST(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    threshold = 0;
    MUST(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    cr_assert_eq(threshold, 1 << 20);
}

Test(runtime_memory, a_pool_of_ones_own_becomes_the_devices)
{
    const struct cudaMemPoolProps properties = {.allocType = cudaMemAllocationTypePinned,
                                                .location = {cudaMemLocationTypeDevice, 0}};
    cudaMemPool_t pool, found;
    void *memory;
    unsigned long long used = 0;
    MUST(cudaMemPoolCreate(&pool, &properties));
    MUST(cudaDeviceSetMemPool(0, pool));
    MUST(cudaDeviceGetMemPool(&found, 0));
    cr_assert_eq(found, pool);
    MUST(cudaMallocAsync(&memory, 512, 0));
    MUST(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    cr_assert_gt(used, 0);
    MUST(cudaFreeAsync(memory, 0));
    MUST(cudaDeviceSynchronize());
    MUST(cudaMemPoolDestroy(pool));
    MUST(cudaDeviceGetMemPool(&found, 0));
    cr_assert_neq(found, pool);
}

Test(runtime_memory, memory_pinned_after_a_reset_is_not_taken_for_managed_memory_that_was_there)
{
    struct cudaPointerAttributes of;
    void *managed, *pinned;
    for (int i = 0; i < 8; i++) MUST(cudaMallocManaged(&managed, BYTES, cudaMemAttachGlobal));
    MUST(cudaDeviceReset());
    for (int i = 0; i < 8; i++) {
        MUST(cudaMallocHost(&pinned, BYTES));
        MUST(cudaPointerGetAttributes(&of, pinned));
        cr_assert_eq(of.type, cudaMemoryTypeHost);
    }
}
