/* Judges the pools that the student writes, call by call, by what each pool held before the call. */
#include "checks_own_pool.h"

#include <string.h>

enum { MOST = LAB05_MOST_BLOCKS, LARGE = 2 * MOST * UNIT };

/* ---- Scripts ----------------------------------------------------------------------------------------------------- */

script *new_script(size_t capacity)
{
    script *list = check_alloc(sizeof *list);
    list->given.capacity = capacity;
    for (int p = 0; p < LAB05_POOLS; p++)
        list->given.base[p] = (uint64_t)check_draw(1 + 1000 * p, 900 + 1000 * p) * UNIT;
    return list;
}

static int add_call(script *list, lab05_call call)
{
    list->call[list->given.calls] = call;
    return list->given.calls++;
}

int add_alloc(script *list, size_t bytes) { return add_call(list, (lab05_call){.bytes = bytes, .frees = -1}); }

int add_free(script *list, int which)
{
    return add_call(list, (lab05_call){.pool = list->call[which].pool, .frees = which});
}

/* Frees an address at which no block in use begins. */
static void add_false_free(script *list, uint64_t offset)
{
    add_call(list, (lab05_call){.frees = -1, .address = list->given.base[0] + offset});
}

/* Makes the first calls of the script. */
static void make_calls(const script *list, int calls)
{
    lab05_script given = list->given;
    lab05_memory *memory = check_memory(list->program);
    given.calls = calls;
    memcpy(memory->call, list->call, sizeof list->call);
    check_call(list->program, "lab05_alloc", &given, sizeof given, NULL, 0);
}

script *play(script *list)
{
    static const char own_pool[] = "the student's pool is a list on the host";
    lab05_call *played = check_alloc(sizeof list->call);
    list->program = check_start(sizeof(lab05_memory));
    make_calls(list, list->given.calls);
    check_said(list->program, played, offsetof(lab05_memory, call), sizeof list->call, own_pool);
    check_said(list->program, list->after, offsetof(lab05_memory, after), sizeof list->after, own_pool);
    for (int i = 0; i < list->given.calls; i++) {
        int *blocks = &list->after[i].blocks;
        *blocks = *blocks < 0 ? 0 : *blocks > MOST ? MOST : *blocks;
        list->call[i].status = played[i].status;
        if (list->call[i].bytes) list->call[i].address = played[i].address;
    }
    return list;
}

script *improvise(void)
{
    script *list = new_script(CAPACITY);
    int live[LAB05_SCRIPT], lives = 0;
    for (uint64_t i = 0; list->given.calls < LAB05_SCRIPT; i++) {
        const uint64_t dice = check_random_u64(0, i);
        if (dice % 5 < 3 || lives == 0) {
            live[lives++] = add_call(list, (lab05_call){.pool = (int)((dice >> 32) % LAB05_POOLS),
                                                        .bytes = 1 + (size_t)(dice >> 8) % (10 * UNIT),
                                                        .frees = -1});
        } else {
            const int which = (int)((dice >> 8) % (uint64_t)lives);
            add_free(list, live[which]);
            live[which] = live[--lives];
        }
    }
    return play(list);
}

script *fill_list(void)
{
    script *full = new_script(LARGE);
    int taken[MOST];
    for (int k = 0; k < MOST - 1; k++) {
        const int again = check_draw(0, 4 * k);
        taken[k] = add_alloc(full, UNIT);
        if (again >= k) continue;
        add_free(full, taken[again]);
        taken[again] = add_alloc(full, UNIT);
    }
    for (int rounds = check_draw(10, 20); rounds > 0; rounds--) {
        const int again = check_draw(0, MOST - 2);
        add_alloc(full, UNIT); /* would cut the last block, and the list is full */
        add_free(full, taken[again]);
        taken[again] = add_alloc(full, UNIT);
    }
    add_alloc(full, LARGE - (MOST - 1) * UNIT);
    add_false_free(full, LARGE); /* what looks behind the last block of a full list is seen */
    return play(full);
}

script *ask_for_errors(void)
{
    script *errors = new_script(CAPACITY);
    const int bytes = check_draw(2, 30) * UNIT, first = add_alloc(errors, (size_t)bytes);
    add_alloc(errors, (size_t)(CAPACITY - bytes + UNIT));
    add_false_free(errors, (size_t)check_draw(1, bytes - 1));
    add_false_free(errors, (size_t)bytes); /* a free block begins there */
    add_false_free(errors, (size_t)check_draw(CAPACITY, 2 * CAPACITY));
    add_free(errors, first);
    add_free(errors, first);
    return play(errors);
}

