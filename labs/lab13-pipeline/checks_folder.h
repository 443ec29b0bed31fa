/* Folders of pictures for the checks of lab 13: drawn, handed to a program as PNG files, and what must come out. */
#ifndef LAB13_CHECKS_FOLDER_H
#define LAB13_CHECKS_FOLDER_H

#include "check.h"
#include "lab13.h"
#include "shared.h"

/* A program with a folder of pictures. */
typedef struct folder {
    check_program *program;
    lab13_arguments size;
    unsigned char *pixels, *edges, *found; /* of all pictures, one after another: drawn, expected, left by the run */
    unsigned *counts, *found_counts;       /* their histograms */
} folder;

/* Starts a program, the student's or the reference. `kept`: for check_flow. */
folder folder_begin(check_program *program, lab13_arguments size);

/* Draws new pictures, and empties the places of the results. */
void folder_draw(folder *now);

/* Fails the check unless edges and histogram of these pictures, from the first on, are right. `trace` explains. */
void folder_check(folder *now, int pictures, const lab_trace *trace, const char *function);

/* Fails the check unless these results came from their pictures by the lab's kernels. The record begins
 * before the lanes are made. */
void folder_prove(const folder *now, int pictures, const lab_trace *trace, const char *function);

/* Calls lab13_open for each lane. */
lab13_opened folder_open(folder *now);

/* Draws new pictures, makes new lanes by lab13_open, and has the first picture go through the first lane. Returns the
 * record of both. */
const lab_trace *folder_replay(folder *now);

/* Draws new pictures and calls lab13_run with new lanes of the program's own making: a mistake in lab13_open costs
 * nothing here. Returns the record of both. */
const lab_trace *folder_run(folder *now);

unsigned char *folder_pixels(const folder *now, int k);
size_t folder_count(const folder *now);

#endif
