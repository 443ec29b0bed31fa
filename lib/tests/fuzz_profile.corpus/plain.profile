multiprocessors 16
threads_per_multiprocessor 1536
kernels_at_once 128
queues 8
queue_turn 0 ms
copy_engines 1
htod_rate 12 GB/s
dtoh_rate 12 GB/s
both_rate 12 GB/s
copy_start 2 us
peer_rate 6 GB/s
peer_access_rate 6 GB/s
pageable_htod_rate 5 GB/s
pageable_dtoh_rate 5 GB/s
pageable_start 20 us
staging_bytes 64 KiB
read_rate 190 GB/s
write_rate 190 GB/s
cache_rate 600 GB/s
memory_rate 190 GB/s
thread_rate 0.02 GB/s
cache_bytes 24 MiB
kernel_start 3 us
hand_over 5 us
stream_gap 2 us
graph_step 1 us
graph_branch 0.5 us
launch_call 4 us
sum_join 3 us
launch_argument 0 us
copy_call 2 us
fill_call 2 us
event_call 2 us
graph_call 15 us
pool_call 0.5 us
other_call 2 us
wait_call 5 us
host_function 20 us
kernel advance 64 4 MiB 9.5 ms 12 ms
kernel twice_half 64 4 MiB 8 ms 10 ms
computing nothing 1 us 2 us
