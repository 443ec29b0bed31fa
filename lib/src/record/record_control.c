/* Begins and ends records, one at a time. The device's work is done before a record is read. */
#include "base/status.h"
#include "record_entry.h"
#include "trace/trace.h"

#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t control = PTHREAD_MUTEX_INITIALIZER; /* one begin or end at a time */
static const lab_backend *backend;
static _Atomic(void (*)(void)) wait_for_work;

void record_set_backend(const lab_backend *opened) { backend = opened; }

void record_set_wait(void (*wait)(void)) { atomic_store(&wait_for_work, wait); }

void record_wait_for_work(void)
{
    void (*wait)(void) = atomic_load(&wait_for_work);
    if (wait) wait();
}

/* Stops recording and returns the record, once no call and no device writes to it any more; NULL if none was
 * running. */
static record *stop(void)
{
    record *stopped = record_detach();
    record_streams_forget_work();
    if (!stopped) return NULL;
    record_wait_for_work();
    backend->times_end();
    return stopped;
}

lab_status record_start(void)
{
    record *fresh = calloc(1, sizeof *fresh);
    if (!fresh) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "lab_trace_begin: no host memory for a record");
    pthread_mutex_lock(&control);
    record *before = stop();
    if (before) record_free(before);
    backend->times_begin();
    order_record_began();
    record_attach(fresh);
    pthread_mutex_unlock(&control);
    return LAB_SUCCESS;
}

lab_status lab_trace_end(lab_trace **out)
{
    if (!out) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_trace_end: out is NULL");
    *out = NULL;
    pthread_mutex_lock(&control);
    record *stopped = stop();
    pthread_mutex_unlock(&control);
    if (!stopped)
        return lab_fail(LAB_ERROR_NOT_PERMITTED, "lab_trace_end: no record is running; lab_trace_begin starts one");
    lab_status status = record_to_trace(out, stopped, backend);
    record_free(stopped);
    return status;
}

bool record_times_come_late(void) { return backend && backend->times_come_late; }
