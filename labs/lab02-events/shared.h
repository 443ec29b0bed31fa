/* The memory, arguments, results and marks that checks.c and program.c of lab 02 share. The student's file does not
 * need them. When a student's function has returned, the record has a mark such as "lab02_pipeline returned". */
#ifndef LAB02_SHARED_H
#define LAB02_SHARED_H

enum { LAB02_MOST = 16384 };

/* Arguments of "lab02_pipeline" and "lab02_time_kernel". */
typedef struct lab02_arguments {
    int count;
    float shift;
} lab02_arguments;

/* Marks of the streams that a function is given: each while its stream is current. */
#define LAB02_PRODUCER_MARK "the producer"
#define LAB02_CONSUMER_MARK "the consumer"
#define LAB02_FIRST_MARK "the first stream"
#define LAB02_SECOND_MARK "the second stream"
#define LAB02_THIRD_MARK "the third stream"

/* Argument of "lab02_wait_usefully": the number of chores that the stream's work waits for, up to a time limit. So many
 * chores have a mark in the record. */
typedef struct lab02_patience {
    int chores;
} lab02_patience;
#define LAB02_CHORE_MARK "chore"

/* Result of "ask_never_recorded": the statuses of the calls. */
typedef struct lab02_statuses {
    int found[4];
} lab02_statuses;

/* The shared memory. */
typedef struct lab02_memory {
    float input[LAB02_MOST];
    float output[LAB02_MOST];
} lab02_memory;

#endif
