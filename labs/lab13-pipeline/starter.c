/* Lab 13, a pipeline of pictures. The lesson is in README.md, the contract in lab13.h. */
#include "lab13.h"

enum { COUNTS = LAB13_LEVELS * sizeof(unsigned) }; /* bytes of a histogram */

lab_status lab13_enqueue(const lab13_lane *lane, const lab13_work *work)
{
    /* TODO(1): clear the counts; blur, edge, histogram, each from the result of the one before. */
    return LAB_SUCCESS;
}

lab_status lab13_open(lab13_lane *lane, const lab13_work *work)
{
    /* TODO(2): the stream, and four blocks of the pool. */
    /* TODO(2): capture work->enqueue, and make the executable graph. */
    return LAB_SUCCESS;
}

lab_status lab13_close(lab13_lane *lane, const lab13_work *work)
{
    /* TODO(2): release all of it. */
    return LAB_SUCCESS;
}

lab_status lab13_run(const lab13_lane *lane, const lab13_work *work)
{
    for (int k = 0; k < work->pictures; k++) {
        /* TODO(3): copy in, launch the lane's graph, copy edges and histogram out. */
        /* TODO(4): an event behind the picture's last copy. */
    }
    for (int k = 0; k < work->pictures; k++) {
        /* TODO(4): wait for picture k alone; save it; release the event. */
    }
    return LAB_SUCCESS;
}
