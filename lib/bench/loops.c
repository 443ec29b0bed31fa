/* This file is compiled like kernels: -O3 for the machine's own processor. */
#include "loops.h"

#include <math.h>
#include <string.h>

static void sum_parts(float *restrict out, const float *restrict a, int n, int part)
{
    for (int first = 0; first < n; first += part) {
        float sum = 0;
        for (int i = 0; i < part; i++) sum += a[first + i];
        out[first / part] = sum;
    }
}

void loop_warp_sum(float *restrict out, const float *restrict a, const float *restrict b, int n, int rows)
{
    (void)b, (void)rows;
    sum_parts(out, a, n, 32);
}

void loop_block_sum(float *restrict out, const float *restrict a, const float *restrict b, int n, int rows)
{
    (void)b, (void)rows;
    sum_parts(out, a, n, 256);
}

void loop_warp_scan(float *restrict out, const float *restrict a, const float *restrict b, int n, int rows)
{
    (void)b, (void)rows;
    for (int first = 0; first < n; first += 32) {
        float sum = 0;
        for (int i = first; i < first + 32; i++) out[i] = sum += a[i];
    }
}

void loop_layernorm(float *restrict out, const float *restrict a, const float *restrict b, int n, int rows)
{
    for (int row = 0; row < rows; row++, a += n, out += n) {
        float sum = 0, squares = 0;
        for (int i = 0; i < n; i++) sum += a[i];
        const float mean = sum / (float)n;
        for (int i = 0; i < n; i++) squares += (a[i] - mean) * (a[i] - mean);
        const float scale = 1 / sqrtf(squares / (float)n + 1e-5f);
        for (int i = 0; i < n; i++) out[i] = (a[i] - mean) * scale * b[i] + b[n + i];
    }
}

void loop_product(float *restrict out, const float *restrict a, const float *restrict b, int n, int rows)
{
    memset(out, 0, sizeof *out * (size_t)n * (size_t)rows);
    for (int row = 0; row < rows; row++)
        for (int k = 0; k < n; k++)
            for (int column = 0; column < n; column++) out[row * n + column] += a[row * n + k] * b[k * n + column];
}

void loop_softmax(float *restrict out, const float *restrict a, const float *restrict b, int n, int rows)
{
    (void)b;
    for (int row = 0; row < rows; row++, a += n, out += n) {
        float largest = a[0], sum = 0;
        for (int i = 1; i < n; i++) largest = fmaxf(largest, a[i]);
        for (int i = 0; i < n; i++) sum += out[i] = expf(a[i] - largest);
        for (int i = 0; i < n; i++) out[i] *= 1 / sum;
    }
}

enum { DEPTH = 64 };

void loop_attention(float *restrict out, const float *restrict a, const float *restrict b, int n, int rows)
{
    for (int query = 0; query < n * rows; query++, a += DEPTH, out += DEPTH) {
        const float *keys = b + query / n * n * DEPTH, *values = keys + n * rows * DEPTH;
        float largest = -1e30f, total = 0, sum[DEPTH] = {0};
        for (int key = 0; key < n; key++, keys += DEPTH, values += DEPTH) {
            float score = 0;
            for (int d = 0; d < DEPTH; d++) score += a[d] * keys[d];
            const float next = fmaxf(largest, score * 0.125f), scale = expf(largest - next);
            const float weight = expf(score * 0.125f - next);
            for (int d = 0; d < DEPTH; d++) sum[d] = sum[d] * scale + weight * values[d];
            total = total * scale + weight;
            largest = next;
        }
        for (int d = 0; d < DEPTH; d++) out[d] = sum[d] / total;
    }
}

/* The 25 products are added to all pixels of a row at once, except where they would lie outside the image. */
void loop_conv2d(float *restrict out, const float *restrict a, const float *restrict b, int n, int rows)
{
    memset(out, 0, sizeof *out * (size_t)n * (size_t)rows);
    for (int y = 0; y < rows; y++)
        for (int dy = y < 2 ? -y : -2; dy <= 2 && y + dy < rows; dy++)
            for (int dx = -2; dx <= 2; dx++) {
                const int begin = dx < 0 ? -dx : 0, end = dx > 0 ? n - dx : n;
                for (int x = begin; x < end; x++) out[y * n + x] += a[(y + dy) * n + x + dx] * b[(dy + 2) * 5 + dx + 2];
            }
}

void loop_laplace3d(float *restrict out, const float *restrict a, const float *restrict b, int n, int rows)
{
    (void)b, (void)rows;
    for (int z = 1; z < n - 1; z++)
        for (int y = 1; y < n - 1; y++)
            for (int x = 1; x < n - 1; x++) {
                const int i = (z * n + y) * n + x;
                out[i] = (a[i - 1] + a[i + 1] + a[i - n] + a[i + n] + a[i - n * n] + a[i + n * n]) * (1.0f / 6.0f);
            }
}

#define LINE(dy, dz) (a[i + ((dz)*n + (dy)) * n - 1] + a[i + ((dz)*n + (dy)) * n] + a[i + ((dz)*n + (dy)) * n + 1])

void loop_blur3d(float *restrict out, const float *restrict a, const float *restrict b, int n, int rows)
{
    (void)b, (void)rows;
    for (int z = 1; z < n - 1; z++)
        for (int y = 1; y < n - 1; y++)
            for (int x = 1; x < n - 1; x++) {
                const int i = (z * n + y) * n + x;
                out[i] = (LINE(-1, -1) + LINE(0, -1) + LINE(1, -1) + LINE(-1, 0) + LINE(0, 0) + LINE(1, 0) +
                          LINE(-1, 1) + LINE(0, 1) + LINE(1, 1)) *
                         (1.0f / 27.0f);
            }
}

void loop_transpose(float *restrict out, const float *restrict a, const float *restrict b, int n, int rows)
{
    (void)b;
    for (int x = 0; x < n; x++)
        for (int y = 0; y < rows; y++) out[x * rows + y] = a[y * n + x];
}

void loop_saxpy(float *restrict out, const float *restrict a, const float *restrict b, int n, int rows)
{
    (void)rows;
    for (int i = 0; i < n; i++) out[i] = 0.5f * a[i] + b[i];
}
