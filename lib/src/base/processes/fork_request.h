/* What a fork server is asked. It says one byte when the program is loaded. For each request, which comes with three
 * descriptors, it answers with the number of the copy; for the byte that follows, with the copy's status. */
#ifndef LAB_BASE_PROCESSES_FORK_REQUEST_H
#define LAB_BASE_PROCESSES_FORK_REQUEST_H

typedef struct fork_request {
    int arguments, variables; /* so many strings of each follow, */
    int bytes;                /* which have this size with the zero bytes at their ends */
} fork_request;

#endif
