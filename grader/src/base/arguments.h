/*
 * arguments.h: what labcheck and labgrade have in common on their command lines.
 * It knows options and sentences about them; not what they are for.
 */
#ifndef GRADER_BASE_ARGUMENTS_H
#define GRADER_BASE_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One option: "--name VALUE", or "--name" alone if `flag` is set. */
typedef struct arguments_option {
    const char *name;   /* without the dashes */
    const char **value; /* takes the value; NULL for a flag */
    bool *flag;
} arguments_option;

/* Reads the command line into the options. What it cannot read it names in one sentence on standard error. */
bool arguments_read(int count, char **argument, const arguments_option *options, size_t option_count);

/* Reads a whole decimal number; one sentence on standard error if it is none. */
bool arguments_number(uint64_t *out, const char *option, const char *text);

/* The same for a number of seconds above 0. */
bool arguments_seconds(double *out, const char *option, const char *text);

#endif
