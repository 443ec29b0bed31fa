/* Sources of an untrusted program that read files. */
#include "test.h"

#include "cpu/compiler/stages.h"
#include "lab.h"

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
        "#include_next \"/etc/passwd\"\n",
        "#import \"/etc/passwd\"\n",
        "#inc\\\nlude \"/etc/passwd\"\n",
        "/**/ # /**/ include /**/ \"/etc/passwd\"\n",
        "#define FILE \"/etc/passwd\"\n#include FILE\n",
        "#include \"../../../../../../../../etc/passwd\"\n",
        "#include \"/etc/passwd\"\n#error the end\n",
        "#include \"/etc/passwd\"\n#include \"missing\"\n",
        "#if __has_include(\"/etc/passwd\")\n#include \"/etc/passwd\"\n#endif\n",
    };
    cpu_units_include_nothing();
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
        check_compiles(sources[i], false, "kernels of this program may not read files");
}

Test(files, other_sources_and_their_messages_stay_as_they_are)
{
    cpu_units_include_nothing();
    check_compiles("// #include \"/etc/passwd\"\nextern \"C\" __global__ void f(int *x) { *x = 1; }\n", true, "");
    check_compiles("#error what is wrong\n", false, "what is wrong");
    check_compiles("extern \"C\" __global__ void f(int *x) { *x = nothing; }\n", false, "nothing");
    check_compiles("#include \"missing.h\"\n", false, "missing.h");
}
