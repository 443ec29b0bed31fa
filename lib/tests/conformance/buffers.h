/* Memory for tests: allocations of each kind, and bytes that identify their index. */
#ifndef LAB_TESTS_BUFFERS_H
#define LAB_TESTS_BUFFERS_H

#include "lab.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MEBIBYTE = 1 << 20 };

static inline lab_stream *make_stream(void)
{
    lab_stream *stream;
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    return stream;
}

static inline lab_deviceptr allocate(size_t bytes)
{
    lab_deviceptr memory;
    LAB_CHECK(lab_mem_alloc(&memory, bytes));
    return memory;
}

static inline unsigned char *allocate_pinned(size_t bytes)
{
    void *memory;
    LAB_CHECK(lab_host_alloc(&memory, bytes));
    return memory;
}

static inline unsigned char *allocate_pages(size_t bytes)
{
    void *memory = NULL;
    cr_assert_eq(posix_memalign(&memory, (size_t)sysconf(_SC_PAGESIZE), bytes), 0);
    return memory;
}

/* A pattern of bytes without a short period. */
static inline unsigned char byte_at(size_t i) { return (unsigned char)(i ^ i >> 7 ^ i >> 15); }

static inline void fill(unsigned char *memory, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) memory[i] = byte_at(i);
}

/* The first index at which the memory is not as `fill` made it; `bytes` if there is none. */
static inline size_t first_difference(const unsigned char *memory, size_t bytes)
{
    size_t i = 0;
    while (i < bytes && memory[i] == byte_at(i)) i++;
    return i;
}

static inline bool message_has(const char *part) { return strstr(lab_error_message(), part) != NULL; }

#endif
