/* Sources of an untrusted program that read files. */
#include "test.h"

#include "lab.h"
#include "seam/source_files.h"

#include <stdlib.h>
#include <string.h>

static void check_compiles(const char *source, bool expected, const char *text)
{
    lab_module *module = NULL;
    setenv("LAB_KERNELS_APART", "1", 1);
    setenv("LAB_DEVICE", "cpu", 1);
    const lab_status status = lab_module_load_source(&module, source, "reads.cu");
    cr_assert_eq(status, expected ? LAB_SUCCESS : LAB_ERROR_INVALID_SOURCE, "%s\n%s", source, lab_error_message());
    if (expected) return;
    cr_assert(strstr(lab_error_message(), text), "%s\n%s", source, lab_error_message());
    cr_assert_null(strstr(lab_error_message(), "root:"), "%s\n%s", source, lab_error_message());
}

Test(files, a_source_cannot_include_a_file)
{
    static const char *const sources[] = {
        "#include \"/etc/passwd\"\n",
        "#include </etc/passwd>\n",
        "%:include \"/etc/passwd\"\n",
        "?"
        "?=include \"/etc/passwd\"\n",
        "#include_next \"/etc/passwd\"\n",
        "#import \"/etc/passwd\"\n",
        "#embed \"/etc/passwd\"\n",
        "#inc\\\nlude \"/etc/passwd\"\n",
        "#inc\\ \t\r\nlude \"/etc/passwd\"\n",
        "#inc?"
        "?/\nlude \"/etc/passwd\"\n",
        "int x;\r#include \"/etc/passwd\"\n",
        "\xef\xbb\xbf#include \"/etc/passwd\"\n",
        "#\f\xc2\xa0include \"/etc/passwd\"\n",
        "#\\u0069nclude \"/etc/passwd\"\n",
        "/**/ # /**/ include /**/ \"/etc/passwd\"\n",
        "/* \n */ # /* \n */ include \"/etc/passwd\"\n",
        "/* // */#include \"/etc/passwd\"\n",
        "#define FILE \"/etc/passwd\"\n#include FILE\n",
        "#include \"../../../../../../../../etc/passwd\"\n",
        "#include \"/etc/passwd\"\n#error the end\n",
        "#include \"/etc/passwd\"\n#include \"missing\"\n",
        "#include \"missing.h\"\n",
        "#if __has_include(\"/etc/passwd\")\n#endif\n",
        "#if __has_inc\\\nlude(\"/etc/passwd\")\n#endif\n",
    };
    source_files_refuse();
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
        check_compiles(sources[i], false, "kernels of this program may not read files");
}

/* In a name that macros make there is no such question. */
Test(files, a_source_cannot_ask_for_a_file)
{
    source_files_refuse();
    check_compiles("#define JOIN(a, b) a##b\n#if JOIN(__has_, include)(\"/etc/passwd\")\n#endif\n", false,
                   "__has_include' is not defined");
}

Test(files, headers_that_every_device_has_are_no_files)
{
    source_files_refuse();
    check_compiles("#include <stdint.h>\n# include \"cuda_runtime.h\" // why\n"
                   "extern \"C\" __global__ void f(uint32_t *x) { *x = 1; }\n",
                   true, "");
    check_compiles("#include \"./stdint.h\"\n", false, "it includes a file");
}

Test(files, other_sources_and_their_messages_stay_as_they_are)
{
    source_files_refuse();
    check_compiles("// #include \"/etc/passwd\"\nextern \"C\" __global__ void f(int *x) { *x = 1; }\n", true, "");
    check_compiles("/* including */ extern \"C\" __global__ void f(int *x) { *x = 1; /* include */ }\n", true, "");
    check_compiles("#define include 1\nextern \"C\" __global__ void f(int *x) { *x = include; }\n", true, "");
    check_compiles("#error what is wrong\n", false, "what is wrong");
    check_compiles("extern \"C\" __global__ void f(int *x) { *x = nothing; }\n", false, "nothing");
}

/* On every device, as the text is read before a device compiles it. */
Test(files, files_may_be_read_unless_they_are_refused)
{
    check_compiles("#if __has_include(\"/etc/passwd\")\nextern \"C\" __global__ void f(int *x) { *x = 1; }\n#endif\n",
                   true, "");
    cr_assert_eq(source_files_check("#include \"file.h\"\n", "reads.cu"), LAB_SUCCESS);
    source_files_refuse();
    cr_assert_eq(source_files_check("#include \"file.h\"\n", "reads.cu"), LAB_ERROR_INVALID_SOURCE);
}
