/* The runs of elements that lie side by side in an array. */
#include "array_accesses.h"

enum { MOST_RUNS = 64 };

typedef struct runs {
    int axes; /* that lead from run to run, from the longest stride to the shortest */
    size_t size[LAB_MAX_DIMENSIONS], stride[LAB_MAX_DIMENSIONS];
    size_t count, elements; /* of runs; of each */
} runs;

/* The array's axes of more than one index, from the longest stride to the shortest. */
static void sort_axes(runs *out, const struct array *array)
{
    out->axes = 0;
    for (int i = 0; i < array->shape.dimensions; i++) {
        if (array->shape.size[i] == 1) continue;
        int at = out->axes++;
        for (; at > 0 && out->stride[at - 1] < array->stride[i]; at--) {
            out->size[at] = out->size[at - 1];
            out->stride[at] = out->stride[at - 1];
        }
        out->size[at] = array->shape.size[i];
        out->stride[at] = array->stride[i];
    }
}

static void find_runs(runs *out, const struct array *array)
{
    sort_axes(out, array);
    for (out->elements = 1; out->axes > 0 && out->stride[out->axes - 1] == out->elements; out->axes--)
        out->elements *= out->size[out->axes - 1];
    out->count = 1;
    for (int i = 0; i < out->axes; i++) out->count *= out->size[i];
}

void array_record_access(record_entry *entry, lab_trace_access access, const struct array *strided)
{
    runs found = {.count = MOST_RUNS + 1};
    if (entry && strided) find_runs(&found, strided);
    if (found.count > MOST_RUNS) {
        record_access(entry, access);
        return;
    }
    const size_t element_bytes = lab_dtype_size(strided->dtype);
    const uint64_t first = access.address;
    access.bytes = found.elements * element_bytes;
    for (size_t run = 0; run < found.count; run++) {
        size_t rest = run, place = 0;
        for (int i = found.axes - 1; i >= 0; rest /= found.size[i--]) place += rest % found.size[i] * found.stride[i];
        access.address = first + place * element_bytes;
        record_access(entry, access);
    }
}
