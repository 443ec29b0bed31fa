/* What the files that write listings share: a text that counts its lines, sizes, and what the kernels compute. */
#ifndef LAB_PLAYGROUND_LISTING_WRITER_H
#define LAB_PLAYGROUND_LISTING_WRITER_H

#include "listing.h"

#include <stdio.h>

typedef struct listing_writer {
    FILE *out;
    int line; /* that is being written, from 1 */
    const play_program *program;
    play_listing *listing;
    const char *null_stream; /* what the language calls it */
} listing_writer;

/* Formatted text; it may have several lines. */
void listing_put(listing_writer *writer, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "16 << 20", "4 << 10" or "48". */
enum { LISTING_BYTES_WORDS = 32 };
const char *listing_bytes(char text[LISTING_BYTES_WORDS], size_t bytes);

/* The first launch of each kernel, and the first call of each host function, in turn; false after the last. */
bool listing_next_code(const listing_writer *writer, int *number, play_kind kind);

/* What the language calls the statement's stream; its event, its graph and the first memory that it uses, "" for none;
 * and how much it uses or makes, as listing_bytes says it. */
const char *listing_stream(const listing_writer *writer, const play_statement *each);
const char *listing_event(const listing_writer *writer, const play_statement *each);
const char *listing_graph(const listing_writer *writer, const play_statement *each);
const char *listing_memory(const listing_writer *writer, const play_statement *each);
const char *listing_size(char text[LISTING_BYTES_WORDS], const listing_writer *writer, const play_statement *each);

/* "b, a, 1024": the arguments of a launch, with what stands around the number. */
void listing_put_arguments(listing_writer *writer, const play_statement *launch, const char *before, const char *after);

/* The whole kernel of a first launch, from __global__ on. */
void listing_put_kernel(listing_writer *writer, const play_statement *kernel);

/* "float *b, const float *a, int n" and, of a loop over i, "b[i] = a[i] + 1;", of a kernel's first launch. */
void listing_put_parameters(listing_writer *writer, const play_statement *kernel);
void listing_put_body(listing_writer *writer, const play_statement *kernel);

/* Whether the program has such a statement. */
bool listing_has(const listing_writer *writer, play_kind kind);

/* Notes that the call of the statement is in the line that is being written. */
void listing_mark(listing_writer *writer, int statement);

/* ---- listing_lab.c, listing_cuda.c, listing_cupy.c ---- */

void listing_write_lab(listing_writer *writer);
void listing_write_cuda(listing_writer *writer);
void listing_write_cupy(listing_writer *writer);

#endif
