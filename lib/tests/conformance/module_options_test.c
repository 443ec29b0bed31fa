/* Modules with definitions, include paths, and kernels that name expressions name. */
#include "test.h"
#include "test_arrays.h"
#include "test_folder.h"

#include <string.h>

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

static lab_module *load(const char *source, const lab_module_options *options)
{
    lab_module *module;
    cr_assert_eq(lab_module_load_with(&module, source, NULL, options), LAB_SUCCESS, "%s", lab_error_message());
    return module;
}

static lab_function find(lab_module *module, const char *name)
{
    lab_function function;
    cr_assert_eq(lab_module_get_function(&function, module, name), LAB_SUCCESS, "%s", lab_error_message());
    return function;
}

/* What a kernel of one thread writes to an array of one element. */
static double run(lab_module *module, const char *name, lab_dtype dtype)
{
    lab_array *out = empty(dtype, 1);
    LAB_CHECK(lab_launch(find(module, name), LAB_DIM(1), LAB_DIM(1), 0, NULL, LAB_ARGS(out)));
    const double value = value_of(out);
    LAB_CHECK(lab_array_destroy(out));
    return value;
}

/* CuPy, RawModule: options, such as -D. */
Test(module_options, definitions_are_macros_of_the_source)
{
    static const char source[] = "#if PRECISION > 2\n"
                                 "#error precision not supported\n"
                                 "#endif\n"
                                 "extern \"C\" __global__ void set(int *out) { *out = 10 * PRECISION + DEFINED; }\n";
    lab_module *module = load(source, &(lab_module_options){.defines = LIST("PRECISION=2", "DEFINED")});
    cr_assert_eq(run(module, "set", LAB_INT32), 21);
    LAB_CHECK(lab_module_unload(module));
    cr_assert_eq(lab_module_load_with(&module, source, "a.cu", &(lab_module_options){.defines = LIST("PRECISION=3")}),
                 LAB_ERROR_INVALID_SOURCE);
    cr_assert(strstr(lab_error_message(), "precision not supported") && strstr(lab_error_message(), "a.cu:2"), "%s",
              lab_error_message());
    cr_assert_null(module);
}

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    fputs(text, file);
    fclose(file);
}

/* CuPy, RawModule: options, such as -I. */
Test(module_options, headers_are_found_in_the_include_paths)
{
    const test_folder made = test_folder_make("unused");
    const char *folder = made.path;
    write_file(folder, "outer.h", "#pragma once\n#include \"inner.h\"\n#define OUTER (INNER + 1)\n");
    write_file(folder, "inner.h", "#pragma once\n#define INNER 40\n");
    static const char source[] = "#include <math.h>\n#include <outer.h>\n#include \"inner.h\"\n"
                                 "extern \"C\" __global__ void set(int *out) { *out = OUTER + 1; }\n";
    lab_module *module = load(source, &(lab_module_options){.include_paths = LIST("/nowhere", folder)});
    cr_assert_eq(run(module, "set", LAB_INT32), 42);
    LAB_CHECK(lab_module_unload(module));
    write_file(folder, "inner.h", "#pragma once\n#define INNER 50\n");
    module = load(source, &(lab_module_options){.include_paths = LIST(folder)});
    cr_assert_eq(run(module, "set", LAB_INT32), 52, "a changed header is read again");
    LAB_CHECK(lab_module_unload(module));
    test_folder_remove(&made);
}

static const char templates[] = "namespace space { template <class T> struct pair { T first, second; }; }\n"
                                "template <class T, int times = 1>\n"
                                "__global__ void __launch_bounds__(64) scale(T *x, const T by, int count)\n"
                                "{\n"
                                "    __shared__ T tile[64];\n"
                                "    const int i = threadIdx.x;\n"
                                "    tile[i] = i < count ? x[i] : T();\n"
                                "    __syncthreads();\n"
                                "    if (i < count) x[i] = tile[count - 1 - i] * by * times;\n"
                                "}\n"
                                "namespace space { __global__ void set(double *) ; }\n"
                                "__global__ void space::set(double *out) { *out = 2.5; }\n"
                                "template <class T> __global__ void size(int *out) { *out = sizeof(T); }\n"
                                "extern \"C\" __global__ void plain(int *out) { *out = 7; }\n";

