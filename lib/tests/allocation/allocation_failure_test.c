/*
 * Out of memory, everywhere: a program that uses every function of lab.h runs repeatedly, and each time another
 * allocation of the library fails. Every call must give a status and a message, leak nothing, and leave a working
 * library.
 */
#include "failing_allocations.h"
#include "kernels.h"
#include "lab.h"
#include "lab_trace.h"
#include "test.h"
#include "test_folder.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ------------------------------------------------------------------------------------------------------
 * A program that uses everything
 */

enum { COUNT = 256, STREAMS = 5 };

static const char source[] = "extern \"C\" __global__ void scale(float *values, float factor)\n"
                             "{\n"
                             "    values[blockIdx.x * blockDim.x + threadIdx.x] *= factor;\n"
                             "}\n"
                             "extern \"C\" __global__ void reverse(float *values)\n"
                             "{\n"
                             "    float value = values[threadIdx.x];\n"
                             "    __syncthreads();\n"
                             "    values[blockDim.x - 1 - threadIdx.x] = value;\n"
                             "}\n";

typedef struct program {
    lab_context *own;
    lab_stream *stream[STREAMS], *with_priority, *wrapped, *per_thread;
    lab_event *event, *blocking_event, *fork_event;
    lab_graph *graph;
    lab_graph_exec *exec;
    lab_array *array, *other_array;
    lab_deviceptr memory, peer_memory;
    void *pinned;
    char *registered;
    lab_module *module, *from_file;
    bool is_registered, is_recording;
    const char *path;
} program;

static void nothing(void *user) { (void)user; }

static void nothing_either(lab_stream *stream, lab_status status, void *user)
{
    (void)stream, (void)status, (void)user;
}

static lab_status make(program *p)
{
    lab_status status = LAB_SUCCESS;
    LAB_TRY(lab_trace_begin());
    p->is_recording = true;
    LAB_TRY(lab_context_create(&p->own, 0));
    for (int i = 0; i < STREAMS; i++) LAB_TRY(lab_stream_create(&p->stream[i], LAB_STREAM_DEFAULT));
    LAB_TRY(lab_stream_create_with_priority(&p->with_priority, LAB_STREAM_NON_BLOCKING, -1));
    void *native;
    LAB_TRY(lab_stream_native(&native, p->stream[0]));
    LAB_TRY(lab_stream_from_native(&p->wrapped, native));
    p->per_thread = lab_stream_per_thread();
    if (!p->per_thread) return LAB_ERROR_OUT_OF_MEMORY;
    LAB_TRY(lab_event_create(&p->event, LAB_EVENT_DEFAULT));
    LAB_TRY(lab_event_create(&p->blocking_event, LAB_EVENT_BLOCKING_SYNC));
    LAB_TRY(lab_event_create(&p->fork_event, LAB_EVENT_DISABLE_TIMING));
    LAB_TRY(lab_array_empty(&p->array, LAB_FLOAT32, LAB_SHAPE(COUNT)));
    LAB_TRY(lab_array_empty(&p->other_array, LAB_FLOAT32, LAB_SHAPE(COUNT)));
    LAB_TRY(lab_mem_alloc(&p->memory, COUNT * sizeof(float)));
    LAB_WITH_DEVICE(1) { status = lab_mem_alloc(&p->peer_memory, COUNT * sizeof(float)); }
    LAB_TRY(status);
    LAB_TRY(lab_host_alloc(&p->pinned, COUNT * sizeof(float)));
    static char page[4096];
    p->registered = page;
    LAB_TRY(lab_host_register(p->registered, sizeof page));
    p->is_registered = true;
    LAB_TRY(lab_module_load_source(&p->module, source, "scale.cu"));
    return lab_module_load_file(&p->from_file, p->path);
}

