/*
 * Lab 08, overheads: what is given, next to lab08.h. The functions are in program.c.
 */
#ifndef LAB08_GIVEN_H
#define LAB08_GIVEN_H

#include "lab.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a first call costs, in the order of payment. */
enum { LAB08_CONTEXT, LAB08_COMPILE, LAB08_LOAD, LAB08_FIRST, LAB08_NEXT, LAB08_COSTS };

/* Charges all time since the last lap to this cost; the first lap, since lab08_measure was called.
 * */
void lab08_lap(int cost);

/* What the code of a kernel is made from. */
typedef struct lab08_request {
    const char *source;  /* CUDA C, with the kernel answer(int *out) */
    const char *header;  /* the text of a file that the source needs */
    const char *options; /* of the compiler: "-DFACTOR=3 -DSHIFT=2" */
    int architecture;    /* of the device: 90 */
    int compiler;        /* its version: 1300 */
    const char *label;   /* what the compiler's messages call the source; no part of the code */
} lab08_request;

/* The compiler. It turns a request into code, a text that lab_module_load_source loads. As real
 * ones do, it writes into the code when that was made, so that no two calls give the same code. */
enum { LAB08_CODE_BYTES = 8192 };
lab_status lab08_compile(char code[LAB08_CODE_BYTES], const lab08_request *request);

/* A hash of bytes (FNV-1a): a change of any of them changes the number. The first call begins with
 * LAB08_HASH. With the number that it returned, the next call goes on with more bytes. */
#define LAB08_HASH 0xcbf29ce484222325u
static inline uint64_t lab08_hash(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < count; i++) hash = (hash ^ byte[i]) * 0x100000001b3u;
    return hash;
}

/* The disk, which outlives the program. A file has a number for a name. Reading returns how many
 * bytes there were, at most `most`; 0 if there is no such file. Writing makes or replaces a file;
 * false if the disk is full. */
size_t lab08_disk_read(void *bytes, size_t most, uint64_t name);
bool lab08_disk_write(uint64_t name, const void *bytes, size_t count);

#endif
