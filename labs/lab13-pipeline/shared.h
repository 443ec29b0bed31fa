/* The memory, arguments and marks that checks and program.c of lab 13 share. The student's file does not need them. */
#ifndef LAB13_SHARED_H
#define LAB13_SHARED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LAB13_MOST = 64, LAB13_PAGE = 4096 };

/* Arguments of "prepare". */
typedef struct lab13_arguments {
    int pictures, width, height, lanes;
    bool compresses; /* save compresses; else it only notes its call */
} lab13_arguments;

/* Result of "lab13_open". */
typedef struct lab13_opened {
    size_t used;                                 /* bytes of the pool since the call began */
    uint64_t picture, blurred, edges, histogram; /* blocks of the last lane */
    bool graph;                                  /* it has one */
} lab13_opened;

/* The marks around lab13_open, in each call of save, and of work->enqueue in task 1. */
#define LAB13_OPENS "lab13 opens"
#define LAB13_OPENED "lab13 opened"
#define LAB13_SAVES "lab13 saves picture " /* and its number */
#define LAB13_ASKED "lab13 asked for the given work"

/* The shared memory: the head, then for each picture its parts, each on pages of its own. */
typedef struct lab13_head {
    size_t png_bytes[LAB13_MOST], saved_bytes[LAB13_MOST];
} lab13_head;

typedef enum lab13_part {
    LAB13_PNG,    /* the picture as a PNG file */
    LAB13_PIXELS, /* what the program reads from it */
    LAB13_EDGES,
    LAB13_HISTOGRAM,
    LAB13_SAVED, /* the edges as a PNG file */
    LAB13_PARTS
} lab13_part;

/* The largest PNG file of so many pixels that is made here. */
static inline size_t lab13_png_most(int count) { return (size_t)count + (size_t)count / 8 + LAB13_PAGE; }

static inline size_t lab13_part_bytes(const lab13_arguments *given, lab13_part part)
{
    const int count = given->width * given->height;
    if (part == LAB13_PNG || part == LAB13_SAVED) return lab13_png_most(count);
    return part == LAB13_HISTOGRAM ? 256 * sizeof(unsigned) : (size_t)count;
}

static inline size_t lab13_pages(size_t bytes) { return (bytes + LAB13_PAGE - 1) / LAB13_PAGE * LAB13_PAGE; }

/* Where a part of picture k is. Part LAB13_PARTS is the end. */
static inline size_t lab13_offset(const lab13_arguments *given, int k, lab13_part part)
{
    size_t before = 0, all = 0;
    for (int i = 0; i < LAB13_PARTS; i++) {
        if (i < (int)part) before += lab13_pages(lab13_part_bytes(given, (lab13_part)i));
        all += lab13_pages(lab13_part_bytes(given, (lab13_part)i));
    }
    return lab13_pages(sizeof(lab13_head)) + (size_t)k * all + before;
}

static inline size_t lab13_memory_bytes(const lab13_arguments *given)
{
    return lab13_offset(given, given->pictures, LAB13_PNG);
}

#endif
