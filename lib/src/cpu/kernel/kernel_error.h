/*
 * What stopped a kernel, as a status and a sentence for its author. Independent of what becomes of the context.
 */
#ifndef LAB_CPU_KERNEL_KERNEL_ERROR_H
#define LAB_CPU_KERNEL_KERNEL_ERROR_H

#include <stdbool.h>

#include "cpu/builtins/kernel_abi.h"
#include "lab.h"

typedef struct kernel_error {
    lab_status status;
    char message[1024];
} kernel_error;

/* Appends to the message, printf-like. What does not fit is cut off. */
void kernel_error_say(kernel_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Where a thread waits; it has exited if the file is NULL. */
typedef struct kernel_place {
    const char *file;
    unsigned line;
    cpu_wait_kind kind;
} kernel_place;

bool kernel_place_equal(const kernel_place *a, const kernel_place *b);

/* Describes threads of a block that can never go on: what is wrong, and where each of them waits. */
#define KERNEL_AT_DIFFERENT_BARRIERS                                                                                   \
    "its threads wait at different barriers, but a barrier is for all threads of the block"
#define KERNEL_NONE_CAN_GO_ON "its threads wait for each other and none can go on"
void kernel_error_stuck(kernel_error *error, const cpu_kernel *kernel, const unsigned block[3], const char *what,
                        const kernel_place *place, unsigned threads);

/* Describes a failed assert, a __trap or a bad access. */
void kernel_error_stopped(kernel_error *error, const cpu_kernel *kernel, const cpu_failure *failure);

/* Describes a thread that is not in the mask with which it came to a warp function, by its number in the block. */
void kernel_error_outside_mask(kernel_error *error, const cpu_kernel *kernel, const cpu_launch *launch,
                               const unsigned block[3], unsigned thread, unsigned mask, const kernel_place *place);

#endif
