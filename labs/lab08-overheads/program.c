/* The program around the student's functions: the requests, the compiler, the disk. */
#include "lab08.h"
#include "lab_trace.h"
#include "shared.h"
#include "worker.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- what is given ---- */

static lab08_memory *now;
static const lab08_arguments *given;

void lab08_lap(int cost)
{
    char name[64];
    snprintf(name, sizeof name, LAB08_LAP "%d", cost);
    lab_trace_mark(name);
}

/* Each -DNAME=VALUE is a line #define NAME VALUE. */
static void write_options(FILE *out, const char *options)
{
    char name[64], value[64];
    for (int used; sscanf(options, " -D%63[^= ]=%63s%n", name, value, &used) == 2; options += used)
        fprintf(out, "#define %s %s\n", name, value);
}

lab_status lab08_compile(char code[LAB08_CODE_BYTES], const lab08_request *request)
{
    static int calls;
    struct timespec moment = {0};
    if (!given->fixed) {
        clock_gettime(CLOCK_REALTIME, &moment);
        moment.tv_nsec += ++calls;
    }
    FILE *out = fmemopen(code, LAB08_CODE_BYTES, "w");
    if (!out) return LAB_ERROR_OUT_OF_MEMORY;
    fprintf(out, "/* made at %lld.%09ld */\n", (long long)moment.tv_sec, moment.tv_nsec);
    write_options(out, request->options);
    fprintf(out, "#define ARCHITECTURE %d\n#define COMPILER %d\n%s\n%s", request->architecture, request->compiler,
            request->header, request->source);
    fputc('\0', out);
    return fclose(out) == 0 ? LAB_SUCCESS : LAB_ERROR_OUT_OF_MEMORY;
}

static lab08_stored *find_file(uint64_t name)
{
    for (int i = 0; i < LAB08_FILES; i++)
        if (now->disk[i].bytes && now->disk[i].name == name) return &now->disk[i];
    return NULL;
}

size_t lab08_disk_read(void *bytes, size_t most, uint64_t name)
{
    const lab08_stored *stored = find_file(name);
    const size_t there = stored ? stored->bytes : 0, count = there < most ? there : most;
    now->reads++;
    now->read_name = name;
    now->read_bytes = count;
    if (count) memcpy(bytes, &stored->file, count);
    return count;
}

bool lab08_disk_write(uint64_t name, const void *bytes, size_t count)
{
    lab08_stored *stored = find_file(name);
    now->writes++;
    for (int i = 0; i < LAB08_FILES && !stored; i++)
        if (!now->disk[i].bytes) stored = &now->disk[i];
    if (given->full || !stored || count > sizeof stored->file) return false;
    stored->name = name;
    stored->bytes = count;
    memcpy(&stored->file, bytes, count);
    return true;
}

/* ---- task 1 ---- */

static lab_status run_measure(void *memory, const void *arguments, void *result)
{
    const lab08_memory *shared = memory;
    char source[LAB08_TEXT_BYTES];
    (void)arguments, (void)result;
    snprintf(source, sizeof source, "%s", shared->request.source);
    return WORKER_CALL(lab08_measure(source));
}

/* What a program does that keeps its context and its kernel: for the prediction, without the student's functions. */
static lab_status run_kept(void *memory, const void *arguments, void *result)
{
    static lab_module *module;
    const lab08_memory *shared = memory;
    lab_context *context;
    lab_function nothing;
    (void)arguments, (void)result;
    if (!module) {
        LAB_TRY(lab_context_create(&context, 0));
        LAB_TRY(lab_module_load_source(&module, shared->request.source, "lab08"));
    }
    LAB_TRY(lab_module_get_function(&nothing, module, "nothing"));
    LAB_TRY(lab_launch(nothing, LAB_DIM(1), LAB_DIM(1), 0, NULL, LAB_NO_ARGS));
    return lab_device_synchronize();
}

/* ---- tasks 2 and 3 ---- */

/* A copy of the request in memory of its own, elsewhere in each call. */
static lab08_request *copy_request(const lab08_texts *from)
{
    static lab08_texts *old;
    static lab08_request request;
    lab08_texts *copy = malloc(sizeof *copy);
    if (!copy) return NULL;
    *copy = *from;
    request =
        (lab08_request){copy->source, copy->header, copy->options, copy->architecture, copy->compiler, copy->label};
    free(old); /* after the new one was made, which so has another address */
    old = copy;
    return &request;
}

static lab_status run_key(void *memory, const void *arguments, void *result)
{
    now = memory;
    (void)arguments, (void)result;
    const lab08_request *request = copy_request(&now->request);
    if (!request) return LAB_ERROR_OUT_OF_MEMORY;
    now->key = lab08_key(request);
    return LAB_SUCCESS;
}

