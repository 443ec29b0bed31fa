/* Reads of an array that a kernel seems only to read are written down, and compared late or never. Racecheck says the
 * same of each kernel as when it compares every access at once, also where the kernel does write that array. */
#include "kernels.h"

#include "cpu/checks/memcheck.h"
#include "cpu/checks/touched.h"
#include "seam/checks.h"
#include "seam/ledger.h"

#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

enum { WORDS = 1024, THREADS = 64 };

/* Two arrays, one behind the other: the kernels write to the second through a pointer to the first. */
static _Alignas(256) unsigned memory[2 * WORDS];

typedef char words_said[sizeof(((kernel_error *)0)->message)];

static const cpu_kernel *load(cpu_module **module, const char *source)
{
    kernels_use_kept_cache();
    atomic_store(&ledger_kept, true);
    kernel_check_turn_on(KERNEL_CHECK_RACES);
    ledger_add((uintptr_t)memory, WORDS * sizeof *memory, NULL);
    ledger_add((uintptr_t)(memory + WORDS), WORDS * sizeof *memory, NULL);
    *module = kernels_load(source);
    return kernels_find(*module, "k");
}

/* Runs a block of the two. */
typedef struct block_run {
    cpu_memcheck *memcheck;
    const cpu_kernel *kernel;
    uint64_t first, count;
    bool done;
    kernel_error error;
    sem_t ended;
} block_run;

static void *run_blocks(void *user)
{
    block_run *run = user;
    unsigned *x = memory, *y = memory + WORDS;
    const void *const args[] = {&x, &y};
    const cpu_launch launch = {.grid = {2, 1, 1}, .block = {THREADS, 1, 1}};
    const kernel_blocks blocks = {
        .kernel = run->kernel, .args = args, .launch = &launch, .first = run->first, .count = run->count};
    run->done = cpu_memcheck_run(&run->error, run->memcheck, &blocks, ledger_now());
    return NULL;
}

/* A thread that runs kernels keeps memory for them, and never ends: a device's do not. */
static void *run_blocks_and_stay(void *user)
{
    block_run *run = user;
    run_blocks(run);
    sem_post(&run->ended);
    for (;;) pause();
    return NULL;
}

/* What is said if reads are written down, or each access is compared at once. */
static void say(words_said said, const cpu_kernel *kernel, bool at_once)
{
    cpu_memcheck memcheck = {.launched = {.file = "test.cu", .line = 1}, .touched = at_once ? touched_create() : NULL};
    touched *noted = memcheck.touched;
    block_run run = {.memcheck = &memcheck, .kernel = kernel, .count = 2};
    memset(memory, 0, sizeof memory);
    run_blocks(&run);
    snprintf(said, sizeof(words_said), "%s", run.done ? "" : run.error.message);
    touched_free(noted);
}

#define KERNEL(body)                                                                                                   \
    "extern \"C\" __global__ void k(unsigned *x, const unsigned *y)\n"                                                 \
    "{\n"                                                                                                              \
    "    const unsigned t = threadIdx.x, b = blockIdx.x, i = b * blockDim.x + t;\n" body "}\n"

static void check(bool races, const char *source)
{
    words_said late, at_once;
    cpu_module *module;
    const cpu_kernel *kernel = load(&module, source);
    say(late, kernel, false);
    say(at_once, kernel, true);
    cr_assert_str_eq(late, at_once, "%s\nlate, at once\n%s\nof\n%s", late, at_once, source);
    cr_assert_eq(*late != '\0', races, "%s\nof\n%s", late, source);
    cpu_module_unload(module);
}

Test(read_runs, what_is_only_read_does_not_race)
{
    check(false, KERNEL("for (unsigned j = 0; j < 8; j++) x[i] += y[i + j] + y[8 * t + j] + y[j];\n"
                        "x[i] += ((const float4 *)y)[t].z + ((const double *)y)[63 - t] + y[i * 7 % 100];\n"));
}

Test(read_runs, a_thread_writes_what_another_of_its_block_has_read)
{
    check(true, KERNEL("x[i] = y[i];\n"
                       "if (t == 40) x[1024 + i - 5] = 1;\n"));
}

Test(read_runs, a_thread_writes_what_another_of_its_block_reads_later)
{
    check(true, KERNEL("if (t == 40) x[1024 + i + 5] = 1;\n"
                       "x[i] = y[i];\n"));
}

Test(read_runs, a_block_writes_what_another_has_read)
{
    check(true, KERNEL("x[i] = y[t];\n"
                       "__syncthreads();\n"
                       "if (b == 1) x[1024 + t] = 2;\n"));
}

Test(read_runs, a_barrier_orders_what_its_block_has_read)
{
    check(false, KERNEL("x[i] = y[i] + y[i ^ 3];\n"
                        "__syncthreads();\n"
                        "x[1024 + (i ^ 1)] = 3;\n"));
}

