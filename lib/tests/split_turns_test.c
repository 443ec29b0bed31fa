/* Loops whose threads take an iteration each before any takes the next one (loops.h): they compute what they compute
 * when one thread after another goes through them, whatever the indices, the ways out, and what is used behind them. */
#include "split_kit.h"

/* ---- loops that take turns ---- */

/* Each block has its own numbers, x[0] to x[MOST], which nothing changes. What a thread leaves in s when it exits is
 * its number, if nothing else. All threads go through the loop together. */
#define DECLARATIONS                                                                                                   \
    "__shared__ unsigned x[2112], s[1024];\n"                                                                          \
    "__device__ unsigned fill(unsigned t, unsigned n)\n"                                                               \
    "{\n"                                                                                                              \
    "    for (unsigned i = 0; i < 2112; i += n)\n"                                                                     \
    "        if (i + t < 2112) x[i + t] = (i + t + blockIdx.x) * 2654435761u >> 7;\n"                                  \
    "    s[t] = t;\n"                                                                                                  \
    "    __syncthreads();\n"                                                                                           \
    "    return 0;\n"                                                                                                  \
    "}\n"

static const char waiting[] = DECLARATIONS KERNEL(
    "sum",
    "    unsigned v = fill(t, n);\n"
    "    for (unsigned i = t; i < 2000; i += n) v += x[i];\n"
    "    s[t] = v;\n"
    "    __syncthreads();\n"
    "    out[g] = v * 3 + s[(t + 1) % n];\n") KERNEL("sum_of_warps",
                                                     "    unsigned v = fill(t, n);\n"
                                                     "    for (unsigned i = t; i < 1500; i += n) v = v * 5 + x[i];\n"
                                                     "    out[g] = v + __shfl_xor_sync(__activemask(), v, 1);\n")
    KERNEL("index_behind_the_loop",
           "    unsigned v = fill(t, n), i = t;\n"
           "    for (; i < 777; i += n) v += x[i];\n"
           "    __syncthreads();\n"
           "    out[g] = v * 3 + i;\n") KERNEL("trips_behind_the_loop",
                                               "    unsigned v = fill(t, n), trips = 0;\n"
                                               "    for (unsigned i = t; i < 777; i += n) { v += x[i]; trips++; }\n"
                                               "    __syncthreads();\n"
                                               "    out[g] = v * 31 + trips;\n")
        KERNEL("index_that_wraps",
               "    unsigned v = fill(t, n);\n"
               "    for (unsigned i = t + 0xfffffb00u; i >= 0xfffffb00u; i += n)\n"
               "        v = v * 3 + x[i - 0xfffffb00u];\n"
               "    __syncthreads();\n"
               "    out[g] = v;\n") KERNEL("index_that_wraps_inside",
                                           "    unsigned v = fill(t, n);\n"
                                           "    for (unsigned i = t - 512, k = 0; k < 8 + blockIdx.x; k++, i += 64)\n"
                                           "        v = v * 3 + x[i + 512u];\n"
                                           "    __syncthreads();\n"
                                           "    out[g] = v;\n")
            KERNEL("index_that_wraps_to_the_loop", "    unsigned v = fill(t, n), trips = 0;\n"
                                                   "    for (unsigned i = t - 1024; i != t; i += 1024) {\n"
                                                   "        v = v * 3 + x[i + 1024];\n"
                                                   "        if (++trips == 5) break;\n"
                                                   "    }\n"
                                                   "    __syncthreads();\n"
                                                   "    out[g] = v + trips;\n")
                KERNEL("signed_index_near_its_end",
                       "    unsigned v = fill(t, n);\n"
                       "    for (int i = 2147481000 + (int)t; i < 2147482000; i += (int)n) v += x[i - "
                       "2147481000];\n"
                       "    __syncthreads();\n"
                       "    out[g] = v;\n") KERNEL("downwards",
                                                   "    unsigned v = fill(t, n);\n"
                                                   "    for (int i = 1999 - (int)t; i >= 0; i -= (int)n) v = v * 3 + "
                                                   "x[i];\n"
                                                   "    __syncthreads();\n"
                                                   "    out[g] = v;\n")
                    KERNEL("exchanged_values", "    unsigned a = fill(t, n), b = t;\n"
                                               "    for (unsigned i = t; i < 2000; i += n) {\n"
                                               "        const unsigned old = a; a = b + x[i]; b = old;\n"
                                               "    }\n"
                                               "    __syncthreads();\n"
                                               "    out[g] = a * 3 + b;\n")
                        KERNEL("steps_that_vary",
                               "    unsigned v = fill(t, n);\n"
                               "    for (unsigned i = t, step = 16 + t % 3; i < 2000; i += step) v += "
                               "x[i];\n"
                               "    __syncthreads();\n"
                               "    out[g] = v;\n") KERNEL("steps_that_change", "    unsigned v = fill(t, n);\n"
                                                                                "    for (unsigned i = t, step = n; i "
                                                                                "< 2000; i += step++) v += x[i];\n"
                                                                                "    __syncthreads();\n"
                                                                                "    out[g] = v;\n")
                            KERNEL("in_a_branch", "    unsigned v = fill(t, n), i = t;\n"
                                                  "    if (t % 3 != 1) {\n"
                                                  "        for (; i < 900; i += n) v += x[i];\n"
                                                  "        v ^= i;\n"
                                                  "    } else {\n"
                                                  "        for (unsigned k = t; k < 700; k += 64) v = v * 3 + x[k];\n"
                                                  "    }\n"
                                                  "    v += __shfl_xor_sync(__activemask(), v, 2);\n"
                                                  "    __syncthreads();\n"
                                                  "    out[g] = v * 3 + i;\n")
                                KERNEL("one_in_another", "    unsigned v = fill(t, n), k = 0;\n"
                                                         "    for (unsigned i = t; i < 1000; i += n) {\n"
                                                         "        for (k = 0; k < 17 + blockIdx.x; k++) v = v * 3 + "
                                                         "x[k * 16 + i];\n"
                                                         "        if (v & 1) v += i * k;\n"
                                                         "    }\n"
                                                         "    v += __syncthreads_count(v & 1);\n"
                                                         "    out[g] = v + k;\n")
                                    KERNEL("with_ways_inside", "    unsigned v = fill(t, n);\n"
                                                               "    for (unsigned i = t; i < 2000; i += n) {\n"
                                                               "        if (x[i] & 4) continue;\n"
                                                               "        if (x[i] & 1) v += x[i + 64]; else v ^= i;\n"
                                                               "    }\n"
                                                               "    __syncthreads();\n"
                                                               "    out[g] = v;\n")
                                        KERNEL(
                                            "box_after_box",
                                            "    unsigned v = fill(t, n);\n"
                                            "    if (threadIdx.x < blockIdx.x % 3 || threadIdx.x + blockIdx.x / 3 >= "
                                            "blockDim.x) return;\n"
                                            "    v = __syncthreads_count(t & 1);\n"
                                            "    if (threadIdx.y < blockIdx.x % 2) { out[g] = v; return; }\n"
                                            "    for (unsigned k = 0; k < 17 + blockIdx.x; k++) v = v * 3 + x[t + k];\n"
                                            "    s[t] = v;\n"
                                            "    v += __syncthreads_and(t != 40) * 5 + s[(t + 1) % n];\n"
                                            "    if (threadIdx.z == 1) return;\n"
                                            "    v = v * 7 + __syncthreads_or(t == 37);\n"
                                            "    for (unsigned i = t; i < 2000; i += n) v = v * 3 + x[i];\n"
                                            "    out[g] = v;\n")
                                            KERNEL("barrier_in_different_rounds",
                                                   "    unsigned v = fill(t, n);\n"
                                                   "    for (unsigned k = 0; k < 5 + blockIdx.x; k++) {\n"
                                                   "        if (k < t / 32 % 3) continue;\n"
                                                   "        v = v * 3 + __syncthreads_count(v & 1) + k;\n"
                                                   "    }\n"
                                                   "    out[g] = v;\n");

