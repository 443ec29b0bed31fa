/*
 * Finds parts of known texts in other bytes: of an input in what was uploaded, of an output in what was delivered.
 * A part is found if it is a whole text of up to 16 bytes, or holds 16 bytes at a multiple of the stride, which is 16
 * for up to 16 MiB of texts and grows with them.
 */
#ifndef GRADER_HARNESS_FLOW_CONTENT_H
#define GRADER_HARNESS_FLOW_CONTENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct content_text {
    const unsigned char *bytes;
    size_t size;
} content_text;

/* Bytes of a text that were found. */
typedef struct content_match {
    size_t text, offset; /* in the text */
    size_t at, size;     /* in the bytes that were searched */
} content_match;

typedef struct content_index content_index;

/* Borrows the texts. NULL if memory runs out. Texts without bytes are never found. */
content_index *content_index_create(const content_text *text, size_t texts);
void content_index_free(content_index *index); /* NULL is accepted */

/* Calls take(user, match) for each place where the bytes equal a part of a text, which is as long as it can be. At most
 * a few texts are found at one place. Stops when `take` returns false. */
void content_find(const content_index *index, const unsigned char *bytes, size_t size,
                  bool (*take)(void *user, const content_match *match), void *user);

#endif
