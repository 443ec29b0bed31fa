/*
 * What the kernels of loops.cu compute, as plain loops of one thread: what a programmer would write in C. Each reads
 * `a` and `b` and writes `out`, which overlap nowhere; `n` and `rows` mean what they mean to the kernel of that name.
 */
#ifndef LAB_BENCH_LOOPS_H
#define LAB_BENCH_LOOPS_H

typedef void bench_loop(float *restrict out, const float *restrict a, const float *restrict b, int n, int rows);

bench_loop loop_warp_sum, loop_warp_scan, loop_block_sum, loop_layernorm, loop_product, loop_softmax, loop_attention,
    loop_conv2d, loop_laplace3d, loop_blur3d, loop_transpose, loop_saxpy;

/* The text of loops.cu. */
extern const char loops_text[];

#endif
