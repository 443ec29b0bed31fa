/*
 * Runs a program to its end: bytes in, bytes out, with a limit on its time. Knows processes and pipes; refuses to
 * know what is run.
 */
#ifndef LAB_BASE_PROCESS_H
#define LAB_BASE_PROCESS_H

#include "lab.h"

typedef struct lab_process {
    const char *program;            /* a path */
    const char *const *arguments;   /* the program's name first, NULL last */
    const char *const *environment; /* NULL last */
    const char *input;              /* what it reads from its standard input */
    size_t input_size;
    int seconds; /* after which it is killed */
} lab_process;

typedef struct lab_process_result {
    char *output; /* with a zero byte after output_size bytes */
    size_t output_size;
    char *errors; /* the same of standard error */
    size_t errors_size;
    int status; /* as waitpid gives it */
    bool timed_out;
    bool flooded; /* killed because it wrote more than anything sensible */
} lab_process_result;

/* The child gets descriptors 0, 1 and 2 and no other, and no signal blocked or ignored. A program that cannot be
 * started is LAB_ERROR_FILE_NOT_FOUND; how it ended is in the result, which lab_process_result_free frees whatever
 * the status was. */
lab_status lab_process_run(lab_process_result *result, const lab_process *process);

void lab_process_result_free(lab_process_result *result);

#endif
