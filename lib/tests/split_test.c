/* Kernels with barriers run in two ways: split at the barriers, or with a stack for each thread. These tests check
 * which way is chosen, and that both compute the same, for kernels that are hard to split and for random ones. */
#include "kernels.h"

#include "lab.h"

#include <stdarg.h>

enum { MOST_THREADS = 1024, GRID = 6 };

static lab_module *load(const char *way, const char *source)
{
    lab_module *module;
    setenv("LAB_BARRIERS", way, 1);
    const lab_status status = lab_module_load_source(&module, source, "split_test.cu");
    cr_assert_eq(status, LAB_SUCCESS, "%s\nof\n%s", lab_error_message(), source);
    return module;
}

/* The results of the kernel for blocks of this shape. The caller frees them. */
static unsigned *results_of(lab_module *module, const char *kernel, lab_dim block)
{
    const size_t count = (size_t)GRID * block.x * block.y * block.z;
    lab_function function;
    lab_deviceptr out;
    unsigned *host = malloc(count * sizeof *host);
    LAB_CHECK(lab_module_get_function(&function, module, kernel));
    LAB_CHECK(lab_mem_alloc(&out, count * sizeof *host));
    LAB_CHECK(lab_memset_async(out, 0, count * sizeof *host, NULL));
    LAB_CHECK(lab_launch(function, LAB_DIM(GRID), block, MOST_THREADS * sizeof(unsigned), NULL, LAB_ARGS(out)));
    LAB_CHECK(lab_memcpy_dtoh(host, out, count * sizeof *host));
    LAB_CHECK(lab_mem_free(out));
    return host;
}

static void check_same(const char *source, lab_module *split, lab_module *fibers, const char *kernel)
{
    static const lab_dim blocks[] = {{1, 1, 1}, {33, 1, 1}, {256, 1, 1}, {16, 16, 1},
                                     {5, 7, 3}, {1, 64, 1}, {1024, 1, 1}};
    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++) {
        const unsigned threads = blocks[b].x * blocks[b].y * blocks[b].z;
        unsigned *one = results_of(split, kernel, blocks[b]), *two = results_of(fibers, kernel, blocks[b]);
        for (unsigned i = 0; i < GRID * threads; i++)
            cr_assert_eq(one[i], two[i], "%s, block %u of %ux%ux%u threads, thread %u: %u split, %u on fibers, of\n%s",
                         kernel, i / threads, blocks[b].x, blocks[b].y, blocks[b].z, i % threads, one[i], two[i],
                         source);
        free(one);
        free(two);
    }
}

/* ---- kernels that are hard to split ---- */

#define START                                                                                                          \
    "    const unsigned t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;\n"                    \
    "    const unsigned n = blockDim.x * blockDim.y * blockDim.z, g = blockIdx.x * n + t;\n"

#define KERNEL(name, body) "extern \"C\" __global__ void " name "(unsigned *out)\n{\n" START body "}\n"

