/*
 * The program's memory as if it were another process's: what the library gets for an address of the program is no
 * pointer, and only host_memory.h's functions reach the memory. apart.c displaces every address that the tests hand to
 * the library by so much that an access through it ends the test.
 *
 * With APART_PINNED=shared in the environment, memory of lab_host_alloc and of pinned pools stays at its address and is
 * local, as memory that two processes share is. Without it kernels cannot use that memory.
 */
#ifndef LAB_TESTS_APART_APART_H
#define LAB_TESTS_APART_APART_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the library has moved so far. */
extern atomic_size_t apart_bytes_read, apart_bytes_written;

/* Whether the last read or write was made by the calling thread. */
bool apart_moved_here(void);

/* The program ends: after this many more bytes it has no memory. SIZE_MAX: it lives on. */
void apart_end_after(size_t bytes);

/* The number by which the library knows this memory. */
uint64_t apart_address(const void *memory);

#endif