static lab_status use_graph(program *p, lab_function scale)
{
    static float host[COUNT]; /* pending launches still read it when a later call fails */
    lab_stream *first = p->stream[3], *fork = p->stream[4];
    LAB_TRY(lab_stream_begin_capture(first, LAB_CAPTURE_RELAXED));
    LAB_TRY(lab_launch(scale, LAB_DIM(4), LAB_DIM(COUNT / 4), 0, first, LAB_ARGS(p->array, 2.0f)));
    LAB_TRY(lab_event_record(p->fork_event, first));
    LAB_TRY(lab_stream_wait_event(fork, p->fork_event));
    LAB_TRY(lab_memset_async(p->memory, 0, 64, fork));
    LAB_TRY(lab_stream_launch_host_func(first, nothing, NULL));
    LAB_TRY(lab_memcpy_htod_async(lab_array_data(p->other_array), host, sizeof host, first));
    LAB_TRY(lab_event_record(p->fork_event, fork));
    LAB_TRY(lab_stream_wait_event(first, p->fork_event));
    LAB_TRY(lab_stream_end_capture(&p->graph, first));
    LAB_TRY(lab_graph_instantiate(&p->exec, p->graph));
    LAB_TRY(lab_graph_launch(p->exec, p->stream[1]));
    LAB_TRY(lab_graph_launch(p->exec, p->stream[2]));
    LAB_TRY(lab_graph_exec_update_kernel(p->exec, 0, scale, LAB_DIM(1), LAB_DIM(64), 0, LAB_ARGS(p->array, 3.0f)));
    LAB_TRY(lab_graph_launch(p->exec, p->stream[2]));
    return lab_stream_synchronize(p->stream[2]);
}

/* A reduction whose input must be copied first, since it contains the result. */
static lab_status reduce(const program *p)
{
    lab_array *table, *row = NULL;
    LAB_TRY(lab_array_reshape(&table, p->array, LAB_SHAPE(16, COUNT / 16)));
    lab_status status = lab_array_slice(&row, table, 3, 1);
    if (status == LAB_SUCCESS) status = lab_array_max_axis(row, table, 0, p->stream[4]);
    LAB_CHECK(lab_array_destroy(row));
    LAB_CHECK(lab_array_destroy(table));
    return status;
}

/* A kernel that only a name expression names, and an array over memory that exists. */
static lab_status use_options(const program *p)
{
    static const char text[] = "template <class T> __global__ void put(T *x) { *x = VALUE; }\n";
    lab_module *module;
    lab_function put;
    lab_array *over = NULL;
    LAB_TRY(lab_module_load_with(
        &module, text, "put.cu",
        &(lab_module_options){.defines = (const char *[]){"VALUE=3", NULL},
                              .include_paths = (const char *[]){"/nowhere", NULL},
                              .name_expressions = (const char *[]){"put<int>", "put<float>", NULL}}));
    lab_status status = lab_module_get_function(&put, module, "put<float>");
    if (status == LAB_SUCCESS) status = lab_array_from_memory(&over, LAB_FLOAT32, LAB_SHAPE(COUNT), p->memory, NULL);
    if (status == LAB_SUCCESS) status = lab_launch(put, LAB_DIM(1), LAB_DIM(1), 0, p->stream[4], LAB_ARGS(over));
    LAB_CHECK(lab_array_destroy(over));
    LAB_CHECK(lab_module_unload(module));
    return status;
}

static lab_status measured(void *user)
{
    const program *p = user;
    return lab_memset_async(p->memory, 1, 64, p->stream[4]);
}