static const char *const waiting_names[] = {"sum",
                                            "sum_of_warps",
                                            "index_behind_the_loop",
                                            "trips_behind_the_loop",
                                            "index_that_wraps",
                                            "index_that_wraps_inside",
                                            "index_that_wraps_to_the_loop",
                                            "signed_index_near_its_end",
                                            "downwards",
                                            "exchanged_values",
                                            "steps_that_vary",
                                            "steps_that_change",
                                            "in_a_branch",
                                            "one_in_another",
                                            "with_ways_inside",
                                            "box_after_box",
                                            "barrier_in_different_rounds"};
enum { WAITING = sizeof waiting_names / sizeof *waiting_names };

Test(split_turns, kernels_that_wait_compute_the_same_both_ways)
{
    kernels_use_kept_cache();
    lab_module *split = load("split", waiting), *fibers = load("fibers", waiting);
    for (int i = 0; i < WAITING; i++) check_same(waiting, split, fibers, waiting_names[i]);
}

/* ---- threads that part in a loop ---- */

/* Some threads of a warp go through the loop once more than the others. */
static const char parting[] = "__shared__ unsigned s[256];\n"
                              "extern \"C\" __global__ void parting(unsigned *out, unsigned n)\n{\n"
                              "    unsigned v = 0;\n"
                              "    for (unsigned i = threadIdx.x; i < n; i += blockDim.x) v = v * 3 + out[i];\n"
                              "    s[threadIdx.x] = v;\n"
                              "    __syncthreads();\n"
                              "    out[threadIdx.x] = s[255 - threadIdx.x];\n}\n";