static const char splittable[] =
    "__shared__ unsigned s[1024];\n"
    "__device__ __noinline__ unsigned meet(unsigned v, unsigned t, unsigned n)\n"
    "{\n"
    "    s[t] = v;\n"
    "    __syncthreads();\n"
    "    v += s[(t + 1) % n];\n"
    "    __syncthreads();\n"
    "    if (v % 2) v += 3;\n"
    "    s[t] = v;\n"
    "    __syncthreads();\n"
    "    v ^= s[(t + 2) % n];\n"
    "    __syncthreads();\n"
    "    return v;\n"
    "}\n"
    "__device__ unsigned meet_twice(unsigned v, unsigned t, unsigned n) { return meet(meet(v, t, n) * 5, t, n); "
    "}\n" KERNEL("early_exit", "    if (t % 5 == 3) { out[g] = 7; return; }\n"
                               "    s[t] = t;\n"
                               "    unsigned left = __syncthreads_count(1);\n"
                               "    if (t % 5 == 4 && t > 20) return;\n"
                               "    left += __syncthreads_count(t % 2);\n"
                               "    out[g] = left * 1000 + s[t];\n") KERNEL("exit_of_whole_blocks",
                                                                            "    if (blockIdx.x % 2) return;\n"
                                                                            "    out[g] = meet(t, t, n);\n")
        KERNEL("trips_by_block",
               "    unsigned v = t;\n"
               "    for (unsigned i = 0; i < blockIdx.x * 2; i++) {\n"
               "        v = meet(v + i, t, n);\n"
               "        for (unsigned k = 0; k < v % 4; k++) v += k * t;\n"
               "    }\n"
               "    out[g] = v;\n") KERNEL("nested_conditions",
                                           "    unsigned v = t, w = 1;\n"
                                           "    if (blockIdx.x & 1) {\n"
                                           "        if (blockIdx.x & 2) { v = meet(v, t, n); w = 2; } else { w = v * "
                                           "3; if (t & 1) v += w; }\n"
                                           "        v = meet(v + w, t, n);\n"
                                           "    } else if (blockIdx.x & 4) {\n"
                                           "        do { v = meet(v, t, n); } while (__syncthreads_or(w++ < 3));\n"
                                           "    }\n"
                                           "    out[g] = v * 7 + w;\n")
            KERNEL("switches", "    unsigned v = t;\n"
                               "    for (int i = 0; i < 4; i++) {\n"
                               "        switch ((blockIdx.x + i) % 4) {\n"
                               "        case 0: v = meet(v, t, n);\n"
                               "        case 1: v += 5; break;\n"
                               "        case 2: if (t & 4) v *= 3; v = meet(v + 1, t, n); break;\n"
                               "        default: switch (t % 3) { case 0: v += 2; break; case 1: v ^= 9; break; }\n"
                               "        }\n"
                               "    }\n"
                               "    out[g] = v;\n") KERNEL("jumps", "    unsigned v = t, i = 0;\n"
                                                                    "again:\n"
                                                                    "    v = meet(v, t, n);\n"
                                                                    "    if (i == blockIdx.x) goto done;\n"
                                                                    "    i++;\n"
                                                                    "    if (i % 2) goto again;\n"
                                                                    "    v += 100;\n"
                                                                    "    goto again;\n"
                                                                    "done:\n"
                                                                    "    out[g] = v;\n")
                KERNEL("ways_by_thread", "    unsigned way = 1, steps = 0;\n"
                                         "    s[t] = 0;\n"
                                         "    if (t & 1) { way = 2; s[t] = 9; }\n"
                                         "    while (steps * steps < t) { steps++; s[t] += 3; }\n"
                                         "    __syncthreads();\n"
                                         "    out[g] = way * 1000 + steps * 10 + s[(t + 1) % n];\n")
                    KERNEL("exchanged_variables", "    unsigned a = t, b = t * 3 + 1, c = blockIdx.x;\n"
                                                  "    for (int i = 0; i < 5; i++) { __syncthreads(); const unsigned "
                                                  "old = a; a = b; b = c; c = old; }\n"
                                                  "    out[g] = a * 10000 + b * 100 + c;\n")
                        KERNEL("many_variables", "    unsigned v[72];\n"
                                                 "#pragma unroll\n"
                                                 "    for (int i = 0; i < 72; i++) v[i] = t * (i + 1) + i;\n"
                                                 "    s[t] = t;\n"
                                                 "    __syncthreads();\n"
                                                 "#pragma unroll\n"
                                                 "    for (int i = 0; i < 72; i++) v[i] ^= s[(t + i) % n];\n"
                                                 "    __syncthreads();\n"
                                                 "    unsigned sum = 0;\n"
                                                 "#pragma unroll\n"
                                                 "    for (int i = 0; i < 72; i++) sum = sum * 3 + v[i];\n"
                                                 "    out[g] = sum;\n")
                            KERNEL(
                                "types",
                                "    const signed char a = t - 5; const short b = t * 77; const long long c = t * "
                                "123456789123LL;\n"
                                "    const float d = t * 0.5f; const double e = t * 0.25; const bool f = t % 3 == 1;\n"
                                "    const float4 h = make_float4(t, 2, 3, t + 4); unsigned *p = &out[g];\n"
                                "    s[t] = 1;\n"
                                "    __syncthreads();\n"
                                "    const bool k = s[(t + 1) % n] + f > 1;\n"
                                "    __syncthreads();\n"
                                "    *p = a + b + (unsigned)c + (unsigned)(d * 2) + (unsigned)(e * 4) + f + k * 2 + "
                                "(unsigned)(h.x + h.w);\n")
                                KERNEL("local_arrays", "    unsigned big[3000]; __align__(32) unsigned char odd[37];\n"
                                                       "    for (int i = 0; i < 3000; i++) big[i] = i * t;\n"
                                                       "    for (int i = 0; i < 37; i++) odd[i] = t + i;\n"
                                                       "    for (int i = 0; i < 6; i++) {\n"
                                                       "        s[t] = big[t * 7 % 3000] + odd[(t + i) % 37];\n"
                                                       "        __syncthreads();\n"
                                                       "        big[(t + i) % 3000] += s[(t + 1) % n];\n"
                                                       "        odd[i] += big[i];\n"
                                                       "        __syncthreads();\n"
                                                       "    }\n"
                                                       "    unsigned sum = 0;\n"
                                                       "    for (int i = 0; i < 3000; i++) sum = sum * 5 + big[i];\n"
                                                       "    for (int i = 0; i < 37; i++) sum = sum * 5 + odd[i];\n"
                                                       "    out[g] = sum;\n")
                                    KERNEL("pointers",
                                           "    extern __shared__ unsigned dynamic[];\n"
                                           "    unsigned *from = t & 1 ? s : dynamic, *to = t & 1 ? dynamic : s;\n"
                                           "    s[t] = t * 2; dynamic[t] = t * 3;\n"
                                           "    for (int i = 0; i < 7; i++) {\n"
                                           "        __syncthreads();\n"
                                           "        const unsigned v = from[(t + i) % n];\n"
                                           "        __syncthreads();\n"
                                           "        to[t] = v + i;\n"
                                           "        unsigned *const old = from; from = to; to = old;\n"
                                           "        if (i == 3) from = to;\n"
                                           "    }\n"
                                           "    __syncthreads();\n"
                                           "    out[g] = s[t] * 3 + dynamic[t];\n")
                                        KERNEL("calls_twice",
                                               "    out[g] = meet_twice(t, t, n) + meet_twice(blockIdx.x + t, t, n);\n")
                                            KERNEL("threads_of_no_barrier",
                                                   "    unsigned v = t;\n"
                                                   "    if (t % 3 == 0) { if (n > 5000) v = meet(v, t, n); v += 2; }\n"
                                                   "    for (unsigned i = 0; i < t % 4; i++) { if (n > 5000) "
                                                   "__syncthreads(); v = v * 3 + i; }\n"
                                                   "    out[g] = meet(v, t, n);\n")
                                                KERNEL("ends_in_a_loop",
                                                       "    for (unsigned i = 0;; i++) {\n"
                                                       "        if (t == i || i > 40) { out[g] = i; return; }\n"
                                                       "        if (__syncthreads_count(t % 2) == 0) { out[g] = 1000 + "
                                                       "i; return; }\n"
                                                       "    }\n")
                                                    KERNEL("divides", "    unsigned v = t;\n"
                                                                      "    for (int i = 0; i < 3; i++) { v = v / n + t "
                                                                      "% (i + 2) * 5; v = meet(v, t, n); }\n"
                                                                      "    out[g] = v;\n");

