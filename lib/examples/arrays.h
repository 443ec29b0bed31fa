/* Shared by the examples with many arrays: their number, length and contents, and the clock. */
#ifndef LAB_EXAMPLES_ARRAYS_H
#define LAB_EXAMPLES_ARRAYS_H

#include "lab.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const char add_fifty_file[] = "lib/examples/add_fifty.cu";

/* A number from the command line, or the default for a quick run. */
static inline int number_argument(int count, char **argument, int place, int otherwise)
{
    return count > place ? atoi(argument[place]) : otherwise;
}

/* Whole numbers that differ from array to array and from index to index. */
static inline float element(int array, int i) { return (float)((array * 7919 + i * 31) % 1000003); }

static inline void fill_array(float *memory, int array, int length)
{
    for (int i = 0; i < length; i++) memory[i] = element(array, i);
}

/* The number of elements that are not 50 larger than before. */
static inline int count_wrong(const float *memory, int array, int length)
{
    int wrong = 0;
    for (int i = 0; i < length; i++) wrong += memory[i] != element(array, i) + 50.0f;
    return wrong;
}

/* The host's clock, in milliseconds. */
static inline double host_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

#endif