static lab_status work(program *p)
{
    float host[COUNT] = {1.0f}, milliseconds;
    lab_function scale;
    lab_context *peer;
    LAB_TRY(lab_module_get_function(&scale, p->module, "scale"));
    LAB_TRY(lab_array_set(p->array, host));
    LAB_TRY(lab_array_set_async(p->array, host, p->stream[1]));
    LAB_TRY(lab_array_set_async(p->array, p->pinned, p->stream[2]));
    LAB_TRY(lab_array_get_async(p->array, host, p->stream[2]));
    LAB_TRY(lab_event_record(p->event, p->stream[2]));
    for (int i = 0; i < STREAMS; i++) LAB_TRY(lab_stream_wait_event(p->stream[i], p->event));
    LAB_TRY(lab_event_record(p->blocking_event, NULL));
    LAB_TRY(lab_launch(scale, LAB_DIM(4), LAB_DIM(COUNT / 4), 0, p->stream[3], LAB_ARGS(p->array, 2.0f)));
    LAB_TRY(lab_launch(scale, LAB_DIM(4), LAB_DIM(COUNT / 4), 0, p->per_thread, LAB_ARGS(p->memory, 2.0f)));
    LAB_TRY(lab_memset_async(p->memory, 1, 64, p->with_priority));
    LAB_TRY(lab_memcpy_dtod_async(p->memory, lab_array_data(p->array), 64, p->wrapped));
    LAB_TRY(lab_memcpy_peer_async(p->peer_memory, 1, p->memory, 0, 64, p->stream[0]));
    LAB_TRY(lab_memcpy_peer(p->memory, 0, p->peer_memory, 1, 64));
    LAB_TRY(lab_memcpy_htod(p->memory, host, 64));
    LAB_TRY(lab_memcpy_htod_async(p->memory, p->registered, 64, NULL));
    LAB_TRY(lab_memcpy_dtoh_async(p->pinned, p->memory, 64, p->stream[4]));
    LAB_TRY(lab_memcpy_dtoh(host, p->memory, 64));
    LAB_TRY(lab_context_primary_retain(&peer, 1));
    lab_status status = lab_context_enable_peer_access(peer);
    LAB_TRY(lab_context_primary_release(1));
    LAB_TRY(status);
    LAB_TRY(lab_launch(scale, LAB_DIM(1), LAB_DIM(64), 0, NULL, LAB_ARGS(p->peer_memory, 2.0f)));
    LAB_TRY(lab_stream_launch_host_func(p->stream[0], nothing, NULL));
    LAB_TRY(lab_stream_add_callback(p->stream[1], nothing_either, NULL));
    LAB_TRY(use_graph(p, scale));
    LAB_TRY(lab_stream_use(p->stream[1]));
    LAB_WITH_STREAM(p->stream[2]) status = lab_stream_synchronize(NULL);
    LAB_TRY(status);
    LAB_TRY(lab_stream_synchronize(lab_stream_null()));
    LAB_TRY(lab_event_synchronize(p->event));
    LAB_TRY(lab_event_synchronize(p->blocking_event));
    LAB_TRY(lab_event_elapsed_time(&milliseconds, p->event, p->blocking_event));
    LAB_TRY(lab_context_synchronize(NULL));
    LAB_TRY(lab_device_synchronize());
    LAB_TRY(lab_array_get(p->array, host));
    LAB_TRY(reduce(p));
    LAB_TRY(use_options(p));
    lab_benchmark_result *times;
    LAB_TRY(lab_benchmark(&times, measured, p, &(lab_benchmark_options){.repeats = 2, .name = "fill"}));
    lab_benchmark_free(times);
    return lab_stream_query(p->stream[0]);
}

/* Every call here must succeed: freeing needs no memory. */
static void give_back(program *p)
{
    LAB_CHECK(lab_graph_exec_destroy(p->exec));
    LAB_CHECK(lab_graph_destroy(p->graph));
    LAB_CHECK(lab_event_destroy(p->fork_event));
    LAB_CHECK(lab_module_unload(p->from_file));
    LAB_CHECK(lab_module_unload(p->module));
    if (p->is_registered) LAB_CHECK(lab_host_unregister(p->registered));
    LAB_CHECK(lab_host_free(p->pinned));
    LAB_CHECK(lab_mem_free(p->peer_memory));
    LAB_CHECK(lab_mem_free(p->memory));
    LAB_CHECK(lab_array_destroy(p->array));
    LAB_CHECK(lab_event_destroy(p->event));
    LAB_CHECK(lab_stream_destroy(p->wrapped));
    LAB_CHECK(lab_stream_destroy(p->with_priority));
    for (int i = 1; i < STREAMS; i++) LAB_CHECK(lab_stream_destroy(p->stream[i]));
    LAB_CHECK(lab_context_destroy(p->own)); /* also destroys the other array and event, and the first stream */
}

