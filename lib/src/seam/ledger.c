/* Usable memory, sorted by address; freed memory, latest first, as far as there is room; and, set aside, the memory
 * that pools have split into blocks. */
#include "ledger.h"

#include "checks.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FREED = 65536, MOST_LEAKS_SHOWN = 16 };

typedef struct entry_list {
    ledger_entry *entry;
    size_t count, capacity;
} entry_list;

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
atomic_bool ledger_kept;
_Thread_local const ledger_asked *ledger_other;
static _Atomic uint64_t changes;
static _Atomic uint64_t own_version, *version = &own_version;
static entry_list usable, pooled;
static entry_list freed; /* a ring once it is full; freed_begin is the oldest entry */
static size_t freed_begin;
static uint64_t forgotten_until; /* entries that died up to this count may be missing */
static bool is_incomplete;       /* memory ran out: memory that is not in the ledger may be usable */

/* ---- opening, and leaks ---- */

static void report_leaks(void)
{
    size_t leaks = 0, bytes = 0;
    char words[512];
    pthread_rwlock_rdlock(&lock);
    for (size_t i = 0; i < usable.count; i++) {
        if (usable.entry[i].internal || !usable.entry[i].owner) continue;
        if (leaks++ < MOST_LEAKS_SHOWN)
            fprintf(stderr, "LAB_MEMCHECK: never freed: the %s\n",
                    ledger_describe(words, sizeof words, &usable.entry[i], false));
        bytes += usable.entry[i].bytes;
    }
    pthread_rwlock_unlock(&lock);
    if (leaks > MOST_LEAKS_SHOWN) fprintf(stderr, "LAB_MEMCHECK: ... and %zu more\n", leaks - MOST_LEAKS_SHOWN);
    fprintf(stderr, "LAB_MEMCHECK: %zu allocation%s of device memory (%zu bytes) %s never freed\n", leaks,
            leaks == 1 ? "" : "s", bytes, leaks == 1 ? "was" : "were");
}

lab_status ledger_open(void)
{
    static bool reports;
    bool leaks;
    LAB_TRY(kernel_checks_open(&leaks));
    atomic_store(&ledger_kept, kernel_checks_are_on());
    if (leaks && !reports) reports = atexit(report_leaks) == 0;
    return LAB_SUCCESS;
}

uint64_t ledger_now(void) { return atomic_load(&changes); }

void ledger_version_keep_at(_Atomic uint64_t *place)
{
    pthread_rwlock_wrlock(&lock);
    version = place;
    pthread_rwlock_unlock(&lock);
}

uint64_t ledger_version(void) { return atomic_load(version); }

/* With the lock. */
static void change_version(void) { atomic_fetch_add(version, 1); }

/* ---- lists ---- */

