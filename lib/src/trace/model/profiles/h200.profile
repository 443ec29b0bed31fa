# One NVIDIA H200 SXM on PCIe 5 x16, driver 580 (CUDA 13.0), as measured with programs in C: on 2026-11-20 with lab 03's
# variants, on 2026-11-28 (marked *) with the tuned half of the programs of model-table.
# lib/docs/model.md explains the keys.

title one NVIDIA H200 SXM, PCIe 5 x16, measured

multiprocessors            132
threads_per_multiprocessor 2048
kernels_at_once            128       # 200 kernels of one block: two rounds, 18.9 ms for 9.28 ms each
queues                     8         # the driver's CUDA_DEVICE_MAX_CONNECTIONS; with 1 and 32 the orders differ
queue_turn                 6    ms   # mean over the eight queues of one run; single queues: 0 to 15 ms

copy_engines               2
htod_rate                  54.9 GB/s # *
dtoh_rate                  55.5 GB/s # *
both_rate                  96.5 GB/s
copy_start                 3.0  us   # * 1.3 to 2.0 before the first byte, 1.3 to the next copy
peer_rate                  37.6 GB/s # two H200s of one host, 2026-11-22: 37.4 to 38.3
peer_access_rate           395  GB/s # 393 to 396
pageable_htod_rate         10.0 GB/s # 200 times 4 MiB in 83.7 ms
pageable_dtoh_rate         14.7 GB/s # ... in 57.2 ms
pageable_start             42   us   # * copies of 1 MiB next to copies of 4 MiB, both ways
staging_bytes              1    MiB

read_rate                  3850 GB/s # * the sum of 256 MiB
write_rate                 2700 GB/s # * y = y + x / 2 of 64 MiB, less its reads
cache_rate                 4600 GB/s # * x = 2 x + 1 of 4 and 8 MiB
memory_rate                4150 GB/s # *
thread_rate                0.02 GB/s # a thread that loads, adds and stores one float after another
cache_bytes                60   MiB
kernel_start               1.05 us   # * from the end of a kernel to the beginning of the next
hand_over                  3.4  us   # * from a copy to its kernel 4.6, less kernel_start
stream_gap                 1.2  us   # * from a kernel to one behind an event 2.2, less kernel_start
graph_step                 0.25 us   # * a chain of 200 nodes
graph_branch               0.3  us   # * forks and joins of 8 branches
sum_join                   4.5  us   # sums of 256 KiB to 4 MiB on another H200: 6.2 to 6.5, less kernel_start and reading

launch_call                3.45 us   # *
launch_argument            0.2  us   # * with 1 argument 3.65, with 3 4.1
copy_call                  2.5  us   # * 2.2 to 2.9
fill_call                  4.3  us   # * fills, and copies on the device
event_call                 0.36 us   # *
graph_call                 10   us
pool_call                  0.12 us   # *
other_call                 1.5  us   # * a wait for a stream that is done
wait_call                  3.6  us   # * an empty kernel and a wait: 8.9
host_function              42   us   # * from the end of the kernel before it

# name, threads of the launch, bytes it uses, time with them in the cache, time without
kernel advance             64   4    MiB  9.07 ms  10.97 ms   # lab 03, 50 steps
kernel twice_half          64   4    MiB  7.51 ms   9.28 ms   # the same with times two, by two, 50 times

# name, time alone, time with every multiprocessor full of threads *
computing nothing          0.61 us   0.61 us
computing work2k           4.85 us   17.2 us   # 2,000 steps of x = 0.999 x + 0.5
computing work20k          41.5 us   172  us   # 20,000
