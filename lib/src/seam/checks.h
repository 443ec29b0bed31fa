/*
 * Which checks of kernels the environment asks for: LAB_MEMCHECK, LAB_RACECHECK, LAB_INITCHECK, LAB_SYNCCHECK,
 * LAB_EXCHANGE, and LAB_ORDER_MEASURE for the order checker. Each of them makes kernels be built for checking;
 * accesses are then checked as LAB_MEMCHECK does. And how far such kernels have come. Independent of how a check
 * works.
 */
#ifndef LAB_SEAM_CHECKS_H
#define LAB_SEAM_CHECKS_H

#include <stdbool.h>

#include "lab.h"

#include <stdatomic.h>
#include <stdint.h>

typedef enum kernel_check {
    KERNEL_CHECK_MEMORY,
    KERNEL_CHECK_RACES,
    KERNEL_CHECK_UNWRITTEN,
    KERNEL_CHECK_BARRIERS,
    KERNEL_CHECK_ORDER,    /* what a kernel has touched, for the order checker */
    KERNEL_CHECK_EXCHANGE, /* how its threads pass values on; */
    KERNEL_CHECK_SHUFFLES, /* with this one too, by shuffles alone */
    KERNEL_CHECKS
} kernel_check;

/* Reads the environment when the runtime opens. *leaks is whether it asks for a list of what is never freed. */
lab_status kernel_checks_open(bool *leaks);

/* Turns one on, whatever the environment asks for. */
void kernel_check_turn_on(kernel_check check);

/* Whether this check is on, or any. */
static inline bool kernel_check_is_on(kernel_check check);
bool kernel_checks_are_on(void);

/* How far kernels have come. Two processes may share it; where it is, is set before kernels run. */
enum { KERNEL_PROGRESS_FILE = 116 }; /* the name of a source file, which is cut off */
typedef struct kernel_progress {
    _Atomic uint64_t made;
    _Atomic uint32_t held; /* by the one that writes or reads what follows */
    int32_t line;          /* 0: not noted */
    char file[KERNEL_PROGRESS_FILE];
} kernel_progress;
void kernel_progress_keep_at(kernel_progress *place);

/* A number that grows while a kernel gets on: with every few hundred blocks, and while it is checked also in between. A
 * checked kernel that only reads the same few addresses again and again does not, as one that waits. */
void kernel_progress_note(void);
uint64_t kernel_progress_made(void);

/* Notes a line at which a checked kernel is now, unless another thread does so at this moment. */
void kernel_progress_note_line(const char *file, unsigned line);

/* Waits up to two seconds until a checked kernel notes a line, and gives it. False if none does: then no such kernel
 * runs, or none that uses memory. */
bool kernel_progress_see_line(char file[KERNEL_PROGRESS_FILE], int *line);

/* What kernel_check_is_on looks at. */
extern bool kernel_checks_on[KERNEL_CHECKS];
static inline bool kernel_check_is_on(kernel_check check) { return kernel_checks_on[check]; }

#endif