static const char *const splittable_names[] = {"early_exit",     "exit_of_whole_blocks",
                                               "trips_by_block", "nested_conditions",
                                               "switches",       "jumps",
                                               "ways_by_thread", "exchanged_variables",
                                               "many_variables", "types",
                                               "local_arrays",   "pointers",
                                               "calls_twice",    "threads_of_no_barrier",
                                               "ends_in_a_loop", "divides"};

static const char unsplittable[] =
    "__shared__ unsigned s[1024];\n"
    "__device__ __noinline__ unsigned descend(unsigned depth, unsigned v, unsigned t, unsigned n)\n"
    "{\n"
    "    s[t] = v;\n"
    "    __syncthreads();\n"
    "    v += s[(t + depth) % n];\n"
    "    __syncthreads();\n"
    "    if (depth) v = descend(depth - 1, v * 3, t, n) + 1;\n"
    "    return v;\n"
    "}\n"
    "__device__ unsigned turn(unsigned v) { __syncthreads(); return v + 1; }\n"
    "__device__ unsigned stay(unsigned v) { return v + 2; }\n"
    "struct big { unsigned part[20]; };\n" KERNEL("recursion", "    out[g] = descend(blockIdx.x, t, t, n);\n")
        KERNEL("warps", "    __syncthreads(); out[g] = t; __syncwarp();\n")
            KERNEL("indirect", "    unsigned (*volatile step)(unsigned) = blockIdx.x & 1 ? turn : stay;\n"
                               "    out[g] = step(t);\n");

