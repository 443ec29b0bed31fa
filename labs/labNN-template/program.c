/* The program around the student's function: takes its arguments out of the shared memory. */
#include "labNN.h"
#include "lab_trace.h"
#include "shared.h"
#include "worker.h"

static lab_status run(void *memory, const void *arguments, void *result)
{
    const labNN_arguments *given = arguments;
    labNN_memory *shared = memory;
    labNN_work work = {
        .count = given->count, .input = shared->input, .output = shared->output, .factor = given->factor};
    lab_module *module;
    (void)result;
    LAB_TRY(lab_module_load_file(&module, "kernels.cu"));
    LAB_TRY(lab_module_get_function(&work.shift, module, "shift"));
    LAB_TRY(lab_stream_create(&work.stream, LAB_STREAM_NON_BLOCKING));
    LAB_WITH_STREAM(work.stream) lab_trace_mark("stream"); /* tells the checks which one it is */
    worker_lend(work.input, (size_t)work.count * sizeof(float));
    worker_lend(work.output, (size_t)work.count * sizeof(float));
    lab_trace_mark("labNN_run begins");
    lab_status status = labNN_run(&work);
    lab_trace_mark("labNN_run ends");
    LAB_TRY(lab_stream_destroy(work.stream));
    LAB_TRY(lab_module_unload(module));
    return status;
}

const worker_entry worker_entries[] = {{"labNN_run", run}, {0}};
