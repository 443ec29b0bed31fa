/* Keys of lab08_key, for checks. */
#ifndef LAB08_CHECKS_KEY_H
#define LAB08_CHECKS_KEY_H

#include "check.h"
#include "lab08.h"
#include "shared.h"

/* The key of a request. */
uint64_t key_find(check_program *program, const lab08_texts *request);

/* The same, where the key of the request is the same in the next call. All its texts are elsewhere then. */
uint64_t key_find_same(check_program *program, const lab08_texts *request);

/* Fails the check if a letter, put between the texts of a request, hides where one ends: a text may have any letter. */
void key_check_separators(check_program *program);

/* Fails the check if the key lacks a byte of a long text: at its end, or anywhere. */
void key_check_places(check_program *program);

/* Fails the check if two of many requests have one key. Of 2^18 random numbers of 32 bits some eight pairs are equal,
 * and none in 3000 series; of 64 bits a pair in half a billion series. */
void key_check_many(check_program *program, lab08_part part);

#endif
