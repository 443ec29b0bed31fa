/* Opens the backend that LAB_DEVICE asks for and keeps its devices' primary contexts. */
#include "runtime.h"

#include "stream.h"
#include "trace/record.h"

#include <ctype.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static pthread_once_t opened = PTHREAD_ONCE_INIT;
static lab_status open_status;
static char *open_message;
static const lab_backend *backend;
static int devices;

static bool forked; /* this process is the child of the one that opened the devices: their threads are not here */
static _Thread_local bool inside_host_function;

static pthread_mutex_t contexts_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(struct context *) *contexts;

static bool asks_for_cuda(const char *wish)
{
    if (strncmp(wish, "cuda", 4) != 0) return false;
    if (wish[4] == '\0') return true;
    if (wish[4] != ':' || wish[5] == '\0') return false;
    for (const char *digit = wish + 5; *digit; digit++)
        if (!isdigit((unsigned char)*digit)) return false;
    return true;
}

static lab_status choose_backend(void)
{
    const char *wish = getenv("LAB_DEVICE");
    if (!wish || !*wish || strcmp(wish, "auto") == 0 || strcmp(wish, "cpu") == 0) {
        backend = &cpu_backend;
        return LAB_SUCCESS;
    }
    if (asks_for_cuda(wish))
        return lab_fail(LAB_ERROR_NO_DEVICE, "LAB_DEVICE=%s: this build has no CUDA device; use LAB_DEVICE=cpu", wish);
    return lab_fail(LAB_ERROR_INVALID_VALUE, "LAB_DEVICE=%s is no device; use auto, cpu, cuda or cuda:N", wish);
}

static lab_status open_devices(void)
{
    LAB_TRY(choose_backend());
    LAB_TRY(backend->open(&devices));
    contexts = calloc((size_t)devices, sizeof *contexts);
    if (!contexts) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no memory for the list of devices");
    return LAB_SUCCESS;
}

static void note_fork(void) { forked = true; }

static void open_once(void)
{
    open_status = open_devices();
    pthread_atfork(NULL, NULL, note_fork);
    if (open_status != LAB_SUCCESS) open_message = strdup(lab_error_message());
}

lab_status runtime_check(void)
{
    if (inside_host_function)
        return lab_fail(LAB_ERROR_NOT_PERMITTED, "a host function must not call the library: the stream waits for its return");
    if (forked)
        return lab_fail(LAB_ERROR_NOT_INITIALIZED,
                        "the process was forked after it used the device; use the device before or after the fork, not both");
    return LAB_SUCCESS;
}

void runtime_enter_host_function(void) { inside_host_function = true; }

void runtime_leave_host_function(void) { inside_host_function = false; }

bool runtime_inside_host_function(void) { return inside_host_function; }

lab_status runtime_open(void)
{
    LAB_TRY(runtime_check());
    pthread_once(&opened, open_once);
    if (open_status != LAB_SUCCESS) return lab_fail(open_status, "%s", open_message ? open_message : "out of memory");
    return record_start_from_environment();
}

const lab_backend *runtime_backend(void) { return backend; }

int runtime_devices(void) { return devices; }

int64_t runtime_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static lab_status make_primary_context(struct context **out, int device)
{
    struct context *made = calloc(1, sizeof *made);
    if (!made) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no memory for the context of device %d", device);
    made->device = device;
    lab_status status = backend->device_info(&made->info, device);
    if (status == LAB_SUCCESS) status = backend->context_primary(&made->native, device);
    if (status == LAB_SUCCESS) status = stream_adopt_null(&made->null_stream, made);
    if (status != LAB_SUCCESS) {
        free(made);
        return status;
    }
    *out = made;
    return LAB_SUCCESS;
}

lab_status runtime_primary_context(struct context **out, int device)
{
    LAB_TRY(runtime_open());
    if (device < 0 || device >= devices)
        return lab_fail(LAB_ERROR_INVALID_DEVICE, "device %d does not exist; this process sees %d, numbered from 0", device,
                        devices);
    *out = atomic_load_explicit(&contexts[device], memory_order_acquire);
    if (*out) return LAB_SUCCESS;
    pthread_mutex_lock(&contexts_lock);
    lab_status status = LAB_SUCCESS;
    *out = atomic_load_explicit(&contexts[device], memory_order_relaxed);
    if (!*out) {
        status = make_primary_context(out, device);
        if (status == LAB_SUCCESS) atomic_store_explicit(&contexts[device], *out, memory_order_release);
    }
    pthread_mutex_unlock(&contexts_lock);
    return status;
}

lab_status runtime_context(struct context **out) { return runtime_primary_context(out, 0); }

struct context *runtime_existing_context(int device) { return atomic_load_explicit(&contexts[device], memory_order_acquire); }
