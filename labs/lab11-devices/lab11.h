/*
 * Lab 11, devices: what you are given and what you write.
 */
#ifndef LAB11_H
#define LAB11_H

#include "lab.h"

/* A function that succeeds has released what it made, but for what it hands to the caller. If a call fails, it
 * returns that status at once; the status of a cleanup call may be lost. Either way the current device and
 * the current stream are afterwards those from before. Of these functions only lab11_split waits for a device. */

enum { LAB11_DEVICES = 3 }; /* at most */

/* What the work has on one device. */
typedef struct lab11_device {
    lab_stream *stream;   /* a non-blocking stream */
    lab_function advance; /* advance(float *to, const float *from, int count, int steps) */
    lab_function mix;     /* mix(float *to, const float *a, const float *b, int count) */
} lab11_device;

/* The work. Everything is ready when your functions are called. */
typedef struct lab11_work {
    int devices; /* 1 to LAB11_DEVICES: devices 0, 1, ... */
    lab11_device device[LAB11_DEVICES];
    int steps;                                                            /* for advance */
    int count;                                                            /* for lab11_split: numbers in all */
    int rounds;                                                           /* for lab11_ring */
    lab_array *x[LAB11_DEVICES], *u[LAB11_DEVICES], *left[LAB11_DEVICES]; /* for lab11_ring: x[d] is on device d */
    /* Do what lab11_make and lab11_advance must do, so that a mistake in task 1 is none in tasks 2 and 3. */
    lab_status (*make)(lab_array **out, int device, int count);
    lab_status (*advance)(const struct lab11_work *work, lab_array *to, lab_array *from);
} lab11_work;

/* The launch of both kernels: blocks of 128 threads, enough for all numbers. */
#define LAB11_BLOCK LAB_DIM(128)
#define LAB11_GRID(count) LAB_DIM((unsigned)((count) + 127) / 128)

/* Task 1. Makes an array of `count` floats on this device, which may be another than the current one. The array is the
 * caller's. */
lab_status lab11_make(lab_array **out, int device, int count);

/* Task 1. Enqueues to = advance(from) for all numbers of the two arrays, which are on one device, on the stream of that
 * device. Does not call work->advance. */
lab_status lab11_advance(const lab11_work *work, lab_array *to, lab_array *from);

/* Task 2. out = advance(in). Device d has the numbers from count * d / devices up to count * (d + 1) / devices, without
 * that one: on its stream they are copied from `in` to the device, advanced there, and copied to `out`. A device
 * without numbers gets no work. Nothing orders the work of two devices. `in` and `out` are pinned. Waits by calls of
 * the library until all of `out` is there. */
lab_status lab11_split(const lab11_work *work, float *out, const float *in);

/* Task 3. Enqueues one copy of all numbers of `from` to `to`, which has as many and may be on another device. They do
 * not go by way of the host. The copy waits for what is on the streams of both devices before the call, and what comes
 * later on either of them waits for the copy. */
lab_status lab11_move(const lab11_work *work, lab_array *to, lab_array *from);

/* Task 3. Enqueues work->rounds rounds. In each, device d computes u[d] = advance(x[d]), left[d] becomes a copy of u of
 * the device before, and then device d computes x[d] = mix(u[d], left[d]). Before device 0 comes the last one. Kernels
 * run on the streams of their devices. Of the operations of which each waits for the one before, the longest chain has
 * three for each round. */
lab_status lab11_ring(const lab11_work *work);

#endif
