/* The functions of lab 01 around one that cheats on a stream. */
static lab_status cheat(float *sum, const float *input, const lab01_room *room, lab_stream *stream);

__attribute__((unused)) static float host_sum(const float *input, size_t count)
{
    float sum = 0;
    for (size_t i = 0; i < count; i++) sum += input[i];
    return sum;
}

lab_status lab01_sum(float *sum, const float *input, const lab01_room *room)
{
    lab_stream *stream;
    LAB_TRY(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    LAB_TRY(cheat(sum, input, room, stream));
    LAB_TRY(lab_stream_synchronize(stream));
    return lab_stream_destroy(stream);
}

lab_status lab01_two_sums(float sum[2], const float *const input[2], const lab01_room room[2])
{
    lab_stream *stream[2];
    for (int k = 0; k < 2; k++) LAB_TRY(lab_stream_create(&stream[k], LAB_STREAM_NON_BLOCKING));
    for (int k = 0; k < 2; k++) LAB_TRY(cheat(&sum[k], input[k], &room[k], stream[k]));
    for (int k = 0; k < 2; k++) LAB_TRY(lab_stream_synchronize(stream[k]));
    for (int k = 0; k < 2; k++) LAB_TRY(lab_stream_destroy(stream[k]));
    return LAB_SUCCESS;
}
