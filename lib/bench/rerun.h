/* This program, run again in another process with other settings, to be compared with the first one or with others.
 * It measures what a letter on standard input asks for, and prints the figures on a line. */
#ifndef LAB_BENCH_RERUN_H
#define LAB_BENCH_RERUN_H

#include "lab.h"

#include <stdio.h>
#include <sys/types.h>

typedef struct rerun {
    pid_t process;
    FILE *wishes, *figures;
} rerun;

/* Starts the program with one argument and some settings, "NAME=value", up to a NULL. End it in any case. */
lab_status rerun_start(rerun *made, const char *argument, const char *const *settings);
void rerun_end(const rerun *run);

/* Asks for a measurement by its number, 0 to 25, and waits for so many figures. */
lab_status rerun_ask(double *figures, int count, const rerun *run, int number);

/* In that process: waits for the next wish. False at the end, or if it is not below `count`. */
bool rerun_next(int *number, int count);

#endif
