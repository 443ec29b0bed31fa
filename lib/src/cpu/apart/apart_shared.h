/*
 * What the device process and the process of kernels share (apart.h): messages about modules and launches, and the
 * memory in which they lie. The device process never believes what it reads there.
 */
#ifndef LAB_CPU_APART_APART_SHARED_H
#define LAB_CPU_APART_APART_SHARED_H

#include "seam/checks.h"
#include "wire/channel.h"

#include <stdatomic.h>
#include <stdint.h>

enum {
    APART_WINDOWS = 3, /* device memory, modules, pinned memory */
    APART_MODULES = 4096,
    APART_MESSAGE = 1024,
    APART_FILE = 116, /* the name of a source file, which is cut off */
    APART_SHARE = 4,  /* a thread takes at most 1/SHARE of what would be its even part of the blocks left */
    APART_FIRST_FILE = 3
};

/* Blocks of a launch that threads of the other process divide among themselves. */
typedef struct apart_claim {
    _Alignas(64) _Atomic uint64_t next; /* the first block that nobody has taken */
    uint64_t blocks;
    uint64_t threads;
    _Atomic uint32_t pause; /* take no more for now */
} apart_claim;

/* The beginning of the shared memory. Claims and channels follow. */
typedef struct apart_head {
    uint32_t claims, threads; /* channels: one for modules, then one for each thread that runs kernels */
    uint32_t checks;          /* a bit for each kernel_check that is on */
    uint32_t cooperative;     /* whether blocks may wait for each other: each then needs a thread, started early */
    uint64_t most_memory;     /* of the process's own */
    kernel_progress progress; /* of kernels that are checked */
    _Atomic uint64_t ledger_version;
    uint64_t written; /* bytes at the beginning of device memory that note which others are written (seam/written.h) */
    uint64_t address[APART_WINDOWS], bytes[APART_WINDOWS]; /* 0: there is no such window */
} apart_head;

static inline apart_claim *apart_claims(apart_head *head) { return (apart_claim *)(void *)((char *)head + 4096); }

static inline wire_channel *apart_channels(apart_head *head)
{
    return (wire_channel *)(void *)(apart_claims(head) + (head->claims + 63) / 64 * 64);
}

static inline uint64_t apart_bytes(uint32_t claims, uint32_t threads)
{
    return 4096 + (claims + 63) / 64 * 64 * sizeof(apart_claim) + ((uint64_t)threads + 1) * sizeof(wire_channel);
}

/* A request's number. Each begins with its struct. */
typedef enum apart_request {
    APART_LOAD = 1, /* an apart_place */
    APART_UNLOAD,   /* an apart_place */
    APART_RUN,      /* an apart_run and the arguments */
} apart_request;

typedef struct apart_place {
    uint64_t module, address, bytes;
} apart_place;

enum { APART_NO_CLAIM = -1, APART_TOGETHER = -2 };

typedef struct apart_run {
    uint32_t module, kernel;
    uint64_t first, count;
    uint32_t grid[3], block[3];
    uint64_t seed;
    uint32_t shuffled;
    int32_t claim; /* then all threads together run the blocks, from 0 on; or one of the above */
    /* Of a kernel that is built for checking; its launch's number, and the program's call. */
    uint64_t number, ledger_count, dynamic_shared;
    int32_t line;
    char file[APART_FILE];
} apart_run;
_Static_assert(sizeof(apart_run) % 16 == 0, "the arguments that follow are aligned");

/* A reply of the kind WIRE_QUESTION: which memory is there (seam/ledger.h)? The device process answers in its place,
 * and the other goes on. */
typedef struct apart_question {
    uint64_t address, bytes, when;
    int32_t answer;  /* a ledger_answer; what follows is of the memory that was found */
    int32_t foreign; /* a context's whose memory the kernel may not use */
    uint64_t found_address, found_bytes, died;
    int32_t line[2]; /* of the calls that allocated and freed it */
    char file[2][APART_FILE];
} apart_question;

/* Every other reply. */
typedef struct apart_result {
    int64_t status;
    char message[APART_MESSAGE];
} apart_result;

#endif