/* The number of entries that begin at or before the address. */
static size_t count_up_to(const entry_list *list, uint64_t address)
{
    size_t low = 0, high = list->count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (list->entry[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool make_room(entry_list *list)
{
    if (list->count < list->capacity) return true;
    const size_t capacity = list->capacity ? 2 * list->capacity : 64;
    ledger_entry *larger = realloc(list->entry, capacity * sizeof *larger);
    if (!larger) {
        is_incomplete = true;
        return false;
    }
    list->entry = larger;
    list->capacity = capacity;
    return true;
}

static void insert(entry_list *list, const ledger_entry *added)
{
    if (!make_room(list)) return;
    const size_t at = count_up_to(list, added->address);
    memmove(list->entry + at + 1, list->entry + at, (list->count - at) * sizeof *list->entry);
    list->entry[at] = *added;
    list->count++;
}

static ledger_entry take_out(entry_list *list, size_t at)
{
    const ledger_entry taken = list->entry[at];
    list->count--;
    memmove(list->entry + at, list->entry + at + 1, (list->count - at) * sizeof *list->entry);
    return taken;
}

/* The entry that begins at the address; NULL if none does. */
static ledger_entry *find_begin(const entry_list *list, uint64_t address)
{
    const size_t after = count_up_to(list, address);
    return after > 0 && list->entry[after - 1].address == address ? &list->entry[after - 1] : NULL;
}

static void remember_freed(const ledger_entry *dead)
{
    if (freed.count < MOST_FREED) {
        if (make_room(&freed)) freed.entry[freed.count++] = *dead;
        return;
    }
    forgotten_until = freed.entry[freed_begin].died;
    freed.entry[freed_begin] = *dead;
    freed_begin = (freed_begin + 1) % MOST_FREED;
}

/* The freed entry number `i`; the latest is 0. */
static const ledger_entry *freed_entry(size_t i)
{
    return &freed.entry[(freed_begin + freed.count - 1 - i) % freed.count];
}

/* ---- keeping ---- */

void ledger_add(uint64_t address, size_t bytes, const backend_context *owner)
{
    if (!ledger_is_kept()) return;
    pthread_rwlock_wrlock(&lock);
    const ledger_entry made = {.address = address,
                               .bytes = bytes,
                               .owner = owner,
                               .made = call_site_now(),
                               .freed = {"", 0, 0},
                               .born = atomic_load(&changes) + 1,
                               .died = UINT64_MAX};
    insert(&usable, &made);
    atomic_fetch_add(&changes, 1);
    change_version();
    pthread_rwlock_unlock(&lock);
}

void ledger_remove(uint64_t address, size_t bytes)
{
    if (!ledger_is_kept()) return;
    pthread_rwlock_wrlock(&lock);
    const uint64_t now = atomic_load(&changes) + 1;
    for (size_t at; (at = count_up_to(&usable, address + (bytes - 1))) > 0;) {
        if (usable.entry[at - 1].address < address) break;
        ledger_entry dead = take_out(&usable, at - 1);
        dead.died = now;
        dead.freed = call_site_now();
        remember_freed(&dead);
    }
    ledger_entry *chunk = find_begin(&pooled, address);
    if (chunk) take_out(&pooled, (size_t)(chunk - pooled.entry));
    atomic_fetch_add(&changes, 1);
    change_version();
    pthread_rwlock_unlock(&lock);
}

void ledger_set_pooled(uint64_t address, bool is_pooled)
{
    if (!ledger_is_kept()) return;
    pthread_rwlock_wrlock(&lock);
    entry_list *source = is_pooled ? &usable : &pooled, *destination = is_pooled ? &pooled : &usable;
    ledger_entry *found = find_begin(source, address);
    if (found) {
        const ledger_entry moved = take_out(source, (size_t)(found - source->entry));
        insert(destination, &moved);
    }
    change_version();
    pthread_rwlock_unlock(&lock);
}

void ledger_set_internal(uint64_t address)
{
    if (!ledger_is_kept()) return;
    pthread_rwlock_wrlock(&lock);
    ledger_entry *found = find_begin(&usable, address);
    if (found) found->internal = true;
    pthread_rwlock_unlock(&lock);
}

/* ---- asking ---- */

static bool holds(const ledger_entry *entry, uint64_t address) { return address - entry->address < entry->bytes; }

static bool lives(const ledger_entry *entry, uint64_t when) { return entry->born <= when && when < entry->died; }

/* How far the bytes are from the entry. */
static uint64_t distance(const ledger_entry *entry, uint64_t address, size_t bytes)
{
    if (address >= entry->address)
        return address - entry->address < entry->bytes ? 0 : address - (entry->address + entry->bytes);
    return entry->address - address < bytes ? 0 : entry->address - (address + bytes);
}

static bool overlap(const ledger_entry *a, const ledger_entry *b)
{
    return a->address - b->address < b->bytes || b->address - a->address < a->bytes;
}

/* The nearest entry, on either side, that was usable then. */
static bool find_near(ledger_entry *found, uint64_t address, size_t bytes, uint64_t when)
{
    const size_t after = count_up_to(&usable, address);
    const ledger_entry *below = NULL, *above = NULL;
    for (size_t i = after; i > 0 && !below; i--)
        if (lives(&usable.entry[i - 1], when)) below = &usable.entry[i - 1];
    for (size_t i = after; i < usable.count && !above; i++)
        if (lives(&usable.entry[i], when)) above = &usable.entry[i];
    if (!below && !above) return false;
    const bool take_above = !below || (above && distance(above, address, bytes) < distance(below, address, bytes));
    *found = take_above ? *above : *below;
    return true;
}

/* Does not name freed memory if part of it is in use again: then the access more likely missed that part. */
static ledger_answer find(ledger_entry *found, uint64_t address, size_t bytes, uint64_t when)
{
    const size_t after = count_up_to(&usable, address);
    if (after > 0 && holds(&usable.entry[after - 1], address) && lives(&usable.entry[after - 1], when)) {
        *found = usable.entry[after - 1];
        return LEDGER_USABLE;
    }
    const ledger_entry *dead = NULL;
    for (size_t i = 0; i < freed.count; i++) {
        const ledger_entry *each = freed_entry(i);
        if (!holds(each, address) || each->born > when) continue;
        if (!dead) dead = each;
        if (!lives(each, when)) continue;
        *found = *each;
        return LEDGER_USABLE;
    }
    if (is_incomplete || when < forgotten_until) return LEDGER_UNKNOWN;
    const bool is_near = find_near(found, address, bytes, when);
    if (!dead || (is_near && overlap(found, dead))) return is_near ? LEDGER_NEAR : LEDGER_NOTHING;
    *found = *dead;
    return LEDGER_FREED;
}

ledger_answer ledger_find(ledger_entry *found, uint64_t address, size_t bytes, uint64_t when)
{
    if (ledger_other) return ledger_other->find(ledger_other, found, address, bytes, when);
    pthread_rwlock_rdlock(&lock);
    const ledger_answer answer = find(found, address, bytes, when);
    pthread_rwlock_unlock(&lock);
    return answer;
}

bool ledger_freed_since(uint64_t address, size_t bytes, uint64_t when)
{
    ledger_entry then;
    return ledger_find(&then, address, bytes, when) == LEDGER_USABLE && then.died != UINT64_MAX;
}

const char *ledger_file(call_site place)
{
    const char *slash = strrchr(place.file, '/');
    return slash ? slash + 1 : place.file;
}

void ledger_write_place(char *out, size_t capacity, call_site place)
{
    out[0] = '\0';
    if (*place.file) snprintf(out, capacity, " at %s:%d", ledger_file(place), place.line);
}

const char *ledger_where_freed(char *out, size_t capacity, uint64_t address)
{
    out[0] = '\0';
    if (!ledger_is_kept()) return out;
    pthread_rwlock_rdlock(&lock);
    for (size_t i = 0; i < freed.count; i++) {
        if (freed_entry(i)->address != address) continue;
        ledger_write_place(out, capacity, freed_entry(i)->freed);
        break;
    }
    pthread_rwlock_unlock(&lock);
    return out;
}

const char *ledger_describe(char *out, size_t capacity, const ledger_entry *entry, bool with_end)
{
    char made[LEDGER_PLACE_WORDS], end[LEDGER_PLACE_WORDS];
    ledger_write_place(made, sizeof made, entry->made);
    ledger_write_place(end, sizeof end, entry->freed);
    snprintf(out, capacity, "%zu byte%s allocated%s%s%s", entry->bytes, entry->bytes == 1 ? "" : "s", made,
             with_end ? ", which were freed" : "", with_end ? end : "");
    return out;
}
