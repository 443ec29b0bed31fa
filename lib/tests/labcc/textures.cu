// Fetches at drawn coordinates from textures of every kind: each line has a sum of all results, the same on a GPU. With
// an argument the program prints every fetch.
#include <cstdio>
#include <cstdint>
#include <cstring>
#include <vector>

enum { FETCHES = 128, WIDTH = 13, ROWS = 6, LAYERS = 3, PITCH = 256 };

// ---- Kernels: whatever a texel is, its registers are read as they are ----

__global__ void fetch_1d(cudaTextureObject_t t, const float4 *at, uint4 *to)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = tex1D<uint4>(t, at[i].x);
}
__global__ void fetch_2d(cudaTextureObject_t t, const float4 *at, uint4 *to)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = tex2D<uint4>(t, at[i].x, at[i].y);
}
__global__ void fetch_3d(cudaTextureObject_t t, const float4 *at, uint4 *to)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = tex3D<uint4>(t, at[i].x, at[i].y, at[i].z);
}
__global__ void fetch_layers(cudaTextureObject_t t, const float4 *at, uint4 *to)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = tex2DLayered<uint4>(t, at[i].x, at[i].y, i % LAYERS);
}
__global__ void fetch_number(cudaTextureObject_t t, const float4 *at, uint4 *to)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = tex1Dfetch<uint4>(t, (int)at[i].w);
}

typedef void fetching(cudaTextureObject_t, const float4 *, uint4 *);

// ---- Formats and kinds ----

struct format {
    const char *name;
    cudaChannelFormatDesc is;
    int channels, bytes; // bytes of a channel
};

template <class T> format format_of(const char *name, int channels)
{
    return {name, cudaCreateChannelDesc<T>(), channels, (int)sizeof(T) / channels};
}

struct kind {
    const char *name;
    fetching *kernel;
    int dimensions;
    bool is_linear, is_pitched;
};

static const char *const mode_names[] = {"wrap", "clamp", "mirror", "border"};

