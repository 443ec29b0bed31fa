/* Random kernels with races and without: racecheck says the same of them, word for word, when a kernel's code skips
 * reads that tell nothing new and decides on words of shared memory, and finds as much as on fibers. Every statement
 * has a line of its own. */
#include "kernels.h"
#include "random_kernels.h"

#include "cpu/checks/memcheck.h"
#include "cpu/checks/touched.h"
#include "seam/checks.h"
#include "seam/ledger.h"

enum { KERNELS = 6, MODULES = 4, BYTES = 4096 };

static const char *const types[] = {"unsigned char", "unsigned short", "unsigned", "unsigned long long", "uint4"};

/* ---- the kernels ---- */

/* An index of the thread's own, of a neighbour, of a part of the threads, or of all. */
static void add_index(program *p, int type)
{
    static const unsigned most[] = {32, 16, 8, 4, 2};
    switch (pick(p, 6)) {
    case 0: add(p, "t %% %u", most[type]); break;
    case 1: add(p, "(t + %u) %% %u", 1 + pick(p, 3), most[type]); break;
    case 2: add(p, "(t * %u + a) %% %u", 2 + pick(p, 4), most[type]); break;
    case 3: add(p, "t / %u %% %u", 8u << pick(p, 3), most[type]); break;
    case 4: add(p, "(a ^ t) %% %u", most[type]); break;
    default: add(p, "%u", pick(p, 2)); break;
    }
}

static void add_place(program *p, int type)
{
    add(p, "((%s *)%s)[", types[type], pick(p, 3) ? "s" : "x");
    add_index(p, type);
    add(p, "]");
}

/* Bytes make racecheck note those of a whole page one by one, where nothing is skipped: few kernels have some. */
static int pick_type(program *p, bool has_bytes)
{
    if (pick(p, 3)) return 2;
    return has_bytes ? (int)pick(p, 5) : 2 + (int)pick(p, 3);
}

/* Reads are of words mostly, and there are more of them than of writes. What a thread writes no other one writes. */
static void add_access(program *p)
{
    const int type = pick_type(p, p->loops);
    const bool writes = pick(p, 4) == 0;
    if (writes) {
        add_place(p, type);
        add(p, type == 4 ? " = make_uint4(t, a, %u, 1);\n" : " = t * 64 + %u;\n", pick(p, 64));
        return;
    }
    add(p, "a += ");
    add_place(p, type);
    add(p, type == 4 ? ".y;\n" : ";\n");
}

static void add_statement(program *p)
{
    switch (pick(p, 15)) {
    case 0:
    case 1: add(p, "__syncthreads();\n"); break;
    case 2: add(p, "__syncwarp();\n"); break;
    case 3: add(p, "atomicAdd((unsigned *)%s + %u, 1u);\n", pick(p, 2) ? "s" : "x", pick(p, 64)); break;
    case 4: add(p, pick(p, 2) ? "__threadfence();\n" : "a += __shfl_xor_sync(~0u, a, 1);\n"); break;
    case 5:
        add(p, "if (t & %u)\n", 1 + pick(p, 63));
        add_access(p);
        break;
    case 6:
        add(p, "for (unsigned i = 0; i < 4; i++) {\n");
        add_access(p);
        add_access(p);
        add(p, "%s}\n", pick(p, 2) ? "__syncthreads();\n" : "");
        break;
    case 7: add(p, "a = %u + blockIdx.x;\n", pick(p, 5)); break;
    case 8: add_own(p); break;
    default: add_access(p); break;
    }
}

static void add_kernel(program *p, int number)
{
    add(p, "extern \"C\" __global__ void k%d(unsigned *x)\n{\n", number);
    add(p, "__shared__ uint4 s[16];\n");
    add(p, "const unsigned t = threadIdx.y * blockDim.x + threadIdx.x;\nunsigned a = 1, b = t, c = 3, l[8] = {0};\n"
           "if (t < 16) s[t] = make_uint4(t, 1, 2, t);\n__syncthreads();\n");
    p->loops = pick(p, 4) == 0; /* whether it has bytes */
    const int statements = 6 + (int)pick(p, 12);
    for (int i = 0; i < statements; i++) add_statement(p);
    add(p, "x[512 + blockIdx.x * 64 + t] = a;\n}\n");
}

/* ---- what is found ---- */

static _Alignas(256) unsigned memory[BYTES / sizeof(unsigned)];

