/*
 * Calls besides lab.h's by which the program's library does what needs more than one message, or a form of its own. The
 * table of calls lists them with the others: the program sends them, the device process implements them.
 */
#ifndef LAB_WIRE_EXTRA_H
#define LAB_WIRE_EXTRA_H

#include "lab.h"
#include "lab_trace.h"

/* Fails where every call fails: in a host function. */
lab_status wire_check(void);

/* The address of the memory that the program shares with its check. LAB_ERROR_NOT_FOUND if there is no check. */
lab_status wire_shared_memory(uint64_t *out);

/* An allocator as a message holds it: one of the program's functions, or one of the library's own. */
typedef enum wire_allocator_kind {
    WIRE_ALLOCATOR_NONE, /* a NULL pointer */
    WIRE_ALLOCATOR_OF_PROGRAM,
    WIRE_ALLOCATOR_OF_DEVICE,
    WIRE_ALLOCATOR_OF_POOL, /* user: the pool */
} wire_allocator_kind;

typedef struct wire_allocator {
    uint32_t kind;
    uint64_t alloc, free, user;
} wire_allocator;

lab_status wire_mempool_create(lab_mempool **out, wire_allocator source);
lab_status wire_set_allocator(wire_allocator allocator);
lab_status wire_get_allocator(wire_allocator *out);
lab_status wire_thread_exchange_allocator(wire_allocator *allocator);
lab_status wire_mempool_allocator(wire_allocator *out, lab_mempool *pool);

/* The functions of the library's own allocators. */
lab_status wire_allocator_alloc(lab_deviceptr *out, size_t bytes, lab_stream *stream, wire_allocator allocator);
lab_status wire_allocator_free(lab_deviceptr memory, size_t bytes, lab_stream *stream, wire_allocator allocator);

lab_status wire_array_from_memory(lab_array **out, lab_dtype dtype, lab_shape shape, lab_deviceptr memory,
                                  wire_allocator owner);

/* lab_module_load_with for a source that has its definitions and files; `expressions` are separated by line ends. */
lab_status wire_module_load_with(lab_module **out, const char *source, const char *name, const char *expressions);

/* lab_elementwise_create_from and lab_reduction_create with the fields of their sources; `present` says whether there
 * is a source. */
lab_status wire_elementwise_create_from(lab_elementwise **out, bool present, const char *inputs, const char *outputs,
                                        const char *body, const char *name, const char *preamble,
                                        unsigned block_threads);
lab_status wire_reduction_create(lab_reduction **out, bool present, const char *inputs, const char *outputs,
                                 const char *map, const char *reduce, const char *post_map, const char *identity,
                                 const char *reduce_type, const char *name, const char *preamble);

/* Lists and files, whose bytes precede the reply. A node's name is there as the offset of its text behind the nodes. */
lab_status wire_graph_get_nodes(lab_graph *graph, int *count, bool wanted);
lab_status wire_graph_get_edges(lab_graph *graph, int *count, bool wanted);
lab_status wire_graph_save_dot(lab_graph *graph, bool wanted);
lab_status wire_trace_end(bool wanted);

/* Where a finding's texts are, as an initialiser. */
#define WIRE_FINDING_TEXTS(finding)                                                                                    \
    {                                                                                                                  \
        &(finding)->first.name, &(finding)->first.file, &(finding)->first.stream_file, &(finding)->first.launch_file,  \
            &(finding)->second.name, &(finding)->second.file, &(finding)->second.stream_file,                          \
            &(finding)->second.launch_file, &(finding)->allocation_file, &(finding)->variable, &(finding)->text,       \
            &(finding)->edge                                                                                           \
    }

/* A finding whose texts are offsets into the bytes that precede the reply. */
lab_status wire_order_get_finding(lab_order_finding *out, size_t number);

#endif
