/* Variables of modules, found by name: device memory that belongs to the module (CUDA Driver API, "Module Management";
 * CUDA C++ Programming Guide, "Variable Memory Space Specifiers"). */
#include "lab.h"
#include "test.h"

#include <string.h>

static const char SOURCE[] =
    "__constant__ float table[4] = {1, 2, 3, 4};\n"
    "__device__ int calls;\n"
    "static __device__ int own;\n"
    "namespace inner { __device__ int hidden; }\n"
    "extern \"C\" __global__ void read(float *out) { out[threadIdx.x] = table[threadIdx.x]; }\n"
    "extern \"C\" __global__ void count(int *to) { to[0] = ++calls + own + inner::hidden; }\n";

typedef struct bed {
    lab_module *module;
    lab_function read, count;
    lab_deviceptr table, calls;
    size_t table_bytes, calls_bytes;
} bed;

static bed load(void)
{
    bed made;
    LAB_CHECK(lab_module_load_source(&made.module, SOURCE, NULL));
    LAB_CHECK(lab_module_get_function(&made.read, made.module, "read"));
    LAB_CHECK(lab_module_get_function(&made.count, made.module, "count"));
    LAB_CHECK(lab_module_get_global(&made.table, &made.table_bytes, made.module, "table"));
    LAB_CHECK(lab_module_get_global(&made.calls, &made.calls_bytes, made.module, "calls"));
    return made;
}

/* Reads the table with a kernel. */
static void read_table(float out[4], const bed *loaded)
{
    lab_array *array;
    LAB_CHECK(lab_array_empty(&array, LAB_FLOAT32, LAB_SHAPE(4)));
    LAB_CHECK(lab_launch(loaded->read, LAB_DIM(1), LAB_DIM(4), 0, NULL, LAB_ARGS(array)));
    LAB_CHECK(lab_array_get(array, out));
    LAB_CHECK(lab_array_destroy(array));
}

/* CUDA Driver API, Module Management: cuModuleGetGlobal returns the base pointer and the size of the global. */
Test(module_global, has_an_address_and_the_size_of_the_variable)
{
    bed loaded = load();
    cr_assert_eq(loaded.table_bytes, 4 * sizeof(float));
    cr_assert_eq(loaded.calls_bytes, sizeof(int));
    cr_assert(loaded.table && loaded.calls && loaded.table != loaded.calls);
    lab_deviceptr again;
    size_t bytes;
    LAB_CHECK(lab_module_get_global(&again, &bytes, loaded.module, "table"));
    cr_assert_eq(again, loaded.table);
    LAB_CHECK(lab_module_unload(loaded.module));
}

/* CUDA C++ Programming Guide, Variable Memory Space Specifiers: the host uses such variables by their address. */
Test(module_global, is_memory_that_copies_read)
{
    bed loaded = load();
    float found[4];
    LAB_CHECK(lab_memcpy_dtoh(found, loaded.table, loaded.table_bytes));
    cr_assert(memcmp(found, (const float[]){1, 2, 3, 4}, sizeof found) == 0);
    LAB_CHECK(lab_module_unload(loaded.module));
}

/* CUDA C++ Programming Guide, Variable Memory Space Specifiers: the host uses such variables by their address. */
Test(module_global, what_is_copied_into_a_constant_is_what_later_kernels_read)
{
    bed loaded = load();
    const float other[4] = {8, 7, 6, 5};
    float found[4];
    LAB_CHECK(lab_memcpy_htod(loaded.table, other, sizeof other));
    read_table(found, &loaded);
    cr_assert(memcmp(found, other, sizeof found) == 0);
    LAB_CHECK(lab_memcpy_htod(loaded.table + 2 * sizeof(float), other, sizeof(float)));
    read_table(found, &loaded);
    cr_assert(memcmp(found, (const float[]){8, 7, 8, 5}, sizeof found) == 0);
    LAB_CHECK(lab_module_unload(loaded.module));
}

/* CUDA C++ Programming Guide, Variable Memory Space Specifiers: a __device__ variable lives as long as its context. */
Test(module_global, keeps_what_kernels_left_in_it)
{
    bed loaded = load();
    lab_array *out;
    int calls;
    LAB_CHECK(lab_array_empty(&out, LAB_INT32, LAB_SHAPE(1)));
    for (int i = 0; i < 3; i++) LAB_CHECK(lab_launch(loaded.count, LAB_DIM(1), LAB_DIM(1), 0, NULL, LAB_ARGS(out)));
    LAB_CHECK(lab_memcpy_dtoh(&calls, loaded.calls, sizeof calls));
    cr_assert_eq(calls, 3);
    LAB_CHECK(lab_array_destroy(out));
    LAB_CHECK(lab_module_unload(loaded.module));
}

/* CUDA Driver API, Module Management: cuModuleGetGlobal gives a CUdeviceptr, which can be used like any other. */
Test(module_global, can_be_an_argument_of_a_kernel)
{
    bed loaded = load();
    int calls;
    LAB_CHECK(lab_launch(loaded.count, LAB_DIM(1), LAB_DIM(1), 0, NULL, LAB_ARGS(loaded.calls)));
    LAB_CHECK(lab_launch(loaded.count, LAB_DIM(1), LAB_DIM(1), 0, NULL, LAB_ARGS(loaded.calls)));
    LAB_CHECK(lab_memcpy_dtoh(&calls, loaded.calls, sizeof calls));
    cr_assert_eq(calls, 2);
    LAB_CHECK(lab_module_unload(loaded.module));
}

