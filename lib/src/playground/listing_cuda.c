/* Listings in CUDA C++, for nvcc and labcc. */
#include "listing_writer.h"

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
        listing_put(writer, "\n");
        listing_put_kernel(writer, &writer->program->statement[i]);
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
                listing_stream(writer, each));
    listing_put_arguments(writer, each, "", ");");
}

static void put_copy(listing_writer *writer, const play_statement *each)
{
    static const char *const way[] = {"cudaMemcpyHostToDevice", "cudaMemcpyDeviceToHost", "cudaMemcpyDeviceToDevice"};
    char bytes[LISTING_BYTES_WORDS];
    const bool now = each->kind == PLAY_COPY_NOW;
    listing_put(writer, "check(cudaMemcpy%s(%s, %s, %s, %s", now ? "" : "Async",
                play_name_of(writer->program, each->use[1].memory), play_name_of(writer->program, each->use[0].memory),
                listing_size(bytes, writer, each), way[play_direction_of(writer->program, each)]);
    if (!now) listing_put(writer, ", %s", listing_stream(writer, each));
    listing_put(writer, "));");
}

static void put_statement(listing_writer *writer, int number)
{
    const play_statement *each = &writer->program->statement[number];
    const char *name = listing_memory(writer, each), *event = listing_event(writer, each);
    char text[LISTING_BYTES_WORDS];
    const char *bytes = listing_size(text, writer, each);
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
    case PLAY_GRAPH: listing_put(writer, "cudaGraphExec_t %s;", each->name); break;
    case PLAY_POOLED: listing_put(writer, "float *%s;", each->name); break;
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
        listing_put(writer, "check(cudaMemsetAsync(%s, 0, %s, %s));", name, bytes, listing_stream(writer, each));
        break;
    case PLAY_KERNEL: put_launch(writer, each); break;
    case PLAY_FUNCTION:
        listing_put(writer, "check(cudaLaunchHostFunc(%s, %s, nullptr));", listing_stream(writer, each), each->name);
        break;
    case PLAY_CAPTURE:
        listing_put(writer, "check(cudaStreamBeginCapture(%s, cudaStreamCaptureModeGlobal));",
                    listing_stream(writer, each));
        break;
    case PLAY_END:
        listing_put(writer,
                    "check(cudaStreamEndCapture(%s, &captured));\n    check(cudaGraphInstantiate(&%s, captured, 0));",
                    listing_stream(writer, each), listing_graph(writer, each));
        break;
    case PLAY_LAUNCH:
        listing_put(writer, "check(cudaGraphLaunch(%s, %s));", listing_graph(writer, each),
                    listing_stream(writer, each));
        break;
    case PLAY_ALLOC:
        listing_put(writer, "check(cudaMallocAsync(&%s, %s, %s));", name, bytes, listing_stream(writer, each));
        break;
    case PLAY_FREE: listing_put(writer, "check(cudaFreeAsync(%s, %s));", name, listing_stream(writer, each)); break;
    case PLAY_RECORD:
        listing_put(writer, "check(cudaEventRecord(%s, %s));", event, listing_stream(writer, each));
        break;
    case PLAY_WAIT:
        listing_put(writer, "check(cudaStreamWaitEvent(%s, %s, 0));", listing_stream(writer, each), event);
        break;
    case PLAY_SYNC:
        if (each->event >= 0)
            listing_put(writer, "check(cudaEventSynchronize(%s));", event);
        else
            listing_put(writer, "check(cudaStreamSynchronize(%s));", listing_stream(writer, each));
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
    writer->null_stream = "nullptr";
    listing_put(writer, "%s", check);
    put_kernels(writer);
    put_host_functions(writer);
    listing_put(writer, "\nint main()\n{\n");
    if (listing_has(writer, PLAY_GRAPH)) listing_put(writer, "    cudaGraph_t captured;\n");
    for (int i = 0; i < writer->program->statements; i++) put_statement(writer, i);
    listing_put(writer, "    return 0;\n}\n");
}
