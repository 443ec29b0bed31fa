/* Twelve classic kernels, in lib/tests/classics, each in several sizes and compared with a loop on the host. */
#include "test.h"

#include "lab.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static lab_function load(const char *file, const char *kernel)
{
    char path[256];
    lab_module *module;
    lab_function function;
    snprintf(path, sizeof path, "lib/tests/classics/%s.cu", file);
    LAB_CHECK(lab_module_load_file(&module, path));
    LAB_CHECK(lab_module_get_function(&function, module, kernel));
    return function;
}

static unsigned ceil_div(size_t n, size_t divisor) { return (unsigned)((n + divisor - 1) / divisor); }

/* Numbers that differ from index to index, without a pattern that a wrong kernel could reproduce. */
static unsigned scramble(unsigned i)
{
    i = (i ^ 61) ^ (i >> 16);
    i *= 9;
    i ^= i >> 4;
    i *= 0x27d4eb2d;
    return i ^ (i >> 15);
}

static float fraction(unsigned i) { return (float)(scramble(i) % 20001) / 10000.0f - 1.0f; }

/* An array with these contents; undefined contents for NULL. */
static lab_array *on_device(lab_dtype dtype, size_t count, const void *host)
{
    lab_array *made;
    LAB_CHECK(lab_array_empty(&made, dtype, LAB_SHAPE(count)));
    if (host) LAB_CHECK(lab_array_set(made, host));
    return made;
}

/* Copies the contents to the host and destroys the array. */
static void take_out(void *host, lab_array *array)
{
    LAB_CHECK(lab_array_get(array, host));
    LAB_CHECK(lab_array_destroy(array));
}

static float *make_fractions(size_t count, unsigned seed)
{
    float *made = malloc(count * sizeof *made);
    for (size_t i = 0; i < count; i++) made[i] = fraction(seed + (unsigned)i);
    return made;
}

Test(classics, vector_add)
{
    static const int sizes[] = {1, 255, 256, 1000, 65537};
    lab_function kernel = load("vector_add", "vector_add");
    for (int s = 0; s < 5; s++) {
        size_t n = (size_t)sizes[s];
        float *a = make_fractions(n, 1), *b = make_fractions(n, 100000), *c = malloc(n * sizeof *c);
        lab_array *da = on_device(LAB_FLOAT32, n, a), *db = on_device(LAB_FLOAT32, n, b);
        lab_array *dc = on_device(LAB_FLOAT32, n, NULL);
        LAB_CHECK(lab_launch(kernel, LAB_DIM(7), LAB_DIM(128), 0, NULL, LAB_ARGS(da, db, dc, sizes[s])));
        take_out(c, dc);
        for (size_t i = 0; i < n; i++) cr_assert_eq(c[i], a[i] + b[i], "%zu of %zu", i, n);
        LAB_CHECK(lab_array_destroy(da));
        LAB_CHECK(lab_array_destroy(db));
        free(a), free(b), free(c);
    }
}

Test(classics, tiled_matrix_product)
{
    static const int sizes[][3] = {{1, 1, 1}, {16, 16, 16}, {64, 48, 32}, {37, 101, 19}, {130, 7, 65}};
    lab_function kernel = load("matrix_product", "matrix_product");
    for (int s = 0; s < 5; s++) {
        int rows = sizes[s][0], inner = sizes[s][1], columns = sizes[s][2];
        size_t count = (size_t)rows * (size_t)columns;
        float *a = make_fractions((size_t)(rows * inner), 3), *b = make_fractions((size_t)(inner * columns), 5000);
        float *c = malloc(count * sizeof *c);
        lab_array *da = on_device(LAB_FLOAT32, (size_t)(rows * inner), a);
        lab_array *db = on_device(LAB_FLOAT32, (size_t)(inner * columns), b), *dc = on_device(LAB_FLOAT32, count, NULL);
        LAB_CHECK(lab_launch(kernel, LAB_DIM(ceil_div((size_t)columns, 16), ceil_div((size_t)rows, 16)),
                             LAB_DIM(16, 16), 0, NULL, LAB_ARGS(da, db, dc, rows, inner, columns)));
        take_out(c, dc);
        for (int i = 0; i < rows * columns; i++) {
            double sum = 0;
            for (int k = 0; k < inner; k++) sum += (double)a[i / columns * inner + k] * b[k * columns + i % columns];
            cr_assert_float_eq(c[i], sum, 1e-4, "%dx%dx%d, element %d: %g, not %g", rows, inner, columns, i,
                               (double)c[i], sum);
        }
        LAB_CHECK(lab_array_destroy(da));
        LAB_CHECK(lab_array_destroy(db));
        free(a), free(b), free(c);
    }
}

