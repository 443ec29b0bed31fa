/* Launches that an editor has spaced: kernel<< <grid, block> > >(x) is one for nvcc, and none for clang. */
#ifndef LAB_LABCC_LAUNCH_MARKS_H
#define LAB_LABCC_LAUNCH_MARKS_H

#include <stdbool.h>

/* Removes the blanks within the marks of launches. The text keeps its length and its lines. Returns whether there were
 * any. */
bool labcc_close_launches(char *text);

#endif
