/* What a schedule keeps of one operation. */
#ifndef LAB_CPU_ENGINE_SCHEDULE_ENTRY_H
#define LAB_CPU_ENGINE_SCHEDULE_ENTRY_H

#include "base/shuffle.h"

#include <stdbool.h>
#include <stdint.h>

struct cpu_op;

/* Memory that an operation touches. */
typedef struct cpu_touch {
    uint64_t first, last; /* addresses */
    bool writes;
    bool host;    /* the host's memory */
    bool guessed; /* a number that may be an address */
} cpu_touch;

enum { CPU_MOST_TOUCHES = 16 };

typedef struct cpu_schedule_entry {
    struct cpu_op *earlier, *later; /* in the list of unfinished operations, each after those it waits for */
    uint64_t number;                /* counts the operations that were put in the list */
    const void *stream;             /* names the stream that it was enqueued on; NULL if none */
    bool listed, ready;
    bool spoils;       /* it overwrites memory that no right program uses any more */
    bool running;      /* its host function is being called */
    bool overtaken;    /* a later operation has written memory that this one is to write, or this one spoils it */
    bool placed;       /* it belongs between two uses of its memory, and the seed has put it before or behind both */
    bool behind;       /* ... behind both */
    unsigned precedes; /* the number of the search that found that another operation waits for this one */
    unsigned follows;  /* the number of the search that found that this one waits for another */
    unsigned visited;  /* the number of the choice that looked at it */
    bool sought;       /* that choice is looking for a way to it */
    shuffle parts;     /* the parts in which it is run; none until it starts */
    uint64_t parts_started; /* how many of them, in their order */
    int touches;
    cpu_touch touch[CPU_MOST_TOUCHES];
} cpu_schedule_entry;

#endif