/* ---- A right pool ------------------------------------------------------------------------------------------------ */

/* The smallest free block that is large enough; -1 for none. */
static int best_of(const lab05_pool *pool, size_t bytes)
{
    int best = -1;
    for (int i = 0; i < pool->blocks; i++)
        if (!pool->block[i].used && pool->block[i].bytes >= bytes &&
            (best < 0 || pool->block[i].bytes < pool->block[best].bytes))
            best = i;
    return best;
}

/* The block in use, or the free one, that begins there, or -1. */
static int block_at(const lab05_pool *pool, uint64_t address, bool used)
{
    for (int i = 0; i < pool->blocks; i++)
        if (pool->block[i].address == address && pool->block[i].used == used) return i;
    return -1;
}

static void take(lab05_pool *pool, int at, size_t bytes)
{
    lab05_block *block = &pool->block[at];
    if (block->bytes > bytes && pool->blocks < MOST) {
        memmove(block + 2, block + 1, (size_t)(pool->blocks - at - 1) * sizeof *block);
        block[1] = (lab05_block){block->address + bytes, block->bytes - bytes, false};
        block->bytes = bytes;
        pool->blocks++;
    }
    block->used = true;
}

/* Joins a block with the next one. Returns whether both are free. */
static bool join_with_next(lab05_pool *pool, int at)
{
    if (at < 0 || at + 1 >= pool->blocks || pool->block[at].used || pool->block[at + 1].used) return false;
    pool->block[at].bytes += pool->block[at + 1].bytes;
    memmove(&pool->block[at + 1], &pool->block[at + 2], (size_t)(pool->blocks - at - 2) * sizeof(lab05_block));
    pool->blocks--;
    return true;
}

/* The first block in which two lists differ; -1 if they are equal. */
static int first_difference(const lab05_pool *a, const lab05_pool *b)
{
    for (int i = 0; i < a->blocks || i < b->blocks; i++) {
        const lab05_block *x = &a->block[i], *y = &b->block[i];
        if (i >= a->blocks || i >= b->blocks || x->address != y->address || x->bytes != y->bytes || x->used != y->used)
            return i;
    }
    return -1;
}

/* ---- The student's pool ------------------------------------------------------------------------------------------ */

typedef struct judgement {
    mistake mistake;
    const char *expected, *found, *cause;
} judgement;

static judgement wrong_status(lab_status right, const lab05_call *call, const char *cause)
{
    return (judgement){WRONG_STATUS, lab_status_name(right), lab_status_name((lab_status)call->status), cause};
}

static const char *block_text(const lab05_pool *pool, int i)
{
    const lab05_block *block = &pool->block[i];
    if (i >= pool->blocks) return check_text("%d blocks", pool->blocks);
    return check_text("block %d of %d: address %llu, %zu bytes, %s", i, pool->blocks,
                      (unsigned long long)block->address, block->bytes, block->used ? "in use" : "free");
}

static judgement judge_list(mistake which, const lab05_pool *right, const lab05_pool *after, const char *cause)
{
    const int at = first_difference(right, after);
    return at < 0 ? (judgement){.mistake = NO_MISTAKE}
                  : (judgement){which, block_text(right, at), block_text(after, at), cause};
}

static judgement judge_alloc(lab05_pool *right, const lab05_call *call, const lab05_pool *after)
{
    const size_t bytes = rounded(call->bytes);
    const int best = best_of(right, bytes), at = block_at(right, call->address, false);
    const size_t smallest = best < 0 ? 0 : right->block[best].bytes, room = at < 0 ? 0 : right->block[at].bytes;
    const bool full = smallest > bytes && right->blocks == MOST, fails = best < 0 || full;
    if (call->status != (int)(fails ? LAB_ERROR_OUT_OF_MEMORY : LAB_SUCCESS))
        return wrong_status(fails ? LAB_ERROR_OUT_OF_MEMORY : LAB_SUCCESS, call,
                            full    ? "cutting needs room for one more block, which a full list does not have"
                            : fails ? "no free block of the list is large enough"
                                    : check_text("block %d of the list is free and %s", best,
                                                 smallest == bytes ? "fits exactly: it is not cut" : "large enough"));
    if (fails) return judge_list(WRONG_LIST, right, after, "a call that fails leaves the list as it was");
    if (at != best)
        return (judgement){room < bytes ? WRONG_MEMORY : NOT_BEST,
                           check_text("address %llu", (unsigned long long)right->block[best].address),
                           check_text("address %llu", (unsigned long long)call->address),
                           room < bytes
                               ? "no free block of the list that is large enough begins there"
                               : check_text("lab05_alloc takes block %d of %zu bytes; block %d of %zu bytes is %s", at,
                                            room, best, smallest,
                                            room > smallest ? "smaller and large enough" : "as large and comes first")};
    take(right, at, bytes);
    return judge_list(WRONG_LIST, right, after,
                      smallest == bytes && after->blocks > right->blocks
                          ? "a block that fits exactly is not cut"
                          : "the block that is taken is in use and has the rounded size; what is left of it is the "
                            "next block, and free");
}

