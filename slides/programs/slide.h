/*
 * What the programs of the slides share. Each records what one kind of figure shows, on any device:
 *
 *     PROGRAM FOLDER ARGUMENTS...
 *
 * The folder receives NAME.trace.json if the program records a run, numbers.json if it measures numbers, and
 * machine.json.
 * slides/tools/record.py starts the programs and keeps what the figures need. A program stops with a message at the
 * first failed call.
 */
#ifndef SLIDES_SLIDE_H
#define SLIDES_SLIDE_H

#include "lab.h"
#include "lab_trace.h"

#include <jansson.h>

/* Notes the folder for the results. The program ends with a message unless it has at least `arguments` arguments. */
void slide_open(int argc, char **argv, int arguments);

/* Argument `number` after the folder, from 0: whether there is one, its text, or a positive number. */
bool slide_has(int number);
const char *slide_text(int number);
int slide_number(int number);

/* The host's clock in milliseconds. */
double slide_clock(void);

/* The same, with a mark "clock" in the record at this place of the source. */
double slide_clock_at(const char *file, int line);

/* A run: `prepare` (NULL for none) is not recorded, `work` is. */
typedef struct slide_run {
    void (*prepare)(void);
    void (*work)(void);
} slide_run;

/* Runs once for nothing, then `times` times (at most 25) with the order checker on. Of the half in which the machine
 * disturbed the host least, writes the record whose work on the device has the median span. */
void slide_record(const char *name, int times, slide_run run);

/* Writes numbers.json and frees the value, which may be NULL only if there was no memory for it. */
void slide_save(json_t *numbers);

/* {"name": ..., "KEY": value}: a row of a table of numbers. */
json_t *slide_row(const char *name, const char *key, double value);

/* Pinned memory for `count` floats between `low` and `high`, never freed. */
float *slide_pinned(size_t count, float low, float high);
void slide_fill(float *numbers, size_t count, float low, float high);

/* A kernel of a .cu file. */
lab_function slide_kernel(const char *file, const char *name);

#endif