static const cpu_split *watched;
static unsigned threads_of_last_run;

static unsigned watch_run(unsigned region, const void *frame, void *next_frame, void *slots, void *local,
                          const unsigned *range)
{
    threads_of_last_run = range[1] - range[0];
    return watched->run(region, frame, next_frame, slots, local, range);
}

/* Runs a block of 256 threads, and returns how many of them the last region ran for. */
static unsigned count_threads_together(const cpu_kernel *kernel)
{
    unsigned out[1000] = {0}, *address = out, n = 1000;
    cpu_split split = *(watched = kernel->split);
    cpu_kernel watching = *kernel;
    split.run = watch_run;
    watching.split = &split;
    kernels_run(&watching, 1, 256, &address, &n);
    return threads_of_last_run;
}

Test(split_turns, threads_that_part_in_a_loop_are_together_behind_the_next_barrier)
{
    kernels_use_kept_cache();
    setenv("LAB_BARRIERS", "split", 1);
    cpu_module *module = kernels_load(parting);
    cr_assert_eq(count_threads_together(kernels_find(module, "parting")), 256);
    cpu_module_unload(module);
}

/* ---- kernels that never wait ---- */

/* Workers write the block's part of the array: one thread to each element. */
static const char alone[] =
    "__device__ unsigned x[4096];\n" KERNEL("rows", "    for (unsigned i = t; i < n; i += 32)\n"
                                                    "        if (t < 32) out[blockIdx.x * n + i] = i * 3 + t;\n")
        KERNEL("updates",
               "    out[g] = g * 7;\n"
               "    for (unsigned k = 0; k < 20 + blockIdx.x; k++) out[g] = out[g] * 3 + k + x[t + k * 16];\n")
            KERNEL("planes_of_a_stencil",
                   "    if (t > 0 && t + 1 < n)\n"
                   "        for (unsigned k = 0; k < 20 + blockIdx.x; k++)\n"
                   "            out[g] = out[g] * 3 + (x[t + k * 16 - 1] ^ x[t + k * 16 + 1]) + k + t;\n")
                KERNEL("returns", "    if (t % 5 == 3) return;\n"
                                  "    unsigned v = 1;\n"
                                  "    for (unsigned i = t; i < 3000; i += n) v = v * 3 + x[i] + i;\n"
                                  "    if (v & 1) { out[g] = v; return; }\n"
                                  "    for (unsigned i = t; i < 1000; i += n) v += x[i] ^ i;\n"
                                  "    out[g] = v;\n")
                    KERNEL("wide_ranks", "    const unsigned long long all = 1ull << 40 | 1ull * gridDim.x * n;\n"
                                         "    const unsigned long long rank = t + blockIdx.x % 3 * all;\n"
                                         "    unsigned v = rank >> 32 ^ all >> 32;\n"
                                         "    for (int i = rank; i < 3000; i += all) v = v * 3 + x[i] + i;\n"
                                         "    out[g] = v;\n")
                        KERNEL("rows_of_warps",
                               "    unsigned v = 0;\n"
                               "    for (unsigned row = t / 32; row < 90; row += 3) v = v * 3 + x[row * 40 + t % 32];\n"
                               "    out[g] = v;\n");

static const char *const alone_names[] = {"rows",    "updates",    "planes_of_a_stencil",
                                          "returns", "wide_ranks", "rows_of_warps"};
enum { ALONE = sizeof alone_names / sizeof *alone_names };

