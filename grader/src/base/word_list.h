/* word_list.h: a growing list of words, such as a command line or an environment. */
#ifndef GRADER_BASE_WORD_LIST_H
#define GRADER_BASE_WORD_LIST_H

#include <stdbool.h>
#include <stddef.h>

/* Start with {0}; word_list_take ends it. */
typedef struct word_list {
    char **word;
    size_t count, room;
    bool failed; /* memory ran out */
} word_list;

/* Adds copies of the words up to NULL. */
void word_list_add(word_list *words, const char *first, ...) __attribute__((sentinel));
void word_list_add_all(word_list *words, char *const *list);

/* Adds three words unless the list already has them, one after another. */
void word_list_add_once(word_list *words, const char *first, const char *second, const char *third);

/* The list, which ends with NULL; the caller frees it with word_list_free; NULL if memory ran out. */
char **word_list_take(word_list *words);
void word_list_free(char **list);

#endif