/* The keys of many requests, which differ by a number in one of their texts. */
static lab_status run_keys(void *memory, const void *arguments, void *result)
{
    static const char *const format[] = {"/* %016" PRIu64 " */", "#define NUMBER %016" PRIu64 "\n",
                                         "-DNUMBER=%016" PRIu64};
    const lab08_series *series = arguments;
    lab08_keys *keys = memory;
    (void)result;
    for (int k = 0; k < LAB08_KEYS; k++) {
        const bool versions = series->part == LAB08_IN_VERSIONS;
        char text[64] = "";
        if (!versions) snprintf(text, sizeof text, format[series->part], lab08_number(series, k));
        keys->key[k] = lab08_key(&(lab08_request){.source = series->part == LAB08_IN_SOURCE ? text : "source",
                                                  .header = series->part == LAB08_IN_HEADER ? text : "header",
                                                  .options = series->part == LAB08_IN_OPTIONS ? text : "options",
                                                  .architecture = versions ? lab08_architecture(k) : 90,
                                                  .compiler = versions ? lab08_compiler(k) : 1300,
                                                  .label = "a.cu"});
    }
    return LAB_SUCCESS;
}

/* Runs the kernel, which writes its numbers. */
static lab_status run_kernel(lab_function answer)
{
    lab_array *out;
    LAB_TRY(lab_array_full(&out, LAB_INT32, LAB_SHAPE(LAB08_NUMBERS), LAB_ARG(-1)));
    LAB_TRY(lab_launch(answer, LAB_DIM(1), LAB_DIM(1), 0, NULL, LAB_ARGS(out)));
    LAB_TRY(lab_array_get(out, now->numbers));
    return lab_array_destroy(out);
}

static lab_context *own_context[LAB08_CONTEXTS];

/* Makes the call's context current. */
static lab_status enter(void)
{
    lab_context **own = &own_context[given->context];
    if (!given->context) return LAB_SUCCESS;
    return *own ? lab_context_push(*own) : lab_context_create(own, 0);
}

static lab_status leave(void)
{
    lab_context **own = &own_context[given->context];
    if (!given->context) return LAB_SUCCESS;
    LAB_TRY(lab_context_pop(NULL));
    if (!given->ends) return LAB_SUCCESS;
    LAB_TRY(lab_context_destroy(*own));
    *own = NULL;
    return LAB_SUCCESS;
}

/* Calls lab08_get with the table, or lab08_load without one, and runs the kernel. */
static lab_status run_request(lab08_memory *memory, const lab08_arguments *arguments, lab08_table *table)
{
    lab_module *module = NULL;
    lab_function answer = {0};
    now = memory;
    given = arguments;
    const lab08_request *request = copy_request(&now->request);
    if (!request) return LAB_ERROR_OUT_OF_MEMORY;
    LAB_TRY(enter());
    now->reads = now->writes = 0;
    const lab_status status = WORKER_CALL(table ? lab08_get(&answer, table, request) : lab08_load(&module, request));
    now->status = status;
    if (table) now->table = *table;
    const bool loaded = status == LAB_SUCCESS && module;
    const lab_status got = loaded ? lab_module_get_function(&answer, module, "answer") : LAB_SUCCESS;
    if (!given->expects) LAB_TRY(got);
    now->lacks = got != LAB_SUCCESS;
    now->empty = status == LAB_SUCCESS && answer.handle == 0 && !now->lacks;
    if (status == LAB_SUCCESS && !now->empty) {
        const lab_status ran = now->lacks ? got : run_kernel(answer);
        if (!given->expects) LAB_TRY(ran);
        LAB_TRY(lab_module_unload(module));
    }
    LAB_TRY(leave());
    return given->expects ? LAB_SUCCESS : status;
}

static lab08_table kept;

static lab_status run_get(void *memory, const void *arguments, void *result)
{
    const lab08_arguments *get = arguments;
    (void)result;
    if (get->forgets) kept.count = 0;
    return run_request(memory, arguments, &kept);
}

static lab_status run_load(void *memory, const void *arguments, void *result)
{
    (void)result;
    return run_request(memory, arguments, NULL);
}

/* Unloads what the table has. */
static lab_status run_clear(void *memory, const void *arguments, void *result)
{
    (void)memory, (void)arguments, (void)result;
    for (int i = 0; i < kept.count && i < LAB08_MOST; i++) LAB_TRY(lab_module_unload(kept.entry[i].module));
    kept = (lab08_table){0};
    return LAB_SUCCESS;
}

const worker_entry worker_entries[] = {
    {"lab08_measure", run_measure}, {"lab08_paid", run_kept}, {"lab08_key", run_key},     {"lab08_keys", run_keys},
    {"lab08_get", run_get},         {"lab08_load", run_load}, {"lab08_clear", run_clear}, {0},
};
