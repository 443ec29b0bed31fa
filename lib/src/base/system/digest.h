/* SHA-256: texts and files with the same digest are the same, whoever made them. */
#ifndef LAB_BASE_SYSTEM_DIGEST_H
#define LAB_BASE_SYSTEM_DIGEST_H

#include <stddef.h>

enum { DIGEST_BYTES = 32, DIGEST_DIGITS = 2 * DIGEST_BYTES + 1 };

typedef struct digest {
    unsigned char byte[DIGEST_BYTES];
} digest;

digest digest_of(const void *data, size_t size);

/* Writes the digest in hexadecimal, with a zero byte at its end. */
void digest_write(char text[DIGEST_DIGITS], const digest *written);

#endif
