/*
 * bench: compares the library with hand-written code on the CPU device or, if LAB_DEVICE selects a GPU, with the
 * driver's own calls. Prints a table and, with --json FILE, also writes it to a file.
 */
#include "bench.h"
#include "base/system/kernels_apart.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The groups of rows on the CPU device; --only NAME selects one. */
static const struct group {
    const char *name;
    void (*measure)(void);
} groups[] = {
    {"saxpy", bench_saxpy},         {"streams", bench_streams},     {"overheads", bench_overheads},
    {"order", bench_order},         {"pools", bench_pools},         {"compile", bench_compile},
    {"copies", bench_copies},       {"generated", bench_generated}, {"barriers", bench_barriers},
    {"loops", bench_against_loops}, {"checks", bench_checks},       {"graphs", bench_graphs},
    {"wire", bench_wire},           {"apart", bench_apart},
};
enum { GROUPS = sizeof groups / sizeof *groups };

/* NULL for all groups. False if none has this name. */
static bool bench_cpu(const char *only)
{
    bool found = false;
    setenv("LAB_DEVICE", "cpu", 1);
    for (int i = 0; i < GROUPS; i++) {
        if (only && strcmp(only, groups[i].name) != 0) continue;
        found = true;
        if (KERNELS_CAN_BE_APART || groups[i].measure != bench_apart) groups[i].measure();
    }
    return found;
}

static int explain_usage(const char *program)
{
    fprintf(stderr, "usage: %s [--json FILE] [--only GROUP]\nA group of rows on the CPU device is one of:", program);
    for (int i = 0; i < GROUPS; i++) fprintf(stderr, " %s", groups[i].name);
    fputc('\n', stderr);
    return 2;
}

int main(int arguments, char **argument)
{
    if (arguments == 3 && strcmp(argument[1], "--first") == 0) return bench_cuda_first_use(argument[2]);
    if (arguments == 2 && strcmp(argument[1], "--checks") == 0) return bench_checked_kernels();
    if (arguments == 2 && strcmp(argument[1], "--apart") == 0) return bench_apart_rounds();
    const char *path = NULL, *only = NULL;
    for (int i = 1; i < arguments; i += 2) {
        const char **value = strcmp(argument[i], "--json") == 0   ? &path
                             : strcmp(argument[i], "--only") == 0 ? &only
                                                                  : NULL;
        if (!value || i + 1 == arguments) return explain_usage(argument[0]);
        *value = argument[i + 1];
    }
    const char *device = getenv("LAB_DEVICE");
    const bool on_gpu = device && strncmp(device, "cuda", 4) == 0;
    if (on_gpu && only) return explain_usage(argument[0]);
    unsetenv("LAB_TRACE"); /* recording costs time, and so does the order checker */
    unsetenv("LAB_ORDER");

    bench_watch_others();
    if (on_gpu) {
        if (!bench_cuda(argument[0])) return 1;
    } else if (!bench_cpu(only)) {
        return explain_usage(argument[0]);
    }
    bench_print_table();
    if (!path || bench_write_json(path) == LAB_SUCCESS) return 0;
    fprintf(stderr, "%s: %s\n", path, lab_error_message());
    return 1;
}
