/* Translates the driver's results into the terms of the caller's call. Also lists the suspect kernels after a failure:
 * the driver reports a failed kernel in whichever call comes next, and does not name it. */
#include "cuda_device_state.h"

#include <stdio.h>
#include <string.h>

/* Errors of kernels for which the library has no separate status. */
static bool is_kernel_failure(CUresult result)
{
    switch (result) {
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED: return true;
    default: return false;
    }
}

/* The status with the driver's number, else the closest one. */
static lab_status status_of(CUresult result)
{
#define SAME_NUMBER(name, code, text)                                                                                  \
    if ((int)result == (code)) return name;
    LAB_STATUS_TABLE(SAME_NUMBER)
#undef SAME_NUMBER
    if (is_kernel_failure(result)) return LAB_ERROR_LAUNCH_FAILED;
    if (result == CUDA_ERROR_CONTEXT_ALREADY_IN_USE) return LAB_ERROR_NOT_PERMITTED;
    return LAB_ERROR_UNKNOWN;
}

/* What the caller did wrong, if that can be said without knowing the call. */
static const char *meaning(lab_status status)
{
    switch (status) {
    case LAB_ERROR_STREAM_CAPTURE_UNSUPPORTED:
        return "not while a stream captures: what a capture holds back cannot be waited for or be done, and what it "
               "does not see would not be done again by a launch; the capture is now invalid";
    case LAB_ERROR_STREAM_CAPTURE_INVALIDATED:
        return "the stream's capture was made invalid by an earlier call; end it with lab_stream_end_capture on the "
               "stream where it began";
    case LAB_ERROR_STREAM_CAPTURE_MERGE:
        return "the stream and the event belong to two captures, which cannot become one; both are now invalid";
    case LAB_ERROR_STREAM_CAPTURE_UNMATCHED:
        return "the capture began on another stream, of which this one is a fork; the capture is now invalid";
    case LAB_ERROR_STREAM_CAPTURE_UNJOINED:
        return "work on a forked stream was not joined: record an event there after the work and make the first stream "
               "wait for it before the end";
    case LAB_ERROR_STREAM_CAPTURE_ISOLATION:
        return "the stream is capturing, and the event was recorded outside of the capture: a graph cannot wait for "
               "it; the capture is now invalid";
    case LAB_ERROR_STREAM_CAPTURE_IMPLICIT:
        return "the null stream is ordered with every blocking stream, and one of them is capturing; use another "
               "stream until the capture ended, or capture on a non-blocking one";
    case LAB_ERROR_CAPTURED_EVENT:
        return "the event was recorded on a stream that is capturing: it stands for a place in the graph and is never "
               "done";
    case LAB_ERROR_STREAM_CAPTURE_WRONG_THREAD:
        return "another thread began the capture, and only LAB_CAPTURE_RELAXED lets this one end it; the capture is "
               "dropped";
    default: return lab_status_text(status);
    }
}

/* ---- Suspects ---- */

enum { SUSPECTS = 4 };
static _Atomic(const backend_kernel *) suspect[SUSPECTS]; /* the kernels that were launched last */
static atomic_uint launches; /* counts launches; repeated launches of one kernel count once */

void cuda_note_suspect(const backend_kernel *kernel)
{
    const unsigned before = atomic_load_explicit(&launches, memory_order_relaxed);
    if (before && atomic_load_explicit(&suspect[(before - 1) % SUSPECTS], memory_order_relaxed) == kernel) return;
    const unsigned place = atomic_fetch_add_explicit(&launches, 1, memory_order_relaxed);
    atomic_store_explicit(&suspect[place % SUSPECTS], kernel, memory_order_relaxed);
}

void cuda_forget_suspects(const backend_kernel *first, int count)
{
    for (int i = 0; i < SUSPECTS; i++) {
        const backend_kernel *kernel = atomic_load(&suspect[i]);
        if (kernel >= first && kernel < first + count) atomic_store(&suspect[i], NULL);
    }
}

/* Writes "; suspect are the kernels launched last ...: 'b', 'a'"; nothing if no kernel was launched. */
static void list_suspects(char *out, size_t bytes)
{
    unsigned made = atomic_load(&launches);
    size_t used = 0;
    *out = '\0';
    for (unsigned i = 1; i <= SUSPECTS && i <= made && used < bytes; i++) {
        const backend_kernel *kernel = atomic_load(&suspect[(made - i) % SUSPECTS]);
        if (kernel)
            used += (size_t)snprintf(
                out + used, bytes - used, "%s'%.100s'",
                used ? ", " : "; suspect are the kernels launched last, the latest first: ", kernel->name);
    }
}

/* ---- The failure ---- */

/* cuda.h: the process is left in an inconsistent state, any further work returns the same error, and the process must
 * be terminated and relaunched. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int failure;
static char failure_message[1024]; /* written once, before `failure` is set */

bool cuda_has_failed(void) { return atomic_load(&failure) != 0; }

lab_status cuda_failure(void) { return (lab_status)atomic_load(&failure); }

void cuda_fail_for_good(lab_status status, const char *message)
{
    pthread_mutex_lock(&lock);
    if (!cuda_has_failed()) {
        snprintf(failure_message, sizeof failure_message, "%s", message);
        atomic_store(&failure, (int)status);
    }
    pthread_mutex_unlock(&lock);
}

static void note_failure(CUresult result)
{
    char suspects[600], message[sizeof failure_message];
    list_suspects(suspects, sizeof suspects);
    snprintf(message, sizeof message, "a kernel stopped with an error: %s (%s)%s", cuda_error_name(result),
             cuda_error_text(result), suspects);
    cuda_fail_for_good(status_of(result), message);
}

lab_status cuda_check(void)
{
    if (!cuda_has_failed()) return LAB_SUCCESS;
    return lab_fail(cuda_failure(),
                    "%s; nothing more can run on the device in this process, but objects and memory can still be freed",
                    failure_message);
}

lab_status cuda_fail(CUresult result, const char *call)
{
    if (result == CUDA_ERROR_NOT_READY) return LAB_ERROR_NOT_READY;
    if (is_kernel_failure(result)) note_failure(result);
    if (cuda_has_failed()) return cuda_check();
    lab_status status = status_of(result);
    return lab_fail(status, "%s (%s: %s, %s)", meaning(status), call, cuda_error_name(result), cuda_error_text(result));
}
