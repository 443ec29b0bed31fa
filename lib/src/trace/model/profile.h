/*
 * A device profile: the figures of one device that the model needs, from a small text file of the form `key value
 * unit`. Checks the file's form and the range of each figure; independent of the model.
 */
#ifndef LAB_TRACE_MODEL_PROFILE_H
#define LAB_TRACE_MODEL_PROFILE_H

#include "lab_trace.h"

enum { PROFILE_NAME_BYTES = 32, PROFILE_TITLE_BYTES = 160, PROFILE_KERNEL_BYTES = 64, PROFILE_KERNELS = 64 };

/* The duration of a kernel with this name. A line `kernel` gives it for a launch of `threads` threads that uses `bytes`
 * bytes; a line `computing`, for any memory: with few threads, and with as many as the device holds. */
typedef struct profile_kernel {
    char name[PROFILE_KERNEL_BYTES];
    double threads;           /* in the whole launch */
    double bytes;             /* the memory that it reads or writes */
    double cached_us;         /* with its memory in the device's cache */
    double memory_us;         /* with its memory outside the cache */
    double alone_us, full_us; /* `computing`: with few threads and with all; 0 for a line `kernel` */
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
    double peer_rate, peer_access_rate; /* of copies between two devices: through the host, and with peer access */
    double read_rate, write_rate;       /* of kernels, outside the cache */
    double cache_rate;                  /* what the cache reads and writes together */
    double memory_rate;                 /* of fills and copies on the device: bytes read and written together */
    double thread_rate;                 /* the rate of one thread of an unlisted kernel */
    double cache_bytes;                 /* the cache that keeps kernels' data */
    double kernel_start;                /* from ready to running */
    double hand_over;  /* more, after work of another engine: from copies to kernels, from one direction to the other */
    double stream_gap; /* more, after work of the same engine in another stream */
    double pageable_htod_rate, pageable_dtoh_rate;
    double pageable_start;  /* of a pageable copy, besides copy_start */
    double staging_bytes;   /* the largest pageable copy to the device that returns before it is done */
    double graph_step;      /* from the end of a graph's node to the start of the next */
    double graph_branch;    /* more, where branches fork or join, for each but one */
    double sum_join;        /* of a sum over many blocks and the like: the last block joins the parts of all */
    double launch_argument; /* of the call, for each argument of the kernel */
    double copy_call, fill_call, launch_call, event_call, graph_call, pool_call, other_call, wait_call;
    double host_function;
    profile_kernel kernel[PROFILE_KERNELS];
    int kernels;
};

/* Reads a profile from memory; messages call it `source`. To be freed with lab_profile_free. */
lab_status lab_profile_parse(lab_profile **out, const char *text, size_t size, const char *source);

/* The kernel of this name; NULL if the profile has none. */
const profile_kernel *lab_profile_kernel(const lab_profile *profile, const char *name);

#endif
