#include "digest.h"

#include <sha2.h>
#include <stdio.h>

_Static_assert(DIGEST_BYTES == SHA256_DIGEST_LENGTH, "a digest is one of SHA-256");

digest digest_of(const void *data, size_t size)
{
    digest made;
    SHA2_CTX context;
    SHA256Init(&context);
    SHA256Update(&context, data, size);
    SHA256Final(made.byte, &context);
    return made;
}

void digest_write(char text[DIGEST_DIGITS], const digest *written)
{
    for (int i = 0; i < DIGEST_BYTES; i++) sprintf(text + 2 * i, "%02x", written->byte[i]);
}
