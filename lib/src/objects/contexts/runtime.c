/* Opens the backend that LAB_DEVICE asks for. */
#include "runtime.h"
#include "host_pages.h"

#include "cuda/cuda_device.h"
#include "seam/ledger.h"
#include "seam/timed_backend.h"
#include "order/order.h"
#include "record/record.h"

#include <ctype.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool opened;
static int devices;
static bool is_cpu;

const lab_backend *runtime_opened_backend;
bool runtime_forked;

static bool asks_for_cuda(const char *setting)
{
    if (strncmp(setting, "cuda", 4) != 0) return false;
    if (setting[4] == '\0') return true;
    if (setting[4] != ':' || setting[5] == '\0') return false;
    for (const char *digit = setting + 5; *digit; digit++)
        if (!isdigit((unsigned char)*digit)) return false;
    return true;
}

static lab_status open_timed(const lab_backend *backend)
{
    const lab_backend *timed = timed_backend(backend);
    LAB_TRY(timed->open(&devices));
    runtime_opened_backend = timed;
    return LAB_SUCCESS;
}

/* Opens the CUDA devices that the setting asks for. */
static lab_status open_cuda(const char *setting)
{
    const lab_backend *cuda = cuda_backend();
    if (!cuda)
        return lab_fail(LAB_ERROR_NO_DEVICE,
                        "LAB_DEVICE=%s: this build has no CUDA device, since the headers of the CUDA Toolkit were not "
                        "found when it was made; use LAB_DEVICE=cpu",
                        setting);
    return open_timed(cuda);
}

static lab_status open_cpu(void)
{
    is_cpu = true;
    return open_timed(&cpu_backend);
}

/* Opens CUDA if it can. A failure to do so is not an error. */
static lab_status open_preferred(void)
{
    status_try_begin();
    lab_status status = open_cuda("auto");
    status_try_end();
    return status == LAB_SUCCESS ? LAB_SUCCESS : open_cpu();
}

static lab_status open_backend(void)
{
    const char *setting = getenv("LAB_DEVICE");
    if (!setting || !*setting || strcmp(setting, "auto") == 0) return open_preferred();
    if (strcmp(setting, "cpu") == 0) return open_cpu();
    if (asks_for_cuda(setting)) return open_cuda(setting);
    return lab_fail(LAB_ERROR_INVALID_VALUE, "LAB_DEVICE=%s is not a device; use auto, cpu, cuda or cuda:N", setting);
}

static void note_fork(void) { runtime_forked = true; }

/* Opens the devices. After a failure, the next call tries again. */
static lab_status open_devices(void)
{
    pthread_mutex_lock(&open_lock);
    lab_status status = LAB_SUCCESS;
    if (!atomic_load(&opened)) {
        status = ledger_open();
        if (status == LAB_SUCCESS) status = open_backend();
        if (status == LAB_SUCCESS) status = host_pages_open(is_cpu);
        if (devices > BACKEND_MOST_DEVICES) devices = BACKEND_MOST_DEVICES;
        if (status == LAB_SUCCESS) record_set_backend(runtime_opened_backend);
        if (status == LAB_SUCCESS) pthread_atfork(NULL, NULL, note_fork);
        atomic_store(&opened, status == LAB_SUCCESS);
    }
    pthread_mutex_unlock(&open_lock);
    return status;
}

lab_status runtime_refuse(void)
{
    LAB_TRY(host_function_check());
    return lab_fail(
        LAB_ERROR_NOT_INITIALIZED,
        "the process was forked after it used the device; use the device before or after the fork, not both");
}

lab_status runtime_open(void)
{
    LAB_TRY(runtime_check());
    if (!atomic_load_explicit(&opened, memory_order_acquire)) LAB_TRY(open_devices());
    LAB_TRY(order_start_from_environment());
    return record_start_from_environment();
}

int runtime_devices(void) { return devices; }

lab_status runtime_check_device(int device, const char *call)
{
    LAB_TRY(runtime_open());
    if (device >= 0 && device < devices) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_INVALID_DEVICE, "%s: device %d does not exist; this process sees %d, numbered from 0",
                    call, device, devices);
}
