/* A program of the playground written out in a language: a whole program that can be compiled, or run. */
#ifndef LAB_PLAYGROUND_LISTING_H
#define LAB_PLAYGROUND_LISTING_H

#include "program.h"

typedef enum play_language { PLAY_LAB, PLAY_CUDA, PLAY_CUPY, PLAY_LANGUAGES } play_language;

typedef struct play_listing {
    play_language language;
    const char *file; /* as places name it: "play.c" in C */
    char *text;
    int line[PLAY_STATEMENTS]; /* where each statement's call is, from 1 */
    int lines;                 /* as many as the program has statements */
} play_listing;

/* False if memory ran out. To be cleared with play_listing_clear after success. */
bool play_list(play_listing *out, const play_program *program, play_language language);
void play_listing_clear(play_listing *listing);

#endif
