/*
 * Makes text from elsewhere (names, paths, messages of another program) fit to be shown: valid UTF-8, without
 * characters that control a terminal or a page.
 */
#ifndef LAB_BASE_PLAIN_TEXT_H
#define LAB_BASE_PLAIN_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* Stands for a byte or character that cannot be shown. */
#define LAB_TEXT_REPLACEMENT 0xFFFDu

/* Copies `length` bytes of text into out, of `size` bytes, as a string; returns its length. Line ends and tabs become
 * spaces. Other control characters, marks that reorder a line, and bytes that are not UTF-8 become U+FFFD. Text that is
 * too long is cut between two characters. Cleaning clean text changes nothing. */
size_t lab_text_clean(char *out, size_t size, const char *text, size_t length);

/* The first character of a UTF-8 string and its length in bytes; U+FFFD if it is invalid, 0 at the end. */
uint32_t lab_text_character(const char *text, size_t *bytes);

/* How many bytes of a UTF-8 string fit into that many columns of a terminal. Characters that may be wide count as two,
 * so the result is never too large. */
size_t lab_text_fit(const char *text, int columns);

#endif
