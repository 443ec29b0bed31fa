/* clang-format off */
/* Übung 2, Ereignisse: „müssen“ heißt hier nicht „warten“. Kein asm, kein fork(), kein ptrace. */
#include "lab02.h"

/* Given: the two launches. */
static lab_status launch_produce(const lab02_work *arbeit, lab_stream *stream) {
	return lab_launch(arbeit->produce, LAB02_GRID(arbeit->count), LAB02_BLOCK, 0, stream,
					  LAB_ARGS(arbeit->between, arbeit->count));
}

static lab_status launch_consume(const lab02_work *arbeit, lab_stream *stream) {
	return lab_launch(arbeit->consume, LAB02_GRID(arbeit->count), LAB02_BLOCK, 0, stream,
					  LAB_ARGS(arbeit->result, arbeit->between, arbeit->count, arbeit->shift));
}

lab_status lab02_pipeline(const lab02_work *arbeit) {
	/* Aufgabe 1: producer: copy in, produce; then an event; consumer: consume, copy out; wait. */
	lab_event *hergestellt;
	LAB_TRY(lab_event_create(&hergestellt, LAB_EVENT_DISABLE_TIMING));
	LAB_TRY(lab_array_set_async(arbeit->between, arbeit->input, arbeit->producer));
	LAB_TRY(launch_produce(arbeit, arbeit->producer));
	LAB_TRY(lab_event_record(hergestellt, arbeit->producer));
	LAB_TRY(lab_stream_wait_event(arbeit->consumer, hergestellt));
	LAB_TRY(launch_consume(arbeit, arbeit->consumer));
	LAB_TRY(lab_array_get_async(arbeit->result, arbeit->output, arbeit->consumer));
	LAB_TRY(lab_stream_synchronize(arbeit->consumer));
	LAB_TRY(lab_event_destroy(hergestellt));
	return LAB_SUCCESS;
}

lab_status lab02_time_kernel(float *milliseconds, const lab02_work *arbeit) {
	/* Aufgabe 2: copy in, kernel, copy out on the producer; events right around the kernel. */
	lab_event *start, *end;
	LAB_TRY(lab_event_create(&start, LAB_EVENT_DEFAULT));
	LAB_TRY(lab_event_create(&end, LAB_EVENT_DEFAULT));
	LAB_TRY(lab_array_set_async(arbeit->between, arbeit->input, arbeit->producer));
	LAB_TRY(lab_event_record(start, arbeit->producer));
	LAB_TRY(launch_produce(arbeit, arbeit->producer));
	LAB_TRY(lab_event_record(end, arbeit->producer));
	LAB_TRY(lab_array_get_async(arbeit->between, arbeit->output, arbeit->producer));
	LAB_TRY(lab_stream_synchronize(arbeit->producer));
	LAB_TRY(lab_event_elapsed_time(milliseconds, start, end));
	LAB_TRY(lab_event_destroy(start));
	LAB_TRY(lab_event_destroy(end));
	return LAB_SUCCESS;
}

lab_status lab02_wait_usefully(lab_stream *stream, lab02_chore chore) {
	/* Aufgabe 3: record an event; then one chore after another until it is no longer "not ready". */
	lab_event *done;
	LAB_TRY(lab_event_create(&done, LAB_EVENT_DISABLE_TIMING));
	LAB_TRY(lab_event_record(done, stream));
	lab_status status;
	while ((status = lab_event_query(done)) == LAB_ERROR_NOT_READY) chore.call(chore.user);
	LAB_TRY(lab_event_destroy(done));
	return status;
}

lab_status lab02_rerecord(const lab02_stage *stage) {
	/* Aufgabe 4: fill a, record, `second` waits; fill b, record, `third` waits; then fill c and d. */
	LAB_TRY(lab_array_fill(stage->a, LAB_ARG(1.0f), stage->first));
	LAB_TRY(lab_event_record(stage->event, stage->first));
	LAB_TRY(lab_stream_wait_event(stage->second, stage->event));
	LAB_TRY(lab_array_fill(stage->b, LAB_ARG(2.0f), stage->first));
	LAB_TRY(lab_event_record(stage->event, stage->first));
	LAB_TRY(lab_stream_wait_event(stage->third, stage->event));
	LAB_TRY(lab_array_fill(stage->c, LAB_ARG(3.0f), stage->second));
	LAB_TRY(lab_array_fill(stage->d, LAB_ARG(4.0f), stage->third));
	return LAB_SUCCESS;
}

/* Aufgabe 4: your prediction. Does c (first row) wait for a, for b? Does d (second row)? */
const bool lab02_waits[2][2] = {
	{true, false}, /* Aufgabe 4 */
	{true, true},  /* Aufgabe 4 */
};

/* Aufgabe 4: your prediction of what the calls return for an event that was never recorded. */
const lab_status lab02_never_recorded[LAB02_CALLS] = {
	[LAB02_QUERY] = LAB_SUCCESS,					 /* Aufgabe 4 */
	[LAB02_SYNCHRONIZE] = LAB_SUCCESS,			   /* Aufgabe 4 */
	[LAB02_WAIT] = LAB_SUCCESS,					  /* Aufgabe 4 */
	[LAB02_ELAPSED_TIME] = LAB_ERROR_INVALID_HANDLE, /* Aufgabe 4 */
};