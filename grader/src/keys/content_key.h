/* content_key.h: the SHA-256 of everything that a result depends on: files, texts, numbers. Equal keys mean equal
 * content, whoever made it. */
#ifndef GRADER_KEYS_CONTENT_KEY_H
#define GRADER_KEYS_CONTENT_KEY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/fault.h"

typedef struct content_key {
    unsigned char byte[32];
} content_key;

/* The key of `count` bytes. */
content_key content_key_of(const void *bytes, size_t count);

/* Makes `key` the key of what it stood for, followed by these bytes. */
void content_key_add(content_key *key, const void *bytes, size_t count);

/* The same for a text with its end, for the content of a file, and for the regular files of a folder: their names and
 * contents, in order of name. Hidden files do not count. */
void content_key_add_text(content_key *key, const char *text);
bool content_key_add_file(content_key *key, const char *path, grader_fault *fault);
bool content_key_add_folder(content_key *key, const char *folder, grader_fault *fault);

#endif