static unsigned drawn(unsigned &state)
{
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

// A coordinate up to two extents outside: anywhere, or close to a texel's edge or centre.
static float coordinate(unsigned &state, int extent, bool normalized)
{
    const unsigned how = drawn(state) % 4;
    double x = (double)(drawn(state) % (5 * extent * 1024)) / 1024 - 2 * extent;
    if (how == 1) x = (double)(drawn(state) % (10 * extent)) / 2 - 2 * extent;
    if (how == 2) x = (double)(drawn(state) % (10 * extent)) / 2 - 2 * extent + (double)(drawn(state) % 9) / 2048;
    return (float)(normalized ? x / extent : x);
}

static bool prints_all;
static float4 *device_at;
static uint4 *device_to;

static uint64_t run(const kind &k, const format &f, cudaTextureObject_t texture, bool normalized, unsigned seed,
                    const char *modes, uint64_t sum)
{
    std::vector<float4> at(FETCHES);
    std::vector<uint4> got(FETCHES);
    unsigned state = seed;
    for (float4 &each : at) {
        each.x = coordinate(state, WIDTH, normalized), each.y = coordinate(state, ROWS, normalized);
        each.z = coordinate(state, LAYERS, normalized), each.w = (float)((int)(drawn(state) % (2 * WIDTH)) - WIDTH / 2);
    }
    cudaMemcpy(device_at, at.data(), FETCHES * sizeof(float4), cudaMemcpyHostToDevice);
    k.kernel<<<FETCHES / 64, 64>>>(texture, device_at, device_to);
    cudaMemcpy(got.data(), device_to, FETCHES * sizeof(uint4), cudaMemcpyDeviceToHost);
    for (int i = 0; i < FETCHES; i++) {
        const unsigned words[] = {got[i].x, got[i].y, got[i].z, got[i].w};
        for (int channel = 0; channel < f.channels; channel++) sum = (sum ^ words[channel]) * 0x100000001b3u;
        if (prints_all)
            printf("%s %s %s: %.9g %.9g %.9g %g: %08x %08x %08x %08x\n", k.name, f.name, modes, at[i].x, at[i].y,
                   at[i].z, at[i].w, words[0], words[1], words[2], words[3]);
    }
    return sum;
}

// Texels: numbers for floats, all bits for integers.
static std::vector<unsigned char> texels(const format &f)
{
    std::vector<unsigned char> bytes(WIDTH * ROWS * LAYERS * f.channels * f.bytes);
    unsigned state = 7;
    for (size_t i = 0; i < bytes.size(); i += f.bytes) {
        const unsigned bits = drawn(state) << 8 ^ drawn(state);
        const float number = (float)((int)bits >> 4) / 65536;
        memcpy(&bytes[i], f.is.f == cudaChannelFormatKindFloat ? (const void *)&number : &bits, f.bytes);
    }
    return bytes;
}

static cudaResourceDesc resource_of(const kind &k, const format &f, void **memory, cudaArray_t *array)
{
    cudaResourceDesc resource = {};
    const std::vector<unsigned char> bytes = texels(f);
    const size_t row = WIDTH * f.channels * f.bytes;
    if (k.is_linear) {
        cudaMalloc(memory, row);
        cudaMemcpy(*memory, bytes.data(), row, cudaMemcpyHostToDevice);
        resource.resType = cudaResourceTypeLinear;
        resource.res.linear.devPtr = *memory, resource.res.linear.desc = f.is, resource.res.linear.sizeInBytes = row;
    } else if (k.is_pitched) {
        cudaMalloc(memory, PITCH * ROWS);
        cudaMemcpy2D(*memory, PITCH, bytes.data(), row, row, ROWS, cudaMemcpyHostToDevice);
        resource.resType = cudaResourceTypePitch2D;
        resource.res.pitch2D.devPtr = *memory, resource.res.pitch2D.desc = f.is;
        resource.res.pitch2D.width = WIDTH, resource.res.pitch2D.height = ROWS;
        resource.res.pitch2D.pitchInBytes = PITCH;
    } else {
        const bool is_layered = k.kernel == fetch_layers;
        const cudaExtent extent = {WIDTH, (size_t)(k.dimensions > 1 ? ROWS : 0),
                                   (size_t)(k.dimensions > 2 || is_layered ? LAYERS : 0)};
        cudaMemcpy3DParms copy = {};
        cudaMalloc3DArray(array, &f.is, extent, is_layered ? cudaArrayLayered : 0);
        copy.srcPtr = make_cudaPitchedPtr((void *)bytes.data(), row, WIDTH, ROWS);
        copy.dstArray = *array;
        copy.extent = {WIDTH, extent.height ? extent.height : 1, extent.depth ? extent.depth : 1};
        copy.kind = cudaMemcpyHostToDevice;
        cudaMemcpy3D(&copy);
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = *array;
    }
    return resource;
}

// One line: all address modes, with plain and normalized coordinates.
static void run_all(const kind &k, const format &f, cudaTextureReadMode read, cudaTextureFilterMode filter)
{
    void *memory = nullptr;
    cudaArray_t array = nullptr;
    uint64_t sum = 0xcbf29ce484222325u;
    const cudaResourceDesc resource = resource_of(k, f, &memory, &array);
    for (int mode = cudaAddressModeWrap; mode <= cudaAddressModeBorder; mode++)
        for (int normalized = 0; normalized <= !k.is_linear; normalized++) {
            char modes[64];
            cudaTextureObject_t texture = 0;
            cudaTextureDesc description = {};
            for (int axis = 0; axis < 3; axis++)
                description.addressMode[axis] = (cudaTextureAddressMode)((mode + axis) % 4);
            description.addressMode[0] = (cudaTextureAddressMode)mode;
            description.readMode = read, description.filterMode = filter, description.normalizedCoords = normalized;
            snprintf(modes, sizeof modes, "%s %s %s %s", read ? "number" : "element", filter ? "linear" : "point",
                     mode_names[mode], normalized ? "normalized" : "plain");
            if (cudaCreateTextureObject(&texture, &resource, &description, nullptr) != cudaSuccess) {
                printf("%s %s %s: %s\n", k.name, f.name, modes, cudaGetErrorName(cudaGetLastError()));
                continue;
            }
            sum = run(k, f, texture, normalized, (unsigned)mode * 2 + (unsigned)normalized, modes, sum);
            cudaDestroyTextureObject(texture);
        }
    printf("%s %s %s %s: %016llx\n", k.name, f.name, read ? "number" : "element", filter ? "linear" : "point",
           (unsigned long long)sum);
    cudaFree(memory);
    if (array) cudaFreeArray(array);
}

// ---- The types that a fetch gives, and surfaces ----

__global__ void typed(cudaTextureObject_t bytes, cudaSurfaceObject_t surface, float *to)
{
    const int x = threadIdx.x, y = threadIdx.y;
    const uchar4 all = tex2D<uchar4>(bytes, x + 0.5f, y + 0.5f);
    char2 two;
    tex2D(&two, bytes, x + 0.5f, y + 0.5f);
    const int before = surf2Dread<int>(surface, x * 4, y);
    surf2Dwrite(before + all.x, surface, x * 4, y);
    const int outside = surf2Dread<int>(surface, (int)(x + blockDim.x) * 4, y, cudaBoundaryModeZero);
    to[y * blockDim.x + x] = all.w - 0.5f * two.y + outside;
}

static void run_typed()
{
    const int width = 8, height = 4;
    uchar4 texel[height][width];
    int number[height][width];
    float got[height][width], *to;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            texel[y][x] = make_uchar4(x * 30, 200 + y, 3, x + y);
            number[y][x] = 100 * y + x;
        }
    cudaArray_t bytes, numbers;
    const cudaChannelFormatDesc of_bytes = cudaCreateChannelDesc<uchar4>(), of_numbers = cudaCreateChannelDesc<int>();
    cudaMallocArray(&bytes, &of_bytes, width, height);
    cudaMallocArray(&numbers, &of_numbers, width, height, cudaArraySurfaceLoadStore);
    cudaMemcpy2DToArray(bytes, 0, 0, texel, sizeof texel[0], sizeof texel[0], height, cudaMemcpyHostToDevice);
    cudaMemcpy2DToArray(numbers, 0, 0, number, sizeof number[0], sizeof number[0], height, cudaMemcpyHostToDevice);
    cudaResourceDesc resource = {};
    cudaTextureDesc description = {};
    cudaTextureObject_t texture;
    cudaSurfaceObject_t surface;
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = bytes;
    cudaCreateTextureObject(&texture, &resource, &description, nullptr);
    resource.res.array.array = numbers;
    cudaCreateSurfaceObject(&surface, &resource);
    cudaMalloc(&to, sizeof got);
    typed<<<1, dim3(width, height)>>>(texture, surface, to);
    cudaMemcpy(got, to, sizeof got, cudaMemcpyDeviceToHost);
    cudaMemcpy2DFromArray(number, sizeof number[0], numbers, 0, 0, sizeof number[0], height, cudaMemcpyDeviceToHost);
    printf("typed: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    for (int y = 0; y < height; y++) printf("%d %d, %g\n", number[y][1], number[y][7], got[y][7]);
    cudaDestroySurfaceObject(surface);
    cudaDestroyTextureObject(texture);
    cudaFreeArray(bytes);
    cudaFreeArray(numbers);
    cudaFree(to);
}

int main(int count, char **)
{
    const kind kinds[] = {{"1d", fetch_1d, 1, false, false},         {"2d", fetch_2d, 2, false, false},
                          {"pitched", fetch_2d, 2, false, true},     {"3d", fetch_3d, 3, false, false},
                          {"layers", fetch_layers, 2, false, false}, {"linear", fetch_number, 1, true, false}};
    const format formats[] = {
        format_of<unsigned char>("uchar", 1),   format_of<char4>("char4", 4),   format_of<short2>("short2", 2),
        format_of<unsigned short>("ushort", 1), format_of<int4>("int4", 4),     format_of<unsigned>("uint", 1),
        format_of<float>("float", 1),           format_of<float2>("float2", 2), format_of<float4>("float4", 4)};
    prints_all = count > 1;
    cudaMalloc(&device_at, FETCHES * sizeof(float4));
    cudaMalloc(&device_to, FETCHES * sizeof(uint4));
    for (const kind &k : kinds)
        for (const format &f : formats) {
            const bool is_float = f.is.f == cudaChannelFormatKindFloat;
            run_all(k, f, cudaReadModeElementType, cudaFilterModePoint);
            if (!is_float && f.bytes < 4) run_all(k, f, cudaReadModeNormalizedFloat, cudaFilterModePoint);
            if (!k.is_linear && (is_float || f.bytes < 4))
                run_all(k, f, is_float ? cudaReadModeElementType : cudaReadModeNormalizedFloat, cudaFilterModeLinear);
        }
    run_typed();
    cudaFree(device_at);
    cudaFree(device_to);
}