static const char *const unsplittable_names[] = {"recursion", "warps", "indirect"};

static void check_decision(const char *source, const char *const *name, int count, bool is_split)
{
    kernels_use_kept_cache();
    setenv("LAB_BARRIERS", "split", 1);
    cpu_module *module = kernels_load(source);
    for (int i = 0; i < count; i++) {
        const cpu_kernel *kernel = kernels_find(module, name[i]);
        cr_assert_not_null(kernel->suspends, "%s", name[i]);
        cr_assert_eq(kernel->split != NULL, is_split, "%s", name[i]);
    }
    cpu_module_unload(module);
}

enum {
    SPLITTABLE = sizeof splittable_names / sizeof *splittable_names,
    UNSPLITTABLE = sizeof unsplittable_names / sizeof *unsplittable_names
};

Test(split, kernels_that_wait_only_at_barriers_are_split)
{
    check_decision(splittable, splittable_names, SPLITTABLE, true);
}

Test(split, recursion_warp_operations_and_calls_through_pointers_are_left_to_fibers)
{
    check_decision(unsplittable, unsplittable_names, UNSPLITTABLE, false);
}

Test(split, no_kernel_is_split_if_fibers_are_asked_for)
{
    kernels_use_kept_cache();
    setenv("LAB_BARRIERS", "fibers", 1);
    cpu_module *module = kernels_load(splittable);
    for (int i = 0; i < module->kernels; i++) {
        cr_assert_null(module->kernel[i].split);
        cr_assert_not_null(module->kernel[i].suspends);
    }
    cpu_module_unload(module);
}

Test(split, both_ways_compute_the_same)
{
    kernels_use_kept_cache();
    lab_module *split = load("split", splittable), *fibers = load("fibers", splittable);
    for (int i = 0; i < SPLITTABLE; i++) check_same(splittable, split, fibers, splittable_names[i]);
}

Test(split, kernels_left_to_fibers_run_beside_others)
{
    kernels_use_kept_cache();
    lab_module *split = load("split", unsplittable), *fibers = load("fibers", unsplittable);
    check_same(unsplittable, split, fibers, "recursion");
    check_same(unsplittable, split, fibers, "warps");
}

/* ---- random kernels ---- */

enum { KERNELS = 4, MODULES = 3, SOURCE_BYTES = 200000, MOST_DEPTH = 3 };

typedef struct program {
    char *text;
    size_t used;
    uint64_t random;
    int loops;
    bool has_exit;
} program;

static unsigned pick(program *p, unsigned below)
{
    p->random = p->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(p->random >> 33) % below;
}

