/*
 * text.h: growing texts, and untrusted texts made fit for JSON, pages and terminals.
 *
 * File names, compiler messages and the output of programs may hold any bytes. The library's plain_text.h knows which
 * characters are harmless; this header adds lines, file names and texts that grow.
 */
#ifndef GRADER_BASE_TEXT_H
#define GRADER_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A text made printf-like; the caller frees it; NULL if memory runs out. */
char *text_make(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A copy of `bytes` bytes with each line cleaned as lab_text_clean does: valid UTF-8 without characters that control a
 * terminal or reorder a line. Newlines stay; the line ends of other systems become newlines. The caller frees it; NULL
 * only if memory runs out. */
char *text_clean(const char *text, size_t bytes);

/* The same as one line: newlines become spaces, but for those at the end, which are left out. */
char *text_clean_line(const char *text, size_t bytes);

/* Whether the string is UTF-8 throughout. */
bool text_is_utf8(const char *text);

/* A file name that is safe on any system and unique for `name`. Letters, digits, ".", "_" and "-" stay; other
 * characters and a leading "." or "-" become "_". A name that is changed, cut, empty or one of the grader's own gets a
 * checksum of the original at its end. The caller frees it. */
char *text_safe_name(const char *name);

/* Takes a Latin letter (Latin-1, Latin Extended-A) apart, as a Mac writes it in the names of files: returns the letter
 * of ASCII, and *mark is the combining mark. Any other character is returned as it is, with *mark 0. */
uint32_t text_take_letter_apart(uint32_t letter, uint32_t *mark);

/* A growing text. Start with {0}; `text` is NULL or ends with NUL; free(text) ends it. */
typedef struct text_buffer {
    char *text;
    size_t length;
    size_t room;
    bool failed; /* memory ran out: later parts are not appended */
} text_buffer;

void text_append(text_buffer *buffer, const char *bytes, size_t length);
void text_format(text_buffer *buffer, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
