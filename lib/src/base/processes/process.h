/* Runs a program to its end, with given input, collected output and limits of time; finds programs of the workbook. */
#ifndef LAB_BASE_PROCESSES_PROCESS_H
#define LAB_BASE_PROCESSES_PROCESS_H

#include "lab.h"

struct fork_server;

typedef struct lab_process {
    const char *program;            /* a path */
    const char *const *arguments;   /* the program's name first, NULL last */
    const char *const *environment; /* NULL last */
    const char *input;              /* what it gets on its standard input */
    size_t input_size;
    int processor_seconds;            /* of processor time, after which it is killed: a busy machine changes nothing */
    int seconds;                      /* after which it is killed in any case, as one that waits for ever is */
    const struct fork_server *server; /* of this program, so that a copy of it runs; or NULL */
} lab_process;

typedef struct lab_process_result {
    char *output; /* followed by a zero byte */
    size_t output_size;
    char *errors; /* the same, of standard error */
    size_t errors_size;
    int status;     /* as waitpid gives it */
    bool timed_out; /* killed by one of the two limits */
    bool flooded;   /* killed because it wrote too much */
} lab_process_result;

/* Runs the program and waits for it. The child gets descriptors 0, 1 and 2 only, and no signal is blocked or ignored.
 * LAB_ERROR_FILE_NOT_FOUND if it cannot be started. The result says how it ended; free it with lab_process_result_free,
 * also after a failure. */
lab_status lab_process_run(lab_process_result *result, const lab_process *process);

void lab_process_result_free(lab_process_result *result);

/* Whether it is the path of a file that may be run. */
bool lab_process_is_program(const char *path);

/* Writes the path of the first program of this name in a list of folders, as in PATH. The list may be NULL. Returns
 * false if no folder has one; `path` may then have been written to. */
bool lab_process_find(char *path, size_t bytes, const char *folders, const char *name);

/* The path of a program of the workbook: what this variable of the environment names, or else the one in the folder bin
 * next to that of the running program, as build/bin is next to build/tests. */
void lab_process_find_beside(char *path, size_t bytes, const char *variable, const char *name);

#endif