Test(read_runs, what_a_thread_reads_it_may_write)
{
    check(false, KERNEL("const unsigned a = y[i];\n"
                        "x[1024 + i] = a + 1;\n"));
}

Test(read_runs, a_run_of_reads_ends_at_a_barrier)
{
    check(true, KERNEL("for (unsigned j = 0; j < 8; j++) {\n"
                       "    __syncthreads();\n"
                       "    if (t == 0) x[i] += y[j];\n"
                       "}\n"
                       "if (t == 5) x[1024 + 7] = 1;\n"));
}

Test(read_runs, __syncwarp_orders_what_its_lanes_have_read)
{
    check(false, KERNEL("x[i] = y[i];\n"
                        "__syncwarp();\n"
                        "x[i] += y[i ^ 1];\n"
                        "__syncwarp();\n"
                        "if (t == 3) x[1024 + i - 2] = 4;\n"));
}

/* ---- two host threads ---- */

/* What is said of a kernel whose blocks wait for each other. */
static void say_together(words_said said, const char *source)
{
    cpu_module *module;
    cpu_memcheck memcheck = {.launched = {.file = "test.cu", .line = 1}};
    const cpu_kernel *kernel = load(&module, source);
    block_run run[2] = {{.memcheck = &memcheck, .kernel = kernel, .count = 1},
                        {.memcheck = &memcheck, .kernel = kernel, .first = 1, .count = 1}};
    pthread_t other;
    memset(memory, 0, sizeof memory);
    sem_init(&run[1].ended, 0, 0);
    pthread_create(&other, NULL, run_blocks_and_stay, &run[1]);
    pthread_detach(other);
    run_blocks(&run[0]);
    while (sem_wait(&run[1].ended) != 0) {}
    const block_run *last = &run[run[0].done];
    snprintf(said, sizeof(words_said), "%s", last->done ? "" : last->error.message);
    cpu_module_unload(module);
}

/* The second block writes while the first, which then reads, waits: neither sees the other's access until both have
 * ended. */
Test(read_runs, blocks_on_two_host_threads_are_compared_when_both_have_ended)
{
    words_said said;
    say_together(said, KERNEL("volatile unsigned *begun = x + 512, *written = x + 513;\n"
                              "if (b == 0) {\n"
                              "    if (t == 0) { *begun = 1; while (!*written) ; }\n"
                              "    x[t] = y[t];\n"
                              "} else {\n"
                              "    if (t == 0) while (!*begun) ;\n"
                              "    x[1024 + t] = 5;\n"
                              "    if (t == 63) *written = 1;\n"
                              "}\n"));
    cr_assert(strstr(said, "read after write") && strstr(said, "order blocks"), "%s", said);
}

/* The second block writes once it has acquired what the first published behind its reads. */
#define PUBLISH(fence)                                                                                                 \
    KERNEL("if (b == 0) {\n"                                                                                           \
           "    x[t] = y[t];\n"                                                                                        \
           "    __syncthreads();\n"                                                                                    \
           "    if (t == 0) { " fence " atomicExch(x + 512, 1); }\n"                                                   \
           "} else if (t == 0) {\n"                                                                                    \
           "    while (!atomicAdd(x + 512, 0)) ;\n"                                                                    \
           "    x[1024 + 7] = 4;\n"                                                                                    \
           "}\n")

Test(read_runs, what_a_block_publishes_comes_behind_its_reads)
{
    words_said said;
    say_together(said, PUBLISH("__threadfence();"));
    cr_assert_str_eq(said, "");
}

Test(read_runs, without_a_fence_a_block_publishes_nothing)
{
    words_said said;
    say_together(said, PUBLISH(""));
    cr_assert(strstr(said, "order blocks"), "%s", said);
}

/* What is read behind the acquired flag follows the write; what was read before it does not. */
#define ACQUIRE(before, behind)                                                                                        \
    KERNEL("if (b == 0 && t == 0) {\n"                                                                                 \
           "    x[t] = " before ";\n"                                                                                  \
           "    atomicExch(x + 513, 1);\n"                                                                             \
           "    while (!atomicAdd(x + 512, 0)) ;\n"                                                                    \
           "    x[t] += " behind ";\n"                                                                                 \
           "} else if (b == 1 && t == 0) {\n"                                                                          \
           "    while (!atomicAdd(x + 513, 0)) ;\n"                                                                    \
           "    x[1024 + 7] = 4;\n"                                                                                    \
           "    __threadfence();\n"                                                                                    \
           "    atomicExch(x + 512, 1);\n"                                                                             \
           "}\n")

Test(read_runs, what_a_thread_reads_behind_a_flag_is_not_compared_late)
{
    words_said said;
    say_together(said, ACQUIRE("1", "y[7]"));
    cr_assert_str_eq(said, "");
}

Test(read_runs, what_a_thread_read_before_a_flag_is)
{
    words_said said;
    say_together(said, ACQUIRE("y[7]", "1"));
    cr_assert(strstr(said, "order blocks"), "%s", said);
}
