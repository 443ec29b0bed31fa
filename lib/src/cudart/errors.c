/* Error codes, names and texts; the last error; the end of everything after a kernel has failed; places of calls. */
#include "cudart.h"

#include "base/call_site.h"
#include "base/program/program.h"
#include "base/status.h"
#include "objects/contexts/context_stack.h"
#include "order/order.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local cudaError_t last_error;
static _Thread_local uint64_t per_thread_calls; /* a bit for each call under way, the innermost the lowest */
_Thread_local bool cudart_uses_primary;
lab_status (*cudart_prepare)(void);
static _Atomic int broken;      /* the error of the kernel that has failed, after which no call works */
static _Atomic bool disordered; /* a check has found something */
static _Atomic bool initialised;

void lab_cuda_here(const char *file, int line, int per_thread)
{
    lab_here(file, line);
    per_thread_calls = per_thread_calls << 1 | (per_thread != 0);
}

int lab_cuda_there(int status)
{
    per_thread_calls >>= 1;
    lab_here_ends(LAB_SUCCESS);
    return status;
}

bool cudart_is_per_thread(void) { return per_thread_calls & 1; }

/* ---- names ---- */

static const char *name_of(int code)
{
    switch (code) {
#define BOTH(runtime, driver, number, text)                                                                            \
    case number: return #runtime;
        LAB_CUDA_ERROR_TABLE(BOTH)
#undef BOTH
#define RUNTIME(runtime, number, text)                                                                                 \
    case number: return #runtime;
        LAB_CUDA_RUNTIME_ERROR_TABLE(RUNTIME)
#undef RUNTIME
    case LAB_ERROR_NOT_ORDERED: return lab_status_name(LAB_ERROR_NOT_ORDERED);
    }
    return NULL;
}

static const char *text_of(int code)
{
    switch (code) {
#define BOTH(runtime, driver, number, text)                                                                            \
    case number: return text;
        LAB_CUDA_ERROR_TABLE(BOTH)
#undef BOTH
#define RUNTIME(runtime, number, text)                                                                                 \
    case number: return text;
        LAB_CUDA_RUNTIME_ERROR_TABLE(RUNTIME)
#undef RUNTIME
    case LAB_ERROR_NOT_ORDERED: return lab_status_text(LAB_ERROR_NOT_ORDERED);
    }
    return NULL;
}

static const char *driver_name_of(int code)
{
    switch (code) {
#define BOTH(runtime, driver, number, text)                                                                            \
    case number: return #driver;
        LAB_CUDA_ERROR_TABLE(BOTH)
#undef BOTH
    case LAB_ERROR_NOT_ORDERED: return lab_status_name(LAB_ERROR_NOT_ORDERED);
    }
    return NULL;
}

