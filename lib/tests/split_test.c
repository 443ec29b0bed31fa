/* Kernels with barriers run in two ways: split at the barriers, or with a stack for each thread. These tests check
 * which way is chosen, and that both compute the same, for kernels that are hard to split and for random ones. */
#include "split_kit.h"

/* ---- kernels that are hard to split ---- */

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
        KERNEL("indirect", "    unsigned (*volatile step)(unsigned) = blockIdx.x & 1 ? turn : stay;\n"
                           "    out[g] = step(t);\n");

static const char *const unsplittable_names[] = {"recursion", "indirect"};

enum {
    SPLITTABLE = sizeof splittable_names / sizeof *splittable_names,
    UNSPLITTABLE = sizeof unsplittable_names / sizeof *unsplittable_names
};

Test(split, kernels_with_barriers_are_split) { check_decision(splittable, splittable_names, SPLITTABLE, true); }

Test(split, recursion_and_calls_through_pointers_are_left_to_fibers)
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
}

/* The optimiser calls ldexpf and exp2f for the powers. A power of the thread is its own. */
static const char powers[] =
    "__shared__ float s[1024];\n" KERNEL("of_all_threads",
                                         "    s[t] = t;\n"
                                         "    for (int i = 1; i <= 3; i++) {\n"
                                         "        const unsigned step = __powf(2, i);\n"
                                         "        __syncthreads();\n"
                                         "        if (t % step == 0 && t + step / 2 < n) s[t] += s[t + step / 2];\n"
                                         "    }\n"
                                         "    __syncthreads();\n"
                                         "    out[g] = s[t] * powf(2, blockIdx.x);\n")
        KERNEL("of_each_thread", "    s[t] = powf(2, t % 9) + exp2f(t % 5);\n"
                                 "    __syncthreads();\n"
                                 "    float sum = 0;\n"
                                 "    for (unsigned i = t; i < n; i += 8)\n"
                                 "        sum += cosf(s[i]) + ldexpf(1, i % 7);\n"
                                 "    out[g] = (unsigned)(sum * 1024);\n");

Test(split, powers_are_those_of_threads_with_a_stack)
{
    kernels_use_kept_cache();
    lab_module *fast = load("split", powers), *fibers = load("fibers", powers);
    check_same(powers, fast, fibers, "of_all_threads");
    check_same(powers, fast, fibers, "of_each_thread");
}

/* ---- random kernels ---- */

enum { MOST_DEPTH = 3 };

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

/* `first` is what a and b begin with. */
static void add_kernel_with(program *p, int number, const char *first)
{
    p->has_exit = false;
    add(p,
        "extern \"C\" __global__ void k%d(unsigned *out)\n{\n" START
        "    unsigned %s, c = blockIdx.x, l[8] = {t, 1, 2, 3, 4, 5, 6, 7};\n"
        "    s[t] = t; __syncthreads();\n",
        number, first);
    for (int i = 0; i < 4; i++) {
        add_statements(p, 0);
        add_common(p, 0);
    }
    add(p, "for (int i = 0; i < 8; i++) a = a * 5 + l[i];\nout[g] = a ^ b * 3 ^ c * 7;\n}\n");
}

static void add_kernel(program *p, int number) { add_kernel_with(p, number, "a = t, b = t * 3 + 1"); }

/* Puts a number of one digit in place of a word, for all its places in the text. */
static void put_for(char *text, const char *word, char digit)
{
    for (char *at = text; (at = strstr(at, word)); *at = digit) memset(at, ' ', strlen(word));
}

/* A kernel for blocks of one dimension, which computes its lanes and warps. */
static void add_kernel_of_lanes(program *p, int number)
{
    char *text = p->text + p->used;
    add_kernel_with(p, number, "a = threadIdx.x % 32, b = threadIdx.x / 32");
    put_for(text, "threadIdx.y", '0');
    put_for(text, "threadIdx.z", '0');
    put_for(text, "blockDim.y", '1');
    put_for(text, "blockDim.z", '1');
}

#define MEETING                                                                                                        \
    "__shared__ unsigned s[1024], total;\n"                                                                            \
    "__device__ unsigned meet(unsigned v, unsigned t, unsigned n)\n"                                                   \
    "{ s[t] = v; __syncthreads(); v += s[(t + 3) % n]; __syncthreads(); return v * 3; }\n"

Test(split, random_kernels_compute_the_same_both_ways) { check_modules(MEETING, add_kernel); }

Test(split, random_kernels_of_lanes_compute_the_same_both_ways) { check_modules(MEETING, add_kernel_of_lanes); }
