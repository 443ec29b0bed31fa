/* Folders of pictures for the checks of lab 13: drawn, handed to a program as PNG files, what must come out, and the
 * rules of the contract that the record of a run shows. */
#ifndef LAB13_CHECKS_FOLDER_H
#define LAB13_CHECKS_FOLDER_H

#include "check.h"
#include "lab13.h"
#include "plan.h"
#include "shared.h"

enum { COUNT_BYTES = LAB13_LEVELS * sizeof(unsigned) };

/* A program with a folder of pictures. */
typedef struct folder {
    check_program *program;
    lab13_arguments size;
    unsigned char *pixels, *edges, *found; /* of all pictures, one after another: drawn, expected, left by the run */
    unsigned *counts, *found_counts;       /* their histograms */
    const lab_trace *trace;                /* of the last run, and the student's function in it */
    check_span span;
    lab13_opened lane; /* of folder_open */
} folder;

/* Starts a program, the student's or the reference. `kept`: for check_flow. */
folder folder_begin(check_program *program, lab13_arguments size);

/* Draws new pictures, and empties the places of the results. */
void folder_draw(folder *now);

/* Fails the check unless edges and histogram of all pictures are right, and came from their pictures by the lab's
 * kernels. The record begins before the lanes are made. The first asks for the numbers alone. */
void folder_compare(folder *now);
void folder_check(folder *now);

/* Draws new pictures, and calls lab13_open for each lane; lab13_enqueue for the first picture; lab13_open, and has the
 * first picture go through the first lane; or lab13_run with new lanes of the program's own making: a mistake in
 * lab13_open costs nothing there. */
void folder_open(folder *now);
void folder_enqueue(folder *now);
void folder_replay(folder *now);
void folder_run(folder *now);

/* The last copy of this part of picture k between host and device; NULL without one. */
const lab_trace_op *folder_copy(const folder *now, int k, lab13_part part);

size_t folder_count(const folder *now);

/* ---- rules ---- */

/* Fails the check unless each picture took one launch of a graph, and no kernel ran by itself. */
void rule_replays(const folder *now);

/* Fails the check if memory was allocated in the call. */
void rule_no_allocation(check_span span);

/* Fails the check unless picture k was on the stream that lab13_open made for its lane. */
void rule_lanes(const folder *now);

/* Fails the check unless copies in, graphs and copies out may run beside each other. */
void rule_overlap(const folder *now);

/* Fails the check if the host waits before everything is enqueued, also where no record shows it: under the adversarial
 * schedule, work that ends while the folder is being enqueued has run because the host did not go on. */
void rule_enqueued_first(check_span span);

/* Fails the check if a copy copies the same once more. */
void rule_copied_once(check_span span);

/* Fails the check unless each picture is saved in its turn, when it is there, and before the host waits for others. */
void rule_saves(const folder *now);

/* How many pictures were saved. */
int rule_count_saves(const lab_trace *trace);

#endif
