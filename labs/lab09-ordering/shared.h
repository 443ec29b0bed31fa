/* The memory, arguments and marks that checks.c and program.c of lab 09 share. The student's file does not need them.
 */
#ifndef LAB09_SHARED_H
#define LAB09_SHARED_H

enum { LAB09_MOST = 16384, LAB09_RESULTS = 5, LAB09_BATCHES = 5, LAB09_BATCH_MOST = 4096 };

/* Arguments of all calls but "lab09_open_streams" and "ask_priorities". */
typedef struct lab09_arguments {
    int count, steps;
} lab09_arguments;

/* Result of "ask_priorities", which is called in the reference. */
typedef struct lab09_priorities {
    int least, greatest;
} lab09_priorities;

/* The marks of the streams of task 3, each while it is current. */
#define LAB09_MARKS                                                                                                    \
    {                                                                                                                  \
        "urgent", "normal", "background"                                                                               \
    }

/* The shared memory. */
typedef struct lab09_memory {
    float x[LAB09_MOST], y[LAB09_MOST];
    float result[LAB09_RESULTS][LAB09_MOST]; /* u, v, p, q and r afterwards */
    float answer[LAB09_MOST];
    float batch_x[LAB09_BATCHES][LAB09_BATCH_MOST];
    float batch_host[LAB09_BATCHES][LAB09_BATCH_MOST];
    float batch_v[LAB09_BATCHES][LAB09_BATCH_MOST]; /* afterwards */
} lab09_memory;

#endif