Test(split_turns, kernels_that_never_wait_compute_the_same_both_ways)
{
    kernels_use_kept_cache();
    lab_module *split = load("split", alone), *fibers = load("fibers", alone);
    for (int i = 0; i < ALONE; i++) check_same(alone, split, fibers, alone_names[i]);
}

/* ---- which loops ---- */

/* A kernel that reads threadIdx.y would be split for its rows. */
#define ROW_KERNEL(name, body)                                                                                         \
    "extern \"C\" __global__ void " name "(unsigned *out)\n{\n"                                                        \
    "    const unsigned n = blockDim.x, t = threadIdx.x, g = blockIdx.x * n + t;\n" body "}\n"

static const char left_alone[] = "__device__ unsigned x[4096], *where[64];\n" ROW_KERNEL(
    "own_rows", "    unsigned v = 0;\n"
                "    for (unsigned k = 0; k < n; k++) v += x[t * n + k];\n"
                "    out[g] = v;\n") ROW_KERNEL("own_trips", "    unsigned v = 0;\n"
                                                             "    for (unsigned k = 0; k < t; k++) v += x[t + k];\n"
                                                             "    out[g] = v;\n")
    ROW_KERNEL("own_steps", "    for (unsigned k = 0; k < 99; k += t + 1) out[g] += x[k];\n")
        ROW_KERNEL("atomics", "    for (unsigned i = t; i < n; i += 32) atomicAdd(&out[i], 1);\n") ROW_KERNEL(
            "spins", "    volatile unsigned *flag = x + t;\n"
                     "    for (unsigned i = t; i < 1000; i += n) out[g] += *flag;\n")
            ROW_KERNEL("upper_half_counts",
                       "    const unsigned long long all = 1ull << 40 | 1ull * gridDim.x * n;\n"
                       "    unsigned v = all >> 32;\n"
                       "    for (unsigned long long i = t + blockIdx.x % 3 * all; (int)i < 3000; i = (int)i + all)\n"
                       "        v = v * 3 + x[(int)i] + (unsigned)(i >> 32);\n"
                       "    out[g] = v;\n");

static void check_split(const char *source, const char *const *name, int count, bool is_split)
{
    kernels_use_kept_cache();
    setenv("LAB_BARRIERS", "split", 1);
    cpu_module *module = kernels_load(source);
    for (int i = 0; i < count; i++) {
        const cpu_kernel *kernel = kernels_find(module, name[i]);
        cr_assert_null(kernel->suspends, "%s", name[i]);
        cr_assert_eq(kernel->split != NULL, is_split, "%s", name[i]);
    }
    cpu_module_unload(module);
}

Test(split_turns, kernels_that_never_wait_are_split_for_their_loops) { check_split(alone, alone_names, ALONE, true); }

Test(split_turns, loops_that_would_be_slower_stay_with_their_thread)
{
    static const char *const names[] = {"own_rows", "own_trips", "own_steps", "atomics", "spins", "upper_half_counts"};
    check_split(left_alone, names, sizeof names / sizeof *names, false);
}

#define SUMS                                                                                                           \
    "void sums(unsigned *out, unsigned n)\n"                                                                           \
    "{\n"                                                                                                              \
    "    unsigned v = 1, t = threadIdx.x;\n"                                                                           \
    "    for (unsigned i = t; i < 3000; i += n) v = v * 3 + out[n + i];\n"                                             \
    "    out[t] = v;\n"                                                                                                \
    "}\n"

Test(split_turns, kernels_whose_code_stays_apart_keep_their_loops)
{
    static const char *const name[] = {"sums"};
    check_split("extern \"C\" __global__ " SUMS, name, 1, true);
    check_split("extern \"C\" __global__ __noinline__ " SUMS, name, 1, false);
}

/* ---- random kernels ---- */

