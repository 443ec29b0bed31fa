/*
 * device.h: the device that programs run on, as the reference program reports it with --device.
 * The student's program is not asked: it could answer anything.
 */
#ifndef GRADER_SANDBOX_DEVICE_H
#define GRADER_SANDBOX_DEVICE_H

#include <stdbool.h>

#include "base/fault.h"

enum { DEVICE_MOST = 64 };

typedef struct device_info {
    char kind[8]; /* "cpu" or "cuda" */
    char name[128];
    int multiprocessors; /* of device 0 */
    int devices;
    char uuids[DEVICE_MOST * 33]; /* of all devices, in hexadecimal digits, separated by commas; "" where not known */
} device_info;

/* Runs `reference --device` with exactly this environment. If the device does not exist, DEVICE is unknown or the
 * program does not start, the fault carries the program's own words. */
bool device_ask(device_info *out, const char *reference, const char *const *environment, grader_fault *fault);

/* Reads the lines that --device prints. The last, with the UUIDs, may be missing. */
bool device_parse(device_info *out, const char *text);

/* Writes those lines without the UUIDs: what results depend on. The caller frees the string; NULL if memory runs
 * out. */
char *device_format(const device_info *device);

#endif