/* CuPy, RawModule: name_expressions; each instance of a template is a kernel of its own. */
Test(module_options, instances_of_templates_are_found_by_their_expressions)
{
    const float host[3] = {1, 2, 3};
    float got[3];
    lab_module *module =
        load(templates, &(lab_module_options){.name_expressions = LIST("scale<float>", "scale<float, 10>", "space::set",
                                                                       "size<char>", "size<space::pair<double>>")});
    lab_array *x = from_host(LAB_FLOAT32, 3, host);
    LAB_CHECK(lab_launch(find(module, "scale<float>"), LAB_DIM(1), LAB_DIM(64), 0, NULL, LAB_ARGS(x, 2.0f, 3)));
    LAB_CHECK(lab_launch(find(module, "scale<float, 10>"), LAB_DIM(1), LAB_DIM(64), 0, NULL, LAB_ARGS(x, 1.0f, 3)));
    LAB_CHECK(lab_array_get(x, got));
    cr_assert(got[0] == 20 && got[1] == 40 && got[2] == 60, "%g %g %g", (double)got[0], (double)got[1], (double)got[2]);
    cr_assert_eq(run(module, "space::set", LAB_FLOAT64), 2.5);
    cr_assert_eq(run(module, "size<char>", LAB_INT32), 1);
    cr_assert_eq(run(module, "size<space::pair<double>>", LAB_INT32), 16);
    cr_assert_eq(run(module, "plain", LAB_INT32), 7);
    LAB_CHECK(lab_array_destroy(x));
    LAB_CHECK(lab_module_unload(module));
}

/* lab.h, Modules and kernels: arguments are checked against the instance's own types. */
Test(module_options, an_instance_has_the_types_of_its_arguments)
{
    lab_module *module = load(templates, &(lab_module_options){.name_expressions = LIST("scale<double>")});
    lab_array *floats = empty(LAB_FLOAT32, 3), *doubles = empty(LAB_FLOAT64, 3);
    const lab_function scale = find(module, "scale<double>");
    cr_assert_eq(lab_launch(scale, LAB_DIM(1), LAB_DIM(64), 0, NULL, LAB_ARGS(floats, 1.0, 3)),
                 LAB_ERROR_INVALID_VALUE);
    cr_assert(strstr(lab_error_message(), "scale_double") && strstr(lab_error_message(), "'x'"), "%s",
              lab_error_message());
    cr_assert_eq(lab_launch(scale, LAB_DIM(1), LAB_DIM(64), 0, NULL, LAB_ARGS(doubles, 1.0f, 3)),
                 LAB_ERROR_INVALID_VALUE);
    LAB_CHECK(lab_launch(scale, LAB_DIM(1), LAB_DIM(64), 0, NULL, LAB_ARGS(doubles, 1.0, 3)));
    LAB_CHECK(lab_device_synchronize());
    LAB_CHECK(lab_array_destroy(floats));
    LAB_CHECK(lab_array_destroy(doubles));
    LAB_CHECK(lab_module_unload(module));
}

/* CuPy, RawModule: a specialization that was not asked for is not found. */
Test(module_options, what_was_not_named_is_not_found)
{
    lab_function function;
    lab_module *module = load(templates, &(lab_module_options){.name_expressions = LIST("scale<float>")});
    cr_assert_eq(lab_module_get_function(&function, module, "scale<int>"), LAB_ERROR_NOT_FOUND);
    LAB_CHECK(lab_module_unload(module));
    module = load(templates, NULL);
    cr_assert_eq(lab_module_get_function(&function, module, "scale<float>"), LAB_ERROR_NOT_FOUND);
    LAB_CHECK(lab_module_unload(module));
}

/* lab.h, Modules and kernels: options that name nothing are refused. */
Test(module_options, options_that_name_nothing_are_refused)
{
    lab_module *module;
    const lab_module_options bad[] = {
        {.defines = LIST("")}, {.defines = LIST("=3")}, {.defines = LIST("A=1\n#define B")}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        cr_assert_eq(lab_module_load_with(&module, templates, NULL, &bad[i]), LAB_ERROR_INVALID_VALUE, "%zu", i);
    cr_assert_eq(lab_module_load_with(&module, templates, NULL,
                                      &(lab_module_options){.name_expressions = LIST("rotate<float>")}),
                 LAB_ERROR_NOT_FOUND);
    cr_assert_eq(lab_module_load_with(&module, templates, NULL,
                                      &(lab_module_options){.name_expressions = LIST("scale<nothing>")}),
                 LAB_ERROR_INVALID_SOURCE);
    cr_assert_null(module);
}