Test(classics, tiled_transpose)
{
    static const int sizes[][2] = {{1, 1}, {32, 32}, {64, 96}, {33, 65}, {5, 200}};
    lab_function kernel = load("transpose", "transpose");
    for (int s = 0; s < 5; s++) {
        int rows = sizes[s][0], columns = sizes[s][1];
        size_t count = (size_t)rows * (size_t)columns;
        int *input = malloc(count * sizeof *input), *out = malloc(count * sizeof *out);
        for (size_t i = 0; i < count; i++) input[i] = (int)scramble((unsigned)i);
        lab_array *din = on_device(LAB_INT32, count, input), *dout = on_device(LAB_INT32, count, NULL);
        LAB_CHECK(lab_launch(kernel, LAB_DIM(ceil_div((size_t)columns, 32), ceil_div((size_t)rows, 32)), LAB_DIM(32, 8),
                             0, NULL, LAB_ARGS(din, dout, rows, columns)));
        take_out(out, dout);
        for (int row = 0; row < rows; row++)
            for (int column = 0; column < columns; column++)
                cr_assert_eq(out[column * rows + row], input[row * columns + column], "%dx%d, [%d,%d]", rows, columns,
                             row, column);
        LAB_CHECK(lab_array_destroy(din));
        free(input), free(out);
    }
}

static void check_sums(const char *name, size_t shared_per_thread)
{
    static const int sizes[] = {1, 1000, 65536, 300001};
    static const unsigned blocks[] = {32, 64, 256, 1024};
    enum { GRID = 5 };
    lab_function kernel = load("reduction", name);
    for (int s = 0; s < 4; s++) {
        size_t n = (size_t)sizes[s];
        int *x = malloc(n * sizeof *x);
        int64_t expected = 0;
        for (size_t i = 0; i < n; i++) expected += x[i] = (int)scramble((unsigned)i);
        lab_array *dx = on_device(LAB_INT32, n, x);
        for (int b = 0; b < 4; b++) {
            int64_t part[GRID], sum = 0;
            lab_array *parts = on_device(LAB_INT64, GRID, NULL);
            LAB_CHECK(lab_launch(kernel, LAB_DIM(GRID), LAB_DIM(blocks[b]), shared_per_thread * blocks[b], NULL,
                                 LAB_ARGS(dx, parts, sizes[s])));
            take_out(part, parts);
            for (int i = 0; i < GRID; i++) sum += part[i];
            cr_assert_eq(sum, expected, "%zu numbers in blocks of %u: %lld, not %lld", n, blocks[b], (long long)sum,
                         (long long)expected);
        }
        LAB_CHECK(lab_array_destroy(dx));
        free(x);
    }
}

Test(classics, tree_reduction) { check_sums("tree_sum", sizeof(int64_t)); }

Test(classics, shuffle_reduction) { check_sums("shuffle_sum", 0); }

Test(classics, scan)
{
    static const int sizes[] = {1, 64, 1000, 16384};
    static const unsigned blocks[] = {64, 128, 256};
    lab_function scan_blocks = load("scan", "scan_blocks"), add_totals = load("scan", "add_totals");
    for (int s = 0; s < 4; s++)
        for (int b = 0; b < 3; b++) {
            int n = sizes[s], sum = 0;
            unsigned block = blocks[b], grid = ceil_div((size_t)n, block);
            int *x = malloc((size_t)n * sizeof *x), *sums = malloc((size_t)n * sizeof *sums);
            for (int i = 0; i < n; i++) x[i] = (int)(scramble((unsigned)i) % 2001) - 1000;
            lab_array *dx = on_device(LAB_INT32, (size_t)n, x), *dsums = on_device(LAB_INT32, (size_t)n, NULL);
            lab_array *totals = on_device(LAB_INT32, grid, NULL), *none = on_device(LAB_INT32, 1, NULL);
            size_t shared = 2 * block * sizeof(int);
            LAB_CHECK(
                lab_launch(scan_blocks, LAB_DIM(grid), LAB_DIM(block), shared, NULL, LAB_ARGS(dx, dsums, totals, n)));
            LAB_CHECK(lab_launch(scan_blocks, LAB_DIM(1), LAB_DIM(256), 2 * 256 * sizeof(int), NULL,
                                 LAB_ARGS(totals, totals, none, (int)grid)));
            LAB_CHECK(lab_launch(add_totals, LAB_DIM(grid), LAB_DIM(block), 0, NULL, LAB_ARGS(dsums, totals, n)));
            take_out(sums, dsums);
            for (int i = 0; i < n; i++) {
                sum += x[i];
                cr_assert_eq(sums[i], sum, "%d numbers in blocks of %u, element %d", n, block, i);
            }
            LAB_CHECK(lab_array_destroy(dx));
            LAB_CHECK(lab_array_destroy(totals));
            LAB_CHECK(lab_array_destroy(none));
            free(x), free(sums);
        }
}

