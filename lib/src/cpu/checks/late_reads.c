/* Parts of the shadow are held as long as reads stay in them. */
#include "late_reads.h"

#include "race_attempt.h"
#include "seam/ledger.h"

/* ---- arrays ---- */

/* The array that the pointer parameter points into. */
static bool find_array(ledger_entry *found, const cpu_kernel *kernel, const void *const *args, int i,
                       uint64_t ledger_count)
{
    if (kernel->param[i].kind != CPU_PARAM_POINTER) return false;
    const uintptr_t address = *(const uintptr_t *)args[i];
    return address && ledger_find(found, address, 1, ledger_count) == LEDGER_USABLE;
}

static bool is_read_only(const cpu_kernel *kernel, int i) { return kernel->access[i] == 'r'; }

static void leave_out(read_arrays *arrays, uintptr_t address)
{
    for (unsigned i = 0; i < arrays->count; i++)
        if (arrays->array[i].begin == address) arrays->array[i--] = arrays->array[--arrays->count];
}

void late_reads_expect(read_arrays *arrays, const cpu_kernel *kernel, const void *const *args, uint64_t ledger_count)
{
    ledger_entry entry;
    arrays->count = 0;
    if (!kernel->access[0]) return;
    for (int i = 0; i < kernel->params && arrays->count < READ_ARRAYS; i++) {
        if (!is_read_only(kernel, i) || !find_array(&entry, kernel, args, i, ledger_count)) continue;
        leave_out(arrays, entry.address);
        arrays->array[arrays->count].begin = entry.address;
        arrays->array[arrays->count++].end = entry.address + entry.bytes;
    }
    for (int i = 0; i < kernel->params && arrays->count > 0; i++)
        if (!is_read_only(kernel, i) && kernel->access[i] != 'n' && find_array(&entry, kernel, args, i, ledger_count))
            leave_out(arrays, entry.address);
}

/* ---- reads ---- */

/* One read of a run. */
typedef struct late_read {
    const read_run *run;
    unsigned thread;
    uintptr_t address;
    uint64_t word[2]; /* its stamp */
} late_read;

static late_read read_of(const race_scene *scene, const read_run *run, unsigned number)
{
    const unsigned thread = run->thread + number * run->thread_step;
    const race_stamp stamp = {.block = run->block,
                              .when = run->when,
                              .thread = (uint16_t)thread,
                              .strength = CPU_ACCESS_PLAIN,
                              .again = run->again,
                              .site = (int32_t)((intptr_t)run->site - (intptr_t)scene->kernel->code)};
    return (late_read){run, thread, run->address + number * run->address_step, {stamp.word[0], stamp.word[1]}};
}

static bool has_written(race_stamp *writer, const race_page *page, race_slot slot, size_t i, uint32_t reader)
{
    const race_stamp *stamps = race_shadow_stamps(page, slot);
    if (!stamps) return false;
    const race_stamp stamp = race_stamp_read(&stamps[i]);
    if (stamp.when == 0 || stamp.block == reader) return false;
    *writer = stamp;
    return true;
}

/* Whether whoever races with an earlier read from now on races with the late one too. */
static bool replaces(race_stamp earlier, const late_read *late)
{
    if (earlier.when == 0) return true;
    return earlier.block == late->run->block && (earlier.when < late->run->when || earlier.thread == late->thread) &&
           earlier.when <= late->run->when;
}

/* As racecheck remembers a read, but for one that is older than another of its block. */
static void remember(race_page *page, size_t i, const late_read *late)
{
    const read_run *run = late->run;
    race_stamp *first = race_shadow_slot(page, RACE_PLAIN_READ), *other = race_shadow_stamps(page, RACE_OTHER_READ);
    if (!first) return;
    const race_stamp one = race_stamp_read(&first[i]);
    if (replaces(one, late)) {
        race_stamp_write(&first[i], late->word[0], late->word[1]);
        if (other && replaces(race_stamp_read(&other[i]), late)) race_stamp_write(&other[i], 0, 0);
        return;
    }
    const race_stamp two = other ? race_stamp_read(&other[i]) : (race_stamp){.word = {0, 0}};
    const bool is_newer = two.block == run->block && two.when > run->when;
    const bool is_better = same_warp(one, two.block, two.thread) && !same_warp(one, run->block, late->thread);
    if (!replaces(two, late) && (is_newer || !is_better)) return;
    if (!other) other = race_shadow_slot(page, RACE_OTHER_READ);
    if (other) race_stamp_write(&other[i], late->word[0], late->word[1]);
}

/* The part of a word, which is held. Whether a block has written to it, and which then is *writer. */
static bool add_word(race_stamp *writer, race_page *page, uintptr_t address, const late_read *late)
{
    const unsigned shift = race_shadow_shift(page);
    const size_t first = address % RACE_PAGE_BYTES >> shift, end = first + (4u >> shift);
    bool races = false;
    for (size_t i = first; i < end; i++) {
        races = races || has_written(writer, page, RACE_PLAIN_WRITE, i, late->run->block) ||
                has_written(writer, page, RACE_STRONG_WRITE, i, late->run->block);
        remember(page, i, late);
    }
    return races;
}

static void tell(race_scene *scene, const late_read *late, const race_stamp *writer)
{
    const uint64_t block = scene->block;
    scene->block = late->run->block;
    race_report(scene, &(race_conflict){.earlier = *writer,
                                        .thread = late->thread,
                                        .address = late->address,
                                        .bytes = late->run->bytes,
                                        .site = late->run->site,
                                        .again = late->run->again});
    scene->block = block;
}

static void tell_run(race_scene *scene, race_shadow *shadow, race_recent *recent, const read_run *run)
{
    race_part *held = NULL;
    for (unsigned number = 0; number < run->count; number++) {
        const late_read late = read_of(scene, run, number);
        race_stamp writer;
        bool races = false;
        for (unsigned byte = 0; byte < run->bytes; byte += 4) {
            race_page *page = race_shadow_page(shadow, recent, late.address + byte);
            if (!page) continue;
            race_part *part = race_shadow_part(page, late.address + byte);
            if (part != held) {
                if (held) race_part_leave(held);
                if (!race_part_try(part)) race_shadow_wait(part);
                held = part;
            }
            races = add_word(&writer, page, late.address + byte, &late) || races;
        }
        if (!races) continue;
        race_part_leave(held);
        held = NULL;
        tell(scene, &late, &writer);
    }
    if (held) race_part_leave(held);
}

void late_reads_tell(race_scene *scene, race_shadow *shadow, race_recent *recent, const read_run *run, size_t count)
{
    for (size_t i = 0; i < count; i++) tell_run(scene, shadow, recent, &run[i]);
}
