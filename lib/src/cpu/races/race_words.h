/*
 * Words of shared memory, on whose accesses the code of a kernel decides by itself (race_abi.h): when it may, and how
 * what they tell gets into the shadow once it may not. Knows what a word stands for.
 */
#ifndef LAB_CPU_RACES_RACE_WORDS_H
#define LAB_CPU_RACES_RACE_WORDS_H

#include <stdbool.h>

#include "cpu/builtins/race_abi.h"
#include "race_shadow.h"

typedef struct race_words {
    cpu_known_accesses *known; /* where the code finds them */
    race_shadow *shadow;       /* of the blocks' own memory */
    race_recent recent;
    const race_clock *clock;
    const void *code; /* of the module; a site is kept as a distance from it */
    size_t count;     /* 0 if none are kept */
    bool keeps;       /* whether they tell of accesses since the barrier */
} race_words;

enum { RACE_WORD_BYTES = 4, RACE_WORD_SHIFT = 2 };

/* Words of blocks that run one after another, none at first. Free them in any case. */
void race_words_make(race_words *words, cpu_known_accesses *known, race_shadow *shadow, const race_clock *clock);
void race_words_free(race_words *words);

/* Before the blocks of a kernel: its module's code, and then the memory, if words of it are to be kept. Without memory
 * for them none are. */
void race_words_for(race_words *words, const void *code);
void race_words_keep(race_words *words, uintptr_t begin, size_t bytes);

/* A block begins, or its threads have passed a barrier. */
void race_words_begin(race_words *words);

/* Some threads are about to know more than a barrier has told them, or do: words are too simple for that. */
void race_words_close(race_words *words);

/* The shadow gets what the words of some bytes tell, and is asked from now on, up to the next barrier. */
void race_words_ask(race_words *words, uintptr_t address, size_t bytes);

/* Whether the code decides, up to the next call here. */
static inline void race_words_open(race_words *words, bool is_open)
{
    words->known->end = words->known->begin + (is_open ? words->count * RACE_WORD_BYTES : 0);
}

/* Whether words tell of an access to the blocks' memory from now on, which then races with nothing. */
static inline bool race_words_tell(race_words *words, unsigned thread, uintptr_t address, size_t bytes,
                                   const cpu_site *site)
{
    const uintptr_t offset = address - words->known->begin;
    if (!words->keeps || offset >= words->count * RACE_WORD_BYTES) return false;
    if (bytes == RACE_WORD_BYTES && offset % RACE_WORD_BYTES == 0 && site->strength == CPU_ACCESS_PLAIN &&
        site->kind != CPU_SITE_ATOMIC &&
        cpu_shared_word_access(words->known, &words->known->word[offset / RACE_WORD_BYTES], thread, site))
        return true;
    race_words_ask(words, address, bytes);
    return false;
}

#endif
