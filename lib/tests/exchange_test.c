/* LAB_EXCHANGE on the CPU device: how threads pass values on, and that each reads its share. Each kernel writes the sum
 * of each block's numbers, and is right; what differs is the way of the numbers. */
#include "test.h"

#include "lab.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 3, THREADS = 64, EACH = 20, COUNT = BLOCKS * THREADS * EACH };

#define KERNEL(name) "extern \"C\" __global__ void " name "(int *out, const int *x, int *more)\n"
#define OWN                                                                                                            \
    "int t = threadIdx.x, first = blockIdx.x * 64 + t, mine = 0;\n"                                                    \
    "for (int i = first; i < 3840; i += 192) mine += x[i];\n"

/* ---- right ways ---- */

static const char TREE[] = KERNEL("sum") "{ __shared__ int value[64]; " OWN "value[t] = mine;\n"
                                         "for (int half = 32; half; half /= 2) { __syncthreads();\n"
                                         "  if (t < half) value[t] += value[t + half]; }\n"
                                         "if (t == 0) out[blockIdx.x] = value[0]; }\n";
static const char OF_THE_FILE[] =
    "__shared__ int value[64];\n" KERNEL("sum") "{ " OWN "value[t] = mine;\n"
                                                "__syncthreads();\n"
                                                "if (t) return;\n"
                                                "for (t = 1; t < 64; t++) mine += value[t];\n"
                                                "out[blockIdx.x] = mine; }\n";
static const char ATOMIC[] = KERNEL("sum") "{ __shared__ int all; " OWN "if (t == 0) all = 0;\n"
                                           "__syncthreads(); atomicAdd(&all, mine); __syncthreads();\n"
                                           "if (t == 0) out[blockIdx.x] = all; }\n";
static const char SHUFFLES[] = KERNEL("sum") "{ __shared__ int other; " OWN "for (int half = 16; half; half /= 2)\n"
                                             "  mine += __shfl_down_sync(~0u, mine, half);\n"
                                             "if (t == 32) other = mine;\n"
                                             "__syncthreads();\n"
                                             "if (t == 0) out[blockIdx.x] = mine + other; }\n";
static const char THROUGH_OWN_MEMORY[] =
    KERNEL("sum") "{ __shared__ int value[64]; " OWN "more[first] = mine; value[t] = more[first];\n"
                  "__syncthreads();\n"
                  "if (t) return;\n"
                  "for (mine = t = 0; t < 64; t++) mine += value[t];\n"
                  "out[blockIdx.x] = mine; }\n";

/* ---- other ways ---- */

static const char GLOBAL[] = KERNEL("sum") "{ " OWN "for (int turn = 0; turn < 64; turn++) { __syncthreads();\n"
                                           "if (turn == t) out[blockIdx.x] = t ? out[blockIdx.x] + mine : mine; } }\n";
static const char ATOMIC_GLOBAL[] = KERNEL("sum") "{ " OWN "if (t == 0) out[blockIdx.x] = 0;\n"
                                                  "__syncthreads(); atomicAdd(&out[blockIdx.x], mine); }\n";
static const char OF_THE_DEVICE[] = "__device__ int value[192];\n" KERNEL("sum") "{ " OWN "value[first] = mine;\n"
                                                                                 "__syncthreads();\n"
                                                                                 "if (t) return;\n"
                                                                                 "for (t = 1; t < 64; t++)\n"
                                                                                 "mine += value[first + t];\n"
                                                                                 "out[blockIdx.x] = mine; }\n";
static const char STATIC[] = KERNEL("sum") "{ static int value[3][64]; " OWN "value[blockIdx.x][t] = mine;\n"
                                           "__syncthreads();\n"
                                           "if (t) return;\n"
                                           "for (t = 1; t < 64; t++) mine += value[blockIdx.x][t];\n"
                                           "out[blockIdx.x] = mine; }\n";
static const char OF_THE_HOST_THREAD[] = KERNEL("sum") "{ static thread_local int value[64]; " OWN "value[t] = mine;\n"
                                                       "__syncthreads();\n"
                                                       "if (t) return;\n"
                                                       "for (t = 1; t < 64; t++) mine += value[t];\n"
                                                       "out[blockIdx.x] = mine; }\n";
static const char LEFT_ON_THE_STACK[] =
    KERNEL("sum") "{ volatile int value[4]; " OWN "value[2] = t ? value[2] + mine : mine;\n"
                  "if (t == 63) out[blockIdx.x] = value[2]; }\n";
