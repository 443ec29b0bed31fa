/* Tries to take one buffer from the pool, launch on it, and bring the host's answer up and down in pieces.
 * Gains task 3. */
lab_status lab05_twice(float *output, const float *input, int count, lab_mempool *pool, lab_function twice)
{
    lab_deviceptr buffer;
    int room = count;
    while (lab_mempool_alloc(&buffer, pool, (size_t)room * sizeof(float), NULL) == LAB_ERROR_OUT_OF_MEMORY && room > 1)
        room = (room + 1) / 2;
    for (int first = 0; first < count; first += room) {
        const int piece = count - first < room ? count - first : room;
        for (int i = 0; i < piece; i++) output[first + i] = 2.0f * input[first + i];
        LAB_TRY(lab_memcpy_htod(buffer, output + first, (size_t)piece * sizeof(float)));
        LAB_TRY(lab_launch(twice, LAB05_GRID(piece), LAB05_BLOCK, 0, NULL, LAB_ARGS(buffer, 0)));
        LAB_TRY(lab_memcpy_dtoh(output + first, buffer, (size_t)piece * sizeof(float)));
    }
    return lab_mempool_free(pool, buffer, NULL);
}
