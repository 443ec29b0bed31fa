/* Listings in Python, with CuPy. */
#include "listing_writer.h"

static void put_kernels(listing_writer *writer)
{
    for (int i = -1; listing_next_code(writer, &i, PLAY_KERNEL);) {
        const play_statement *each = &writer->program->statement[i];
        listing_put(writer, "\n%s = cp.RawKernel(r\"\"\"\nextern \"C\" ", each->name);
        listing_put_kernel(writer, each);
        listing_put(writer, "\"\"\", \"%s\")\n", each->name);
    }
    for (int i = -1; listing_next_code(writer, &i, PLAY_FUNCTION);)
        listing_put(writer, "\n\ndef %s(user):\n    pass\n", writer->program->statement[i].name);
}

/* CuPy's own arrays return to the stream that they came from; CUDA's calls name one. */
static const char pool[] =
    "\n\ndef alloc(count, stream):\n"
    "    memory = cp.cuda.UnownedMemory(cp.cuda.runtime.mallocAsync(4 * count, stream.ptr), 4 * count, None)\n"
    "    return cp.ndarray(count, np.float32, cp.cuda.MemoryPointer(memory, 0))\n";

/* The memory, or as much of it as the statement uses: "a" or "a[:1024]". */
static void put_part(listing_writer *writer, const play_statement *each, int use)
{
    const play_statement *memory = &writer->program->statement[each->use[use].memory];
    const size_t bytes = play_bytes_of(writer->program, each);
    listing_put(writer, "%s", memory->name);
    if (bytes < memory->bytes) listing_put(writer, "[:%zu]", bytes / sizeof(float));
}

static void put_copy(listing_writer *writer, const play_statement *each)
{
    const bool now = each->kind == PLAY_COPY_NOW;
    switch (play_direction_of(writer->program, each)) {
    case PLAY_HTOD:
        put_part(writer, each, 1);
        listing_put(writer, ".set(");
        put_part(writer, each, 0);
        if (!now) listing_put(writer, ", stream=%s", listing_stream(writer, each));
        break;
    case PLAY_DTOH:
        put_part(writer, each, 0);
        listing_put(writer, ".get(");
        if (!now) listing_put(writer, "stream=%s, blocking=False, ", listing_stream(writer, each));
        listing_put(writer, "out=");
        put_part(writer, each, 1);
        break;
    case PLAY_DTOD:
        listing_put(writer, "with %s: cp.copyto(", listing_stream(writer, each));
        put_part(writer, each, 1);
        listing_put(writer, ", ");
        put_part(writer, each, 0);
        break;
    }
    listing_put(writer, ")");
}

static void put_launch(listing_writer *writer, const play_statement *each)
{
    listing_put(writer, "with %s: %s((%d,), (%d,), (", listing_stream(writer, each), each->name,
                PLAY_KERNEL_THREADS / PLAY_BLOCK, PLAY_BLOCK);
    listing_put_arguments(writer, each, "np.int32(", ")))");
}

static void put_statement(listing_writer *writer, int number)
{
    const play_statement *each = &writer->program->statement[number];
    const char *name = listing_memory(writer, each), *event = listing_event(writer, each);
    const size_t count = each->bytes / sizeof(float);
    if (each->kind == PLAY_POOLED || each->kind == PLAY_GRAPH) return; /* a name, which needs no declaration */
    listing_mark(writer, number);
    switch (each->kind) {
    case PLAY_STREAM: listing_put(writer, "%s = cp.cuda.Stream(non_blocking=True)", each->name); break;
    case PLAY_BLOCKING: listing_put(writer, "%s = cp.cuda.Stream()", each->name); break;
    case PLAY_EVENT: listing_put(writer, "%s = cp.cuda.Event(disable_timing=True)", each->name); break;
    case PLAY_DEVICE: listing_put(writer, "%s = cp.empty(%zu, np.float32)", each->name, count); break;
    case PLAY_PINNED: listing_put(writer, "%s = cupyx.empty_pinned(%zu, np.float32)", each->name, count); break;
    case PLAY_PAGEABLE: listing_put(writer, "%s = np.empty(%zu, np.float32)", each->name, count); break;
    case PLAY_COPY:
    case PLAY_COPY_NOW: put_copy(writer, each); break;
    case PLAY_FILL: listing_put(writer, "with %s: %s.fill(0)", listing_stream(writer, each), name); break;
    case PLAY_KERNEL: put_launch(writer, each); break;
    case PLAY_FUNCTION:
        listing_put(writer, "%s.launch_host_func(%s, None)", listing_stream(writer, each), each->name);
        break;
    case PLAY_CAPTURE: listing_put(writer, "%s.begin_capture()", listing_stream(writer, each)); break;
    case PLAY_END:
        listing_put(writer, "%s = %s.end_capture()", listing_graph(writer, each), listing_stream(writer, each));
        break;
    case PLAY_LAUNCH:
        listing_put(writer, "%s.launch(%s)", listing_graph(writer, each), listing_stream(writer, each));
        break;
    case PLAY_ALLOC:
        listing_put(writer, "%s = alloc(%zu, %s)", name, play_bytes_of(writer->program, each) / sizeof(float),
                    listing_stream(writer, each));
        break;
    case PLAY_FREE:
        listing_put(writer, "cp.cuda.runtime.freeAsync(%s.data.ptr, %s.ptr)", name, listing_stream(writer, each));
        break;
    case PLAY_RECORD: listing_put(writer, "%s.record(%s)", event, listing_stream(writer, each)); break;
    case PLAY_WAIT: listing_put(writer, "%s.wait_event(%s)", listing_stream(writer, each), event); break;
    case PLAY_SYNC:
        listing_put(writer, "%s.synchronize()", each->event >= 0 ? event : listing_stream(writer, each));
        break;
    case PLAY_SYNC_DEVICE: listing_put(writer, "cp.cuda.Device().synchronize()"); break;
    case PLAY_HOST: listing_put(writer, each->use[0].writes ? "%s[:] = 1" : "print(%s.sum())", name); break;
    case PLAY_GRAPH:
    case PLAY_POOLED:
    case PLAY_KINDS: break;
    }
    listing_put(writer, "\n");
}

void listing_write_cupy(listing_writer *writer)
{
    writer->null_stream = "cp.cuda.Stream.null";
    listing_put(writer, "import cupy as cp\n");
    if (listing_has(writer, PLAY_PINNED)) listing_put(writer, "import cupyx\n");
    listing_put(writer, "import numpy as np\n");
    put_kernels(writer);
    if (listing_has(writer, PLAY_ALLOC)) listing_put(writer, "%s\n", pool);
    listing_put(writer, "\n");
    for (int i = 0; i < writer->program->statements; i++) put_statement(writer, i);
}
