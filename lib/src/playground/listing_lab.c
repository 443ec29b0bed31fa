/* Listings in C, with lab.h. */
#include "listing_writer.h"

static void put_kernels(listing_writer *writer)
{
    if (!listing_has(writer, PLAY_KERNEL)) return;
    listing_put(writer, "\nstatic const char source[] =");
    for (int i = -1; listing_next_code(writer, &i, PLAY_KERNEL);) {
        const play_statement *each = &writer->program->statement[i];
        listing_put(writer, "\n    \"extern \\\"C\\\" __global__ void %s(", each->name);
        listing_put_parameters(writer, each);
        listing_put(
            writer,
            ")\\n\"\n    \"{\\n\"\n"
            "    \"    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {\\n\"\n"
            "    \"        ");
        listing_put_body(writer, each);
        listing_put(writer, "\\n\"\n    \"    }\\n\"\n    \"}\\n\"");
    }
    listing_put(writer, ";\n");
}

static void put_host_functions(listing_writer *writer)
{
    for (int i = -1; listing_next_code(writer, &i, PLAY_FUNCTION);)
        listing_put(writer, "\nstatic void %s(void *user) { (void)user; }\n", writer->program->statement[i].name);
}

/* "    lab_stream *one, *two;" */
static void put_declarations(listing_writer *writer, play_kind first, play_kind last, const char *type,
                             const char *star)
{
    const char *between = type;
    for (int i = 0; i < writer->program->statements; i++) {
        const play_statement *each = &writer->program->statement[i];
        if (each->kind < first || each->kind > last) continue;
        listing_put(writer, "%s%s%s", between, star, each->name);
        between = ", ";
    }
    if (between != type) listing_put(writer, ";\n");
}

static void put_functions(listing_writer *writer)
{
    if (!listing_has(writer, PLAY_KERNEL)) return;
    listing_put(writer,
                "    lab_module *module;\n    LAB_CHECK(lab_module_load_source(&module, source, \"play.cu\"));\n");
    for (int i = -1; listing_next_code(writer, &i, PLAY_KERNEL);) {
        const char *name = writer->program->statement[i].name;
        listing_put(writer, "    lab_function %s;\n    LAB_CHECK(lab_module_get_function(&%s, module, \"%s\"));\n",
                    name, name, name);
    }
}

static void put_copy(listing_writer *writer, const play_statement *each)
{
    static const char *const way[] = {"htod", "dtoh", "dtod"};
    char bytes[LISTING_BYTES_WORDS];
    listing_put(writer, "LAB_CHECK(lab_memcpy_%s%s(%s, %s, %s", way[play_direction_of(writer->program, each)],
                each->kind == PLAY_COPY_NOW ? "" : "_async", play_name_of(writer->program, each->use[1].memory),
                play_name_of(writer->program, each->use[0].memory), listing_size(bytes, writer, each));
    if (each->kind == PLAY_COPY) listing_put(writer, ", %s", listing_stream(writer, each));
    listing_put(writer, "));");
}

static void put_launch(listing_writer *writer, const play_statement *each)
{
    listing_put(writer, "LAB_CHECK(lab_launch(%s, LAB_DIM(%d), LAB_DIM(%d), 0, %s, LAB_ARGS(", each->name,
                PLAY_KERNEL_THREADS / PLAY_BLOCK, PLAY_BLOCK, listing_stream(writer, each));
    listing_put_arguments(writer, each, "", ")));");
}

static void put_host_function(listing_writer *writer, const play_statement *each, int number)
{
    char bytes[LISTING_BYTES_WORDS];
    for (int i = 0; i < each->uses; i++) {
        const play_statement *memory = &writer->program->statement[each->use[i].memory];
        listing_put(writer, "LAB_CHECK(lab_next_uses_host(%s, %s, %s));\n    ", memory->name,
                    listing_bytes(bytes, memory->bytes), each->use[i].writes ? "true" : "false");
    }
    listing_mark(writer, number);
    listing_put(writer, "LAB_CHECK(lab_stream_launch_host_func(%s, %s, NULL));", listing_stream(writer, each),
                each->name);
}

