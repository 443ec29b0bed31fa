/* The answers of liar.c. */
#ifndef LAB_TESTS_KERNELS_LIES_H
#define LAB_TESTS_KERNELS_LIES_H

typedef enum lie_kind {
    LIE_DONE,
    LIE_TOO_MANY_BLOCKS,
    LIE_UNKNOWN_STATUS,
    LIE_HUGE_STATUS,
    LIE_FOREIGN_STATUS, /* of something else than kernels */
    LIE_ENDLESS_TEXT,
    LIE_OTHER_NAME,
    LIE_CONTROLS,
    LIE_RACE,
    LIE_ENDLESS_RACE,
    LIE_QUESTIONS,
    LIE_ENDLESS_QUESTIONS,
    LIE_FILL,
    LIE_NO_TURN, /* and end */
    LIE_EXIT,
    LIE_SIGNAL,
} lie_kind;

#endif
