/*
 * Kernels in a process of their own, labkernels: it has device memory, pinned memory and modules at the addresses that
 * they have here, and nothing else of this process. What it says is not trusted. It runs blocks for the threads of the
 * engine, each of which has a channel to a thread there. When the process ends, every kernel fails, for good.
 */
#ifndef LAB_CPU_APART_APART_H
#define LAB_CPU_APART_APART_H

#include "apart_shared.h"
#include "base/system/window.h"
#include "cpu/checks/memcheck.h"
#include "cpu/object/module_tables.h"

/* Whether kernels run in a process of their own: apart_require was called, or LAB_KERNELS_APART is 1. Never on a
 * processor for which that is not written (base/system/kernels_apart.h). */
bool apart_is_on(void);

/* From the first device on. To be called before the library's first call. */
void apart_require(void);

/* How much device memory there may be, and how many threads may run kernels. Called before the first of them. */
void apart_prepare(uint64_t memory, int threads);

/* Whether the process, once it runs, can run cooperative launches. It starts a thread for each of their blocks before
 * the first kernel and none later, so it has none if the program said that it launches no kernel so. */
bool apart_runs_cooperative(void);

/* Device memory, and pinned memory of a program that is this process. Returns 0 if there is none. */
uint64_t apart_memory_take(uint64_t bytes);
void apart_memory_give(uint64_t address, uint64_t bytes);
uint64_t apart_pinned_take(uint64_t bytes);
void apart_pinned_give(uint64_t address, uint64_t bytes);

/* The first of these bytes that lies in memory of either kind, or of a module, and was freed; 0 if there is none. */
uint64_t apart_find_free(uint64_t address, uint64_t bytes);

/* Loads an object there. What *out says about it comes from the object itself; of its functions only whether there are
 * such. `kernels` is the length of its table. */
lab_status apart_load(cpu_module **out, const void *object, size_t size, int kernels, const char *name);
void apart_unload(cpu_module *module);

/* Runs the blocks there, or with a claim as many of its blocks as other threads leave. `memcheck` is the launch's if
 * the kernel is built for checking, else NULL; `ledger_count` is the ledger's count at the launch. */
bool apart_run_blocks(kernel_error *error, const kernel_blocks *blocks, const apart_claim *claim,
                      cpu_memcheck *memcheck, uint64_t ledger_count);

/* Blocks for the calling threads to divide; NULL if too many launches are under way. */
apart_claim *apart_claim_begin(uint64_t blocks, int threads);
void apart_claim_end(apart_claim *claim);

#endif
