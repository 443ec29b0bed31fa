/*
 * Lab 13, a pipeline of pictures: what you are given and what you write.
 */
#ifndef LAB13_H
#define LAB13_H

#include "lab.h"

/* If a call fails, your function returns that status at once. The status of a cleanup call may be lost. */

/* A picture of the folder. All its memory is pinned. */
typedef struct lab13_picture {
    const unsigned char *pixels; /* in: a byte for each pixel, row after row */
    unsigned char *edges;        /* out: as many bytes */
    unsigned *histogram;         /* out: histogram[v] is how many bytes of `edges` are v */
} lab13_picture;
enum { LAB13_LEVELS = 256 }; /* of a histogram */

typedef struct lab13_lane lab13_lane;

/* The work. Everything is ready when your functions are called. */
typedef struct lab13_work {
    int pictures;                 /* in the folder */
    const lab13_picture *picture; /* picture[k] */
    int width, count;             /* pixels in a row, and in a picture: all pictures have one size */
    lab_function blur;            /* blur(unsigned char *to, const unsigned char *from, int width, int count) */
    lab_function edge;            /* edge(unsigned char *to, const unsigned char *from, int width, int count) */
    lab_function histogram;    /* histogram(unsigned *counts, const unsigned char *from, int count): adds to counts */
    lab_mempool *pool;         /* for device memory */
    int lanes;                 /* pictures that may be on the device at once */
    lab_event **done;          /* room for `pictures` events: lab13_run makes them */
    lab_status (*save)(int k); /* compresses the edges of picture k, as a PNG file */
    /* Does what lab13_enqueue must do, so that a mistake in task 1 does not cost task 2. */
    lab_status (*enqueue)(const lab13_lane *lane, const struct lab13_work *work);
} lab13_work;

/* What a picture needs on the device. Each lane has its own. */
struct lab13_lane {
    lab_stream *stream;
    lab_deviceptr picture, blurred, edges; /* work->count bytes each */
    lab_deviceptr histogram;               /* LAB13_LEVELS counts of type unsigned */
    lab_graph_exec *graph;
};

/* The launches: a thread for each pixel; for the histogram always 64 blocks. */
#define LAB13_BLOCK LAB_DIM(256)
#define LAB13_GRID(count) LAB_DIM((unsigned)((count) + 255) / 256)
#define LAB13_HISTOGRAM_GRID LAB_DIM(64)

/* Task 1. Enqueues the work on the picture that is in lane->picture, on the lane's stream: all counts become 0, blurred
 * = blur(picture), edges = edge(blurred), and the histogram counts the edges. Does not wait, and does not call
 * work->enqueue. */
lab_status lab13_enqueue(const lab13_lane *lane, const lab13_work *work);

/* Task 2. Makes a lane: a non-blocking stream, four blocks of work->pool, allocated on that stream, and an executable
 * graph of what work->enqueue enqueues. lab13_close releases everything. */
lab_status lab13_open(lab13_lane *lane, const lab13_work *work);
lab_status lab13_close(lab13_lane *lane, const lab13_work *work);

/* Task 3. Picture k goes through lane[k % work->lanes]: it is copied to the device, the lane's graph is launched once,
 * and edges and histogram are copied to the picture's memory, each once. All of it is enqueued before the host waits
 * for anything, and no memory is allocated. Then task 4: a thread calls work->save for picture 0, 1, 2 and so on, each
 * as soon as its edges and histogram have arrived. By then the host has waited for them by calls of the library, and
 * not for later pictures. The events are released. */
lab_status lab13_run(const lab13_lane *lane, const lab13_work *work);

#endif
