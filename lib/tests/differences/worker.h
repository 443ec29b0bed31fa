/*
 * Processes that run programs: a process has one device and, on the CPU, one schedule. They are this program again. A
 * worker takes every so manieth seed of the list and writes a line for each; whoever reads the lines learns also of one that
 * crashed or hangs.
 */
#ifndef LAB_TESTS_DIFFERENCES_WORKER_H
#define LAB_TESTS_DIFFERENCES_WORKER_H

#include "outcome.h"
#include "seeds.h"

enum { WORKER_NO_DEVICE = 3, WORKER_SECONDS = 60 };

/* A way to run programs that is compared with others. */
typedef struct side {
    const char *name;     /* for messages */
    const char *device;   /* LAB_DEVICE */
    const char *schedule; /* LAB_SCHEDULE; with a seed, each program is run in a process of its own */
    int workers;
} side;

typedef struct side_result {
    bool done;
    char lost[80]; /* why there is no outcome */
    outcome outcome;
} side_result;

/* Runs all seeds of the command line's words on the side. False if its device cannot be used. */
bool workers_run(side_result *result, const side *on, const seed_list *seeds, char *const *words);

/* The details of one program, as a word of the command line names it, for the caller to free; NULL if there are none. */
char *workers_details(const side *on, const char *word);

/* What this process does when it is a worker, given the arguments behind the word that says so; returns its exit status. */
int worker_main(int count, char **argument);
int details_main(int count, char **argument);

#endif