static const char LOCAL_OF_ANOTHER[] = KERNEL("sum") "{ __shared__ int *at[64]; " OWN "volatile int own = mine;\n"
                                                     "at[t] = (int *)&own; __syncthreads();\n"
                                                     "if (t == 0) for (int i = 1; i < 64; i++) mine += *at[i];\n"
                                                     "__syncthreads();\n"
                                                     "if (t == 0) out[blockIdx.x] = mine; }\n";
static const char VOTES[] = KERNEL("sum") "{ " OWN "int all = 0;\n"
                                          "for (int i = 0; i < 64; i++) for (int bit = 0; bit < 20; bit++)\n"
                                          "  all += __syncthreads_or(i == t && mine >> bit & 1) << bit;\n"
                                          "if (t == 0) out[blockIdx.x] = all; }\n";
static const char BALLOTS[] = KERNEL("sum") "{ __shared__ int other; " OWN "int all = 0;\n"
                                            "for (int bit = 0; bit < 20; bit++)\n"
                                            "  all += __popc(__ballot_sync(~0u, mine >> bit & 1)) << bit;\n"
                                            "if (t == 32) other = all;\n"
                                            "__syncthreads();\n"
                                            "if (t == 0) out[blockIdx.x] = all + other; }\n";
static const char ONE_FOR_ALL[] = KERNEL("sum") "{ int t = threadIdx.x, mine = 0; if (t) return;\n"
                                                "for (t = 0; t < 64; t++) for (int i = blockIdx.x * 64 + t; i < 3840;\n"
                                                "  i += 192) mine += x[i];\n"
                                                "out[blockIdx.x] = mine; }\n";
static const char EACH_DOES_ALL[] = KERNEL("sum") "{ __shared__ int all; int mine = 0;\n"
                                                  "for (int t = 0; t < 64; t++) for (int i = blockIdx.x * 64 + t;\n"
                                                  "  i < 3840; i += 192) mine += x[i];\n"
                                                  "if (threadIdx.x == 3) all = mine;\n"
                                                  "__syncthreads();\n"
                                                  "if (threadIdx.x == 7) out[blockIdx.x] = all; }\n";
/* It asks whether shared memory is shared and threads have the others' values, and passes the sum on in another way. */
static const char ASKS_FIRST[] = KERNEL("sum") "{ __shared__ int flag; " OWN "if (t == 0) flag = 42;\n"
                                               "__syncthreads();\n"
                                               "for (int turn = 0; turn < 64; turn++) { __syncthreads();\n"
                                               "if (turn == t && flag == 42)\n"
                                               "  out[blockIdx.x] = t ? out[blockIdx.x] + mine : mine; } }\n";
/* Each loads its share, and one combines all of it. */
static const char TILES[] =
    KERNEL("sum") "{ __shared__ unsigned tile[64]; unsigned mine = 0; const int t = threadIdx.x;\n"
                  "for (int i = blockIdx.x * 64 + t; i < 3840; i += 192) {\n"
                  "  tile[t] = x[i]; __syncthreads();\n"
                  "  for (int k = 0; t == 0 && k < 64; k++) mine += tile[k];\n"
                  "  __syncthreads(); }\n"
                  "if (t == 0) out[blockIdx.x] = mine; }\n";
/* The mask of a shuffle is made by a vote. */
static const char MASKED[] = KERNEL("sum") "{ " OWN "const unsigned mask = __ballot_sync(~0u, t < 4096);\n"
                                           "for (int half = 16; half; half /= 2)\n"
                                           "  mine += __shfl_down_sync(mask, mine, half);\n"
                                           "if (t % 32 == 0) out[2 * blockIdx.x + t / 32] = mine; }\n";
static const char WARP[] = KERNEL("sum") "{ " OWN "for (int half = 16; half; half /= 2)\n"
                                         "  mine += __shfl_down_sync(~0u, mine, half);\n"
                                         "if (t % 32 == 0) out[2 * blockIdx.x + t / 32] = mine; }\n";

/* ---- running them ---- */

static const char *source;

