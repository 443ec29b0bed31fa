/* Stamps of a word's accesses are those of threads that have not synchronised since the barrier. */
#include "race_words.h"

#include <stdlib.h>

void race_words_make(race_words *w, cpu_known_accesses *known, race_shadow *shadow, const race_clock *clock)
{
    *w = (race_words){.known = known, .shadow = shadow, .clock = clock};
}

void race_words_free(race_words *w)
{
    if (w->known) free(w->known->word);
}

void race_words_for(race_words *w, const void *code)
{
    w->code = code;
    w->keeps = false;
    race_words_open(w, false);
}

void race_words_keep(race_words *w, uintptr_t begin, size_t bytes)
{
    const size_t count = (begin % RACE_WORD_BYTES + bytes + RACE_WORD_BYTES - 1) / RACE_WORD_BYTES;
    if (count != w->count) {
        free(w->known->word);
        w->known->word = calloc(count, sizeof *w->known->word);
        w->count = w->known->word ? count : 0;
    }
    w->known->begin = begin - begin % RACE_WORD_BYTES;
    race_words_open(w, false);
}

void race_words_begin(race_words *w)
{
    w->known->interval++;
    w->keeps = w->count > 0 && !w->clock->acquired;
    race_words_open(w, w->keeps);
}

/* ---- from words into the shadow ---- */

static race_stamp stamp_of(const race_words *w, const cpu_shared_word *word, unsigned which)
{
    const unsigned who = word->thread[which];
    if (who == CPU_NO_THREAD) return (race_stamp){.word = {0, 0}};
    return (race_stamp){.block = w->clock->block,
                        .when = w->clock->barrier,
                        .thread = who % CPU_AGAIN,
                        .strength = CPU_ACCESS_PLAIN,
                        .again = who >= CPU_AGAIN,
                        .site = (int32_t)(word->site[which] - (unsigned)(uintptr_t)w->code)};
}

static void set_stamps(race_page *page, race_slot slot, uintptr_t address, race_stamp stamp)
{
    const unsigned shift = race_shadow_shift(page);
    const unsigned first = address % RACE_PAGE_BYTES >> shift, end = first + ((unsigned)RACE_WORD_BYTES >> shift);
    race_stamp *stamps = race_shadow_slot(page, slot);
    for (unsigned i = first; stamps && i < end; i++) stamps[i] = stamp;
}

static void ask_word(race_words *w, size_t i)
{
    cpu_shared_word *word = &w->known->word[i];
    const uintptr_t address = w->known->begin + i * RACE_WORD_BYTES;
    race_page *page = race_shadow_page(w->shadow, &w->recent, address);
    const bool tells = word->epoch == w->known->interval && !word->asks && page;
    if (tells && word->thread[CPU_WORD_WRITER] != CPU_NO_THREAD)
        set_stamps(page, RACE_PLAIN_WRITE, address, stamp_of(w, word, CPU_WORD_WRITER));
    if (tells && word->thread[CPU_WORD_READER] != CPU_NO_THREAD) {
        set_stamps(page, RACE_PLAIN_READ, address, stamp_of(w, word, CPU_WORD_READER));
        set_stamps(page, RACE_OTHER_READ, address, stamp_of(w, word, CPU_WORD_OTHER));
    }
    word->epoch = w->known->interval;
    word->asks = true;
    word->count = 0;
}

void race_words_ask(race_words *w, uintptr_t address, size_t bytes)
{
    const size_t first = (address - w->known->begin) / RACE_WORD_BYTES;
    const size_t last = (address + bytes - 1 - w->known->begin) / RACE_WORD_BYTES;
    for (size_t i = first; i <= last && i < w->count; i++) ask_word(w, i);
}

void race_words_close(race_words *w)
{
    for (size_t i = 0; w->keeps && i < w->count; i++)
        if (w->known->word[i].epoch == w->known->interval) ask_word(w, i);
    w->keeps = false;
    race_words_open(w, false);
}
