/*
 * Small programs that each need one edge: a wait, a synchronization, a choice of stream. Each is told whether to
 * have it, and returns whether its data came out right. With the edge they are right under every order that CUDA
 * allows. Without it they are right by luck or not at all. They use lab.h alone.
 */
#ifndef LAB_TESTS_SCHEDULE_PROGRAMS_H
#define LAB_TESTS_SCHEDULE_PROGRAMS_H

#include "schedule_host_programs.h"
#include "schedule_between_programs.h"
#include "schedule_kernel_programs.h"
#include "schedule_memory_programs.h"
#include "schedule_stream_programs.h"

typedef struct edge_program {
    const char *name;
    bool (*run)(kit *k, bool right);
} edge_program;

#define PROGRAM(name)                                                                                                  \
    {                                                                                                                  \
#name, name                                                                                                    \
    }
static const edge_program programs[] = {
    PROGRAM(consumer_waits_for_producer),
    PROGRAM(wait_comes_after_record),
    PROGRAM(record_comes_after_the_work),
    PROGRAM(record_is_on_the_producers_stream),
    PROGRAM(input_is_not_overwritten_while_it_is_read),
    PROGRAM(both_writers_take_their_turn),
    PROGRAM(fill_comes_before_the_kernel),
    PROGRAM(copy_within_the_device_waits_for_its_source),
    PROGRAM(kernel_waits_for_every_slice),
    PROGRAM(address_in_a_number_is_waited_for_too),
    PROGRAM(round_waits_for_its_fill),
    PROGRAM(fill_waits_for_the_round_before_on_its_buffer),
    PROGRAM(fill_waits_for_the_right_round),
    PROGRAM(host_synchronizes_before_it_reads),
    PROGRAM(copy_to_pageable_memory_is_waited_for_too),
    PROGRAM(host_synchronizes_the_stream_it_reads_from),
    PROGRAM(host_synchronizes_every_stream),
    PROGRAM(host_waits_for_more_than_the_last_stream),
    PROGRAM(pinned_source_stays_until_it_is_copied),
    PROGRAM(event_is_recorded_before_the_host_waits_for_it),
    PROGRAM(each_stream_has_its_own_end_event),
    PROGRAM(query_is_asked_until_it_says_yes),
    PROGRAM(last_number_is_no_sign_that_all_have_come),
    PROGRAM(destroying_a_stream_is_no_synchronization),
    PROGRAM(null_stream_orders_blocking_streams_only),
    PROGRAM(synchronizing_the_null_stream_waits_for_blocking_streams_only),
    PROGRAM(synchronous_copy_has_arrived_for_the_null_stream_only),
    PROGRAM(copy_waits_for_the_host_function_that_writes_its_source),
    PROGRAM(host_function_waits_for_the_copy_that_it_reads),
    PROGRAM(host_waits_for_the_host_function),
    PROGRAM(pool_is_told_of_every_user),
    PROGRAM(block_is_given_back_behind_the_use_by_another_stream),
    PROGRAM(block_is_given_back_behind_its_last_use),
    PROGRAM(block_is_not_used_after_it_was_given_back_at_rest),
    PROGRAM(block_is_not_used_after_it_was_handed_out_again),
    PROGRAM(block_is_not_used_elsewhere_after_it_was_handed_out_again),
    PROGRAM(block_is_not_used_on_the_null_stream_after_it_was_handed_out_again),
    PROGRAM(graph_keeps_the_edge_between_its_branches),
    PROGRAM(stream_waits_for_a_graph_launched_on_another),
    PROGRAM(threads_of_a_block_wait_at_a_barrier),
    PROGRAM(threads_of_a_block_wait_at_every_barrier),
    PROGRAM(threads_wait_for_what_the_first_one_says),
    PROGRAM(first_thread_waits_for_what_it_collects),
    PROGRAM(first_warp_waits_for_the_sums_of_all),
    PROGRAM(all_warps_wait_for_the_sum_of_the_first),
    PROGRAM(lanes_of_a_warp_wait_for_each_other),
    PROGRAM(blocks_wait_for_another_launch),
};
enum { PROGRAMS = sizeof programs / sizeof *programs };

static const edge_program between_programs[] = {
    PROGRAM(second_kernel_waits_for_its_half),
    PROGRAM(second_kernel_waits_for_its_half_though_the_host_does),
};
enum { BETWEEN_PROGRAMS = sizeof between_programs / sizeof *between_programs };

#endif
