/*
 * Accesses on which the code of a checked kernel decides for racecheck by itself: those that race with nothing, and of
 * which racecheck need not be told. Like kernel_abi.h this is C for the library and C++ in a kernel's translation unit.
 * There builtins_memcheck.cuh asks the functions here before it asks the library.
 */
#ifndef LAB_CPU_BUILTINS_RACE_ABI_H
#define LAB_CPU_BUILTINS_RACE_ABI_H

#ifndef __cplusplus
#include "kernel_abi.h"
#endif

/* Reads from which racecheck learns nothing: of 4 or 8 bytes that two threads have read since any thread of the block
 * synchronised, or other blocks have, if nothing has written them meanwhile. A cell is found by the address. */
typedef struct cpu_known_read {
    unsigned long key;           /* the address, plus 1 if it is that of 8 bytes; 0 in an empty cell */
    unsigned epoch;              /* cpu_known_accesses.epoch when the cell was filled */
    unsigned short first, count; /* the threads of the block whose reads tell nothing: those behind the two */
} cpu_known_read;

enum { CPU_KNOWN_READS = 16384 };

/* Who has used an aligned word of shared memory since the last barrier, and where, if those were plain accesses that do
 * not race: the thread that has written it; two that have read it, of different warps if there are such. */
typedef struct cpu_shared_word {
    unsigned epoch;              /* cpu_known_accesses.interval; of another one nothing is remembered */
    unsigned short thread[3];    /* with CPU_AGAIN if it had come to a higher line before; or CPU_NO_THREAD */
    bool asks;                   /* the library is to be told of each access before the next barrier */
    bool is_memory;              /* all bytes are those of a variable */
    unsigned site[3];            /* the lower half of a cpu_site's address */
    unsigned short first, count; /* the threads whose reads tell nothing: those behind the two that have read it */
} cpu_shared_word;

enum { CPU_WORD_WRITER, CPU_WORD_READER, CPU_WORD_OTHER, CPU_NO_THREAD = 0x7fff, CPU_AGAIN = 0x8000 };

/* Reads of one site that follow each other in even steps, of memory that no block is expected to write: the library is
 * told of the first two. */
typedef struct cpu_read_run {
    const cpu_site *site; /* NULL if there are none */
    unsigned epoch;       /* cpu_known_accesses.runs at the first */
    unsigned left;        /* how many more there may be; these are of the next: */
    unsigned long address, address_step;
    unsigned thread, thread_step;
    bool again; /* whether their threads have come to a higher line before */
} cpu_read_run;

struct cpu_known_accesses {
    /* A write that others see here before they see it in memory, up to the next access; or 0. */
    unsigned long in_flight;
    unsigned runs;            /* another one whenever runs end */
    unsigned epoch;           /* another one whenever a thread has synchronised; none that a cell has while a write is
                                 about to take place */
    unsigned interval;        /* the number of the interval between barriers */
    unsigned long begin, end; /* of the shared memory with the words; empty while the library is to be told of all */
    cpu_shared_word *word;
    bool has_cells;                /* whether a cell may have been filled in this epoch */
    unsigned deepest[1024];        /* of each thread: the highest line that it has come to since the last barrier */
    cpu_read_run run[CPU_WINDOWS]; /* by cpu_site.window */
    cpu_known_read cell[CPU_KNOWN_READS];
};

/* The write that was about to take place has. */
static inline void cpu_known_settle(cpu_known_accesses *known)
{
    if (__atomic_load_n(&known->in_flight, __ATOMIC_RELAXED)) __atomic_store_n(&known->in_flight, 0, __ATOMIC_RELEASE);
}

/* Whether a read is the next of its run. */
static inline bool cpu_read_run_continues(cpu_known_accesses *known, unsigned long address, unsigned thread,
                                          const cpu_site *site)
{
    cpu_read_run *run = &known->run[site->window];
    const unsigned deepest = known->deepest[thread];
    if (run->site != site || run->epoch != known->runs || run->address != address || run->thread != thread ||
        run->left == 0 || run->again != (deepest > site->line))
        return false;
    run->left--;
    run->address += run->address_step;
    run->thread += run->thread_step;
    if (deepest < site->line) known->deepest[thread] = site->line;
    return true;
}

