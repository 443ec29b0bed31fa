/*
 * sandbox_cuda_proof.h: proves that a kernel runs in the sandbox. Without the proof a program that may choose its
 * device would silently take the CPU.
 */
#ifndef GRADER_SANDBOX_SANDBOX_CUDA_PROOF_H
#define GRADER_SANDBOX_SANDBOX_CUDA_PROOF_H

#include "sandbox.h"

/* Runs `labdevice`, which runs a kernel on each GPU, in a cell of the sandbox. If only the data limit of a process is
 * in the way, which drivers do not expect, the sandbox drops that limit and its description says so. The fault says
 * what labdevice found. */
bool sandbox_cuda_prove(sandbox *box, const char *labdevice, grader_fault *fault);

#endif
