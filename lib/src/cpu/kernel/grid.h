/*
 * Blocks that run at the same time, each on a host thread of its own, and wait for each other: a cooperative launch.
 * Independent of how a block's threads run.
 */
#ifndef LAB_CPU_KERNEL_GRID_H
#define LAB_CPU_KERNEL_GRID_H

#include "kernel_blocks.h"
#include "kernel_error.h"

enum { GRID_MOST_BLOCKS = 64 };

/* Runs one block, whose launch has what grid_group::sync() calls; false, with *error filled in, if it fails. */
typedef bool grid_body(kernel_error *error, const kernel_blocks *block, void *user);

/* Runs the blocks, at most GRID_MOST_BLOCKS. False, with *error filled in, if one failed, or if one ended for which
 * others wait. */
bool grid_run(kernel_error *error, const kernel_blocks *blocks, grid_body *body, void *user);

/* Starts threads for that many blocks, in a process that has none yet and may start none later. */
bool grid_start_threads(int threads);

#endif
