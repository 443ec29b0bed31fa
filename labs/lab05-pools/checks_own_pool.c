/* Judges the pools that the student writes, call by call, by what each pool held before the call. */
#include "checks_own_pool.h"

#include <string.h>

enum { MOST = LAB05_MOST_BLOCKS, LARGE = 2 * MOST * UNIT };

/* The block that a right pool takes; -1 if none is large enough. */
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

script *new_script(size_t capacity)
{
    script *list = check_alloc(sizeof *list);
    list->given.capacity = capacity;
    for (int p = 0; p < LAB05_POOLS; p++)
        list->given.base[p] = (uint64_t)check_draw(1 + 1000 * p, 900 + 1000 * p) * UNIT;
    return list;
}

static int add_call(script *list, int pool, size_t bytes, int frees)
{
    list->call[list->given.calls] = (lab05_call){.pool = pool, .bytes = bytes, .frees = frees};
    return list->given.calls++;
}

int add_alloc(script *list, size_t bytes) { return add_call(list, 0, bytes, -1); }
int add_free(script *list, int which) { return add_call(list, list->call[which].pool, 0, which); }

/* A call that frees an address at which no block in use begins. */
static int add_false_free(script *list, uint64_t offset)
{
    const int call = add_call(list, 0, 0, -1);
    list->call[call].address = list->given.base[0] + offset;
    return call;
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

static const char OWN_POOL[] = "the student's pool is a list on the host";

void play(script *list)
{
    list->program = check_start(sizeof(lab05_memory));
    make_calls(list, list->given.calls);
    lab05_call *played = check_alloc(sizeof list->call);
    check_said(list->program, played, offsetof(lab05_memory, call), sizeof list->call, OWN_POOL);
    check_said(list->program, list->after, offsetof(lab05_memory, after), sizeof list->after, OWN_POOL);
    for (int i = 0; i < list->given.calls; i++) {
        int *blocks = &list->after[i].blocks;
        *blocks = *blocks < 0 ? 0 : *blocks > MOST ? MOST : *blocks;
        list->call[i].status = played[i].status;
        if (list->call[i].bytes) list->call[i].address = played[i].address;
    }
}

/* Fills a script with random calls of every kind for all pools. */
script *improvise(void)
{
    script *list = new_script(CAPACITY);
    int live[LAB05_SCRIPT], lives = 0;
    for (int i = 0; list->given.calls < LAB05_SCRIPT; i++) {
        uint64_t dice = check_random_u64(0, (uint64_t)i);
        if (dice % 5 < 3 || lives == 0) {
            const int pool = (int)((dice >> 32) % LAB05_POOLS);
            live[lives++] = add_call(list, pool, 1 + (size_t)(dice >> 8) % (10 * UNIT), -1);
        } else {
            int which = (int)((dice >> 8) % (uint64_t)lives);
            add_free(list, live[which]);
            live[which] = live[--lives];
        }
    }
    play(list);
    return list;
}

typedef struct judged_call {
    mistake mistake;
    lab_status status; /* the right one */
    uint64_t address;  /* the right one of an allocation */
    lab05_pool right;  /* the list that the call should leave */
    const char *cause;
} judged_call;

static void blame(judged_call *judged, mistake which, const char *cause)
{
    judged->mistake = which;
    judged->cause = cause;
}

static void judge_alloc(judged_call *judged, const lab05_call *call, const lab05_pool *after)
{
    const size_t bytes = rounded(call->bytes);
    const int best = best_of(&judged->right, bytes), at = block_at(&judged->right, call->address, false);
    const bool fits = best >= 0 && judged->right.block[best].bytes == bytes;
    const bool full = best >= 0 && judged->right.block[best].bytes > bytes && judged->right.blocks == MOST;
    judged->status = best < 0 || full ? LAB_ERROR_OUT_OF_MEMORY : LAB_SUCCESS;
    if (best >= 0) judged->address = judged->right.block[best].address;
    if (call->status != (int)judged->status) {
        blame(judged, WRONG_STATUS,
              full       ? "cutting needs room for one more block, which a full list does not have"
              : best < 0 ? "no free block of the list is large enough"
                         : check_text("block %d of the list is free and %s", best,
                                      fits ? "fits exactly: it is not cut" : "large enough"));
        return;
    }
    if (judged->status == LAB_SUCCESS) {
        if (at < 0 || judged->right.block[at].bytes < bytes) {
            blame(judged, WRONG_MEMORY, "no free block of the list that is large enough begins there");
            return;
        }
        const size_t taken = judged->right.block[at].bytes, smallest = judged->right.block[best].bytes;
        if (at != best)
            blame(judged, NOT_BEST,
                  check_text("lab05_alloc takes block %d of %zu bytes; block %d of %zu bytes is %s", at, taken, best,
                             smallest, taken > smallest ? "smaller and large enough" : "as large and comes first"));
        take(&judged->right, at, bytes);
    }
    if (first_difference(&judged->right, after) < 0) return;
    blame(judged, WRONG_LIST,
          fits && after->blocks > judged->right.blocks ? "a block that fits exactly is not cut"
          : judged->status == LAB_SUCCESS
              ? "the block that is taken is in use and has the rounded size; what is left of it is the next "
                "block, and free"
              : "a call that fails leaves the list as it was");
}

static void judge_free(judged_call *judged, const lab05_call *call, uint64_t address, const lab05_pool *after)
{
    const int at = block_at(&judged->right, address, true);
    judged->status = at < 0 ? LAB_ERROR_INVALID_VALUE : LAB_SUCCESS;
    if (call->status != (int)judged->status) {
        blame(judged, WRONG_STATUS,
              at < 0 ? "no block in use begins at that address" : "a block in use begins at that address");
        return;
    }
    lab05_pool apart = judged->right;
    if (at >= 0) apart.block[at].used = judged->right.block[at].used = false;
    lab05_pool next = apart, before = apart;
    const bool joins_next = at >= 0 && join_with_next(&next, at), joins_before = join_with_next(&before, at - 1);
    judged->right = next;
    join_with_next(&judged->right, at - 1);
    if (first_difference(&judged->right, after) < 0) return;
    const bool is_apart = first_difference(&apart, after) < 0, lacks_before = first_difference(&next, after) < 0;
    if (is_apart || lacks_before || first_difference(&before, after) < 0) {
        blame(judged, NOT_JOINED,
              check_text("lab05_free does not join the freed block, number %d, with the free block %s", at,
                         is_apart && joins_next && joins_before ? "before it and the one after it"
                         : joins_before && lacks_before         ? "before it"
                                                                : "after it"));
        return;
    }
    blame(judged, WRONG_LIST,
          at >= 0 ? "only the freed block changes, which is free now, and its free neighbours, which join it"
                  : "a call that fails leaves the list as it was");
}

/* Judges a call of a script by the list of the student's pool before it. */
static judged_call judge(const script *list, int i)
{
    const lab05_call *call = &list->call[i];
    judged_call judged = {.status = LAB_SUCCESS};
    int before = i - 1;
    while (before >= 0 && list->call[before].pool != call->pool) before--;
    judged.right =
        before >= 0 ? list->after[before]
                    : (lab05_pool){.block = {{list->given.base[call->pool], list->given.capacity, false}}, .blocks = 1};
    if (call->bytes)
        judge_alloc(&judged, call, &list->after[i]);
    else
        judge_free(&judged, call, call->frees < 0 ? call->address : list->call[call->frees].address, &list->after[i]);
    return judged;
}

static const char *block_text(const lab05_pool *pool, int i)
{
    const lab05_block *block = &pool->block[i];
    if (i >= pool->blocks) return check_text("%d blocks", pool->blocks);
    return check_text("block %d of %d: address %llu, %zu bytes, %s", i, pool->blocks,
                      (unsigned long long)block->address, block->bytes, block->used ? "in use" : "free");
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
        const judged_call judged = judge(list, i);
        if (!(mistakes & 1U << judged.mistake)) continue;
        const char *function = call->bytes ? "lab05_alloc" : "lab05_free", *expected, *found;
        const size_t bytes = call->bytes || call->frees < 0 ? call->bytes : list->call[call->frees].bytes;
        if (judged.mistake == WRONG_STATUS) {
            expected = lab_status_name(judged.status);
            found = lab_status_name((lab_status)call->status);
        } else if (judged.mistake == WRONG_MEMORY || judged.mistake == NOT_BEST) {
            expected = check_text("address %llu", (unsigned long long)judged.address);
            found = check_text("address %llu", (unsigned long long)call->address);
        } else {
            const int at = first_difference(&judged.right, &list->after[i]);
            expected = block_text(&judged.right, at);
            found = block_text(&list->after[i], at);
        }
        make_calls(list, i + 1); /* the verdict then has the way of this call */
        check_fail(CHECK_WRONG_RESULT, check_text("%s %s", function, message[judged.mistake]),
                   .expected =
                       check_text("call %d, %s of %zu bytes, pool %d: %s", i, function, bytes, call->pool, expected),
                   .found = found, .cause = judged.cause);
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

/* Fills the list of blocks, while blocks are also released and taken again. Then an allocation that would have to cut
 * a block, which needs room for one more, must fail; one that takes a whole block must not. */
script *fill_list(void)
{
    script *full = new_script(LARGE);
    int taken[MOST], takens = 0, asked = check_draw(20, 40);
    while (takens < MOST - 1 || asked-- > 0) {
        const bool again = takens == MOST - 1 || (takens && !check_draw(0, 3)), asks = again && !check_draw(0, 1);
        const int which = again ? check_draw(0, takens - 1) : takens++;
        if (asks && takens == MOST - 1) {
            add_alloc(full, UNIT);
            continue;
        }
        if (again) add_free(full, taken[which]);
        taken[which] = add_alloc(full, UNIT);
    }
    add_alloc(full, LARGE - (size_t)takens * UNIT);
    add_false_free(full, LARGE); /* what looks behind the last block of a full list is seen */
    play(full);
    return full;
}

/* More than there is, addresses at which no block in use begins, and a block that is released twice. */
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
    play(errors);
    return errors;
}