static void add(program *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(program *p, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    p->used += (size_t)vsnprintf(p->text + p->used, SOURCE_BYTES - p->used, format, values);
    va_end(values);
}

static char variable(program *p) { return "abc"[pick(p, 3)]; }

/* Adds work of each thread on its own. */
static void add_own(program *p)
{
    const char target = variable(p), source = variable(p);
    switch (pick(p, 7)) {
    case 0: add(p, "%c = %c * %uu + t;\n", target, source, 2 * pick(p, 50) + 1); break;
    case 1: add(p, "%c ^= %c >> %u;\n", target, source, pick(p, 9)); break;
    case 2: add(p, "l[%c & 7] += %c;\n", target, source); break;
    case 3: add(p, "%c += l[%c %% 8] + blockIdx.x;\n", target, source); break;
    case 4:
        add(p, "if ((%c ^ t) & %uu) %c += 3; else { %c ^= t; l[%u] = %c; }\n", target, 1 + pick(p, 7), source, target,
            pick(p, 8), source);
        break;
    case 5: add(p, "for (unsigned i = 0; i < (%c & 3); i++) { %c = %c * 3 + i; }\n", source, target, target); break;
    default: add(p, "%c -= threadIdx.x + %u * threadIdx.y;\n", target, pick(p, 9)); break;
    }
}

static void add_statements(program *p, int depth);

static void add_block(program *p, int depth)
{
    add(p, "{\n");
    add_statements(p, depth + 1);
    add(p, "}\n");
}

/* Adds work that all threads do together, but for those that have exited. */
static void add_common(program *p, int depth)
{
    const char target = variable(p), source = variable(p);
    switch (pick(p, depth < MOST_DEPTH ? 10 : 5)) {
    case 0:
    case 1:
        add(p, "s[t] = %c; __syncthreads(); %c ^= s[(t + %u) %% n]; __syncthreads();\n", source, target, pick(p, 40));
        break;
    case 2: add(p, "%c = meet(%c, t, n);\n", target, source); break;
    case 3:
        add(p, "%c += __syncthreads_%s(%c & %uu);\n", target, (const char *[]){"count", "and", "or"}[pick(p, 3)],
            source, 1 + pick(p, 3));
        break;
    case 4:
        add(p,
            "if (t == 0) total = 0; __syncthreads(); atomicAdd(&total, %c); __syncthreads(); %c += total; "
            "__syncthreads();\n",
            source, target);
        break;
    case 5: {
        const int loop = p->loops++;
        add(p, "for (unsigned i%d = 0; i%d < (blockIdx.x & %u) + %u; i%d++) {\n", loop, loop, pick(p, 4), pick(p, 3),
            loop);
        add_statements(p, depth + 1);
        if (pick(p, 3) == 0) add(p, "if (i%d == blockIdx.x %% 3) %s;\n", loop, pick(p, 2) ? "break" : "continue");
        add_own(p);
        add(p, "%c += i%d;\n}\n", target, loop);
        break;
    }
    case 6:
        add(p, "if (blockIdx.x %% %u == %u)\n", 2 + pick(p, 2), pick(p, 2));
        add_block(p, depth);
        if (pick(p, 2)) {
            add(p, "else\n");
            add_block(p, depth);
        }
        break;
    case 7:
        add(p, "if (__syncthreads_count(%c & %uu) > n / 2)\n", source, 1 + pick(p, 7));
        add_block(p, depth);
        break;
    case 8:
        add(p, "switch (blockIdx.x %% 3) {\ncase 0:\n");
        add_block(p, depth);
        add(p, "%s\ncase 1:\n", pick(p, 2) ? "break;" : "");
        add_block(p, depth);
        add(p, "break;\ndefault:\n");
        add_block(p, depth);
        add(p, "}\n");
        break;
    default:
        if (p->has_exit) break;
        p->has_exit = true;
        add(p, "if ((t && t %% 7 == %u)%s) { out[g] = %c; return; }\n", pick(p, 7),
            pick(p, 2) ? "" : " || blockIdx.x == 2", source);
        break;
    }
}

static void add_statements(program *p, int depth)
{
    for (unsigned i = 1 + pick(p, 4); i > 0; i--) {
        if (pick(p, 2))
            add_own(p);
        else
            add_common(p, depth);
    }
}

static void add_kernel(program *p, int number)
{
    p->has_exit = false;
    add(p,
        "extern \"C\" __global__ void k%d(unsigned *out)\n{\n" START
        "    unsigned a = t, b = t * 3 + 1, c = blockIdx.x, l[8] = {t, 1, 2, 3, 4, 5, 6, 7};\n"
        "    s[t] = t; __syncthreads();\n",
        number);
    for (int i = 0; i < 4; i++) {
        add_statements(p, 0);
        add_common(p, 0);
    }
    add(p, "for (int i = 0; i < 8; i++) a = a * 5 + l[i];\nout[g] = a ^ b * 3 ^ c * 7;\n}\n");
}

static void check_random(uint64_t seed)
{
    program p = {.text = malloc(SOURCE_BYTES), .random = seed};
    add(&p, "__shared__ unsigned s[1024], total;\n"
            "__device__ unsigned meet(unsigned v, unsigned t, unsigned n)\n"
            "{ s[t] = v; __syncthreads(); v += s[(t + 3) %% n]; __syncthreads(); return v * 3; }\n");
    for (int k = 0; k < KERNELS; k++) add_kernel(&p, k);
    cr_assert(p.used < SOURCE_BYTES);
    lab_module *split = load("split", p.text), *fibers = load("fibers", p.text);
    for (int k = 0; k < KERNELS; k++) {
        char name[16];
        snprintf(name, sizeof name, "k%d", k);
        check_same(p.text, split, fibers, name);
    }
    LAB_CHECK(lab_module_unload(split));
    LAB_CHECK(lab_module_unload(fibers));
    free(p.text);
}

Test(split, random_kernels_compute_the_same_both_ways)
{
    kernels_use_kept_cache();
    const char *first = getenv("LAB_TEST_SEED");
    for (unsigned seed = 0; seed < MODULES; seed++) check_random((first ? strtoul(first, NULL, 10) : 1) + seed);
}
