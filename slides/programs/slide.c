#include "slide.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct {
    const char *program, *folder;
    int count;
    char **argument;
} given;

static _Noreturn void stop(const char *what, const char *which)
{
    fprintf(stderr, "%s: %s%s\n", given.program, what, which);
    exit(1);
}

/* After the run, because asking for the device may be its first use. When the process ends it is too late on a GPU,
 * whose driver may have closed; only programs that fail on purpose come to that. */
static void write_machine(void)
{
    static bool written;
    lab_device_info info;
    char path[4096];
    snprintf(path, sizeof path, "%s/machine.json", given.folder);
    if (written || lab_device_get_info(&info, 0) != LAB_SUCCESS) return;
    written = true;
    json_t *machine = json_pack("{s:s, s:s}", "name", info.name, "kind", info.kind);
    if (machine) json_dump_file(machine, path, JSON_COMPACT);
    json_decref(machine);
}

void slide_open(int argc, char **argv, int arguments)
{
    given.program = argv[0];
    given.count = argc - 2;
    given.argument = argv + 2;
    if (given.count < arguments) stop("needs a folder and more arguments: see the comment in its source", "");
    given.folder = argv[1];
    atexit(write_machine);
}

bool slide_has(int number) { return number < given.count; }

const char *slide_text(int number)
{
    if (!slide_has(number)) stop("an argument is missing", "");
    return given.argument[number];
}

int slide_number(int number)
{
    char *end;
    const long value = strtol(slide_text(number), &end, 10);
    if (*end || value < 1 || value > 1 << 30) stop("not a positive number: ", slide_text(number));
    return (int)value;
}

double slide_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

double slide_clock_at(const char *file, int line)
{
    const double now = slide_clock();
    lab_here(file, line);
    lab_trace_mark("clock");
    lab_here_ends(LAB_SUCCESS);
    return now;
}

/* ---- runs ------------------------------------------------------------------------------------------------------ */

/* A recorded run, and how much a busy machine disturbed it: how long calls took that do not wait for the device. */
typedef struct candidate {
    lab_trace *trace;
    int64_t held_ns;
    int64_t span_ns;
} candidate;

static int by_held(const void *a, const void *b)
{
    const int64_t x = ((const candidate *)a)->held_ns, y = ((const candidate *)b)->held_ns;
    return (x > y) - (x < y);
}

static int by_span(const void *a, const void *b)
{
    const int64_t x = ((const candidate *)a)->span_ns, y = ((const candidate *)b)->span_ns;
    return (x > y) - (x < y);
}

/* On a GPU the first operation of a record is slow, as the profiler starts with it. So a copy comes before the work,
 * and record.py leaves out what is before the mark. */
static void begin_record(void)
{
    lab_deviceptr device;
    const int number = 0;
    LAB_CHECK(lab_mem_alloc(&device, sizeof number));
    LAB_CHECK(lab_device_synchronize());
    LAB_CHECK(lab_order_start(LAB_ORDER_COLLECT));
    LAB_CHECK(lab_trace_begin());
    LAB_CHECK(lab_memcpy_htod(device, &number, sizeof number));
    LAB_CHECK(lab_mem_free(device));
    lab_trace_mark("work");
}

static candidate record_once(slide_run run)
{
    candidate made = {0};
    int64_t first = INT64_MAX, last = 0;
    if (run.prepare) run.prepare();
    begin_record();
    run.work();
    LAB_CHECK(lab_trace_end(&made.trace));
    LAB_CHECK(lab_order_start(LAB_ORDER_OFF));
    size_t i = 0;
    while (made.trace->op[i].kind != LAB_OP_MARK) i++;
    for (i++; i < made.trace->ops; i++) {
        const lab_trace_op *op = &made.trace->op[i];
        if (!op->host_waits && op->return_ns > op->call_ns) made.held_ns += op->return_ns - op->call_ns;
        if (op->start_ns >= 0 && op->start_ns < first) first = op->start_ns;
        if (op->end_ns > last) last = op->end_ns;
    }
    made.span_ns = last - first;
    return made;
}

void slide_record(const char *name, int times, slide_run run)
{
    enum { MOST = 25 };
    candidate made[MOST];
    char path[4096];
    if (times > MOST) stop("too many runs of ", name);
    lab_trace_free(record_once(run).trace);
    for (int k = 0; k < times; k++) made[k] = record_once(run);
    const size_t half = ((size_t)times + 1) / 2;
    qsort(made, (size_t)times, sizeof *made, by_held);
    qsort(made, half, sizeof *made, by_span);
    snprintf(path, sizeof path, "%s/%s.trace.json", given.folder, name);
    LAB_CHECK(lab_trace_save(made[half / 2].trace, path));
    for (int k = 0; k < times; k++) lab_trace_free(made[k].trace);
    write_machine();
}

/* ---- numbers --------------------------------------------------------------------------------------------------- */

void slide_save(json_t *numbers)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/numbers.json", given.folder);
    if (!numbers || json_dump_file(numbers, path, JSON_COMPACT | JSON_REAL_PRECISION(6)) != 0)
        stop("cannot write ", path);
    json_decref(numbers);
    write_machine();
}

json_t *slide_row(const char *name, const char *key, double value)
{
    return json_pack("{s:s, s:f}", "name", name, key, value);
}

/* ---- data ------------------------------------------------------------------------------------------------------ */

void slide_fill(float *numbers, size_t count, float low, float high)
{
    uint32_t state = 1;
    for (size_t i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        numbers[i] = low + (high - low) * (float)(state >> 8) / 16777216.0f;
    }
}

float *slide_pinned(size_t count, float low, float high)
{
    void *memory;
    LAB_CHECK(lab_host_alloc(&memory, count * sizeof(float)));
    slide_fill(memory, count, low, high);
    return memory;
}

lab_function slide_kernel(const char *file, const char *name)
{
    lab_module *module;
    lab_function function;
    LAB_CHECK(lab_module_load_file(&module, file));
    LAB_CHECK(lab_module_get_function(&function, module, name));
    return function;
}
