# One NVIDIA H200 SXM on PCIe 5 x16, driver 580 (CUDA 13.0), as measured on 2026-11-20 with programs in C.
# lib/docs/model.md explains the keys.

title one NVIDIA H200 SXM, PCIe 5 x16, measured

multiprocessors            132
threads_per_multiprocessor 2048
kernels_at_once            128       # 200 kernels of one block: two rounds, 18.9 ms for 9.28 ms each
queues                     8         # the driver's CUDA_DEVICE_MAX_CONNECTIONS; with 1 and 32 the orders differ
queue_turn                 6    ms   # mean over the eight queues of one run; single queues: 0 to 15 ms

copy_engines               2
htod_rate                  54   GB/s
dtoh_rate                  54   GB/s
both_rate                  96.5 GB/s
copy_start                 1.2  us
pageable_htod_rate         10.0 GB/s # 200 times 4 MiB in 83.7 ms
pageable_dtoh_rate         14.7 GB/s # ... in 57.2 ms
staging_bytes              1    MiB

memory_rate                2150 GB/s # a copy of 8.6 GB on the device: 2.0 ms to read and 2.0 to write
thread_rate                0.02 GB/s # a thread that loads, adds and stores one float after another
cache_bytes                60   MiB
kernel_start               2    us

launch_call                2.33 us
copy_call                  1.2  us
event_call                 1.25 us
graph_call                 10   us
other_call                 1    us
wait_call                  2    us
host_function              10   us

# name, threads of the launch, bytes it uses, time with them in the cache, time without
kernel advance             64   4    MiB  9.07 ms  10.97 ms   # lab 03, 50 steps
kernel twice_half          64   4    MiB  7.51 ms   9.28 ms   # the same with times two, by two, 50 times