/* What is said of a launch, "" if nothing. Where a launch notes what it touches, racecheck is told of each access. */
static void run(char said[sizeof(((kernel_error *)0)->message)], const cpu_kernel *kernel, unsigned width,
                unsigned height, bool skips)
{
    void *address = memory;
    const void *const args[] = {&address};
    const cpu_launch launch = {.grid = {3, 1, 1}, .block = {width, height, 1}};
    const kernel_blocks blocks = {.kernel = kernel, .args = args, .launch = &launch, .count = 3};
    cpu_memcheck memcheck = {.launched = {.file = "test.cu", .line = 1}, .touched = skips ? NULL : touched_create()};
    touched *noted = memcheck.touched;
    kernel_error error = {0};
    memset(memory, 0, sizeof memory);
    const bool done = cpu_memcheck_run(&error, &memcheck, &blocks, ledger_now());
    snprintf(said, sizeof error.message, "%s", done ? "" : error.message);
    touched_free(noted);
}

static cpu_module *load(const char *way, const char *source)
{
    setenv("LAB_BARRIERS", way, 1);
    return kernels_load(source);
}

static unsigned compare(const char *source)
{
    static const unsigned block[][2] = {{64, 1}, {16, 4}, {40, 1}};
    cpu_module *split = load("split", source), *fibers = load("fibers", source);
    unsigned found = 0;
    for (int k = 0; k < KERNELS; k++) {
        char name[8];
        snprintf(name, sizeof name, "k%d", k);
        const cpu_kernel *one = kernels_find(split, name), *two = kernels_find(fibers, name);
        const bool is_split = !kernel_check_is_on(KERNEL_CHECK_UNWRITTEN); /* else not with __syncwarp */
        cr_assert(!is_split || !one->suspends || (one->split && !two->split), "%s is not split in\n%s", name, source);
        for (size_t b = 0; b < sizeof block / sizeof *block; b++) {
            char skipped[sizeof(((kernel_error *)0)->message)], whole[sizeof skipped], of_fibers[sizeof skipped];
            run(skipped, one, block[b][0], block[b][1], true);
            run(whole, one, block[b][0], block[b][1], false);
            run(of_fibers, two, block[b][0], block[b][1], true);
            cr_assert_str_eq(skipped, whole, "%s\nif the code decides, else\n%s\nof %s in\n%s", skipped, whole, name,
                             source);
            cr_assert_eq(!*skipped, !*of_fibers, "%s\nsplit, on fibers\n%s\nof %s in\n%s", skipped, of_fibers, name,
                         source);
            found += *skipped != '\0';
        }
    }
    cpu_module_unload(split);
    cpu_module_unload(fibers);
    return found;
}

static void prepare(void)
{
    kernels_use_kept_cache();
    atomic_store(&ledger_kept, true);
    ledger_add((uintptr_t)memory, sizeof memory, NULL);
}

static void check_modules(void)
{
    prepare();
    const char *first = getenv("LAB_TEST_SEED");
    unsigned found = 0;
    for (unsigned seed = 0; seed < MODULES; seed++) {
        program p = {.text = malloc(SOURCE_BYTES), .random = (first ? strtoul(first, NULL, 10) : 1) + seed};
        for (int k = 0; k < KERNELS; k++) add_kernel(&p, k);
        found += compare(p.text);
        free(p.text);
    }
    cr_assert(found > MODULES, "only %u findings", found);
}

Test(known_reads, racecheck_finds_the_same_without_them)
{
    kernel_check_turn_on(KERNEL_CHECK_RACES);
    check_modules();
}

Test(known_reads, racecheck_and_initcheck_find_the_same_without_them)
{
    kernel_check_turn_on(KERNEL_CHECK_RACES);
    kernel_check_turn_on(KERNEL_CHECK_UNWRITTEN);
    check_modules();
}

/* Behind a shuffle, which orders no memory, a thread writes what it and another lane have read. */
Test(known_reads, the_first_of_two_readers_races_with_the_other)
{
    static const char source[] = "extern \"C\" __global__ void k0(unsigned *x)\n"
                                 "{\n"
                                 "    __shared__ unsigned s[4];\n"
                                 "    if (threadIdx.x < 4) s[threadIdx.x] = threadIdx.x;\n"
                                 "    __syncthreads();\n"
                                 "    unsigned a = threadIdx.x < 2 ? s[0] : 0;\n"
                                 "    a = __shfl_xor_sync(~0u, a, 1);\n"
                                 "    if (threadIdx.x == 0) s[0] = a + 5;\n"
                                 "    x[threadIdx.x] = a;\n"
                                 "}\n";
    char said[sizeof(((kernel_error *)0)->message)];
    kernel_check_turn_on(KERNEL_CHECK_RACES);
    prepare();
    cpu_module *loaded = load("split", source);
    run(said, kernels_find(loaded, "k0"), 64, 1, true);
    cpu_module_unload(loaded);
    cr_assert(strstr(said, "thread [0,0,0]: test.cu:8: writes 4 bytes") && strstr(said, "which thread [1,0,0] reads"),
              "%s", said);
}
