/*
 * What the device makes of special values in integer types, measured, and what NumPy on x86-64 makes of them, by
 * lab_cast_as_numpy. Not the values of lab 06's first task, which are the student's to predict.
 */
#include "slide.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *text;
    float value;
} values[] = {{"2.9", 2.9f},           {"-3", -3.0f},   {"200", 200.0f},           {"70000", 70000.0f},
              {"2147483648", 0x1p31f}, {"1e20", 1e20f}, {"+inf", (float)INFINITY}, {"-inf", (float)-INFINITY}};
enum { VALUES = sizeof values / sizeof *values };

static const lab_dtype types[] = {LAB_UINT8, LAB_INT16, LAB_UINT32, LAB_INT64};
enum { TYPES = sizeof types / sizeof *types };

/* As text: JSON's numbers end at 2^63 - 1. */
static json_t *number(const unsigned char *bytes, lab_dtype type)
{
    const size_t size = lab_dtype_size(type);
    const bool is_signed = type == LAB_INT16 || type == LAB_INT64;
    uint64_t bits = 0;
    memcpy(&bits, bytes, size);
    if (!is_signed) return json_sprintf("%llu", (unsigned long long)bits);
    const int unused = 64 - 8 * (int)size;
    return json_sprintf("%lld", (long long)(bits << unused) >> unused);
}

static json_t *column(lab_dtype type, const unsigned char *results)
{
    json_t *list = json_array();
    for (int v = 0; v < VALUES; v++) json_array_append_new(list, number(results + v * lab_dtype_size(type), type));
    return list;
}

int main(int argc, char **argv)
{
    lab_array *from, *cast;
    float value[VALUES];
    unsigned char device[8 * VALUES], numpy[8 * VALUES];
    slide_open(argc, argv, 0);
    json_t *columns = json_array(), *names = json_array();
    for (int v = 0; v < VALUES; v++) {
        value[v] = values[v].value;
        json_array_append_new(names, json_string(values[v].text));
    }
    LAB_CHECK(lab_array_from_host(&from, LAB_FLOAT32, LAB_SHAPE(VALUES), value));
    for (int t = 0; t < TYPES; t++) {
        LAB_CHECK(lab_array_astype(&cast, from, types[t], NULL));
        LAB_CHECK(lab_array_get(cast, device));
        LAB_CHECK(lab_array_destroy(cast));
        LAB_CHECK(lab_cast_as_numpy(numpy, types[t], value, LAB_FLOAT32, VALUES));
        json_array_append_new(columns, json_pack("{s:s, s:o, s:o}", "type", lab_dtype_name(types[t]), "device",
                                                 column(types[t], device), "numpy", column(types[t], numpy)));
    }
    slide_save(json_pack("{s:o, s:o}", "values", names, "types", columns));
    return 0;
}
