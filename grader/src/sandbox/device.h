/*
 * device.h: what device programs run on, as the reference program says when it is started with --device.
 * The student's program is not asked: it could answer what it likes.
 */
#ifndef GRADER_SANDBOX_DEVICE_H
#define GRADER_SANDBOX_DEVICE_H

#include <stdbool.h>

#include "base/fault.h"

typedef struct device_info {
    char kind[8]; /* "cpu" or "cuda" */
    char name[128];
    int multiprocessors;
} device_info;

/* Runs `reference --device`. `environment` is its whole environment. A device that there is not, an unknown DEVICE, a
 * program that does not start: the fault carries the program's own words. */
bool device_ask(device_info *out, const char *reference, const char *const *environment, grader_fault *fault);

/* Reads the three lines that --device prints; and writes them, as a string of yours, NULL without memory. */
bool device_parse(device_info *out, const char *text);
char *device_format(const device_info *device);

#endif
