/*
 * sandbox_cuda.h: what a sandbox with a GPU has more than one without: the driver's device files, what of /sys and /proc
 * the driver reads, its libraries and the toolkit's. And the proof that a kernel runs in it, without which a program that
 * may choose its device would quietly take the CPU.
 * It knows where NVIDIA's files are; it refuses to know labs and submissions.
 */
#ifndef GRADER_SANDBOX_SANDBOX_CUDA_H
#define GRADER_SANDBOX_SANDBOX_CUDA_H

#include "sandbox.h"
#include "base/word_list.h"

/* Adds the words. Device files are looked for below `root`, which is "" but in tests; `system` are the folders that are seen
 * anyway, ending with NULL. */
void sandbox_cuda_see(word_list *words, const char *root, const char *const *system);

/* Adds what closes /proc as far as a driver leaves that: it writes the names of its threads there. */
void sandbox_cuda_close_proc(word_list *words);

/* Runs `labdevice`, which runs a kernel on each GPU, in a cell of the sandbox. Where only the limit on the data of a process
 * is in the way, which no driver was made for, the sandbox goes without from then on, and its description says so. The
 * fault says what labdevice found. */
bool sandbox_cuda_prove(sandbox *box, const char *labdevice, grader_fault *fault);

#endif