Test(classics, histogram_with_shared_atomics)
{
    static const int sizes[] = {1, 255, 10000, 200000};
    static const unsigned blocks[] = {32, 192, 1024};
    lab_function kernel = load("histogram", "histogram");
    for (int s = 0; s < 4; s++)
        for (int b = 0; b < 3; b++) {
            size_t n = (size_t)sizes[s];
            unsigned count[256] = {0}, expected[256] = {0};
            unsigned char *bytes = malloc(n);
            for (size_t i = 0; i < n; i++) {
                unsigned number = scramble((unsigned)i);
                bytes[i] =
                    (unsigned char)(number % 256 * (number >> 8) % 256 >> (number >> 30)); /* small ones are frequent */
                expected[bytes[i]]++;
            }
            lab_array *dbytes = on_device(LAB_UINT8, n, bytes), *dcount = on_device(LAB_UINT32, 256, count);
            LAB_CHECK(lab_launch(kernel, LAB_DIM(9), LAB_DIM(blocks[b]), 0, NULL, LAB_ARGS(dbytes, dcount, sizes[s])));
            take_out(count, dcount);
            for (int value = 0; value < 256; value++)
                cr_assert_eq(count[value], expected[value], "%zu bytes in blocks of %u: %d occurs %u times, not %u", n,
                             blocks[b], value, count[value], expected[value]);
            LAB_CHECK(lab_array_destroy(dbytes));
            free(bytes);
        }
}

Test(classics, stencil_with_halo)
{
    enum { RADIUS = 3 };
    static const float weight[] = {0.015625f, 0.09375f, 0.234375f, 0.3125f, 0.234375f, 0.09375f, 0.015625f};
    static const int sizes[] = {1, 2, 128, 1001, 40000};
    static const unsigned blocks[] = {1, 64, 250};
    lab_function kernel = load("stencil", "stencil");
    for (int s = 0; s < 5; s++)
        for (int b = 0; b < 3; b++) {
            int n = sizes[s];
            float *input = make_fractions((size_t)n, 17), *out = malloc((size_t)n * sizeof *out);
            lab_array *din = on_device(LAB_FLOAT32, (size_t)n, input), *dout = on_device(LAB_FLOAT32, (size_t)n, NULL);
            LAB_CHECK(lab_launch(kernel, LAB_DIM(ceil_div((size_t)n, blocks[b])), LAB_DIM(blocks[b]),
                                 (blocks[b] + 2 * RADIUS) * sizeof(float), NULL, LAB_ARGS(din, dout, n)));
            take_out(out, dout);
            for (int i = 0; i < n; i++) {
                double sum = 0;
                for (int k = -RADIUS; k <= RADIUS; k++) {
                    int place = i + k < 0 ? 0 : i + k < n ? i + k : n - 1;
                    sum += (double)weight[k + RADIUS] * input[place];
                }
                cr_assert_float_eq(out[i], sum, 1e-6, "%d elements in blocks of %u, element %d", n, blocks[b], i);
            }
            LAB_CHECK(lab_array_destroy(din));
            free(input), free(out);
        }
}

static int compare_keys(const void *a, const void *b)
{
    unsigned one = *(const unsigned *)a, two = *(const unsigned *)b;
    return one < two ? -1 : one > two;
}

