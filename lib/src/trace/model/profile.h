/*
 * A device profile: the figures of one device that the model needs, from a small text file of the form `key value
 * unit`. Checks the file's form and the range of each figure; independent of the model.
 */
#ifndef LAB_TRACE_MODEL_PROFILE_H
#define LAB_TRACE_MODEL_PROFILE_H

#include "lab_trace.h"

enum { PROFILE_NAME_BYTES = 32, PROFILE_TITLE_BYTES = 160, PROFILE_KERNEL_BYTES = 64, PROFILE_KERNELS = 64 };

/* The duration of a kernel with this name, in a launch of `threads` threads that uses `bytes` bytes. */
typedef struct profile_kernel {
    char name[PROFILE_KERNEL_BYTES];
    double threads;   /* in the whole launch */
    double bytes;     /* the memory that it reads or writes */
    double cached_us; /* with its memory in the device's cache */
    double memory_us; /* with its memory outside the cache */
} profile_kernel;

struct lab_profile {
    char name[PROFILE_NAME_BYTES];
    char title[PROFILE_TITLE_BYTES];
    double multiprocessors;
    double threads_per_multiprocessor;
    double kernels_at_once;
    double queues;       /* hardware queues that streams share */
    double queue_turn;   /* the time until the engine looks again at a queue that was put aside */
    double copy_engines; /* 1: the two directions take turns; 2: both work at once */
    double htod_rate, dtoh_rate, both_rate;
    double copy_start;
    double memory_rate;  /* the combined rate of kernels, fills and copies on the device */
    double thread_rate;  /* the rate of one thread of an unlisted kernel */
    double cache_bytes;  /* the cache that keeps kernels' data */
    double kernel_start; /* from ready to running */
    double pageable_htod_rate, pageable_dtoh_rate;
    double staging_bytes; /* the largest pageable copy to the device that returns before it is done */
    double copy_call, launch_call, event_call, graph_call, other_call, wait_call;
    double host_function;
    profile_kernel kernel[PROFILE_KERNELS];
    int kernels;
};

/* Reads a profile from memory; messages call it `source`. To be freed with lab_profile_free. */
lab_status lab_profile_parse(lab_profile **out, const char *text, size_t size, const char *source);

/* The kernel of this name; NULL if the profile has none. */
const profile_kernel *lab_profile_kernel(const lab_profile *profile, const char *name);

#endif