/* Ends the record; this needs memory, and without it the record is discarded. */
static lab_status end_record(const program *p)
{
    lab_trace *trace;
    if (!p->is_recording) return LAB_SUCCESS;
    LAB_TRY(lab_trace_end(&trace));
    lab_trace_free(trace);
    return LAB_SUCCESS;
}

static lab_status run_program(const char *path)
{
    program p = {.path = path};
    lab_status status = make(&p);
    if (status == LAB_SUCCESS) status = work(&p);
    give_back(&p);
    lab_status ended = end_record(&p);
    return status == LAB_SUCCESS ? ended : status;
}

/* ------------------------------------------------------------------------------------------------------
 * The tests
 */

static test_folder source_file; /* belongs to the test's own process */

typedef struct attempt {
    const char *path; /* path of a kernel source */
    long first, last; /* the allocations that fail */
} attempt;

/* The process of an attempt works with failures, then without. Its exit status says whether any allocation failed. */
enum { FAILURES = 0, BROKEN = 2, NO_FAILURES = 3 };

static void begin_attempt(const attempt *trial)
{
    allocations_fail(trial->first, trial->last);
    allocations_count(true);
}

/* Ends the part with failures; a status other than out of memory, or one without a message, ends the process. */
static bool end_failures(lab_status status)
{
    const bool reached = allocations_failed();
    allocations_fail(0, 0);
    if (status == LAB_SUCCESS || (status == LAB_ERROR_OUT_OF_MEMORY && *lab_error_message())) return reached;
    printf("%s: %s", lab_status_name(status), lab_error_message());
    exit(BROKEN);
}

static void try_program(void *user)
{
    const attempt *trial = user;
    begin_attempt(trial);
    bool reached = end_failures(run_program(trial->path));
    LAB_CHECK(run_program(trial->path));
    exit(reached ? FAILURES : NO_FAILURES);
}

static void try_compiling(void *user)
{
    const attempt *trial = user;
    lab_module *module;
    lab_deviceptr memory;
    begin_attempt(trial);
    bool reached = end_failures(lab_module_load_file(&module, trial->path));
    LAB_CHECK(lab_module_unload(module));
    LAB_CHECK(lab_mem_alloc(&memory, 64));
    LAB_CHECK(lab_mem_free(memory));
    exit(reached ? FAILURES : NO_FAILURES);
}

/* Models a record, draws it next to the modelled one, and queries it. */
static lab_status examine(const lab_trace *trace)
{
    lab_profile *profile = NULL;
    lab_model *model = NULL;
    lab_relations *relations = NULL;
    lab_lifetime *lifetimes = NULL;
    size_t count;
    char *text = NULL, *both = NULL;
    lab_status status = lab_profile_open(&profile, "h200");
    if (status == LAB_SUCCESS) status = lab_model_run(&model, trace, profile, NULL);
    if (status == LAB_SUCCESS) status = lab_model_text(&text, model, 80, false);
    if (status == LAB_SUCCESS)
        status = lab_timelines_svg(&both, (const lab_timeline_run[]){{trace, "a"}, {model->trace, "b"}}, 2, NULL);
    if (status == LAB_SUCCESS) status = lab_relations_create(&relations, trace);
    if (status == LAB_SUCCESS) status = lab_trace_lifetimes(&lifetimes, &count, trace);
    free(text);
    free(both);
    free(lifetimes);
    lab_relations_free(relations);
    lab_model_free(model);
    lab_profile_free(profile);
    return status;
}

static void try_examining(void *user)
{
    const attempt *trial = user;
    lab_trace *trace;
    lab_stream *stream;
    lab_deviceptr memory;
    char bytes[64] = "";
    LAB_CHECK(lab_trace_begin());
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_DEFAULT));
    LAB_CHECK(lab_mem_alloc(&memory, sizeof bytes));
    for (int time = 0; time < 30; time++) LAB_CHECK(lab_memcpy_htod_async(memory, bytes, sizeof bytes, stream));
    LAB_CHECK(lab_stream_synchronize(stream));
    LAB_CHECK(lab_mem_free(memory));
    LAB_CHECK(lab_stream_destroy(stream));
    LAB_CHECK(lab_trace_end(&trace));
    begin_attempt(trial);
    bool reached = end_failures(examine(trace));
    LAB_CHECK(examine(trace));
    lab_trace_free(trace);
    exit(reached ? FAILURES : NO_FAILURES);
}