Test(classics, bitonic_sort)
{
    static const unsigned sizes[] = {64, 256, 1024, 16384};
    enum { BLOCK = 256 };
    lab_function step = load("bitonic_sort", "sort_step"), in_block = load("bitonic_sort", "sort_in_block");
    for (int s = 0; s < 4; s++) {
        unsigned n = sizes[s], block = n < BLOCK ? n : BLOCK;
        unsigned *key = malloc(n * sizeof *key), *sorted = malloc(n * sizeof *sorted);
        for (unsigned i = 0; i < n; i++) key[i] = scramble(i) % (2 * n);
        lab_array *keys = on_device(LAB_UINT32, n, key);
        LAB_CHECK(lab_launch(in_block, LAB_DIM(n / block), LAB_DIM(block), block * sizeof(unsigned), NULL,
                             LAB_ARGS(keys, 2u, block)));
        for (unsigned run = 2 * block; run <= n; run *= 2) {
            for (unsigned distance = run / 2; distance >= block; distance /= 2)
                LAB_CHECK(lab_launch(step, LAB_DIM(n / block), LAB_DIM(block), 0, NULL, LAB_ARGS(keys, run, distance)));
            LAB_CHECK(lab_launch(in_block, LAB_DIM(n / block), LAB_DIM(block), block * sizeof(unsigned), NULL,
                                 LAB_ARGS(keys, run, run)));
        }
        take_out(sorted, keys);
        qsort(key, n, sizeof *key, compare_keys);
        for (unsigned i = 0; i < n; i++) cr_assert_eq(sorted[i], key[i], "%u keys, place %u", n, i);
        free(key), free(sorted);
    }
}

Test(classics, n_body)
{
    static const int sizes[] = {1, 100, 256, 700};
    lab_function kernel = load("n_body", "n_body");
    for (int s = 0; s < 4; s++)
        for (unsigned block = 64; block <= 256; block *= 2) {
            int n = sizes[s];
            float *body = make_fractions(4 * (size_t)n, 29), *result = malloc(4 * (size_t)n * sizeof *result);
            for (int i = 0; i < n; i++) body[4 * i + 3] = body[4 * i + 3] + 1.5f; /* mass */
            lab_array *bodies = on_device(LAB_FLOAT32, 4 * (size_t)n, body);
            lab_array *results = on_device(LAB_FLOAT32, 4 * (size_t)n, NULL);
            LAB_CHECK(lab_launch(kernel, LAB_DIM(ceil_div((size_t)n, block)), LAB_DIM(block), block * 4 * sizeof(float),
                                 NULL, LAB_ARGS(lab_array_data(bodies), lab_array_data(results), n)));
            take_out(result, results);
            for (int i = 0; i < n; i++) {
                double sum[3] = {0}, size = 1;
                for (int k = 0; k < n; k++) {
                    double d[3], square = 0.01;
                    for (int axis = 0; axis < 3; axis++) {
                        d[axis] = (double)body[4 * k + axis] - body[4 * i + axis];
                        square += d[axis] * d[axis];
                    }
                    double pull = body[4 * k + 3] / (square * sqrt(square));
                    for (int axis = 0; axis < 3; axis++) {
                        sum[axis] += d[axis] * pull;
                        size += fabs(d[axis] * pull);
                    }
                }
                for (int axis = 0; axis < 3; axis++)
                    cr_assert_float_eq(result[4 * i + axis], sum[axis], 1e-5 * size,
                                       "%d bodies, body %d, axis %d: %g, not %g", n, i, axis,
                                       (double)result[4 * i + axis], sum[axis]);
            }
            LAB_CHECK(lab_array_destroy(bodies));
            free(body), free(result);
        }
}

/* At the edge of the set rounding decides: a few points may differ there because operations are fused. */
Test(classics, mandelbrot)
{
    static const int sizes[][2] = {{1, 1}, {64, 48}, {101, 67}};
    enum { LIMIT = 200 };
    lab_function kernel = load("mandelbrot", "mandelbrot");
    for (int s = 0; s < 3; s++) {
        int width = sizes[s][0], height = sizes[s][1], differing = 0;
        size_t count = (size_t)width * (size_t)height;
        int *steps = malloc(count * sizeof *steps);
        lab_array *raster = on_device(LAB_INT32, count, NULL);
        double pitch = 2.5 / width;
        LAB_CHECK(lab_launch(kernel, LAB_DIM(ceil_div((size_t)width, 16), ceil_div((size_t)height, 8)), LAB_DIM(16, 8),
                             0, NULL, LAB_ARGS(raster, width, height, -2.0, 1.1, pitch, (int)LIMIT)));
        take_out(steps, raster);
        for (int i = 0; i < width * height; i++) {
            double c_real = -2.0 + i % width * pitch, c_imaginary = 1.1 - i / width * pitch, real = 0, imaginary = 0;
            int step = 0;
            for (; step < LIMIT && real * real + imaginary * imaginary <= 4; step++) {
                double next = real * real - imaginary * imaginary + c_real;
                imaginary = 2 * real * imaginary + c_imaginary;
                real = next;
            }
            differing += step != steps[i];
        }
        cr_assert_leq(differing, width * height / 200, "%d of %dx%d points differ", differing, width, height);
        free(steps);
    }
}

