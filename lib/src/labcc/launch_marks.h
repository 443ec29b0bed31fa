/* Blanks that mean nothing to nvcc, and something to clang. A launch may be spaced, kernel<< <grid, block> > >(x), and
 * extern "C"__global__ needs no blank, although C++ has literals with such endings. */
#ifndef LAB_LABCC_LAUNCH_MARKS_H
#define LAB_LABCC_LAUNCH_MARKS_H

#include <stdbool.h>

/* Removes the blanks within the marks of launches, and moves that of extern "C" behind it. The text keeps its length
 * and its lines. Returns whether there were any. */
bool labcc_close_launches(char *text);

#endif
