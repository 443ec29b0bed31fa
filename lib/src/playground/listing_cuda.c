/* Listings in CUDA C++, for nvcc and labcc. */
#include "listing_writer.h"

static const char *stream_of(const listing_writer *writer, const play_statement *each)
{
    return each->stream == PLAY_NULL ? "nullptr" : play_name_of(writer->program, each->stream);
}

static const char check[] = "#include <cstdio>\n"
                            "#include <cstdlib>\n"
                            "#include <cuda_runtime.h>\n\n"
                            "static void check(cudaError_t status)\n"
                            "{\n"
                            "    if (status == cudaSuccess) return;\n"
                            "    std::printf(\"%s\\n\", cudaGetErrorString(status));\n"
                            "    std::exit(1);\n"
                            "}\n";

static void put_kernels(listing_writer *writer)
{
    for (int i = -1; listing_next_code(writer, &i, PLAY_KERNEL);) {
        const play_statement *each = &writer->program->statement[i];
        listing_put(writer, "\n__global__ void %s(", each->name);
        listing_put_parameters(writer, each);
        listing_put(
            writer,
            ")\n{\n    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {\n"
            "        ");
        listing_put_body(writer, each);
        listing_put(writer, "\n    }\n}\n");
    }
}

/* Without uses of the memory of their own: what they use is on the page. */
static void put_host_functions(listing_writer *writer)
{
    for (int i = -1; listing_next_code(writer, &i, PLAY_FUNCTION);)
        listing_put(writer, "\nstatic void %s(void *) {}\n", writer->program->statement[i].name);
    if (!listing_has(writer, PLAY_HOST)) return;
    listing_put(
        writer,
        "\nstatic float seen;\n"
        "static void read_all(const float *memory, size_t count) { for (size_t i = 0; i < count; i++) seen += "
        "memory[i]; }\n"
        "static void write_all(float *memory, size_t count) { for (size_t i = 0; i < count; i++) memory[i] = 1; }\n");
}

static void put_launch(listing_writer *writer, const play_statement *each)
{
    listing_put(writer, "%s<<<%d, %d, 0, %s>>>(", each->name, PLAY_KERNEL_THREADS / PLAY_BLOCK, PLAY_BLOCK,
                stream_of(writer, each));
    for (int i = 0; i < each->uses; i++)
        listing_put(writer, "%s, ", play_name_of(writer->program, each->use[i].memory));
    listing_put(writer, "%zu);", play_bytes_of(writer->program, each) / sizeof(float));
}

static void put_copy(listing_writer *writer, const play_statement *each)
{
    static const char *const way[] = {"cudaMemcpyHostToDevice", "cudaMemcpyDeviceToHost", "cudaMemcpyDeviceToDevice"};
    char bytes[LISTING_BYTES_WORDS];
    const bool now = each->kind == PLAY_COPY_NOW;
    listing_put(writer, "check(cudaMemcpy%s(%s, %s, %s, %s", now ? "" : "Async",
                play_name_of(writer->program, each->use[1].memory), play_name_of(writer->program, each->use[0].memory),
                listing_bytes(bytes, play_bytes_of(writer->program, each)),
                way[play_direction_of(writer->program, each)]);
    if (!now) listing_put(writer, ", %s", stream_of(writer, each));
    listing_put(writer, "));");
}

static void put_statement(listing_writer *writer, int number)
{
    const play_statement *each = &writer->program->statement[number];
    const char *name = each->uses ? play_name_of(writer->program, each->use[0].memory) : "";
    const char *event = each->event >= 0 ? play_name_of(writer->program, each->event) : "";
    char text[LISTING_BYTES_WORDS];
    const char *bytes = listing_bytes(text, each->uses ? play_bytes_of(writer->program, each) : each->bytes);
    listing_put(writer, "    ");
    listing_mark(writer, number);
    switch (each->kind) {
    case PLAY_STREAM:
        listing_put(writer, "cudaStream_t %s; check(cudaStreamCreateWithFlags(&%s, cudaStreamNonBlocking));",
                    each->name, each->name);
        break;
    case PLAY_BLOCKING:
        listing_put(writer, "cudaStream_t %s; check(cudaStreamCreate(&%s));", each->name, each->name);
        break;
    case PLAY_EVENT:
        listing_put(writer, "cudaEvent_t %s; check(cudaEventCreateWithFlags(&%s, cudaEventDisableTiming));", each->name,
                    each->name);
        break;
    case PLAY_DEVICE:
        listing_put(writer, "float *%s; check(cudaMalloc(&%s, %s));", each->name, each->name, bytes);
        break;
    case PLAY_PINNED:
        listing_put(writer, "float *%s; check(cudaMallocHost(&%s, %s));", each->name, each->name, bytes);
        break;
    case PLAY_PAGEABLE: listing_put(writer, "float *%s = (float *)malloc(%s);", each->name, bytes); break;
    case PLAY_COPY:
    case PLAY_COPY_NOW: put_copy(writer, each); break;
    case PLAY_FILL:
        listing_put(writer, "check(cudaMemsetAsync(%s, 0, %s, %s));", name, bytes, stream_of(writer, each));
        break;
    case PLAY_KERNEL: put_launch(writer, each); break;
    case PLAY_FUNCTION:
        listing_put(writer, "check(cudaLaunchHostFunc(%s, %s, nullptr));", stream_of(writer, each), each->name);
        break;
    case PLAY_RECORD: listing_put(writer, "check(cudaEventRecord(%s, %s));", event, stream_of(writer, each)); break;
    case PLAY_WAIT:
        listing_put(writer, "check(cudaStreamWaitEvent(%s, %s, 0));", stream_of(writer, each), event);
        break;
    case PLAY_SYNC:
        if (each->event >= 0)
            listing_put(writer, "check(cudaEventSynchronize(%s));", event);
        else
            listing_put(writer, "check(cudaStreamSynchronize(%s));", stream_of(writer, each));
        break;
    case PLAY_SYNC_DEVICE: listing_put(writer, "check(cudaDeviceSynchronize());"); break;
    case PLAY_HOST:
        listing_put(writer, "%s(%s, %zu);", each->use[0].writes ? "write_all" : "read_all", name,
                    play_bytes_of(writer->program, each) / sizeof(float));
        break;
    case PLAY_KINDS: break;
    }
    listing_put(writer, "\n");
}

void listing_write_cuda(listing_writer *writer)
{
    listing_put(writer, "%s", check);
    put_kernels(writer);
    put_host_functions(writer);
    listing_put(writer, "\nint main()\n{\n");
    for (int i = 0; i < writer->program->statements; i++) put_statement(writer, i);
    listing_put(writer, "    return 0;\n}\n");
}
