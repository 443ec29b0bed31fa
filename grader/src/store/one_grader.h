/*
 * one_grader.h: lets one grader at a time work in a folder of results. The system's lock disappears with the process
 * that holds it, however that ends; its file names the holder. It knows processes and hosts.
 */
#ifndef GRADER_STORE_ONE_GRADER_H
#define GRADER_STORE_ONE_GRADER_H

#include <stdbool.h>

#include "base/fault.h"

/* Takes folder/grades.lock; `lock` is a descriptor for one_grader_leave. If another grader has it, the fault names the
 * other's process and host. */
bool one_grader_enter(int *lock, const char *folder, grader_fault *fault);

void one_grader_leave(int lock);

/* The grader that works in the folder now, "process 4711 on host, since ..."; "" for none, NULL without memory. The
 * caller frees it. */
char *one_grader_at_work(const char *folder);

#endif