/* The place of an address in that list. */
static inline unsigned long cpu_known_read_place(unsigned long address)
{
    return (address >> 2 ^ (address >> 12) * 0x9e3779b97f4a7c15 >> 50) % CPU_KNOWN_READS;
}

/* Whether it is no thread, or that one. */
static inline bool cpu_shared_word_is_free(unsigned short who, unsigned thread)
{
    return who == CPU_NO_THREAD || (who & CPU_NO_THREAD) == thread;
}

static inline void cpu_shared_word_set(cpu_shared_word *word, unsigned which, unsigned short who, unsigned site)
{
    word->thread[which] = who;
    word->site[which] = site;
}

/* Whether a thread's read of the word changes nothing. */
static inline bool cpu_shared_word_is_read(const cpu_known_accesses *known, const cpu_shared_word *word,
                                           unsigned thread)
{
    return word->epoch == known->interval && thread - word->first < word->count;
}

/* Finds the threads whose reads change nothing from now on: two readers stay, of different warps if there are such. */
static inline void cpu_shared_word_find_readers(cpu_shared_word *word)
{
    const unsigned reader = word->thread[CPU_WORD_READER] & CPU_NO_THREAD,
                   other = word->thread[CPU_WORD_OTHER] & CPU_NO_THREAD;
    if (word->thread[CPU_WORD_WRITER] != CPU_NO_THREAD || reader == CPU_NO_THREAD || other == CPU_NO_THREAD) return;
    word->first = (unsigned short)((reader > other ? reader : other) + 1);
    word->count = (unsigned short)((reader ^ other) >= 32 ? 1024 : -word->first % 32u);
}

/* A thread reads or writes a whole word, plainly. False, and nothing is remembered, if the library is to be told. */
static inline bool cpu_shared_word_access(cpu_known_accesses *known, cpu_shared_word *word, unsigned thread,
                                          const cpu_site *site)
{
    const bool writes = site->kind == CPU_SITE_WRITE;
    const unsigned place = (unsigned)(unsigned long)site, line = site->line, deepest = known->deepest[thread];
    const unsigned short who = (unsigned short)(deepest > line ? thread | CPU_AGAIN : thread);
    if (deepest < line) known->deepest[thread] = line;
    if (word->epoch != known->interval) {
        word->epoch = known->interval;
        word->asks = false;
        word->is_memory = true;
        word->count = 0;
        word->thread[CPU_WORD_WRITER] = writes ? who : (unsigned short)CPU_NO_THREAD;
        word->thread[CPU_WORD_READER] = writes ? (unsigned short)CPU_NO_THREAD : who;
        word->thread[CPU_WORD_OTHER] = CPU_NO_THREAD;
        word->site[writes ? CPU_WORD_WRITER : CPU_WORD_READER] = place;
        return true;
    }
    const unsigned short reader = word->thread[CPU_WORD_READER], other = word->thread[CPU_WORD_OTHER];
    if (word->asks || !cpu_shared_word_is_free(word->thread[CPU_WORD_WRITER], thread)) return false;
    if (writes) {
        if (!cpu_shared_word_is_free(reader, thread) || !cpu_shared_word_is_free(other, thread)) return false;
        cpu_shared_word_set(word, CPU_WORD_WRITER, who, place);
        word->count = 0;
        return true;
    }
    if (cpu_shared_word_is_free(reader, thread))
        cpu_shared_word_set(word, CPU_WORD_READER, who, place);
    else if (cpu_shared_word_is_free(other, thread) ||
             ((reader ^ other) % CPU_AGAIN < 32 && (reader ^ thread) % CPU_AGAIN >= 32))
        cpu_shared_word_set(word, CPU_WORD_OTHER, who, place);
    cpu_shared_word_find_readers(word);
    return true;
}

#endif
