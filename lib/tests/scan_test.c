/* What is read from a kernel source without compiling it. */
#include "seam/kernel_scan.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

static kernel_scan scan(const char *source)
{
    kernel_scan result;
    cr_assert(kernel_scan_source(&result, source));
    return result;
}

Test(scan, names_and_lines_of_kernels_are_found_whatever_stands_around_them)
{
    kernel_scan s =
        scan("/* __global__ void no() {} */\n"
             "const char *a = \"\\\"__global__ void no() {}\", *b = R\"x(\" __global__ void no() {} )\" )x\";\n"
             "const int big = 1'000'000; char quote = '\"';\n"
             "#define NO __global__ void no() \\\n"
             "    {}\n"
             "extern \"C\" __global__ void declared(int);\n"
             "extern \"C\" __global__\n"
             "void __launch_bounds__(64, 2)\n"
             "first(int a, // one, two\n"
             "      float (*table)[4], pair<int, float> c)\n"
             "{}\n"
             "extern \"C\" __global__ __attribute__((cold)) void second() {}\n"
             "template <class T> __global__ void no(T) {}\n");
    cr_assert_eq(s.kernels, 2);
    cr_assert_str_eq(s.kernel[0].name, "first");
    cr_assert_eq(s.kernel[0].line, 9);
    cr_assert_eq(s.kernel[0].params, 3);
    cr_assert_str_eq(s.kernel[0].param[0], "a");
    cr_assert_str_eq(s.kernel[0].param[1], "table");
    cr_assert_str_eq(s.kernel[0].param[2], "c");
    cr_assert_str_eq(s.kernel[1].name, "second");
    cr_assert_eq(s.kernel[1].line, 12);
    cr_assert_eq(s.kernel[1].params, 0);
    kernel_scan_free(&s);
}

/* C++ has no tags of more than 16 letters. The compiler then reports the tag, rather than a kernel that was not found.
 * */
Test(scan, a_raw_string_with_too_long_a_tag_hides_no_kernel)
{
#define TAG "a_tag_with_more_than_forty_letters_of_the_alphabet"
    kernel_scan s = scan("const char *a = R\"" TAG "( __global__ void no() {} )x\" )\" )" TAG "\";\n"
                         "extern \"C\" __global__ void yes() {}\n");
    cr_assert_eq(s.kernels, 1);
    cr_assert_str_eq(s.kernel[0].name, "yes");
    kernel_scan_free(&s);
}

Test(scan, dynamic_shared_arrays_become_names_of_one_block_and_nothing_else_changes)
{
    static const struct {
        const char *source, *scanned;
    } example[] = {
        {"extern __shared__ float s[];", "extern __thread  float s[] __asm__(\"lab_dynamic_shared\");"},
        {"__shared__ extern int s[][4], t[];",
         " extern __thread int s[][4] __asm__(\"lab_dynamic_shared\"), t[] __asm__(\"lab_dynamic_shared\");"},
        {"{extern\n__shared__ T s[] __attribute__((aligned(8)));}",
         "{extern __thread\n T s[] __asm__(\"lab_dynamic_shared\") __attribute__((aligned(8)));}"},
        {"extern int x; __shared__ int y;", "extern int x; __shared__ int y;"},
        {"extern \"C\" { __shared__ int y; }", "extern \"C\" { __shared__ int y; }"},
        {"// extern __shared__ float s[];\n", "// extern __shared__ float s[];\n"},
    };
    for (size_t i = 0; i < sizeof example / sizeof *example; i++) {
        kernel_scan s = scan(example[i].source);
        cr_assert_str_eq(s.source, example[i].scanned);
        cr_assert_eq(s.uses_dynamic_shared, strcmp(example[i].source, example[i].scanned) != 0);
        kernel_scan_free(&s);
    }
}

Test(scan, files_included_by_name_are_noticed)
{
    static const char *const with[] = {"#include \"a.h\"\n", "  # /* x */ include MACRO\n",
                                       "#if __has_include(<a.h>)\n#endif\n"};
    static const char *const without[] = {"#include <math.h>\n", "// #include \"a.h\"\n",
                                          "const char *s = \"#include \\\"a.h\\\"\";\n", "#define T \"include\"\n",
                                          "int a; # include"};
    for (size_t i = 0; i < sizeof with / sizeof *with; i++) {
        kernel_scan s = scan(with[i]);
        cr_assert(s.includes_files, "%s", with[i]);
        kernel_scan_free(&s);
    }
    for (size_t i = 0; i < sizeof without / sizeof *without; i++) {
        kernel_scan s = scan(without[i]);
        cr_assert_not(s.includes_files, "%s", without[i]);
        kernel_scan_free(&s);
    }
}

/* Any text is scanned to its end: the compiler will say what is wrong with it. */
Test(scan, unfinished_sources_are_no_trouble)
{
    static const char whole[] =
        "extern \"C\" __global__ void k(int *a, float b[2]) { extern __shared__ int s[]; /* \" */ "
        "const char *t = R\"(x)\"; } #if \\\n";
    char part[sizeof whole];
    for (size_t length = 0; length < sizeof whole; length++) {
        memcpy(part, whole, length);
        part[length] = '\0';
        kernel_scan s = scan(part);
        kernel_scan_free(&s);
    }
}

Test(scan, headers_that_kernels_have_not_become_errors_in_their_place)
{
    kernel_scan s = scan("// #include <cuda_fp8.h>\n"
                         "#include <cuda_fp8.h>\n"
                         "#if 0\n"
                         "#  include <cub/cub.cuh> /* why\n */\n"
                         "#endif\n"
                         "#include <cuda_fp8.hpp>\n"
                         "extern __shared__ int s[];\n"
                         "__global__ void k() {}\n");
    cr_assert_not_null(strstr(s.source,
                              "// #include <cuda_fp8.h>\n#error cuda_fp8.h is not available to kernels on the "
                              "CPU device: it computes in no type narrower than half\n"),
                       "%s", s.source);
    cr_assert_not_null(strstr(s.source,
                              "#if 0\n#error cub/cub.cuh is not available to kernels on the CPU device: it has "
                              "no CUB\n"),
                       "%s", s.source);
    cr_assert_not_null(strstr(s.source, "\n#include <cuda_fp8.hpp>\n"), "another name is the compiler's to find");
    cr_assert_not_null(strstr(s.plain, "#include <cuda_fp8.h>\n#if 0\n#  include <cub/cub.cuh>"),
                       "a GPU's compiler may have them: %s", s.plain);
    int lines = 0;
    for (const char *c = s.source; *c; c++) lines += *c == '\n';
    cr_assert_eq(lines, 9, "line for line: %s", s.source);
    cr_assert_eq(s.kernel[0].line, 9);
    kernel_scan_free(&s);
}

Test(scan, names_are_written_as_strings_of_c)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    kernel_scan_write_name(out, "a \"b\"\\c\n\td\xc3\xa9.cu");
    fclose(out);
    cr_assert_str_eq(text, "\"a \\\"b\\\"\\\\c??d\xc3\xa9.cu\"");
    free(text);
}