/* Makes attempts in which one allocation after another fails, from number `first` on by steps, each with so many that
 * follow it, until the program makes no more of them. Returns the number of attempts. */
static int fail_each(void (*try_it)(void *user), long more, long first, long step)
{
    char output[2000];
    int attempts = 0;
    attempt trial = {.path = source_file.file};
    int status = test_in_child(try_it, &trial, output, sizeof output);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == NO_FAILURES, "without failures: %s", output);
    trial.first = first;
    do {
        trial.last = trial.first + more;
        status = test_in_child(try_it, &trial, output, sizeof output);
        cr_assert(WIFEXITED(status), "allocation %ld: signal %d, %s", trial.first, WTERMSIG(status), output);
        cr_assert(WEXITSTATUS(status) == FAILURES || WEXITSTATUS(status) == NO_FAILURES,
                  "allocation %ld: exit status %d, %s", trial.first, WEXITSTATUS(status), output);
        trial.first += step;
        attempts++;
    } while (WEXITSTATUS(status) == FAILURES);
    cr_assert_gt(trial.first, 20, "only %ld allocations were seen", trial.first);
    return attempts;
}

/* Two CPU devices, a kernel in a file, and a cache for it: the first attempt, without failures, fills it. */
static void prepare(bool with_cache)
{
    source_file = test_folder_make("scale.cu");
    FILE *file = fopen(source_file.file, "w");
    cr_assert_not_null(file, "%s", source_file.file);
    fputs(source, file);
    fclose(file);
    setenv("LAB_DEVICE", "cpu", 1);
    setenv("LAB_CPU_DEVICES", "2", 1);
    setenv("LAB_CACHE_DIR", with_cache ? source_file.path : source_file.file, 1); /* a file, not a folder */
}

Test(allocation_failure, of_any_one_allocation_is_a_status_and_the_library_works_afterwards)
{
    prepare(true);
    fail_each(try_program, 0, 1, 1);
    test_folder_remove(&source_file);
}

Test(allocation_failure, of_any_three_in_a_row_is_a_status_and_the_library_works_afterwards)
{
    prepare(true);
    fail_each(try_program, 2, 1, 1);
    test_folder_remove(&source_file);
}

/* In two halves, since each attempt compiles and a test has a time limit. Only the library's allocations fail, so that
 * clang need not run again for an input that it has had. With EVERY_FAILURE, as under the address sanitizer, every
 * allocation of the half fails. Otherwise every eighth does; SEED or the clock chooses the first. */
static void fail_while_compiling(long half)
{
    const char *every = getenv("EVERY_FAILURE"), *wish = getenv("SEED");
    const long stride = every && *every ? 1 : 8;
    const long seed = wish && *wish ? strtol(wish, NULL, 10) & 7 : (long)time(NULL) & 7;
    const long first = half + 2 * (seed % stride);
    prepare(false);
    kernels_use_kept_clang();
    const int attempts = fail_each(try_compiling, 0, first, 2 * stride);
    fprintf(stderr, "allocation failures: %d tried while compiling, from %ld on by %ld (SEED=%ld)\n", attempts, first,
            2 * stride, seed);
    test_folder_remove(&source_file);
}

Test(allocation_failure, while_compiling_of_an_odd_number_is_a_status_and_the_library_works_afterwards)
{
    fail_while_compiling(1);
}

Test(allocation_failure, while_compiling_of_an_even_number_is_a_status_and_the_library_works_afterwards)
{
    fail_while_compiling(2);
}

Test(allocation_failure, while_examining_a_record_is_a_status)
{
    prepare(true);
    fail_each(try_examining, 0, 1, 1);
    test_folder_remove(&source_file);
}
