/* Graphs as DOT files: the file's contents, and that it appears whole or not at all. */
#include "test.h"
#include "test_folder.h"

#include "lab.h"

#include <stdio.h>

/* A fill, next to it a kernel, and a copy after both. */
static lab_graph *capture_join(void)
{
    static float host[4];
    lab_stream *stream, *fork;
    lab_event *event;
    lab_module *module;
    lab_function kernel;
    lab_deviceptr memory;
    lab_graph *graph;
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_DEFAULT));
    LAB_CHECK(lab_stream_create(&fork, LAB_STREAM_DEFAULT));
    LAB_CHECK(lab_event_create(&event, LAB_EVENT_DISABLE_TIMING));
    LAB_CHECK(lab_module_load_source(&module, "extern \"C\" __global__ void work() {}", NULL));
    LAB_CHECK(lab_module_get_function(&kernel, module, "work"));
    LAB_CHECK(lab_mem_alloc(&memory, sizeof host));
    LAB_CHECK(lab_stream_begin_capture(stream, LAB_CAPTURE_RELAXED));
    LAB_CHECK(lab_event_record(event, stream));
    LAB_CHECK(lab_stream_wait_event(fork, event));
    LAB_CHECK(lab_memset_async(memory, 0, sizeof host, stream));
    LAB_CHECK(lab_launch(kernel, LAB_DIM(3, 2), LAB_DIM(32), 0, fork, LAB_NO_ARGS));
    LAB_CHECK(lab_event_record(event, fork));
    LAB_CHECK(lab_stream_wait_event(stream, event));
    LAB_CHECK(lab_memcpy_dtoh_async(host, memory, sizeof host, stream));
    LAB_CHECK(lab_stream_launch_host_func(stream, free, NULL));
    LAB_CHECK(lab_stream_end_capture(&graph, stream));
    return graph;
}

static void read_text(char *out, size_t bytes, const char *path)
{
    FILE *file = fopen(path, "re");
    cr_assert_not_null(file, "%s", path);
    out[fread(out, 1, bytes - 1, file)] = '\0';
    fclose(file);
}

Test(graph_dot, names_every_node_and_edge)
{
    char text[2048];
    test_folder folder = test_folder_make("graph.dot");
    LAB_CHECK(lab_graph_save_dot(capture_join(), folder.file));
    read_text(text, sizeof text, folder.file);
    cr_assert_str_eq(text, "digraph graph_1 {\n"
                           "    n0 [shape=box, style=rounded, label=\"0: fill\\n16 bytes\"];\n"
                           "    n1 [shape=box, label=\"1: work\\n3 x 2 x 1 blocks of 32 x 1 x 1\"];\n"
                           "    n2 [shape=box, style=rounded, label=\"2: copy dtoh\\n16 bytes\"];\n"
                           "    n3 [shape=ellipse, label=\"3: host function\"];\n"
                           "    n0 -> n2;\n"
                           "    n1 -> n2;\n"
                           "    n2 -> n3;\n"
                           "}\n");
    cr_assert_eq(test_folder_remove(&folder), 1);
}

Test(graph_dot, leaves_nothing_where_it_cannot_be_written)
{
    test_folder folder = test_folder_make("none/graph.dot");
    cr_assert_eq(lab_graph_save_dot(capture_join(), folder.file), LAB_ERROR_IO);
    cr_assert_eq(test_folder_remove(&folder), 0);
}
