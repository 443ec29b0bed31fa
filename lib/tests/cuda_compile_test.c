/* The CUDA device's compiler, which needs no GPU: the facts about parameters, the messages for a source that does not
 * compile, and the safe handling of a damaged image. Without NVRTC there is nothing to test. */
#include "cuda/libraries/cuda_compile.h"
#include "cuda/libraries/cuda_image.h"
#include "seam/program/program_image.h"
#include "test.h"
#include "test_folder.h"

#include <stdlib.h>
#include <string.h>

enum { ARCHITECTURE = 90 };

static const char SOURCE[] =
    "struct box { float a, b, c; };\n"
    "enum choice { ONE, TWO };\n"
    "typedef float real;\n"
    "extern \"C\" __global__ void all(const float *__restrict__ in, real *out, const int n, box b, choice c,\n"
    "                               unsigned long long big, const volatile double *v, void *any, bool yes)\n"
    "{\n"
    "    if (n && yes) out[0] = in[0] + b.a + c + big + v[0];\n"
    "}\n"
    "extern \"C\" __global__ void none() {}\n"
    "#if 0\n"
    "extern \"C\" __global__ void removed() {}\n"
    "#endif\n";

static bool compiler_is_there(void)
{
    int version;
    const bool there = cuda_nvrtc_open(&version) == LAB_SUCCESS;
    if (!there) fprintf(stderr, "not run: there is no NVRTC here\n");
    return there;
}

static lab_status compile(cuda_image *image, const char *source)
{
    kernel_scan scan;
    cr_assert(kernel_scan_source(&scan, source));
    lab_status status = cuda_compile(image, &(int64_t){0}, &scan, "folder/test.cu", ARCHITECTURE);
    kernel_scan_free(&scan);
    return status;
}

Test(cuda_compile, parameters_are_as_the_compiler_sees_them)
{
    static const cuda_param_facts expected[] = {
        {1, 1, LAB_FLOAT32, 1, 8, "const float *"},
        {1, 1, LAB_FLOAT32, 0, 8, "float *"},
        {0, 1, LAB_INT32, 0, 4, "int"},
        {0, 0, 0, 0, 12, "box"},
        {0, 1, -1, 0, 4, "choice"},
        {0, 1, LAB_UINT64, 0, 8, "unsigned long long"},
        {1, 1, LAB_FLOAT64, 1, 8, "const volatile double *"},
        {1, 0, 0, 0, 8, "void *"},
        {0, 1, LAB_UINT8, 0, 1, "__nv_bool"},
    };
    cuda_image image;
    const cuda_param_facts *facts;
    int params;
    if (!compiler_is_there()) return;
    cr_assert_eq(compile(&image, SOURCE), LAB_SUCCESS, "%s", lab_error_message());
    cr_assert(cuda_compiled_kernel(&facts, &params, &image, "all"));
    cr_assert_eq(params, (int)(sizeof expected / sizeof *expected));
    for (int i = 0; i < params; i++)
        cr_assert_eq(memcmp(&facts[i], &expected[i], sizeof *expected), 0, "parameter %d: '%s'", i, facts[i].type);
    cr_assert(cuda_compiled_kernel(&facts, &params, &image, "none"));
    cr_assert_eq(params, 0);
    cr_assert_not(cuda_compiled_kernel(&facts, &params, &image, "removed"));
    cr_assert_not(cuda_compiled_kernel(&facts, &params, &image, "never"));
    free(image.data);
}

/* The CPU device's compiler and this one have matching names for variables. */
Test(cuda_compile, variables_have_the_names_that_are_asked_for)
{
    static const char source[] = "__device__ int one = 1;\n"
                                 "static __device__ int two = 2;\n"
                                 "namespace space { __device__ int three = 3; }\n"
                                 "extern \"C\" __global__ void k(int *out)\n"
                                 "{ static __device__ int four = 4;\n"
                                 "  out[0] = one++ + two++ + space::three++ + four++; }\n";
    static const char *const name[] = {"one", "_ZL3two", "_ZN5space5threeE", "_ZZ1kE4four"};
    cuda_image image;
    if (!compiler_is_there()) return;
    cr_assert_eq(compile(&image, source), LAB_SUCCESS, "%s", lab_error_message());
    for (int i = 0; i < 4; i++) {
        char *own = program_ptx_name(name[i]);
        int value = 0;
        const void *found = cuda_image_variable(image.data, image.size, own, sizeof value);
        cr_assert_not_null(found, "%s, that is %s, is not in the code", name[i], own);
        memcpy(&value, found, sizeof value);
        cr_assert_eq(value, i + 1, "%s is %d", own, value);
        free(own);
    }
    free(image.data);
}

Test(cuda_compile, a_source_that_does_not_compile_is_told_file_and_line)
{
    cuda_image image;
    if (!compiler_is_there()) return;
    cr_assert_eq(compile(&image, "extern \"C\" __global__ void k(float *x)\n{\n    *x = why;\n}\n"),
                 LAB_ERROR_INVALID_SOURCE);
    cr_assert_eq(strncmp(lab_error_message(), "folder/test.cu:3: error: ", 25), 0, "%s", lab_error_message());
    cr_assert_null(strstr(lab_error_message(), "detected in the compilation"), "%s", lab_error_message());
}

Test(cuda_compile, a_file_that_the_source_includes_may_include_the_usual_headers)
{
    static const char *const header[] = {"cuda_runtime.h", "math.h", "stdint.h", "stdio.h"};
    cuda_image image;
    const test_folder folder = test_folder_make("helper.cuh");
    char source[PATH_MAX + 128];
    if (!compiler_is_there()) return;
    FILE *helper = fopen(folder.file, "w");
    cr_assert_not_null(helper);
    for (size_t i = 0; i < sizeof header / sizeof *header; i++) fprintf(helper, "#include <%s>\n", header[i]);
    fputs("__device__ inline uint32_t helper() { return (uint32_t)(M_PI * 10); }\n", helper);
    fclose(helper);
    snprintf(source, sizeof source, "#include \"%s\"\nextern \"C\" __global__ void k(uint32_t *y) { *y = helper(); }\n",
             folder.file);
    cr_assert_eq(compile(&image, source), LAB_SUCCESS, "%s", lab_error_message());
    free(image.data);
    test_folder_remove(&folder);
}

/* Tries every truncation, and wrong bytes in the header and the section table, which locate everything else. */
Test(cuda_compile, a_damaged_image_has_no_kernels_and_does_no_harm)
{
    cuda_image image;
    const cuda_param_facts *facts;
    int params;
    if (!compiler_is_there()) return;
    LAB_CHECK(compile(&image, SOURCE));
    for (size_t size = 0; size < image.size; size += 1 + size / 64) {
        cuda_image cut = {malloc(size + 1),
                          size}; /* of exactly this size, so that a sanitizer detects reads beyond it */
        memcpy(cut.data, image.data, size);
        cuda_compiled_kernel(&facts, &params, &cut, "all");
        free(cut.data);
    }
    unsigned state = 1;
    for (int round = 0; round < 2000; round++) {
        state = state * 1103515245 + 12345;
        size_t at = round % 2 ? state % 64 : image.size - 1 - state / 7 % (image.size < 2048 ? image.size : 2048);
        char kept = image.data[at];
        image.data[at] = (char)(state >> 16);
        cuda_compiled_kernel(&facts, &params, &image, "all");
        image.data[at] = kept;
    }
    cr_assert(cuda_compiled_kernel(&facts, &params, &image, "all"));
    cr_assert_null(cuda_image_variable("not an image", 12, "lab_facts_all", 4));
    free(image.data);
}
