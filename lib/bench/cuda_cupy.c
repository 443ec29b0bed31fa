/* CuPy's figures, which cupy_rows.py measures in a separate process, before ours: two programs that take turns on a GPU
 * would share it. */
#include "cuda_raw.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

static json_t *measured; /* a list of numbers by name; NULL without CuPy */

void cupy_measure(void)
{
    char note[256];
    FILE *output = popen("timeout 120 python3 lib/bench/cupy_rows.py 2>/dev/null", "re");
    json_t *said = output ? json_loadf(output, 0, NULL) : NULL;
    const int status = output ? pclose(output) : -1;
    const char *version = json_string_value(json_object_get(said, "version"));
    if (status == 0 && version) {
        measured = json_incref(json_object_get(said, "samples"));
        snprintf(note, sizeof note, "CuPy is version %s; its figures were measured in this run before ours.", version);
    } else {
        snprintf(note, sizeof note, "CuPy is not installed.");
    }
    bench_add_note(note);
    json_decref(said);
}

void cupy_add_row(const char *row, const char *unit, const char *name)
{
    const json_t *list = json_object_get(measured, name);
    bench_samples samples = {0};
    for (size_t i = 0; i < json_array_size(list); i++)
        bench_add_sample(&samples, json_number_value(json_array_get(list, i)));
    if (samples.count > 0) bench_add_row((bench_row){row, unit, BENCH_NO_GOAL, 0}, &samples, LAB_SUCCESS);
}
