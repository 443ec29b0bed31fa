/* What a race is called. */
#include "race_report.h"

#include "cpu/kernel/kernel_blocks.h"

#include <stdio.h>
#include <string.h>

/* "comes between line 12 and line 15". If the access at the lower line follows one at a higher line, both are in a
 * loop. */
static void write_where(char *text, size_t capacity, const race_conflict *found, const cpu_site *earlier)
{
    const bool falls = earlier->line > found->site->line;
    const unsigned low = falls ? found->site->line : earlier->line, high = falls ? earlier->line : found->site->line;
    if (low == high)
        snprintf(text, capacity, "orders the threads at line %u", low);
    else if (falls ? found->again : found->earlier.again)
        snprintf(text, capacity, "comes between line %u and line %u of the next round", high, low);
    else
        snprintf(text, capacity, "comes between line %u and line %u", low, high);
}

/* Where the two threads are. */
typedef enum reach { IN_WARP, IN_BLOCK, BETWEEN_BLOCKS } reach;

static reach reach_of(const race_scene *s, const race_conflict *found)
{
    if (found->earlier.block != (uint32_t)s->block) return BETWEEN_BLOCKS;
    return found->earlier.thread / CPU_WARP_LANES == found->thread / CPU_WARP_LANES ? IN_WARP : IN_BLOCK;
}

static bool is_atomic_site(const cpu_site *site)
{
    return site->strength == CPU_ACCESS_ATOMIC || site->strength == CPU_ACCESS_BLOCK_ATOMIC;
}

static void write_missing(char *text, size_t capacity, const race_scene *s, const race_conflict *found)
{
    const cpu_site *earlier = race_site_of(s, &found->earlier);
    const bool is_atomic = is_atomic_site(found->site) || is_atomic_site(earlier);
    const bool for_block =
        found->site->strength == CPU_ACCESS_BLOCK_ATOMIC || earlier->strength == CPU_ACCESS_BLOCK_ATOMIC;
    const reach across = reach_of(s, found);
    char where[96];
    if (found->earlier.strength == CPU_ACCESS_ASYNCHRONOUS) {
        snprintf(text, capacity, "the copy is asynchronous: no __pipeline_wait_prior() of its thread comes before%s",
                 found->earlier.thread == found->thread ? "" : ", with a __syncthreads() behind it");
        return;
    }
    if (found->site->strength == CPU_ACCESS_READ_ONLY) {
        snprintf(text, capacity,
                 "__ldg() is for memory that nothing writes during the kernel, whatever orders the two; a plain load "
                 "sees what others have published");
        return;
    }
    write_where(where, sizeof where, found, earlier);
    if (across != BETWEEN_BLOCKS)
        snprintf(text, capacity, "no %s__syncthreads() %s", across == IN_WARP ? "__syncwarp() or " : "", where);
    else if (for_block)
        snprintf(text, capacity,
                 "a function with _block in its name, or of cuda::thread_scope_block, is atomic for the threads of one "
                 "block alone");
    else if (is_atomic)
        snprintf(text, capacity,
                 "one of the two is not atomic, and no flag behind a __threadfence() orders the blocks");
    else
        snprintf(text, capacity, "only atomic operations, or a flag behind a __threadfence(), order blocks");
}

static void describe(finding *out, const race_scene *s, const race_conflict *found)
{
    static const char *const does[] = {
        [CPU_SITE_READ] = "reads", [CPU_SITE_WRITE] = "writes", [CPU_SITE_ATOMIC] = "atomically updates"};
    const cpu_site *site = found->site, *earlier = race_site_of(s, &found->earlier);
    char place[512], thread[96], missing[192], file[128] = "";
    memcheck_name(place, sizeof place, s->kernel, found->address, found->bytes, &s->memory);
    findings_write_thread(thread, sizeof thread, found->earlier.thread, found->earlier.block, (uint32_t)s->block,
                          s->shape);
    write_missing(missing, sizeof missing, s, found);
    if (strcmp(site->file, earlier->file) != 0) snprintf(file, sizeof file, "%s, ", earlier->file);
    const char *order = site->kind == CPU_SITE_READ      ? "read after write"
                        : earlier->kind == CPU_SITE_READ ? "write after read"
                                                         : "write after write";
    snprintf(out->what, sizeof out->what, "%s %zu byte%s, %s, which %s %s at %sline %u: a race (%s): %s",
             does[site->kind], found->bytes, found->bytes == 1 ? "" : "s", place, thread, does[earlier->kind], file,
             earlier->line, order, missing);
}

void race_report(const race_scene *s, const race_conflict *found)
{
    const cpu_site *site = found->site;
    finding key = {.kind = CPU_FAILURE_RACE,
                   .file = site->file,
                   .function = site->function,
                   .line = site->line,
                   .other_line = race_site_of(s, &found->earlier)->line,
                   .weight = (unsigned)reach_of(s, found),
                   .block = s->block};
    kernel_block_index(key.block_index, s->block, s->shape);
    kernel_thread_index(key.thread, found->thread, s->shape);
    finding *place = findings_open(s->found, &key);
    if (!place) return;
    describe(place, s, found);
    findings_close(s->found);
}
