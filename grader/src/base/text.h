/*
 * text.h: text that strangers wrote, made fit for JSON, pages and terminals.
 *
 * File names, compiler messages and what programs print may hold any bytes. What is harmless in a line, the library's
 * plain_text.h knows; this knows lines, file names and growing texts, and refuses to know where a text comes from.
 */
#ifndef GRADER_BASE_TEXT_H
#define GRADER_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A copy of `bytes` bytes with each line cleaned as lab_text_clean does: valid UTF-8, nothing that steers a terminal
 * or reorders a line. Newlines stay, other systems' line ends become newlines. Yours to free; NULL only without
 * memory. */
char *text_clean(const char *from, size_t bytes);

/* The same as one line: newlines become spaces. */
char *text_clean_line(const char *from, size_t bytes);

/* A name that is safe as a file's on any system and unique for `name`: letters, digits, ".", "_" and "-" stay; if
 * anything else occurs, or a leading dot or dash, or the name is long, empty or that of a file of the grader's, it is replaced by "_" or cut and a
 * checksum of the whole name is appended. Yours to free. */
char *text_safe_name(const char *name);

/* A growing text. Start with {0}; `text` is NULL or ends with NUL; free(text) ends it. */
typedef struct text_buffer {
    char *text;
    size_t length;
    size_t room;
    bool failed; /* memory ran out: what follows is not appended */
} text_buffer;

void text_append(text_buffer *buffer, const char *bytes, size_t length);
void text_format(text_buffer *buffer, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* FNV-1a, 64 bits: to tell names apart, not to keep secrets. */
uint64_t text_checksum(const char *bytes, size_t length);

#endif
