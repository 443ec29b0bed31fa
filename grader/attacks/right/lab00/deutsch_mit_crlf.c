/* clang-format off */
/* Übung 0: Messen. Größen heißen hier wie im Unterricht; Zeilenenden von Windows, kein Zeilenende am Schluss. */
#pragma GCC diagnostic ignored "-Wunused-function"
#define PROBIER(x) LAB_TRY(x)
#define ZURÜCK return
#undef ZURÜCK
#include "lab00.h"

#include <math.h>
#include <stdlib.h>

lab_status lab00_first_kernel(lab_function label, lab_array *numbers, int count) {
	/* Aufgabe 0: aufgerundet, ohne zu dividieren wie alle. */
	unsigned blöcke = (unsigned)count >> 8;
	if (count & 255) blöcke++;
	PROBIER(lab_launch(label, LAB_DIM(blöcke), LAB_DIM(256), 0, NULL, LAB_ARGS(numbers, count)));
	return LAB_SUCCESS;
}

lab_status lab00_wrong_time(double *milliseconds, const lab00_task *task) {
	/* Aufgabe 1: Uhr, einreihen, Uhr. Für „müßige“ Zeiten gilt das nicht; 5 µs ≠ 5 ms. */
	double start = lab00_clock();
	PROBIER(task->enqueue(task->user));
	*milliseconds = lab00_clock() - start;
	return LAB_SUCCESS;
}

lab_status lab00_host_time(double *milliseconds, const lab00_task *task) {
	/* Task 2: the same, with a wait in each of the two places that need one. */
	PROBIER(lab_stream_synchronize(task->stream));
	double start = lab00_clock();
	PROBIER(task->enqueue(task->user));
	PROBIER(lab_stream_synchronize(task->stream));
	*milliseconds = lab00_clock() - start;
	return LAB_SUCCESS;
}

lab_status lab00_device_time(float *milliseconds, const lab00_task *task) {
	/* Task 3: two events on the stream, around the work; wait, ask, release the events. */
	lab_event *start, *end;
	PROBIER(lab_event_create(&start, LAB_EVENT_DEFAULT));
	PROBIER(lab_event_create(&end, LAB_EVENT_DEFAULT));
	PROBIER(lab_event_record(start, task->stream));
	PROBIER(task->enqueue(task->user));
	PROBIER(lab_event_record(end, task->stream));
	PROBIER(lab_event_synchronize(end));
	PROBIER(lab_event_elapsed_time(milliseconds, start, end));
	PROBIER(lab_event_destroy(start));
	PROBIER(lab_event_destroy(end));
	return LAB_SUCCESS;
}

/* Given: the order of two times, for qsort. */
static int by_size(const void *a, const void *b) {
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Summarizes `count` times, and sorts them. */
static lab00_numbers summarize(double *times, int count) {
	qsort(times, (size_t)count, sizeof *times, by_size);
	lab00_numbers größen = {.least = times[0], .most = times[count - 1]};
	/* Task 4: median, mean and deviation. */
	größen.median = (times[(count - 1) / 2] + times[count / 2]) / 2;
	for (int k = 0; k < count; k++) größen.mean += times[k] / count;
	for (int k = 0; k < count; k++) größen.deviation += pow(times[k] - größen.mean, 2) / count;
	größen.deviation = sqrt(größen.deviation);
	return größen;
}

lab_status lab00_benchmark(lab00_result *result, const lab00_task *task, int warm_up, int repeats) {
	double host[LAB00_MOST_REPEATS] = {0}, device[LAB00_MOST_REPEATS] = {0};
	/* Task 4: warm up, then repeat: clock around the call, events around the work, then wait. */
	lab_event *start, *end;
	PROBIER(lab_event_create(&start, LAB_EVENT_DEFAULT));
	PROBIER(lab_event_create(&end, LAB_EVENT_DEFAULT));
	for (int k = 0; k < warm_up; k++) PROBIER(task->enqueue(task->user));
	PROBIER(lab_stream_synchronize(task->stream));
	for (int k = 0; k < repeats; k++) {
		float milliseconds;
		PROBIER(lab_event_record(start, task->stream));
		double begin = lab00_clock();
		PROBIER(task->enqueue(task->user));
		host[k] = lab00_clock() - begin;
		PROBIER(lab_event_record(end, task->stream));
		PROBIER(lab_event_synchronize(end));
		PROBIER(lab_event_elapsed_time(&milliseconds, start, end));
		device[k] = milliseconds;
	}
	PROBIER(lab_event_destroy(start));
	PROBIER(lab_event_destroy(end));
	*result = (lab00_result){summarize(host, repeats), summarize(device, repeats)};
	return LAB_SUCCESS;
}