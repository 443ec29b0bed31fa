/* Launches that an editor has spaced: kernel<< <grid, block> > >(x) is one for nvcc, and none for clang. */
#ifndef LAB_LABCC_LAUNCH_MARKS_H
#define LAB_LABCC_LAUNCH_MARKS_H

#include <stdbool.h>

/* Closes up the marks of launches in a text, which keeps its length and its lines. False if there are none to close. */
bool labcc_close_launches(char *text);

#endif
