/* copy_bound.h: the least time that a copy can take. */
#ifndef GRADER_HARNESS_TIMES_COPY_BOUND_H
#define GRADER_HARNESS_TIMES_COPY_BOUND_H

/* The least milliseconds that so many bytes need between host and device in one direction. */
double copy_bound_ms(double bytes);

#endif
