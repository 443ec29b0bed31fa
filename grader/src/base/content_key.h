/*
 * content_key.h: a number for everything that a result depends on: files, texts, numbers. Equal keys mean equal content
 * as far as chance goes; who must be sure against intent compares the content as well.
 */
#ifndef GRADER_BASE_CONTENT_KEY_H
#define GRADER_BASE_CONTENT_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fault.h"
#include "judge/lab_parts.h"

typedef struct content_key {
    unsigned char byte[16];
} content_key;

/* The key of bytes, and of what an earlier key stands for together with more bytes. */
content_key content_key_of(const void *bytes, size_t count);
void content_key_add(content_key *key, const void *bytes, size_t count);

/* Everything of a lab that a result depends on but the submission: checks, reference, library, the lab's files, the
 * headers, the compiler, the device, this grader. */
bool content_key_of_lab(content_key *out, const lab_parts *kit, grader_fault *fault);

#endif
