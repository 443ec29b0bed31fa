/*
 * The threads that a student's file starts. The grader makes the file call the functions below instead of
 * pthread_create, thrd_create, thrd_join and each form of pthread_join (build.c).
 */
#ifndef GRADER_HARNESS_WORKER_STUDENT_THREADS_H
#define GRADER_HARNESS_WORKER_STUDENT_THREADS_H

#include <pthread.h>
#include <stdint.h>
#include <threads.h>
#include <time.h>

/* Where the student's file calls the function in which this stands: a return address is one past the call. */
#define STUDENT_CALLER ((uint64_t)(uintptr_t)__builtin_return_address(0) - 1)

/* A function must join its threads before it returns; otherwise its work may go on after the clock has stopped. What a
 * join of no thread does is undefined; here it fails, every time. */
int worker_thread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *user);
int worker_thrd_create(thrd_t *thread, thrd_start_t body, void *user);
int worker_thread_join(pthread_t thread, void **result);
int worker_thread_tryjoin(pthread_t thread, void **result);
int worker_thread_timedjoin(pthread_t thread, void **result, const struct timespec *end);
int worker_thread_clockjoin(pthread_t thread, void **result, clockid_t clock, const struct timespec *end);
int worker_thrd_join(thrd_t thread, int *result);

/* How many of them nothing has joined. Such a thread may have ended, which was luck. */
int student_threads_unjoined(void);

/* Where the last of them was started, and the calling thread, which is 0 for a thread of another kind: addresses in the
 * program's file. */
uint64_t student_threads_last_start(void);
uint64_t student_thread_start(void);

#endif
