/* Copies of pinned and pageable memory, from the call to the end, beside memcpy between two host buffers. */
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
    const buffers *of = user;
    memcpy(of->other, of->pageable, BYTES);
    return LAB_SUCCESS;
}

static lab_status pinned_in(void *user)
{
    const buffers *of = user;
    LAB_TRY(lab_memcpy_htod_async(of->device, of->pinned, BYTES, NULL));
    return lab_stream_synchronize(NULL);
}

static lab_status pinned_out(void *user)
{
    const buffers *of = user;
    LAB_TRY(lab_memcpy_dtoh_async(of->pinned, of->device, BYTES, NULL));
    return lab_stream_synchronize(NULL);
}

static lab_status pageable_in(void *user)
{
    const buffers *of = user;
    LAB_TRY(lab_memcpy_htod_async(of->device, of->pageable, BYTES, NULL));
    return lab_stream_synchronize(NULL);
}

static lab_status pageable_out(void *user)
{
    const buffers *of = user;
    LAB_TRY(lab_memcpy_dtoh_async(of->pageable, of->device, BYTES, NULL));
    return lab_stream_synchronize(NULL);
}

static lab_status prepare(buffers *of)
{
    of->pageable = malloc(BYTES);
    of->other = malloc(BYTES);
    if (!of->pageable || !of->other) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for the buffers");
    memset(of->pageable, 1, BYTES);
    memset(of->other, 2, BYTES);
    LAB_TRY(lab_mem_alloc(&of->device, BYTES));
    return lab_host_alloc((void **)&of->pinned, BYTES);
}

static void compare(buffers *of, lab_status prepared, const char *name, lab_status (*copy)(void *))
{
    bench_samples ratio = {0};
    lab_status status = prepared == LAB_SUCCESS ? bench_compare(&ratio, copy_host, copy, of) : prepared;
    bench_add_row((bench_row){name, "", BENCH_NO_GOAL, 0}, &ratio, status);
}

void bench_copies(void)
{
    buffers of = {0};
    lab_status prepared = prepare(&of);
    compare(&of, prepared, "copy to the device, pinned: speed of memcpy's", pinned_in);
    compare(&of, prepared, "copy to the host, pinned", pinned_out);
    compare(&of, prepared, "copy to the device, pageable", pageable_in);
    compare(&of, prepared, "copy to the host, pageable", pageable_out);
    lab_host_free(of.pinned);
    lab_mem_free(of.device);
    free(of.pageable);
    free(of.other);
}
