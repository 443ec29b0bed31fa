/*
 * system_calls.h: the system calls that an untrusted program may make. The kernel's whole surface stays reachable from
 * a namespace: keys that outlive a job, tracing, io_uring. A filter of libseccomp leaves what labs and compilers need.
 */
#ifndef GRADER_SANDBOX_SYSTEM_CALLS_H
#define GRADER_SANDBOX_SYSTEM_CALLS_H

#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"

/* One line of the table. A call that no line names fails with ENOSYS, as in an older kernel: the C library and drivers
 * then do without. A name that this machine's libseccomp or processor does not have is passed over. */
typedef struct system_call_rule {
    uint32_t action;   /* libseccomp's */
    const char *names; /* with spaces between them */
    const char *why;
} system_call_rule;

/* Ends with a rule without names. */
extern const system_call_rule system_call_rules[];

/* What network a program's sockets would belong to. No socket can be made for one that is shared with others: even a
 * local one reaches every process there. Pairs of connected sockets remain. */
typedef enum system_calls_network { SYSTEM_CALLS_OWN_NETWORK, SYSTEM_CALLS_SHARED_NETWORK } system_calls_network;

/* Makes the filter in the form that the kernel and bubblewrap (--seccomp) take: the caller frees the bytes. */
bool system_calls_filter(char **out, size_t *bytes, system_calls_network network, grader_fault *fault);

#endif
