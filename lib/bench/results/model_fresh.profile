# Measured by labprofile: the median of up to 35 samples, then the least and the most.
# lib/docs/model.md explains the keys.

title NVIDIA H200, measured on 2026-12-01

multiprocessors            132  # 132 to 132
threads_per_multiprocessor 2048  # 2048 to 2048
kernels_at_once            128  # 128 to 128
queues                     64  # 64 to 64
queue_turn                 6000.0 us  # an H200's: not measured
copy_engines               2
htod_rate                  55453 MB/s  # 51110 to 56054
dtoh_rate                  55537 MB/s  # 54630 to 55930
both_rate                  102558 MB/s  # 78509 to 107095
copy_start                 4.4187 us  # 3.6291 to 5.2971
peer_rate                  55453 MB/s  # the slower copy to or from the host: not measured
peer_access_rate           55453 MB/s  # the slower copy to or from the host: not measured
pageable_htod_rate         7247.3 MB/s  # 3944.6 to 9096.1
pageable_dtoh_rate         14018 MB/s  # 7870.4 to 19638
pageable_start             43.262 us  # 0.0000 to 83.637
staging_bytes              2097152 bytes  # 2097152 to 2097152
read_rate                  3779010 MB/s  # 3750523 to 3839566
write_rate                 2323779 MB/s  # 2290468 to 2347455
cache_rate                 4608518 MB/s  # 4527921 to 4731627
memory_rate                4182614 MB/s  # 4167331 to 4208846
thread_rate                26.869 MB/s  # 26.863 to 26.876
cache_bytes                36320670 bytes  # 36320670 to 36320670
kernel_start               0.8093 us  # 0.7898 to 0.9453
hand_over                  3.1926 us  # 1.7414 to 4.2750
stream_gap                 1.3211 us  # 0.0000 to 3.3474
graph_step                 0.0000 us  # 0.0000 to 0.0000
graph_branch               0.1587 us  # 0.1552 to 0.1626
sum_join                   5.2733 us  # 5.2314 to 5.3245
launch_call                4.1564 us  # 3.1386 to 4.7734
launch_argument            0.0637 us  # 0.0000 to 0.4784
copy_call                  3.9536 us  # 1.9918 to 8.1582
fill_call                  4.9874 us  # 3.8121 to 5.7347
event_call                 0.3967 us  # 0.0000 to 0.6006
graph_call                 4.8773 us  # 1.9793 to 6.2251
pool_call                  0.0704 us  # 0.0455 to 0.0883
other_call                 0.5191 us  # 0.2988 to 0.7427
wait_call                  4.0552 us  # 3.0811 to 5.8351
host_function              42.874 us  # 23.311 to 57.475

kernel advance 64 4 MiB 8028.6 us 10944 us # lab 03, 50 steps
computing nothing 0.6739 us 0.6739 us
computing work2k 4.9181 us 16.496 us
computing work20k 41.550 us 164.95 us
