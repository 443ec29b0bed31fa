/*
 * A device profile: the figures of one device that the model needs, from a small text file of the form `key value
 * unit`. Knows the file's form and the bounds of each figure; refuses to know what the model does with them.
 */
#ifndef LAB_TRACE_MODEL_PROFILE_H
#define LAB_TRACE_MODEL_PROFILE_H

#include "lab_trace.h"

enum { PROFILE_NAME_BYTES = 32, PROFILE_TITLE_BYTES = 160, PROFILE_KERNEL_BYTES = 64, PROFILE_KERNELS = 64 };

/* How long a kernel of this name lasts, started by one launch of `blocks` times `threads` that uses `bytes`. */
typedef struct profile_kernel {
    char name[PROFILE_KERNEL_BYTES];
    double threads;   /* of the whole launch */
    double bytes;     /* of the memory it reads or writes */
    double cached_us; /* what it uses is in the device's cache */
    double memory_us; /* it is not */
} profile_kernel;

struct lab_profile {
    char name[PROFILE_NAME_BYTES];
    char title[PROFILE_TITLE_BYTES];
    double multiprocessors;
    double threads_per_multiprocessor;
    double kernels_at_once;
    double queues;       /* hardware queues that streams share */
    double queue_turn;   /* when a queue is looked at again whose kernel, behind another, waited for its copy */
    double copy_engines; /* 1: the two directions take turns; 2: both at once */
    double htod_rate, dtoh_rate, both_rate;
    double copy_start;
    double memory_rate;  /* what kernels, fills and copies on the device can use together */
    double thread_rate;  /* what one thread of an unknown kernel can use */
    double cache_bytes;  /* that kernels' data stay in */
    double kernel_start; /* from ready to running */
    double pageable_htod_rate, pageable_dtoh_rate;
    double staging_bytes; /* up to here a pageable copy to the device returns before the copy */
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
