/* Mistyped words; see near_words.h. */
#include "near_words.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/plain_text.h"
#include "text.h"

enum { LONGEST = 100 };

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

/* The characters of a word, those of ASCII in lower case. */
typedef struct letters {
    uint32_t of[LONGEST];
    size_t count;
} letters;

/* False for a word with more than LONGEST characters. */
static bool read_letters(letters *out, const char *word)
{
    size_t bytes;
    out->count = 0;
    for (uint32_t letter; (letter = lab_text_character(word, &bytes)) != 0; word += bytes) {
        if (out->count == LONGEST) return false;
        out->of[out->count++] = letter < 0x80 ? (uint32_t)tolower((int)letter) : letter;
    }
    return true;
}

/* How many letters are to be added, removed or changed. */
static size_t distance(const letters *a, const letters *b)
{
    const size_t rows = a->count, columns = b->count;
    size_t cost[LONGEST + 1];
    for (size_t k = 0; k <= columns; k++) cost[k] = k;
    for (size_t i = 1; i <= rows; i++) {
        size_t diagonal = cost[0];
        cost[0] = i;
        for (size_t k = 1; k <= columns; k++) {
            const size_t changed = diagonal + (a->of[i - 1] != b->of[k - 1]);
            diagonal = cost[k];
            cost[k] = smaller(changed, smaller(cost[k], cost[k - 1]) + 1);
        }
    }
    return cost[columns];
}

void near_words_offer(near_words *near, const char *word)
{
    letters wanted, offered;
    if (!*word || !read_letters(&wanted, near->wanted) || !read_letters(&offered, word)) return;
    const size_t away = distance(&wanted, &offered);
    size_t place = near->count;
    for (size_t i = 0; i < near->count; i++) {
        if (strcmp(near->word[i], word) == 0) return;
    }
    while (place > 0 && away < near->distance[place - 1]) place--;
    if (2 * away > wanted.count || place == NEAR_WORDS_TOLD) return;
    if (near->count < NEAR_WORDS_TOLD) near->count++;
    for (size_t i = near->count - 1; i > place; i--) {
        near->word[i] = near->word[i - 1];
        near->distance[i] = near->distance[i - 1];
    }
    near->word[place] = word;
    near->distance[place] = away;
}

char *near_words_text(const near_words *near)
{
    text_buffer text = {0};
    text_append(&text, "", 0);
    for (size_t i = 0; i < near->count; i++) text_format(&text, "%s%s", i ? ", " : " (nearest: ", near->word[i]);
    if (near->count) text_format(&text, ")");
    return text.text;
}