static void put_statement(listing_writer *writer, int number)
{
    const play_statement *each = &writer->program->statement[number];
    const char *name = listing_memory(writer, each), *event = listing_event(writer, each);
    char text[LISTING_BYTES_WORDS];
    const char *bytes = listing_size(text, writer, each);
    if (each->kind == PLAY_POOLED || each->kind == PLAY_GRAPH) return; /* a declaration */
    listing_put(writer, "    ");
    listing_mark(writer, number);
    switch (each->kind) {
    case PLAY_STREAM:
    case PLAY_BLOCKING:
        listing_put(writer, "LAB_CHECK(lab_stream_create(&%s, %s));", each->name,
                    each->kind == PLAY_STREAM ? "LAB_STREAM_NON_BLOCKING" : "LAB_STREAM_DEFAULT");
        break;
    case PLAY_EVENT:
        listing_put(writer, "LAB_CHECK(lab_event_create(&%s, LAB_EVENT_DISABLE_TIMING));", each->name);
        break;
    case PLAY_DEVICE: listing_put(writer, "LAB_CHECK(lab_mem_alloc(&%s, %s));", each->name, bytes); break;
    case PLAY_PINNED: listing_put(writer, "LAB_CHECK(lab_host_alloc(&%s, %s));", each->name, bytes); break;
    case PLAY_PAGEABLE: listing_put(writer, "%s = malloc(%s);", each->name, bytes); break;
    case PLAY_COPY:
    case PLAY_COPY_NOW: put_copy(writer, each); break;
    case PLAY_FILL:
        listing_put(writer, "LAB_CHECK(lab_memset_async(%s, 0, %s, %s));", name, bytes, listing_stream(writer, each));
        break;
    case PLAY_KERNEL: put_launch(writer, each); break;
    case PLAY_FUNCTION: put_host_function(writer, each, number); break;
    case PLAY_CAPTURE:
        listing_put(writer, "LAB_CHECK(lab_stream_begin_capture(%s, LAB_CAPTURE_GLOBAL));",
                    listing_stream(writer, each));
        break;
    case PLAY_END:
        listing_put(writer,
                    "LAB_CHECK(lab_stream_end_capture(&captured, %s));\n"
                    "    LAB_CHECK(lab_graph_instantiate(&%s, captured));",
                    listing_stream(writer, each), listing_graph(writer, each));
        break;
    case PLAY_LAUNCH:
        listing_put(writer, "LAB_CHECK(lab_graph_launch(%s, %s));", listing_graph(writer, each),
                    listing_stream(writer, each));
        break;
    case PLAY_ALLOC:
        listing_put(writer, "LAB_CHECK(lab_mempool_alloc(&%s, NULL, %s, %s));", name, bytes,
                    listing_stream(writer, each));
        break;
    case PLAY_FREE:
        listing_put(writer, "LAB_CHECK(lab_mempool_free(NULL, %s, %s));", name, listing_stream(writer, each));
        break;
    case PLAY_RECORD:
        listing_put(writer, "LAB_CHECK(lab_event_record(%s, %s));", event, listing_stream(writer, each));
        break;
    case PLAY_WAIT:
        listing_put(writer, "LAB_CHECK(lab_stream_wait_event(%s, %s));", listing_stream(writer, each), event);
        break;
    case PLAY_SYNC:
        if (each->event >= 0)
            listing_put(writer, "LAB_CHECK(lab_event_synchronize(%s));", event);
        else
            listing_put(writer, "LAB_CHECK(lab_stream_synchronize(%s));", listing_stream(writer, each));
        break;
    case PLAY_SYNC_DEVICE: listing_put(writer, "LAB_CHECK(lab_device_synchronize());"); break;
    case PLAY_HOST:
        listing_put(writer, "LAB_CHECK(lab_host_%s(%s, %s)); /* the program's own code */",
                    each->use[0].writes ? "writes" : "reads", name, bytes);
        break;
    case PLAY_GRAPH:
    case PLAY_POOLED:
    case PLAY_KINDS: break;
    }
    listing_put(writer, "\n");
}

void listing_write_lab(listing_writer *writer)
{
    writer->null_stream = "NULL";
    listing_put(writer, "#include \"lab.h\"\n");
    if (listing_has(writer, PLAY_PAGEABLE)) listing_put(writer, "\n#include <stdlib.h>\n");
    put_kernels(writer);
    put_host_functions(writer);
    listing_put(writer, "\nint main(void)\n{\n");
    put_declarations(writer, PLAY_STREAM, PLAY_BLOCKING, "    lab_stream ", "*");
    put_declarations(writer, PLAY_EVENT, PLAY_EVENT, "    lab_event ", "*");
    put_declarations(writer, PLAY_GRAPH, PLAY_GRAPH, "    lab_graph_exec ", "*");
    if (listing_has(writer, PLAY_GRAPH)) listing_put(writer, "    lab_graph *captured;\n");
    put_declarations(writer, PLAY_POOLED, PLAY_DEVICE, "    lab_deviceptr ", "");
    put_declarations(writer, PLAY_PINNED, PLAY_PAGEABLE, "    void ", "*");
    put_functions(writer);
    for (int i = 0; i < writer->program->statements; i++) put_statement(writer, i);
    listing_put(writer, "    return 0;\n}\n");
}
