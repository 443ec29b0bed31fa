/* The report names the pair of the highest weight whose lines come first in the source, so that it is the same on every
 * run. */
#include "findings.h"

#include "cpu/kernel/kernel_blocks.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_KEPT = 64, MOST_LISTED = 6 };

struct findings {
    pthread_mutex_t lock;
    unsigned count;
    uint64_t others; /* findings for which there was no room */
    finding kept[MOST_KEPT];
};

findings *findings_create(void)
{
    findings *all = calloc(1, sizeof *all);
    if (all) pthread_mutex_init(&all->lock, NULL);
    return all;
}

void findings_free(findings *all)
{
    if (all) pthread_mutex_destroy(&all->lock);
    free(all);
}

static bool is_same(const finding *a, const finding *b)
{
    return a->kind == b->kind && a->line == b->line && a->other_line == b->other_line && strcmp(a->file, b->file) == 0;
}

static bool is_better_example(const finding *a, const finding *b)
{
    return a->weight != b->weight ? a->weight > b->weight : a->block < b->block;
}

finding *findings_open(findings *all, const finding *found)
{
    pthread_mutex_lock(&all->lock);
    unsigned i = 0;
    while (i < all->count && !is_same(&all->kept[i], found)) i++;
    finding *place = i < MOST_KEPT ? &all->kept[i] : NULL;
    const bool is_new = place && i == all->count, is_better = place && !is_new && is_better_example(found, place);
    if (is_new) {
        *place = *found;
        all->count++;
    }
    if (place)
        place->count++;
    else
        all->others++;
    if (is_new || is_better) {
        place->weight = found->weight;
        place->block = found->block;
        memcpy(place->block_index, found->block_index, sizeof place->block_index);
        memcpy(place->thread, found->thread, sizeof place->thread);
        return place;
    }
    pthread_mutex_unlock(&all->lock);
    return NULL;
}

void findings_close(findings *all) { pthread_mutex_unlock(&all->lock); }

void findings_write_thread(char *text, size_t capacity, unsigned thread, uint64_t block, uint64_t own_block,
                           const cpu_launch *shape)
{
    unsigned index[3], of_block[3];
    kernel_thread_index(index, thread, shape);
    kernel_block_index(of_block, block, shape);
    const int length = snprintf(text, capacity, "thread [%u,%u,%u]", index[0], index[1], index[2]);
    if (block != own_block)
        snprintf(text + length, capacity - (size_t)length, " of block [%u,%u,%u]", of_block[0], of_block[1],
                 of_block[2]);
}

/* Whether a comes before b: barriers first, which may be the cause of the others; then by
 * weight and lines. */
static bool comes_before(const finding *a, const finding *b)
{
    if (a->kind != b->kind) return a->kind > b->kind;
    if (a->weight != b->weight) return a->weight > b->weight;
    const unsigned first[2] = {a->line < a->other_line ? a->line : a->other_line, a->line + a->other_line};
    const unsigned second[2] = {b->line < b->other_line ? b->line : b->other_line, b->line + b->other_line};
    if (first[0] != second[0]) return first[0] < second[0];
    return first[1] != second[1] ? first[1] < second[1] : a->line > b->line;
}

static void say_others(kernel_error *error, const findings *all, const finding *told)
{
    unsigned listed = 0;
    for (unsigned i = 0; i < all->count && listed < MOST_LISTED; i++) {
        const finding *each = &all->kept[i];
        if (each == told) continue;
        kernel_error_say(error, listed++ ? ", " : "; also ");
        if (each->kind == CPU_FAILURE_RACE)
            kernel_error_say(error, "lines %u and %u", each->other_line, each->line);
        else
            kernel_error_say(error, "line %u", each->line);
    }
}

bool findings_report(kernel_error *error, const findings *all, const cpu_kernel *kernel)
{
    if (all->count == 0) return false;
    const finding *told = &all->kept[0];
    for (unsigned i = 1; i < all->count; i++)
        if (comes_before(&all->kept[i], told)) told = &all->kept[i];
    const cpu_failure failure = {
        .kind = told->kind,
        .what = told->what,
        .file = told->file,
        .function = strcmp(told->function, kernel->name) == 0 ? "" : told->function,
        .line = told->line,
        .block = {told->block_index[0], told->block_index[1], told->block_index[2]},
        .thread = {told->thread[0], told->thread[1], told->thread[2]},
    };
    kernel_error_stopped(error, kernel, &failure);
    if (told->count > 1) kernel_error_say(error, "; found %" PRIu64 " times", told->count);
    say_others(error, all, told);
    return true;
}
