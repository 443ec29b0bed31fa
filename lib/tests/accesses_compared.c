/*
 * Intercepts the CPU device's calls of its compiler in a test program (--wrap). For every source that the tests load,
 * kernel_accesses.h must give the same accesses as the CPU device found. Generated kernels are also checked with the
 * CUDA device's prelude in place of the CPU's. A difference ends the program.
 */
#include "cpu/compiler/compile.h"
#include "cuda/cuda_device.h"
#include "seam/kernel_accesses.h"
#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

lab_status __real_cpu_module_load(cpu_module **out, const char *source, const char *name, cpu_compile_result *result);
lab_status __wrap_cpu_module_load(cpu_module **out, const char *source, const char *name, cpu_compile_result *result);

static _Noreturn void differ(const char *source, const char *kernel, const char *what, const char *own,
                             const char *told)
{
    fprintf(stderr, "accesses of kernel '%s', %s: '%s' for the CPU device, told '%s'\n%s\n", kernel, what, own, told,
            source);
    abort();
}

static int compare_letters(const void *a, const void *b) { return *(const char *)a - *(const char *)b; }

/* The names are gone, but the device's letters are in the order of the names: compares the remaining ones in that
 * order. */
static void compare_variables(const char *source, const cpu_kernel *own, const kernel_access *told)
{
    char letters[2][100] = {"", ""};
    size_t count[2] = {0, 0};
    for (const char *letter = own->variable_access; *letter; letter++)
        if (*letter != 'n') letters[0][count[0]++] = *letter;
    for (int i = 0; i < told->variables && i < 99; i++) letters[1][count[1]++] = told->variable[i].letter;
    for (int i = 0; i < 2; i++) qsort(letters[i], count[i], 1, compare_letters);
    if (strcmp(letters[0], letters[1]) != 0) differ(source, own->name, "variables", letters[0], letters[1]);
}

/* The accesses that both devices use, as letters: a kernel does not write through a pointer to const, even if the
 * optimiser could not see that. */
static void read_effective(char out[100], const cpu_kernel *kernel, const char *letters)
{
    snprintf(out, 100, "%s", letters);
    for (int i = 0; i < kernel->params && i < 99 && out[i]; i++)
        if (kernel->param[i].pointer_to_const && out[i] == 'b') out[i] = 'r';
}

static void compare_parameters(const char *source, const cpu_kernel *own, const kernel_access *told)
{
    char letters[2][100];
    read_effective(letters[0], own, own->access);
    read_effective(letters[1], own, told->params);
    if (strcmp(letters[0], letters[1]) != 0) differ(source, own->name, "parameters", letters[0], letters[1]);
}

static void compare(const char *source, const char *name, const cpu_module *module)
{
    kernel_scan scan;
    kernel_accesses told;
    if (!kernel_scan_source(&scan, source) || !kernel_accesses_find(&told, &scan, name)) abort();
    for (int i = 0; i < module->kernels; i++) {
        const cpu_kernel *own = &module->kernel[i];
        const kernel_access *access = kernel_accesses_of(&told, own->name);
        if (!access) differ(source, own->name, "kernels", own->name, "");
        compare_parameters(source, own, access);
        compare_variables(source, own, access);
    }
    kernel_accesses_free(&told);
    kernel_scan_free(&scan);
}

/* The source as the CUDA device would generate it; NULL if it is not generated, or this build has no CUDA device. */
static char *with_other_prelude(const char *source)
{
    const char *own = cpu_backend.generated->prelude, *found = strstr(source, own);
    char *made;
    if (!found || !cuda_backend()) return NULL;
    const int made_length = asprintf(&made, "%.*s%s%s", (int)(found - source), source,
                                     cuda_backend()->generated->prelude, found + strlen(own));
    return made_length < 0 ? NULL : made;
}

lab_status __wrap_cpu_module_load(cpu_module **out, const char *source, const char *name, cpu_compile_result *result)
{
    lab_status status = __real_cpu_module_load(out, source, name, result);
    if (status != LAB_SUCCESS || getenv("LAB_MEMCHECK")) return status;
    compare(source, name, *out);
    char *other = with_other_prelude(source);
    if (other) compare(other, name, *out);
    free(other);
    return status;
}