/* A loop over the block's numbers. Indices stay below 2112. */
static void add_turns(program *p)
{
    const char to = variable(p), from = variable(p);
    static const char *const steps[] = {"n", "n * 2", "64", "n + blockIdx.x"};
    const char *step = steps[pick(p, 4)];
    const unsigned end = pick(p, 2048), first = pick(p, 8);
    switch (pick(p, 5)) {
    case 0:
        add(p, "for (unsigned i = t + %u; i < %u; i += %s) { %c = %c * 3 + x[i]; ", first, end, step, to, from);
        break;
    case 1:
        add(p, "for (int i = %d - (int)t; i >= 0; i -= (int)(%s)) { %c ^= x[i] + %c; ", (int)end, step, to, from);
        break;
    case 2:
        add(p, "for (unsigned k = 0, i = t; k < %u + blockIdx.x; k++, i += 16) { %c = (%c ^ x[i]) * 5; ", pick(p, 50),
            to, from);
        break;
    case 3:
        add(p, "for (unsigned k = 0, i = t; k < %u; k++, i++) { %c = %c * 5 + x[i]; ", pick(p, 50), to, from);
        break;
    default:
        add(p,
            "for (unsigned i = t, d = n; i < %u; i += d) { const unsigned old = a; a = b + x[i]; b = c ^ i; c = old; ",
            end);
        break;
    }
    if (pick(p, 3) == 0) add(p, "if (%c & %u) %c += i; ", from, 1 + pick(p, 7), to);
    if (pick(p, 4) == 0) add(p, "e = i; ");
    add(p, "}\n");
}

static void add_statement(program *p, int depth)
{
    switch (pick(p, depth < 2 ? 8 : 4)) {
    case 0: add(p, "%c += meet(%c, t, n);\n", variable(p), variable(p)); break;
    case 1: add_own(p); break;
    case 2:
    case 3: add_turns(p); break;
    case 4:
        add(p, "if ((%c ^ t) & %u) {\n", variable(p), 1 + pick(p, 7));
        add_turns(p);
        add(p, "} else {\n%c ^= 5;\n", variable(p));
        if (pick(p, 2)) add_turns(p);
        add(p, "}\n");
        break;
    case 5: add(p, "%c += __popc(__ballot_sync(__activemask(), %c & 1));\n", variable(p), variable(p)); break;
    case 6:
        add(p, "if (blockIdx.x %% 3 == %u) {\n", pick(p, 3));
        add_statement(p, depth + 1);
        add_turns(p);
        add(p, "}\n");
        break;
    default:
        add(p, "for (unsigned j%d = 0; j%d < %u + blockIdx.x; j%d++) {\n", depth, depth, pick(p, 3), depth);
        add_turns(p);
        add_statement(p, depth + 1);
        add(p, "}\n");
        break;
    }
}

/* The threads at one side of the block exit. */
static void add_exit(program *p)
{
    static const char *const sides[] = {"threadIdx.x < %u", "threadIdx.x + %u > blockDim.x", "threadIdx.y < %u",
                                        "threadIdx.y + %u > blockDim.y", "threadIdx.z + %u > blockDim.z"};
    add(p, "if (");
    add(p, sides[pick(p, 5)], pick(p, 3));
    add(p, ") { out[g] = %c; return; }\n", variable(p));
}

static void add_kernel(program *p, int number)
{
    add(p,
        "extern \"C\" __global__ void k%d(unsigned *out)\n{\n" START
        "    unsigned a = t, b = t * 3 + 1, c = blockIdx.x, e = fill(t, n), l[8] = {t, 1, 2, 3, 4, 5, 6, 7};\n",
        number);
    for (unsigned i = 5 + pick(p, 5); i > 0; i--) {
        add_statement(p, 0);
        if (pick(p, 4) == 0) add_exit(p);
    }
    add(p, "for (int i = 0; i < 8; i++) a = a * 5 + l[i];\nout[g] = a ^ b * 3 ^ c * 7 ^ e * 11;\n}\n");
}

Test(split_turns, random_kernels_compute_the_same_both_ways)
{
    check_modules(DECLARATIONS "__device__ unsigned meet(unsigned v, unsigned t, unsigned n)\n"
                               "{ __syncthreads(); s[t] = v; __syncthreads(); v += s[(t + 3) % n]; return v * 3; }\n",
                  add_kernel);
}

/* Each step uses the one before twice: whoever follows all ways back never comes to an end. */
Test(split_turns, index_behind_many_steps_is_compiled_in_time)
{
    char source[4096] = "__global__ void k(float *x, int n)\n{\n    unsigned h = threadIdx.x;\n";
    for (int i = 0; i < 48; i++) strcat(source, "    h = (h + 1u) + (h >> 3);\n");
    strcat(source, "    float v = 0;\n    for (unsigned i = h; i < (unsigned)n; i += blockDim.x) v += x[i];\n"
                   "    __syncthreads();\n    x[threadIdx.x] = v;\n}\n");
    lab_module *module;
    kernels_use_kept_cache();
    LAB_CHECK(lab_module_load_source(&module, source, "steps.cu"));
    LAB_CHECK(lab_module_unload(module));
}
