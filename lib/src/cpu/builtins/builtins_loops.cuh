// The loops over blocks and threads in place of the hardware.

LAB_BUILTIN void lab_set_launch(const cpu_launch *launch)
{
    lab_launch = launch;
    lab_grid_extent = {(lab_index)launch->grid[0], (lab_index)launch->grid[1], (lab_index)launch->grid[2]};
    lab_block_extent = {(lab_index)launch->block[0], (lab_index)launch->block[1], (lab_index)launch->block[2]};
}

LAB_BUILTIN void lab_set_thread(const cpu_launch *launch, const unsigned *block, const unsigned *thread)
{
    lab_set_launch(launch);
    lab_block = {(lab_index)block[0], (lab_index)block[1], (lab_index)block[2]};
    lab_thread = {(lab_index)thread[0], (lab_index)thread[1], (lab_index)thread[2]};
}

// Calls the kernel for each thread of blocks [first, first + count). No extent is 0, so the loops are entered without a
// test.
#define LAB_RUN_BLOCKS(launch, first, count, call)                                                                     \
    const unsigned width = launch->grid[0], height = launch->grid[1];                                                  \
    const unsigned x_extent = launch->block[0], y_extent = launch->block[1], z_extent = launch->block[2];              \
    lab_set_launch(launch);                                                                                            \
    unsigned block_x = first % width, block_y = first / width % height, block_z = first / width / height;              \
    for (unsigned long done = 0; done < count; ++done) {                                                               \
        lab_block = {(lab_index)block_x, (lab_index)block_y, (lab_index)block_z};                                      \
        unsigned z = 0;                                                                                                \
        do {                                                                                                           \
            lab_thread.z = (lab_index)z;                                                                               \
            unsigned y = 0;                                                                                            \
            do {                                                                                                       \
                lab_thread.y = (lab_index)y;                                                                           \
                unsigned x = 0;                                                                                        \
                _Pragma("clang loop interleave_count(1) unroll(disable)") do                                           \
                {                                                                                                      \
                    lab_thread.x = (lab_index)x;                                                                       \
                    call;                                                                                              \
                }                                                                                                      \
                while (++x < x_extent);                                                                                \
            } while (++y < y_extent);                                                                                  \
        } while (++z < z_extent);                                                                                      \
        if (++block_x == width) {                                                                                      \
            block_x = 0;                                                                                               \
            if (++block_y == height) {                                                                                 \
                block_y = 0;                                                                                           \
                ++block_z;                                                                                             \
            }                                                                                                          \
        }                                                                                                              \
    }
