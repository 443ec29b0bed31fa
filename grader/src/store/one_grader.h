/*
 * one_grader.h: one grader at a time in a folder of results. The lock is the system's, so that it goes with the process
 * that holds it, however that ends; its file names the holder. It knows processes and hosts; not what they do.
 */
#ifndef GRADER_STORE_ONE_GRADER_H
#define GRADER_STORE_ONE_GRADER_H

#include <stdbool.h>

#include "base/fault.h"

/* Takes folder/grades.lock; `lock` is a descriptor, to be given up with one_grader_leave. If another grader has it, the
 * fault names its process and host. */
bool one_grader_enter(int *lock, const char *folder, grader_fault *fault);

void one_grader_leave(int lock);

/* Who works in the folder now: "process 4711 on host, since ...", yours to free; "" if nobody does, NULL without
 * memory. */
char *one_grader_at_work(const char *folder);

#endif
