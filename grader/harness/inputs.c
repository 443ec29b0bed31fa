/* What a check makes its inputs with: random numbers, and threads for the check's own work on many arrays. The numbers
 * are those of Philox 4x32-10 (Salmon and others, 2011). Its output is a function of a key, here the check's seed,
 * and a counter, here the numbers of array and element. */
#include "check_state.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

typedef struct block {
    uint32_t word[4];
} block;

static block philox(uint64_t key, uint64_t array, uint64_t index)
{
    enum { ROUNDS = 10 };
    block b = {{(uint32_t)index, (uint32_t)(index >> 32), (uint32_t)array, (uint32_t)(array >> 32)}};
    uint32_t key0 = (uint32_t)key, key1 = (uint32_t)(key >> 32);
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t product0 = (uint64_t)0xD2511F53u * b.word[0];
        uint64_t product1 = (uint64_t)0xCD9E8D57u * b.word[2];
        b = (block){{(uint32_t)(product1 >> 32) ^ b.word[1] ^ key0, (uint32_t)product1,
                     (uint32_t)(product0 >> 32) ^ b.word[3] ^ key1, (uint32_t)product0}};
        key0 += 0x9E3779B9u;
        key1 += 0xBB67AE85u;
    }
    return b;
}

static float unit_float(uint32_t word) { return (float)(word >> 8) * 0x1p-24f; }

uint64_t check_random_u64(uint64_t array, uint64_t element)
{
    /* Uses the upper half of the counters, so that these numbers never share a block with the floats. */
    block b = philox(this_check.seed, array, element | (uint64_t)1 << 63);
    return (uint64_t)b.word[1] << 32 | b.word[0];
}

int check_draw(int least, int most)
{
    enum { DRAWS = 1 }; /* an array that no check asks for, behind that of the failing statuses */
    if (least > most) check_fault("no number is from %d to %d", least, most);
    const uint64_t numbers = (uint64_t)((int64_t)most - least) + 1;
    return least + (int)(check_random_u64(UINT64_MAX - DRAWS, this_check.draws++) % numbers);
}

float check_random_float(uint64_t array, uint64_t element)
{
    return unit_float(philox(this_check.seed, array, element / 4).word[element % 4]);
}

void check_random_floats(float *out, size_t count, uint64_t array, float low, float high)
{
    for (size_t i = 0; i < count; i += 4) {
        block b = philox(this_check.seed, array, i / 4);
        for (size_t k = 0; k < 4 && i + k < count; k++) out[i + k] = low + (high - low) * unit_float(b.word[k]);
    }
}

/* ---- work on many arrays, on all cores -------------------------------------------------------------------------- */

typedef struct each_work {
    void (*work)(void *user, int k);
    void *user;
    int count;
    atomic_int next;
} each_work;

static void *take_turns(void *user)
{
    each_work *all = user;
    for (int k; (k = atomic_fetch_add(&all->next, 1)) < all->count;) all->work(all->user, k);
    return NULL;
}

/* A thread that cannot be created is not needed: the calling thread does the rest. */
void check_each(int count, void (*work)(void *user, int k), void *user)
{
    enum { MOST_HELPERS = 31 };
    each_work all = {work, user, count, 0};
    pthread_t helper[MOST_HELPERS];
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int helpers = 0, most = cores - 1 < MOST_HELPERS ? (int)cores - 1 : MOST_HELPERS;
    if (most > count - 1) most = count - 1;
    while (helpers < most && pthread_create(&helper[helpers], NULL, take_turns, &all) == 0) helpers++;
    take_turns(&all);
    for (int i = 0; i < helpers; i++) pthread_join(helper[i], NULL);
}