static judgement judge_free(const lab05_pool *before, const lab05_call *call, uint64_t address, const lab05_pool *after)
{
    const int at = block_at(before, address, true);
    if (call->status != (int)(at < 0 ? LAB_ERROR_INVALID_VALUE : LAB_SUCCESS))
        return at < 0 ? wrong_status(LAB_ERROR_INVALID_VALUE, call, "no block in use begins at that address")
                      : wrong_status(LAB_SUCCESS, call, "a block in use begins at that address");
    if (at < 0) return judge_list(WRONG_LIST, before, after, "a call that fails leaves the list as it was");
    lab05_pool apart = *before;
    apart.block[at].used = false;
    lab05_pool next = apart, first = apart; /* joined with the next block, and with the first of the two others */
    const bool joins_next = join_with_next(&next, at), joins_first = join_with_next(&first, at - 1);
    lab05_pool right = next;
    join_with_next(&right, at - 1);
    const bool is_apart = first_difference(&apart, after) < 0, lacks_first = first_difference(&next, after) < 0;
    if (!is_apart && !lacks_first && first_difference(&first, after) >= 0)
        return judge_list(WRONG_LIST, &right, after,
                          joins_first && first_difference(&right, after) >= at
                              ? "the freed block has joined the one before it, so that every block behind them has a "
                                "number one lower; then a block that is not theirs was changed"
                              : "only the freed block changes, which is free now, and its free neighbours, which join "
                                "it");
    return judge_list(NOT_JOINED, &right, after,
                      check_text("lab05_free does not join the freed block, number %d, with the free block %s", at,
                                 is_apart && joins_next && joins_first ? "before it and the one after it"
                                 : joins_first && lacks_first          ? "before it"
                                                                       : "after it"));
}

/* Judges a call of a script by the list of the student's pool before it. */
static judgement judge(const script *list, int i)
{
    const lab05_call *call = &list->call[i];
    int before = i - 1;
    while (before >= 0 && list->call[before].pool != call->pool) before--;
    lab05_pool pool =
        before >= 0 ? list->after[before]
                    : (lab05_pool){.block = {{list->given.base[call->pool], list->given.capacity, false}}, .blocks = 1};
    if (call->bytes) return judge_alloc(&pool, call, &list->after[i]);
    return judge_free(&pool, call, call->frees < 0 ? call->address : list->call[call->frees].address, &list->after[i]);
}

void check_script(const script *list, unsigned mistakes)
{
    static const char *const message[] = {[WRONG_STATUS] = "gives the wrong status",
                                          [WRONG_MEMORY] = "gives memory that is not free",
                                          [WRONG_LIST] = "leaves a wrong list of blocks",
                                          [NOT_BEST] = "takes another block than the one that fits best",
                                          [NOT_JOINED] = "leaves free neighbours apart"};
    for (int i = 0; i < list->given.calls; i++) {
        const lab05_call *call = &list->call[i];
        const judgement found = judge(list, i);
        if (!(mistakes & 1U << found.mistake)) continue;
        const char *function = call->bytes ? "lab05_alloc" : "lab05_free";
        const size_t bytes = call->bytes || call->frees < 0 ? call->bytes : list->call[call->frees].bytes;
        make_calls(list, i + 1); /* the verdict then has the way of this call */
        check_fail(CHECK_WRONG_RESULT, check_text("%s %s", function, message[found.mistake]),
                   .expected = check_text("call %d, %s of %zu bytes, pool %d: %s", i, function, bytes, call->pool,
                                          found.expected),
                   .found = found.found, .cause = found.cause);
    }
}

void check_gets(const script *list, int call, size_t offset, const char *message, const char *which)
{
    const lab05_call *made = &list->call[call];
    const unsigned long long address = list->given.base[0] + offset;
    CHECK_THAT(made->status == LAB_SUCCESS && made->address == address, CHECK_WRONG_RESULT, message,
               .expected = check_text("%zu bytes: address %llu, %s", made->bytes, address, which),
               .found = check_text("%s, address %llu", lab_status_name((lab_status)made->status),
                                   (unsigned long long)made->address));
}
