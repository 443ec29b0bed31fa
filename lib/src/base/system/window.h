/*
 * Windows: ranges of memory that several processes map at the same address, so that a pointer means the same to all of
 * them. A window is a file in memory that nobody can make smaller. This process alone decides what lies where in it.
 */
#ifndef LAB_BASE_SYSTEM_WINDOW_H
#define LAB_BASE_SYSTEM_WINDOW_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The place that is tried first: below where a system puts libraries and stacks, and among the addresses that the
 * sanitizers leave to programs. */
#define WINDOW_FIRST_PLACE UINT64_C(0x7e8000000000)

typedef struct window {
    pthread_mutex_t lock;        /* guards the list */
    struct window_block *blocks; /* the parts in use, by address */
    uint64_t address, bytes;     /* address: 0 until it is mapped */
    uint64_t kept;               /* bytes at its beginning that are never taken */
    uint64_t taken;              /* bytes in use: the lock guards it too */
    int file;
    bool fixed; /* it must not move any more: another process has it at this address */
} window;

/* Makes a window of whole pages that is mapped nowhere yet. */
bool window_make(window *made, const char *name, uint64_t bytes);

/* Maps it at that place, and no longer at another. False if the place is taken; then it is mapped nowhere. */
bool window_map(window *mapped, uint64_t place);

/* Maps it at the first place from `place` on that is free. */
bool window_map_near(window *mapped, uint64_t place);

/* Takes whole pages, which hold zeros. Returns their address, or 0 if there is no room or no memory. */
uint64_t window_take(window *taken, uint64_t bytes);

/* Gives back all that was taken at the address. `bytes` as it was asked for. */
void window_give(window *given, uint64_t address, uint64_t bytes);

/* Keeps bytes at the beginning for another use, in place of any before. Nothing has been taken yet. */
bool window_keep(window *keeper, uint64_t bytes);

/* The bytes as whole pages. */
uint64_t window_pages(uint64_t bytes);

/* The first of these bytes that nobody has taken; 0 if there is none, or if not all of them lie in the window. */
uint64_t window_find_free(window *asked, uint64_t address, uint64_t bytes);

/* An address that somebody has read or written and nobody has taken; 0 if there is none. Where window_tells_uses is
 * true. While there is none it takes one system call. */
uint64_t window_find_used(window *asked);

/* Whether the system gives memory by small pages, so that what is next to a use stays unused. */
bool window_tells_uses(void);

/* Whether all of these bytes lie in the window. */
bool window_holds(const window *holder, uint64_t address, uint64_t bytes);

#endif
