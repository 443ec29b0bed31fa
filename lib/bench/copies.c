/* Copies of pinned and pageable memory, from the call to completion, compared with memcpy between two host buffers. */
#include "bench.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

enum { BYTES = 32 << 20 };

typedef struct buffers {
    lab_deviceptr device;
    unsigned char *pinned, *pageable, *other;
} buffers;

static lab_status copy_host(void *user)
{
    const buffers *setup = user;
    memcpy(setup->other, setup->pageable, BYTES);
    return LAB_SUCCESS;
}

static lab_status pinned_in(void *user)
{
    const buffers *setup = user;
    LAB_TRY(lab_memcpy_htod_async(setup->device, setup->pinned, BYTES, NULL));
    return lab_stream_synchronize(NULL);
}

static lab_status pinned_out(void *user)
{
    const buffers *setup = user;
    LAB_TRY(lab_memcpy_dtoh_async(setup->pinned, setup->device, BYTES, NULL));
    return lab_stream_synchronize(NULL);
}

static lab_status pageable_in(void *user)
{
    const buffers *setup = user;
    LAB_TRY(lab_memcpy_htod_async(setup->device, setup->pageable, BYTES, NULL));
    return lab_stream_synchronize(NULL);
}

static lab_status pageable_out(void *user)
{
    const buffers *setup = user;
    LAB_TRY(lab_memcpy_dtoh_async(setup->pageable, setup->device, BYTES, NULL));
    return lab_stream_synchronize(NULL);
}

static lab_status prepare(buffers *setup)
{
    setup->pageable = malloc(BYTES);
    setup->other = malloc(BYTES);
    if (!setup->pageable || !setup->other) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for the buffers");
    memset(setup->pageable, 1, BYTES);
    memset(setup->other, 2, BYTES);
    LAB_TRY(lab_mem_alloc(&setup->device, BYTES));
    return lab_host_alloc((void **)&setup->pinned, BYTES);
}

static void compare(buffers *setup, lab_status prepared, const char *name, lab_status (*copy)(void *))
{
    bench_samples ratio = {0};
    lab_status status = prepared == LAB_SUCCESS ? bench_compare(&ratio, copy_host, copy, setup) : prepared;
    bench_add_row((bench_row){name, "", BENCH_NO_GOAL, 0}, &ratio, status);
}

void bench_copies(void)
{
    buffers setup = {0};
    lab_status prepared = prepare(&setup);
    compare(&setup, prepared, "copy to the device, pinned: speed of memcpy's", pinned_in);
    compare(&setup, prepared, "copy to the host, pinned", pinned_out);
    compare(&setup, prepared, "copy to the device, pageable", pageable_in);
    compare(&setup, prepared, "copy to the host, pageable", pageable_out);
    lab_host_free(setup.pinned);
    lab_mem_free(setup.device);
    free(setup.pageable);
    free(setup.other);
}
