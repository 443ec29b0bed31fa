/*
 * Lab 04, contexts: what you are given and what you write.
 */
#ifndef LAB04_H
#define LAB04_H

#include "lab.h"

enum { LAB04_MOST_JOBS = 16 };

/* A job: count numbers at input go to the device, through the kernel shift(float *x, int count, float by) of
 * kernels.cu, and to output. */
typedef struct lab04_job {
    int count;
    const float *input;
    float *output;
    float by;
    lab_function shift; /* the kernel, loaded in the primary context: for task 5 */
} lab04_job;

/* The launch: blocks of 128 threads, enough for all numbers. */
#define LAB04_BLOCK LAB_DIM(128)
#define LAB04_GRID(count) LAB_DIM((unsigned)((count) + 127) / 128)

/* Each function returns LAB_SUCCESS, or the status of the call that failed. The status of a cleanup call or
 * a pop may be lost. */

/* The work of a thread on a job. Threads that do it at the same time do not wait for each other. */
typedef lab_status lab04_work(const lab04_job *job);

/* Task 1. Runs work(&jobs[k]) for k = 0 to count - 1, each on a host thread of its own, all at the same time. Waits
 * until all threads have ended. Returns the status of the first job, by number, that failed, or LAB_SUCCESS. */
lab_status lab04_run_threads(lab04_work *work, const lab04_job *jobs, int count);

/* Task 2. The work of a thread with a context of its own: makes the context, compiles kernels.cu in it, runs the job,
 * and releases everything, the context last. */
lab_status lab04_own_context(const lab04_job *job);

/* Looks at the current context: call look.call(look.user, 1) after step 1. */
typedef struct lab04_look {
    void (*call)(void *user, int step);
    void *user;
} lab04_look;

/* Task 3. Walks through the stack of contexts of the calling thread and looks after each step:
 * 1 make A, 2 make B, 3 pop, 4 push B, 5 pop, 6 destroy B, 7 destroy A. */
lab_status lab04_walk(lab04_look look);

/* Task 3. Your prediction: what is current after each step of the walk, at lab04_current[step]; [0] is before it. */
typedef enum lab04_which { LAB04_PRIMARY = 1, LAB04_A, LAB04_B, LAB04_NONE } lab04_which;
enum { LAB04_STEPS = 8 };
extern const lab04_which lab04_current[LAB04_STEPS];

/* Task 4. Makes a context, compiles kernels.cu in it, makes a second context, and launches the first one's kernel on
 * the second one's null stream with an array of the second: *found is what that launch returns. Everything is
 * released. */
lab_status lab04_foreign_launch(lab_status *found, const lab04_job *job);

/* Task 4. Your prediction of that status. */
extern const lab_status lab04_foreign;

/* Task 5. The work of a thread on the primary context, which all threads share: no context is made and nothing
 * compiled; the kernel is job->shift. The work is on the thread's own default stream, lab_stream_per_thread(). */
lab_status lab04_shared_context(const lab04_job *job);

#endif
