#include <lab.h>

int main(void)
{
    float numbers[1000];
    lab_array *array;
    lab_stream *producer, *consumer;
    LAB_CHECK(lab_array_empty(&array, LAB_FLOAT32, LAB_SHAPE(1000)));
    LAB_CHECK(lab_stream_create(&producer, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_stream_create(&consumer, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_array_fill(array, LAB_ARG(1), producer));
    LAB_CHECK(lab_array_get_async(array, numbers, consumer));
    LAB_CHECK(lab_stream_synchronize(consumer));
    return numbers[999] == 1 ? 0 : 1;
}
