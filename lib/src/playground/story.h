/* One legal order of a program in which a finding goes wrong: the second operation runs before the first. */
#ifndef LAB_PLAYGROUND_STORY_H
#define LAB_PLAYGROUND_STORY_H

#include "run.h"

typedef enum play_step_kind {
    PLAY_CALLS,   /* the host makes the call */
    PLAY_RUNS,    /* the device runs the operation */
    PLAY_RETURNS, /* a call that has waited returns */
} play_step_kind;

typedef struct play_step {
    play_step_kind kind;
    int statement;
    bool wrong; /* it uses other contents than in the order of the program */
    char text[400];
} play_step;

typedef struct play_story {
    play_step step[3 * PLAY_STATEMENTS];
    int steps;
} play_story;

/* The order is one that streams, events, the null stream and the host's waits allow, by the record's own relations. */
lab_status play_tell(play_story *out, const play_program *program, const play_listing *listing, const play_run *run,
                     const lab_order_finding *finding);

#endif
