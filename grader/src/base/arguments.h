/*
 * arguments.h: reads the command lines of labcheck and labgrade.
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

/* Reads the command line into the options. Fails with one sentence on standard error. */
bool arguments_read(int count, char **argument, const arguments_option *options, size_t option_count);

/* Reads a whole decimal number. Fails with one sentence on standard error. */
bool arguments_number(uint64_t *out, const char *option, const char *text);

/* Reads a number of seconds above 0 and up to a day. Fails likewise. */
bool arguments_seconds(double *out, const char *option, const char *text);

#endif
