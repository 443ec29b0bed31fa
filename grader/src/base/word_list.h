/* word_list.h: a command line as it is put together: a growing list of words. It knows nothing of what they mean. */
#ifndef GRADER_BASE_WORD_LIST_H
#define GRADER_BASE_WORD_LIST_H

#include <stdbool.h>
#include <stddef.h>

/* Start with {0}; ends with word_list_take. */
typedef struct word_list {
    char **word;
    size_t count, room;
    bool failed; /* memory ran out */
} word_list;

/* Adds copies of the words up to NULL. */
void word_list_add(word_list *words, const char *first, ...) __attribute__((sentinel));
void word_list_add_all(word_list *words, char *const *list);

/* Adds three words unless they stand there already, one after another. */
void word_list_add_once(word_list *words, const char *first, const char *second, const char *third);

/* The list, which ends with NULL, yours to free with word_list_free; NULL if memory ran out. */
char **word_list_take(word_list *words);
void word_list_free(char **list);

#endif
