/*
 * plain_text.h: makes text from elsewhere (names, paths, messages of another program) fit to be shown: valid UTF-8
 * without characters that control a terminal or a page. Also the characters of UTF-8, and a hash of texts.
 */
#ifndef LAB_BASE_PLAIN_TEXT_H
#define LAB_BASE_PLAIN_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* Stands for a byte or character that cannot be shown. */
#define LAB_TEXT_REPLACEMENT 0xFFFDu

/* Copies `length` bytes of text into out, of `size` bytes, as a string; returns its length. Line ends and tabs become
 * spaces; other control characters, the marks that reorder a line, and bytes that are not UTF-8 become U+FFFD. Text
 * that is too long is cut between two characters. Cleaning clean text changes nothing. */
size_t lab_text_clean(char *out, size_t size, const char *text, size_t length);

/* The first character of a string of UTF-8 and its number of bytes; U+FFFD for an invalid byte; 0 at the end. */
uint32_t lab_text_character(const char *text, size_t *bytes);

/* Writes a character in UTF-8, without a final zero byte, and returns its number of bytes, 1 to 4. */
size_t lab_text_encode(char out[4], uint32_t character);

/* How many bytes of a string of UTF-8 fit into so many columns of a terminal. Characters that may be wide count as two,
 * so that the text is never too wide. */
size_t lab_text_fit(const char *text, int columns);

/* FNV-1a, 64 bits: tells texts apart, hides nothing. */
uint64_t lab_text_hash(const char *text, size_t length);

#endif