Test(classics, black_scholes)
{
    static const int sizes[] = {1, 333, 20000};
    struct {
        float rate, volatility;
    } market = {0.02f, 0.3f};
    lab_function kernel = load("black_scholes", "black_scholes");
    for (int s = 0; s < 3; s++) {
        size_t n = (size_t)sizes[s];
        float *price = make_fractions(n, 1), *strike = make_fractions(n, 77777), *years = make_fractions(n, 999999);
        float *call = malloc(n * sizeof *call), *put = malloc(n * sizeof *put);
        for (size_t i = 0; i < n; i++)
            price[i] = 30 + 20 * price[i], strike[i] = 40 + 30 * strike[i], years[i] = 5 + 4 * years[i];
        lab_array *input[] = {on_device(LAB_FLOAT32, n, price), on_device(LAB_FLOAT32, n, strike),
                              on_device(LAB_FLOAT32, n, years)};
        lab_array *calls = on_device(LAB_FLOAT32, n, NULL), *puts = on_device(LAB_FLOAT32, n, NULL);
        LAB_CHECK(lab_launch(kernel, LAB_DIM(ceil_div(n, 128)), LAB_DIM(128), 0, NULL,
                             LAB_ARGS(input[0], input[1], input[2], calls, puts, sizes[s], LAB_BYTES(market))));
        take_out(call, calls);
        take_out(put, puts);
        for (size_t i = 0; i < n; i++) {
            double r = market.rate, v = market.volatility, spread = v * sqrt(years[i]);
            double d1 = (log((double)price[i] / strike[i]) + (r + 0.5 * v * v) * years[i]) / spread, d2 = d1 - spread;
            double discounted = strike[i] * exp(-r * years[i]);
            double expected = price[i] * 0.5 * erfc(-d1 * M_SQRT1_2) - discounted * 0.5 * erfc(-d2 * M_SQRT1_2);
            cr_assert_float_eq(call[i], expected, 1e-4, "option %zu: %g, not %g", i, (double)call[i], expected);
            cr_assert_float_eq(put[i], expected - price[i] + discounted, 1e-4, "option %zu: %g", i, (double)put[i]);
        }
        for (int k = 0; k < 3; k++) LAB_CHECK(lab_array_destroy(input[k]));
        free(price), free(strike), free(years), free(call), free(put);
    }
}

static void live(unsigned char *next, const unsigned char *now, int width, int height)
{
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            int neighbours = -now[y * width + x];
            for (int j = -1; j <= 1; j++)
                for (int i = -1; i <= 1; i++)
                    neighbours += now[(y + j + height) % height * width + (x + i + width) % width];
            next[y * width + x] = neighbours == 3 || (neighbours == 2 && now[y * width + x]);
        }
}

Test(classics, game_of_life)
{
    static const int sizes[][2] = {{3, 3}, {16, 16}, {50, 37}, {128, 64}};
    enum { GENERATIONS = 11 };
    lab_function kernel = load("game_of_life", "game_of_life");
    for (int s = 0; s < 4; s++) {
        int width = sizes[s][0], height = sizes[s][1];
        size_t count = (size_t)width * (size_t)height;
        unsigned char *now = malloc(count), *next = malloc(count), *result = malloc(count);
        for (size_t i = 0; i < count; i++) now[i] = scramble((unsigned)i) % 3 == 0;
        lab_array *cells[] = {on_device(LAB_UINT8, count, now), on_device(LAB_UINT8, count, NULL)};
        for (int generation = 0; generation < GENERATIONS; generation++) {
            LAB_CHECK(lab_launch(kernel, LAB_DIM(ceil_div((size_t)width, 16), ceil_div((size_t)height, 16)),
                                 LAB_DIM(16, 16), 0, NULL,
                                 LAB_ARGS(cells[generation % 2], cells[(generation + 1) % 2], width, height)));
            live(next, now, width, height);
            memcpy(now, next, count);
        }
        take_out(result, cells[GENERATIONS % 2]);
        LAB_CHECK(lab_array_destroy(cells[1 - GENERATIONS % 2]));
        for (size_t i = 0; i < count; i++) cr_assert_eq(result[i], now[i], "%dx%d, cell %zu", width, height, i);
        free(now), free(next), free(result);
    }
}
