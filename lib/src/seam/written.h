/*
 * Which bytes of device memory anything has written since they were handed out, kept while LAB_INITCHECK is set.
 * Copies, fills and kernels write; an allocation and a pool's block begin unwritten. Bytes that are not listed, such as
 * pinned memory and the variables of modules, count as written. Independent of who reads them.
 */
#ifndef LAB_SEAM_WRITTEN_H
#define LAB_SEAM_WRITTEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Lists memory, nothing of which is written. What is written there is noted in as many bytes at `is_written`, zeros. */
void written_keep_at(uint64_t address, size_t bytes, unsigned char *is_written);

/* The bytes were handed out: nothing has written them. Without memory for the list they count as written. */
void written_begin(uint64_t address, size_t bytes);

/* The bytes were written by work that was enqueued at that count of the ledger. If their memory has been freed since,
 * nothing is noted: they may belong to a block that has been handed out in the meantime. */
void written_note(uint64_t address, size_t bytes, uint64_t when);

/* The same for a copy from other bytes: what nothing has written there is unwritten here too. */
void written_copy(uint64_t address, uint64_t source, size_t bytes, uint64_t when);

/* How many of the bytes nothing has written. */
size_t written_missing(uint64_t address, size_t bytes);

/* What is noted of the bytes: a byte for each, 1 if anything has written it, else 0. *known is NULL if they are not
 * listed. False if only some are. A kernel may use what is noted as long as the memory is its own. */
bool written_find(unsigned char **known, uint64_t address, size_t bytes);

/* With what is noted of some bytes: they were written; how many of them nothing has written. */
void written_set(unsigned char *known, size_t bytes);
size_t written_unset(const unsigned char *known, size_t bytes);

#endif
