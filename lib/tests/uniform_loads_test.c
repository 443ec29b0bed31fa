/* What all lanes of vector code would load from one address, each under its own mask, is loaded once: if any lane is
 * active, and then it is the address of that lane. */
#include "cpu/vectors/uniform.h"
#include "kernels.h"

static char *load_once(const char *ir)
{
    char *text;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    cr_assert(cpu_ir_load_once(out, ir));
    fclose(out);
    return text;
}

#define FUNCTION(vector, from)                                                                                         \
    "define void @k(float* %p, <4 x float*> %q, <4 x i1> %mask, <4 x float>* %out) {\n"                                \
    "  %one = insertelement <4 x float*> poison, float* %p, i64 0\n"                                                   \
    "  %all = shufflevector <4 x float*> " from ", <4 x float*> poison, <4 x i32> zeroinitializer\n"                   \
    "  %read = call <4 x float> @llvm.masked.gather.v4f32.v4p0f32(<4 x float*> " vector                                \
    ", i32 4, <4 x i1> %mask, <4 x float> undef), !access !1\n"                                                        \
    "  store <4 x float> %read, <4 x float>* %out, align 16\n"                                                         \
    "  ret void\n"                                                                                                     \
    "}\n"

Test(uniform_loads, one_address_is_loaded_once_if_a_lane_is_active)
{
    char *text = load_once(FUNCTION("%all", "%one"));
    cr_assert_not(strstr(text, "masked.gather"), "%s", text);
    cr_assert(strstr(text, "select i1 %lab.some.0, float* %p, float* bitcast ([8 x i8]* @lab_nothing to float*)\n"),
              "%s", text);
    cr_assert(strstr(text, "%read = shufflevector <4 x float> %lab.lane.0, <4 x float> undef, <4 x i32> "
                           "zeroinitializer\n  store"),
              "%s", text);
    free(text);
}

Test(uniform_loads, several_addresses_are_left_alone)
{
    char *text = load_once(FUNCTION("%q", "%one"));
    cr_assert_str_eq(text, FUNCTION("%q", "%one"));
    free(text);
    text = load_once(FUNCTION("%all", "%q"));
    cr_assert_str_eq(text, FUNCTION("%all", "%q"));
    free(text);
}

/* A convolution: the weights are at the same addresses for all threads, if any reads them at all. */
static const char source[] =
    "extern \"C\" __global__ void blur(float *out, const float *a, const float *b, int n, int rows)\n"
    "{\n"
    "    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;\n"
    "    if (x >= 64 || y >= 64) return;\n"
    "    float sum = 0;\n"
    "    for (int dy = -2; dy <= 2; dy++)\n"
    "        for (int dx = -2; dx <= 2; dx++)\n"
    "            if (x + dx >= 0 && x + dx < n && y + dy >= 0 && y + dy < rows)\n"
    "                sum += a[(y + dy) * n + x + dx] * b[(dy + 2) * 5 + dx + 2];\n"
    "    out[y * 64 + x] = sum;\n"
    "}\n";

enum { THREADS = 64, ROWS = 2 };

static float expected(const float *a, const float *b, int x, int n, int rows)
{
    float sum = 0;
    for (int dy = 0; dy <= 2 && dy < rows; dy++)
        for (int dx = -2; dx <= 2; dx++)
            if (x + dx >= 0 && x + dx < n) sum += a[dy * n + x + dx] * b[(dy + 2) * 5 + dx + 2];
    return sum;
}

static void blur(const float *a, const float *b, int n, int rows)
{
    static float found[THREADS];
    float *out = found;
    cpu_module *module = kernels_load(source);
    kernels_run(kernels_find(module, "blur"), 1, THREADS, &out, &a, &b, &n, &rows);
    for (int x = 0; x < THREADS; x++) {
        const float sum = expected(a, b, x, n, rows);
        cr_assert_float_eq(found[x], sum, 1e-3, "element %d of %d is %g, not %g", x, n, found[x], sum);
    }
    cpu_module_unload(module);
}

Test(uniform_loads, guarded_ones_give_what_each_thread_would_load)
{
    float a[ROWS * THREADS], b[25];
    kernels_use_kept_cache();
    for (int i = 0; i < ROWS * THREADS; i++) a[i] = (float)(i * i % 17);
    for (int i = 0; i < 25; i++) b[i] = (float)(i + 1);
    for (int n = 1; n <= THREADS; n += 9) blur(a, b, n, ROWS);
}

Test(uniform_loads, an_address_that_no_thread_uses_need_not_exist)
{
    kernels_use_kept_cache();
    blur(NULL, NULL, THREADS, 0);
}
