/* near_words.h: the words of a list that a mistyped word may have meant. */
#ifndef GRADER_BASE_NEAR_WORDS_H
#define GRADER_BASE_NEAR_WORDS_H

#include <stddef.h>

enum { NEAR_WORDS_TOLD = 3 };

/* Start with {.wanted = word}; words are borrowed. */
typedef struct near_words {
    const char *wanted;
    const char *word[NEAR_WORDS_TOLD];
    size_t distance[NEAR_WORDS_TOLD], count;
} near_words;

/* Takes a word into account: keeps the nearest that differ from `wanted` in less than half of its letters. */
void near_words_offer(near_words *near, const char *word);

/* " (nearest: ada, adam)" or "", which the caller frees; NULL without memory. */
char *near_words_text(const near_words *near);

#endif