/* CUDA Driver API, Module Management: each load of a source is a module with variables of its own. */
Test(module_global, is_another_variable_in_every_load_of_the_source)
{
    bed one = load(), other = load();
    const float changed[4] = {9, 9, 9, 9};
    float found[4];
    cr_assert_neq(one.table, other.table);
    LAB_CHECK(lab_memcpy_htod(one.table, changed, sizeof changed));
    read_table(found, &other);
    cr_assert(memcmp(found, (const float[]){1, 2, 3, 4}, sizeof found) == 0);
    LAB_CHECK(lab_module_unload(one.module));
    LAB_CHECK(lab_module_unload(other.module));
}

/* CUDA Driver API, Module Management: CUDA_ERROR_NOT_FOUND if no variable of that name exists. */
Test(module_global, is_not_found_by_a_name_that_only_the_source_knows)
{
    bed loaded = load();
    static const char *const name[] = {"nothing", "", "hidden", "inner::hidden", "read", "lab_thread"};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        lab_deviceptr address = 1;
        size_t bytes = 1;
        cr_assert_eq(lab_module_get_global(&address, &bytes, loaded.module, name[i]), LAB_ERROR_NOT_FOUND, "%s",
                     name[i]);
        cr_assert(address == 0 && bytes == 0, "%s", name[i]);
        cr_assert(strstr(lab_error_message(), name[i]), "%s", lab_error_message());
    }
    LAB_CHECK(lab_module_unload(loaded.module));
}

/* H200, Modules: cuModuleGetGlobal finds a static variable by its name in the source. */
Test(module_global, is_found_if_it_is_static)
{
    bed loaded = load();
    lab_deviceptr own;
    size_t bytes;
    lab_array *out;
    int counted;
    LAB_CHECK(lab_module_get_global(&own, &bytes, loaded.module, "own"));
    cr_assert_eq(bytes, sizeof(int));
    LAB_CHECK(lab_memcpy_htod(own, &(int){40}, sizeof(int)));
    LAB_CHECK(lab_array_empty(&out, LAB_INT32, LAB_SHAPE(1)));
    LAB_CHECK(lab_launch(loaded.count, LAB_DIM(1), LAB_DIM(1), 0, NULL, LAB_ARGS(out)));
    LAB_CHECK(lab_array_get(out, &counted));
    cr_assert_eq(counted, 41);
    LAB_CHECK(lab_array_destroy(out));
    LAB_CHECK(lab_module_unload(loaded.module));
}

/* CUDA Driver API, Memory Management: cuMemFree of any other address than cuMemAlloc's is CUDA_ERROR_INVALID_VALUE. */
Test(module_global, must_not_be_freed)
{
    bed loaded = load();
    cr_assert_eq(lab_mem_free(loaded.table), LAB_ERROR_INVALID_VALUE);
    cr_assert(strstr(lab_error_message(), "module"), "%s", lab_error_message());
    float found[4];
    read_table(found, &loaded);
    cr_assert_eq(found[3], 4);
    LAB_CHECK(lab_module_unload(loaded.module));
}

/* CUDA Driver API, Module Management: unloading frees the module's variables, so their addresses become invalid. */
Test(module_global, ends_with_its_module)
{
    bed loaded = load();
    float found[4];
    LAB_CHECK(lab_module_unload(loaded.module));
    cr_assert_neq(lab_memcpy_dtoh(found, loaded.table, sizeof found), LAB_SUCCESS);
    bed again = load();
    LAB_CHECK(lab_memcpy_dtoh(found, again.table, sizeof found));
    LAB_CHECK(lab_module_unload(again.module));
}

/* CUDA Driver API, Memory Management: a copy beyond the end of memory is CUDA_ERROR_INVALID_VALUE. */
Test(module_global, is_not_copied_beyond_its_end)
{
    bed loaded = load();
    float found[5];
    cr_assert_eq(lab_memcpy_dtoh(found, loaded.table, sizeof found), LAB_ERROR_INVALID_VALUE);
    LAB_CHECK(lab_module_unload(loaded.module));
}

/* CUDA Driver API, Context Management: a context's end unloads its modules. */
Test(module_global, ends_with_its_context)
{
    lab_context *context;
    LAB_CHECK(lab_context_create(&context, 0));
    bed loaded = load();
    LAB_CHECK(lab_context_destroy(context));
    float found[4];
    cr_assert_neq(lab_memcpy_dtoh(found, loaded.table, sizeof found), LAB_SUCCESS);
}

/* CUDA Driver API, Stream Management: asking for an address does no work of the device, so a capture goes on. */
Test(module_global, can_be_asked_for_during_a_capture)
{
    bed loaded = load();
    lab_stream *stream;
    lab_graph *graph;
    lab_deviceptr address;
    size_t bytes;
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_stream_begin_capture(stream, LAB_CAPTURE_GLOBAL));
    LAB_CHECK(lab_module_get_global(&address, &bytes, loaded.module, "table"));
    LAB_CHECK(lab_stream_end_capture(&graph, stream));
    cr_assert_eq(address, loaded.table);
    LAB_CHECK(lab_graph_destroy(graph));
    LAB_CHECK(lab_stream_destroy(stream));
    LAB_CHECK(lab_module_unload(loaded.module));
}
