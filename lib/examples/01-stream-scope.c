/*
 * A stream as a scope, as the current stream, and back to the null stream.
 *
 * Work that names no stream goes to the calling thread's current stream. LAB_WITH_STREAM makes a stream current between
 * its braces, lab_stream_use until the next use. The copy and the sum are on one stream, so the sum waits for the copy
 * automatically. The host waits only where the code says so.
 */
#include "lab.h"

#include <stdio.h>

static bool is_current(lab_stream *stream)
{
    bool equal;
    LAB_CHECK(lab_stream_is_equal(&equal, stream, lab_stream_current()));
    return equal;
}

int main(void)
{
    long long number[10], sum = -1;
    for (int i = 0; i < 10; i++) number[i] = i;

    lab_stream *stream;
    lab_array *numbers, *total;
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_DEFAULT));
    LAB_WITH_STREAM(stream)
    {
        LAB_CHECK(
            lab_array_from_host_async(&numbers, LAB_INT64, LAB_SHAPE(10), number, NULL)); /* NULL: the current stream */
        LAB_CHECK(lab_array_empty(&total, LAB_INT64, LAB_SHAPE(1)));
        LAB_CHECK(lab_array_sum(total, numbers, NULL));
    }
    printf("after the braces the null stream is current: %s\n", is_current(lab_stream_null()) ? "yes" : "no");

    LAB_CHECK(lab_stream_use(stream));
    printf("after use the stream is current: %s\n", is_current(stream) ? "yes" : "no");
    LAB_CHECK(lab_array_get_async(total, &sum, NULL));
    LAB_CHECK(lab_stream_synchronize(NULL)); /* only now the sum is in host memory */
    printf("sum of 0 to 9: %lld\n", sum);

    LAB_CHECK(lab_stream_use(lab_stream_null()));
    printf("back on the null stream, the stream is current: %s\n", is_current(stream) ? "yes" : "no");

    LAB_CHECK(lab_array_destroy(numbers));
    LAB_CHECK(lab_array_destroy(total));
    LAB_CHECK(lab_stream_destroy(stream));
    return 0;
}