const char *cudaGetErrorName(cudaError_t error)
{
    const char *name = name_of((int)error);
    return name ? name : "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error)
{
    const char *text = text_of((int)error);
    return text ? text : "unrecognized error code";
}

CUresult cuGetErrorName(CUresult error, const char **name)
{
    if (!name) return CUDA_ERROR_INVALID_VALUE;
    *name = driver_name_of((int)error);
    return *name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char **text)
{
    if (!text) return CUDA_ERROR_INVALID_VALUE;
    *text = driver_name_of((int)error) ? text_of((int)error) : NULL;
    return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* ---- codes ---- */

/* lab.h's statuses have CUDA's numbers, but for those that CUDA does not have. */
static int code_of(lab_status status)
{
    if (status == LAB_ERROR_COMPILER_UNAVAILABLE) return cudaErrorJitCompilerNotFound;
    if (status == LAB_ERROR_IO) return cudaErrorOperatingSystem;
    return (int)status;
}

/* Errors after which the process can only end: a kernel has failed. */
static bool is_fatal(int code)
{
    return code == cudaErrorIllegalAddress || (code >= cudaErrorHardwareStackError && code <= cudaErrorLaunchFailure) ||
           code == cudaErrorAssert;
}

/* What is printed: LAB_CUDA_ERRORS=none or all; otherwise the failure of a kernel and what the checks find, once. */
static enum { PRINT_FAILURES, PRINT_ALL, PRINT_NONE } printed;

static void read_setting(void)
{
    char value[8];
    if (!program_setting(value, sizeof value, "LAB_CUDA_ERRORS")) return;
    if (strcmp(value, "all") == 0) printed = PRINT_ALL;
    if (strcmp(value, "none") == 0) printed = PRINT_NONE;
}

static void print(int code)
{
    const call_site site = call_site_now();
    if (*site.file) fprintf(stderr, "%s:%d: ", site.file, site.line);
    fprintf(stderr, "%s (%s)\n", *lab_error_message() ? lab_error_message() : text_of(code), name_of(code));
}

static pthread_once_t setting_read = PTHREAD_ONCE_INIT;

void cudart_say_not_ready(void)
{
    pthread_once(&setting_read, read_setting);
    if (printed == PRINT_ALL) print(cudaErrorNotReady);
}

/* Notes the failure of a call of either interface. "Not ready" is an answer to a question. */
static int note(int code)
{
    if (code == cudaSuccess || code == cudaErrorNotReady) return code;
    pthread_once(&setting_read, read_setting);
    int none = 0;
    const bool is_first = is_fatal(code) ? atomic_compare_exchange_strong(&broken, &none, code)
                                         : code == LAB_ERROR_NOT_ORDERED && !atomic_exchange(&disordered, true);
    if (printed == PRINT_ALL || (printed == PRINT_FAILURES && is_first)) print(code);
    return code;
}

static cudaError_t note_last(int code)
{
    if (code != cudaSuccess && code != cudaErrorNotReady) last_error = (cudaError_t)code;
    return (cudaError_t)note(code);
}

/* ---- the runtime ---- */

/* Opens the library. A failure concerns the environment, not the call: it is printed, once. */
static int initialise(void)
{
    static atomic_bool is_said;
    int devices;
    if (atomic_load_explicit(&initialised, memory_order_acquire)) return cudaSuccess;
    order_speak(ORDER_CUDA);
    const lab_status status = lab_device_count(&devices);
    atomic_store(&initialised, status == LAB_SUCCESS);
    const int code = note(code_of(status));
    if (code != cudaSuccess && printed == PRINT_FAILURES && !atomic_exchange(&is_said, true)) print(code);
    return code;
}

cudaError_t cudart_open(void)
{
    const int failed = initialise();
    if (failed) return last_error = (cudaError_t)failed;
    cudart_uses_primary = true;
    return cudaSuccess;
}

cudaError_t cudart_begin(void)
{
    const int failed = atomic_load_explicit(&broken, memory_order_relaxed);
    const cudaError_t opened = failed ? last_error = (cudaError_t)failed : cudart_open();
    return opened == cudaSuccess && cudart_prepare ? cudart_end(cudart_prepare()) : opened;
}

bool cudart_reset_after_failure(void)
{
    if (!atomic_load(&broken)) return false;
    atomic_store(&broken, cudaErrorDevicesUnavailable);
    return true;
}

cudaError_t cudart_end(lab_status status) { return note_last(code_of(status)); }

cudaError_t cudart_fail(cudaError_t code, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    lab_fail(LAB_ERROR_INVALID_VALUE, "%s", text);
    return note_last((int)code);
}

cudaError_t cudaGetLastError(void)
{
    const cudaError_t last = last_error;
    last_error = cudaSuccess;
    return last;
}

cudaError_t cudaPeekAtLastError(void) { return last_error; }

/* ---- the driver ---- */

void cudart_restore_last_error(cudaError_t before) { last_error = before; }

CUresult cudart_driver_initialise(void) { return (CUresult)initialise(); }

CUresult cudart_driver_begin(bool needs_context)
{
    if (!atomic_load_explicit(&initialised, memory_order_acquire)) return CUDA_ERROR_NOT_INITIALIZED;
    const int failed = atomic_load_explicit(&broken, memory_order_relaxed);
    if (failed) return (CUresult)failed;
    if (needs_context && !cudart_uses_primary && context_stack_is_empty())
        return cudart_driver_fail(CUDA_ERROR_INVALID_CONTEXT, "the thread has no current context: call cuCtxCreate, or "
                                                              "cuCtxSetCurrent with one");
    return CUDA_SUCCESS;
}

CUresult cudart_driver_end(lab_status status) { return (CUresult)note(code_of(status)); }

CUresult cudart_driver_fail(CUresult code, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    lab_fail(LAB_ERROR_INVALID_VALUE, "%s", text);
    return (CUresult)note((int)code);
}
