/*
 * sandbox_cuda.h: what a sandbox with a GPU needs in addition: the driver's device files, the parts of /sys and /proc
 * that the driver reads, its libraries and the toolkit's.
 *
 * Also proves that a kernel runs in the sandbox. Without the proof a program that may choose its device would silently
 * take the CPU.
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

/* Runs `labdevice`, which runs a kernel on each GPU, in a cell of the sandbox. If only the data limit of a process is
 * in the way, which drivers do not expect, the sandbox drops that limit and its description says so. The fault says
 * what labdevice found. */
bool sandbox_cuda_prove(sandbox *box, const char *labdevice, grader_fault *fault);

#endif