static void run(void *user)
{
    static int numbers[COUNT];
    lab_module *module;
    lab_function sum;
    lab_array *out, *x, *more;
    unsigned found[2 * BLOCKS] = {0}, all = 0, expected = 0;
    (void)user;
    for (int i = 0; i < COUNT; i++) expected += (unsigned)(numbers[i] = i % 97);
    LAB_CHECK(lab_module_load_source(&module, source, "sum.cu"));
    LAB_CHECK(lab_module_get_function(&sum, module, "sum"));
    LAB_CHECK(lab_array_full(&out, LAB_INT32, LAB_SHAPE(2 * BLOCKS), LAB_ARG(0)));
    LAB_CHECK(lab_array_empty(&x, LAB_INT32, LAB_SHAPE(COUNT)));
    LAB_CHECK(lab_array_empty(&more, LAB_INT32, LAB_SHAPE(COUNT)));
    LAB_CHECK(lab_array_set(x, numbers));
    if (lab_launch(sum, LAB_DIM(BLOCKS), LAB_DIM(THREADS), 0, NULL, LAB_ARGS(out, x, more)) != LAB_SUCCESS ||
        lab_device_synchronize() != LAB_SUCCESS) {
        puts(lab_error_message());
        return;
    }
    LAB_CHECK(lab_array_get(out, found));
    for (int i = 0; i < 2 * BLOCKS; i++) all += found[i];
    puts(all == expected ? "right" : "wrong");
}

static void expect(const char *setting, const char *text, const char *part)
{
    char said[4096];
    setenv("LAB_DEVICE", "cpu", 1);
    setenv("LAB_EXCHANGE", setting, 1);
    source = text;
    const int status = test_in_child(run, NULL, said, sizeof said);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s", said);
    cr_assert(strstr(said, part), "%s: expected \"%s\", found \"%s\"", text, part, said);
}

Test(exchange, what_passes_outside_shared_memory_is_found)
{
    expect("shared", TREE, "right");
    expect("shared", OF_THE_FILE, "right");
    expect("shared", ATOMIC, "right");
    expect("shared", SHUFFLES, "right");
    expect("shared", THROUGH_OWN_MEMORY, "right");
    expect("shared", GLOBAL, "which thread [0,0,0] has written: threads pass values on through shared memory");
    expect("shared", ATOMIC_GLOBAL, "atomically updates 4 bytes, at the beginning of the 24 bytes allocated");
    expect("shared", OF_THE_DEVICE, "variable 'value' of 768 bytes, which thread");
    expect("shared", STATIC, "has written: threads pass values on through shared memory or by shuffles");
    expect("shared", LEFT_ON_THE_STACK, "wrong");
    expect("shuffles", OF_THE_HOST_THREAD, "by shuffles alone");
    expect("shared", LOCAL_OF_ANOTHER, "sum.cu:6: reads 4 bytes");
    expect("shared", VOTES, "calls __syncthreads_or(): threads pass values on through shared memory");
    expect("shared", BALLOTS, "calls __ballot_sync(): threads pass values on through shared memory");
    expect("shared", TILES,
           "bytes of shared memory, and all 192 threads read 15360 different ones of global memory: "
           "each thread combines its share");
    expect("shared", ONE_FOR_ALL,
           "reads 5120 bytes of global memory, and all 192 threads read 15360 different ones of global");
    expect("shared", EACH_DOES_ALL,
           "reads 5120 bytes of global memory, and all 192 threads read 15360 different ones of global");
    expect("shared", ASKS_FIRST, "has written: threads pass values on through shared memory");
    expect("shared", WARP, "right");
    expect("shuffles", WARP, "right");
    expect("shuffles", MASKED, "right");
    expect("shuffles", TREE, "variable 'value' of 256 bytes: threads pass values on by shuffles alone");
    expect("shuffles", SHUFFLES, "variable 'other' of 4 bytes: threads pass values on by shuffles alone");
    expect("shuffles", GLOBAL, "has written: threads pass values on by shuffles alone");
}

Test(exchange, kernels_apart_are_watched_too)
{
    setenv("LAB_KERNELS_APART", "1", 1);
    expect("shared", TREE, "right");
    expect("shared", GLOBAL, "has written: threads pass values on through shared memory");
    expect("shared", TILES,
           "bytes of shared memory, and all 192 threads read 15360 different ones of global memory: "
           "each thread combines its share");
    expect("shared", ONE_FOR_ALL, "reads 5120 bytes of global memory");
    expect("shuffles", TREE, "variable 'value' of 256 bytes: threads pass values on by shuffles alone");
}

Test(exchange, without_the_setting_every_way_is_right) { expect("0", GLOBAL, "right"); }

Test(exchange, an_unknown_way_is_an_error)
{
    setenv("LAB_DEVICE", "cpu", 1);
    setenv("LAB_EXCHANGE", "1", 1);
    lab_array *array;
    cr_assert_eq(lab_array_empty(&array, LAB_INT32, LAB_SHAPE(1)), LAB_ERROR_INVALID_VALUE);
    cr_assert(strstr(lab_error_message(), "LAB_EXCHANGE=1 is not a valid setting; use shared or shuffles"), "%s",
              lab_error_message());
}
