/*
 * sandbox_cuda.h: what a sandbox with a GPU needs in addition: the driver's device files, the parts of /sys and /proc
 * that the driver reads, its libraries and the toolkit's.
 */
#ifndef GRADER_SANDBOX_SANDBOX_CUDA_H
#define GRADER_SANDBOX_SANDBOX_CUDA_H

#include "base/word_list.h"
#include "sandbox.h"

/* Adds the words that make a GPU visible. Device files are looked for below `root`, which is "" except in tests.
 * `system` lists the folders that are visible anyway and ends with NULL. */
void sandbox_cuda_see(word_list *words, const char *root, const char *const *system);

/* Adds the words that close /proc as far as a driver allows: it writes the names of its threads there. */
void sandbox_cuda_close_proc(word_list *words);

#endif
