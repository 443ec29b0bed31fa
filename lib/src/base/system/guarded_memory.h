/*
 * Guarded memory: pinned memory of the program that lies in this process twice. The library works through one mapping,
 * and kernels in a process of their own through theirs. The program has the other, whose pages can be closed to it. An
 * access to a closed page is told to the order checker's side and then succeeds.
 */
#ifndef LAB_BASE_SYSTEM_GUARDED_MEMORY_H
#define LAB_BASE_SYSTEM_GUARDED_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/* The calling thread's own code has met a closed page, which is open by now. `place` is host_place_name's. Called by a
 * handler of SIGSEGV, but at an instruction that accesses the program's memory: no lock of this library is held unless
 * the library itself was reading what a call points to. */
typedef void guarded_met(uint64_t address, bool writes, const char *place);

/* All pinned memory is guarded from now on (host_memory_use). Once, before memory is allocated. False if there is no
 * address space. */
bool guarded_memory_begin(guarded_met *met);

/* Whether these bytes are guarded memory. */
bool guarded_memory_holds(uint64_t address, uint64_t bytes);

/* From now on the program's accesses of that kind meet closed pages; neither opens them. Whole pages. */
void guarded_memory_refuse(uint64_t start, uint64_t end, bool reads, bool writes);

#endif
