/* Growing lists of words; see word_list.h. */
#include "word_list.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void add(word_list *words, const char *word)
{
    if (words->count + 1 >= words->room) {
        size_t room = words->room ? 2 * words->room : 64;
        char **larger = realloc(words->word, room * sizeof *larger);
        words->failed = words->failed || !larger;
        if (!larger) return;
        words->word = larger;
        words->room = room;
    }
    char *copy = strdup(word);
    words->failed = words->failed || !copy;
    if (copy) words->word[words->count++] = copy;
    words->word[words->count] = NULL;
}

void word_list_add(word_list *words, const char *first, ...)
{
    va_list rest;
    va_start(rest, first);
    for (const char *word = first; word; word = va_arg(rest, const char *)) add(words, word);
    va_end(rest);
}

void word_list_add_all(word_list *words, char *const *list)
{
    for (size_t i = 0; list[i]; i++) add(words, list[i]);
}

void word_list_add_once(word_list *words, const char *first, const char *second, const char *third)
{
    for (size_t i = 0; i + 2 < words->count; i++) {
        char *const *word = &words->word[i];
        if (strcmp(word[0], first) == 0 && strcmp(word[1], second) == 0 && strcmp(word[2], third) == 0) return;
    }
    word_list_add(words, first, second, third, NULL);
}

char **word_list_take(word_list *words)
{
    char **list = words->word ? words->word : calloc(1, sizeof *list);
    bool failed = words->failed || !list;
    *words = (word_list){0};
    if (!failed) return list;
    word_list_free(list);
    return NULL;
}

void word_list_free(char **list)
{
    for (size_t i = 0; list && list[i]; i++) free(list[i]);
    free(list);
}
