/* A page is found in the caller's recent ones, else in a map under a lock. Its bits are set without one. */
#include "touched.h"

#include "base/number_map.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* A gap of MOST_GAP bytes between two ranges holds no other allocation, which has 256 bytes at least. */
enum { PAGE_BYTES = 4096, WORD_BITS = 64, WORDS = PAGE_BYTES / WORD_BITS, MOST_GAP = 128 };

typedef struct touched_page {
    uintptr_t number; /* its address divided by PAGE_BYTES */
    _Atomic uint64_t read[WORDS], written[WORDS];
} touched_page;

struct touched {
    pthread_mutex_t lock;
    number_map pages; /* by number */
    bool failed;      /* memory ran out */
};

touched *touched_create(void)
{
    touched *made = calloc(1, sizeof *made);
    if (made) pthread_mutex_init(&made->lock, NULL);
    return made;
}

void touched_free(touched *t)
{
    if (!t) return;
    for (size_t i = 0; t->pages.slot && i < (size_t)1 << t->pages.bits; i++) free(t->pages.slot[i].value);
    number_map_clear(&t->pages);
    pthread_mutex_destroy(&t->lock);
    free(t);
}

/* ---- noting ---- */

static touched_page *find_page(touched *t, touched_recent *recent, uintptr_t number)
{
    touched_page **place = &recent->page[number % TOUCHED_RECENT];
    if (*place && (*place)->number == number) return *place;
    pthread_mutex_lock(&t->lock);
    touched_page *found = number_map_get(&t->pages, number);
    if (!found && number_map_reserve(&t->pages, 1) && (found = calloc(1, sizeof *found))) {
        found->number = number;
        number_map_put(&t->pages, number, found);
    }
    if (!found) t->failed = true;
    pthread_mutex_unlock(&t->lock);
    return *place = found;
}

static void set(_Atomic uint64_t *word, uint64_t bits)
{
    if ((atomic_load_explicit(word, memory_order_relaxed) & bits) != bits)
        atomic_fetch_or_explicit(word, bits, memory_order_relaxed);
}

/* Bytes that are all in one page. */
static void note_in_page(touched_page *page, size_t first, size_t bytes, cpu_site_kind kind)
{
    for (size_t at = first; at < first + bytes;) {
        const size_t shift = at % WORD_BITS, left = first + bytes - at;
        const size_t count = left < WORD_BITS - shift ? left : WORD_BITS - shift;
        const uint64_t bits = (count == WORD_BITS ? ~(uint64_t)0 : ((uint64_t)1 << count) - 1) << shift;
        if (kind != CPU_SITE_WRITE) set(&page->read[at / WORD_BITS], bits);
        if (kind != CPU_SITE_READ) set(&page->written[at / WORD_BITS], bits);
        at += count;
    }
}

void touched_note(touched *t, touched_recent *recent, uintptr_t address, size_t bytes, cpu_site_kind kind)
{
    while (bytes > 0) {
        const size_t first = address % PAGE_BYTES, room = PAGE_BYTES - first, count = bytes < room ? bytes : room;
        touched_page *page = find_page(t, recent, address / PAGE_BYTES);
        if (page) note_in_page(page, first, count, kind);
        address += count;
        bytes -= count;
    }
}

/* ---- listing ---- */

uint64_t touched_bytes_read(const touched *t)
{
    uint64_t bytes = 0;
    if (t->failed) return UINT64_MAX;
    for (size_t i = 0; t->pages.slot && i < (size_t)1 << t->pages.bits; i++) {
        const touched_page *page = t->pages.slot[i].value;
        for (size_t word = 0; page && word < WORDS; word++)
            bytes += (uint64_t)__builtin_popcountll(atomic_load(&page->read[word]));
    }
    return bytes;
}

/* The list under construction. */
typedef struct range_list {
    touched_range *range;
    size_t count, capacity;
} range_list;

static bool add_byte(range_list *list, uintptr_t address, bool writes)
{
    touched_range *last = list->count ? &list->range[list->count - 1] : NULL;
    if (last && last->end == address && last->writes == writes) {
        last->end++;
        return true;
    }
    if (list->count == list->capacity) {
        const size_t capacity = 2 * list->capacity + 16;
        touched_range *larger = realloc(list->range, capacity * sizeof *larger);
        if (!larger) return false;
        list->range = larger;
        list->capacity = capacity;
    }
    list->range[list->count++] = (touched_range){address, address + 1, writes};
    return true;
}

static bool add_word(range_list *list, uintptr_t address, uint64_t read, uint64_t written)
{
    touched_range *last = list->count ? &list->range[list->count - 1] : NULL;
    const bool all_written = written == ~(uint64_t)0, all_read = !written && read == ~(uint64_t)0;
    if (last && last->end == address && (last->writes ? all_written : all_read)) {
        last->end += WORD_BITS;
        return true;
    }
    for (uint64_t any = read | written; any; any &= any - 1) {
        const unsigned bit = (unsigned)__builtin_ctzll(any);
        if (!add_byte(list, address + bit, written >> bit & 1)) return false;
    }
    return true;
}

static bool add_page(range_list *list, const touched_page *page)
{
    bool done = true;
    for (size_t i = 0; i < WORDS && done; i++)
        done = add_word(list, page->number * PAGE_BYTES + i * WORD_BITS, atomic_load(&page->read[i]),
                        atomic_load(&page->written[i]));
    return done;
}

static int by_number(const void *left, const void *right)
{
    const touched_page *const *a = left, *const *b = right;
    return ((*a)->number > (*b)->number) - ((*a)->number < (*b)->number);
}

/* Joins neighbours with no more than `gap` bytes between them. */
static void join(range_list *list, uintptr_t gap)
{
    size_t kept = 0;
    for (size_t i = 1; i < list->count; i++) {
        touched_range *last = &list->range[kept];
        if (list->range[i].start - last->end <= gap) {
            last->end = list->range[i].end;
            last->writes = last->writes || list->range[i].writes;
        } else {
            list->range[++kept] = list->range[i];
        }
    }
    if (list->count) list->count = kept + 1;
}

bool touched_list(touched_range **out, size_t *count, const touched *t, size_t most)
{
    range_list list = {0};
    const touched_page **page = malloc((t->pages.count + 1) * sizeof *page);
    size_t pages = 0;
    bool done = page && !t->failed;
    for (size_t i = 0; done && t->pages.slot && i < (size_t)1 << t->pages.bits; i++)
        if (t->pages.slot[i].key) page[pages++] = t->pages.slot[i].value;
    if (done) qsort(page, pages, sizeof *page, by_number);
    for (size_t i = 0; i < pages && done; i++) done = add_page(&list, page[i]);
    free(page);
    for (uintptr_t gap = 1; done && list.count > most && gap <= MOST_GAP; gap *= 2) join(&list, gap);
    done = done && list.count <= most;
    if (!done) free(list.range);
    *out = done ? list.range : NULL;
    *count = done ? list.count : 0;
    return done;
}
