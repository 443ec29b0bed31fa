/*
 * Processes that run programs: a process has one device and, on the CPU, one schedule. Each worker runs this program
 * again, takes every n-th seed of the list and writes a line for each. The reader of the lines also notices a worker
 * that crashes or hangs.
 */
#ifndef LAB_TESTS_DIFFERENCES_WORKER_H
#define LAB_TESTS_DIFFERENCES_WORKER_H

#include "outcome.h"
#include "seeds.h"

enum { WORKER_NO_DEVICE = 3, WORKER_SECONDS = 300 };

/* A way to run programs that is compared with others. */
typedef struct side {
    const char *name;     /* for messages */
    const char *device;   /* LAB_DEVICE */
    const char *schedule; /* LAB_SCHEDULE; with a seed, each program runs in a separate process */
    int workers;
} side;

typedef struct side_result {
    bool done;
    char lost[80]; /* the reason if there is no outcome */
    outcome outcome;
} side_result;

/* Runs all seeds of the command line's words on the side. False if its device cannot be used. */
bool workers_run(side_result *result, const side *runner, const seed_list *seeds, char *const *words);

/* The details of one program, named by a word of the command line; the caller frees them. NULL if there are none. */
char *workers_details(const side *runner, const char *word);

/* Runs this process as a worker, with the arguments after the word that says so; returns the exit status. */
int worker_main(int count, char **argument);
int details_main(int count, char **argument);

#endif
