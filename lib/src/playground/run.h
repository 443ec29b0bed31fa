/* Makes the calls of a program, as the library's own, and keeps what the library knows of them. */
#ifndef LAB_PLAYGROUND_RUN_H
#define LAB_PLAYGROUND_RUN_H

#include "listing.h"
#include "program.h"
#include "lab_trace.h"

enum { PLAY_FINDINGS = 64 };

typedef struct play_run {
    lab_trace *trace;
    size_t op[PLAY_STATEMENTS]; /* each statement's operation, by its index; trace->ops if it has none */
    int graph
        [PLAY_STATEMENTS]; /* of which its call is a node: the number of the statement that made it; or PLAY_NOTHING */
    uint64_t stream[PLAY_STATEMENTS];
    uint64_t null_stream; /* the numbers of streams, by the statements that made them */
    lab_order_finding finding[PLAY_FINDINGS];
    size_t findings;
} play_run;

/* Runs the program, whose calls have the lines of the listing as their places. False if one of them failed. To be
 * cleared with play_run_clear after success. */
bool play_start(play_run *out, play_fault *fault, const play_program *program, const play_listing *listing);
void play_run_clear(play_run *run);

/* The statement of an operation or of one side of a finding; PLAY_NOTHING if the program has none. */
int play_statement_at(const play_listing *listing, const char *file, int line);

#endif
