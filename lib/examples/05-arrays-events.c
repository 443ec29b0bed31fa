/*
 * Many arrays, one stream each, and the time of each kernel: an event before it and an event after it, on its stream.
 *
 * The end event is recorded right after the kernel. Recorded in a second loop, after other streams' work, it can come
 * late and the time is too long. Two events measure everything between them on the device: a kernel that shares the
 * device with others takes longer than alone. Streams may share an event, but it stands only for its latest record: the
 * times of 20 kernels need 20 pairs. Arguments: the number of arrays (20) and their length (65536). The seed has 200
 * arrays of 1048576 elements.
 */
#include "arrays.h"

#include <math.h>

typedef struct job {
    lab_stream *stream;
    lab_event *start, *end;
    lab_array *array;
    float *host;
} job;

static void enqueue(job *j, lab_function add_fifty, int length)
{
    LAB_WITH_STREAM(j->stream)
    {
        LAB_CHECK(lab_array_from_host_async(&j->array, LAB_FLOAT32, LAB_SHAPE(length), j->host, NULL));
        LAB_CHECK(lab_event_record(j->start, NULL));
        LAB_CHECK(lab_launch(add_fifty, LAB_DIM(1), LAB_DIM(64), 0, NULL, LAB_ARGS(j->array, length)));
        LAB_CHECK(lab_event_record(j->end, NULL));
        LAB_CHECK(lab_array_get_async(j->array, j->host, NULL));
    }
}

int main(int argc, char **argv)
{
    const int arrays = number_argument(argc, argv, 1, 20), length = number_argument(argc, argv, 2, 65536);
    job *jobs = calloc((size_t)arrays, sizeof *jobs);
    void *pinned;
    lab_module *module;
    lab_function add_fifty;
    double sum = 0, squares = 0;
    int wrong = 0;
    if (!jobs) return 1;

    LAB_CHECK(lab_module_load_file(&module, add_fifty_file));
    LAB_CHECK(lab_module_get_function(&add_fifty, module, "add_fifty"));
    LAB_CHECK(lab_host_alloc(&pinned, (size_t)arrays * (size_t)length * sizeof(float)));
    for (int k = 0; k < arrays; k++) {
        jobs[k].host = (float *)pinned + (size_t)k * length;
        fill_array(jobs[k].host, k, length);
        LAB_CHECK(lab_stream_create(&jobs[k].stream, LAB_STREAM_NON_BLOCKING));
        LAB_CHECK(lab_event_create(&jobs[k].start, LAB_EVENT_DEFAULT));
        LAB_CHECK(lab_event_create(&jobs[k].end, LAB_EVENT_DEFAULT));
    }

    for (int k = 0; k < arrays; k++) enqueue(&jobs[k], add_fifty, length);
    LAB_CHECK(lab_device_synchronize()); /* the times are known when both events are done */

    for (int k = 0; k < arrays; k++) {
        float milliseconds;
        LAB_CHECK(lab_event_elapsed_time(&milliseconds, jobs[k].start, jobs[k].end));
        sum += milliseconds;
        squares += (double)milliseconds * milliseconds;
        wrong += count_wrong(jobs[k].host, k, length);
    }
    const double mean = sum / arrays, variance = squares / arrays - mean * mean;
    printf("a kernel: mean %.3f ms, standard deviation %.3f ms\n", mean, sqrt(variance > 0 ? variance : 0));
    printf("wrong elements: %d\n", wrong);

    for (int k = 0; k < arrays; k++) {
        LAB_CHECK(lab_array_destroy(jobs[k].array));
        LAB_CHECK(lab_event_destroy(jobs[k].start));
        LAB_CHECK(lab_event_destroy(jobs[k].end));
        LAB_CHECK(lab_stream_destroy(jobs[k].stream));
    }
    LAB_CHECK(lab_host_free(pinned));
    LAB_CHECK(lab_module_unload(module));
    free(jobs);
    return wrong > 0;
}
