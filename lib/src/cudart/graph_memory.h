/* Memory that nodes of graphs allocate and free: which is there, which graphs have it, and what CUDA allows. */
#ifndef LAB_CUDART_GRAPH_MEMORY_H
#define LAB_CUDART_GRAPH_MEMORY_H

#include "cudart.h"

typedef struct graph_memory graph_memory;

/* The nodes that a graph has for one allocation. */
typedef struct graph_memory_use {
    graph_memory *memory;
    bool begins, ends;
} graph_memory_use;

/* What a graph has, or an executable graph. Each holds its allocations. */
typedef struct graph_memories {
    graph_memory_use *use;
    size_t count;
} graph_memories;

/* Allocates for a node. */
lab_status cudart_graph_memory_add(graph_memory **out, graph_memories *memories, int device, size_t bytes);

/* Notes a node that frees the allocation at the address. Fails if that is none of a graph, or CUDA forbids the node. */
lab_status cudart_graph_memory_end(graph_memory **out, graph_memories *memories, uint64_t address);

/* Undoes the last of the two above. */
void cudart_graph_memory_undo(graph_memories *memories, graph_memory *memory);

uint64_t cudart_graph_memory_address(const graph_memory *memory);
size_t cudart_graph_memory_bytes(const graph_memory *memory);

/* The executable graph's own list. False if memory ran out. */
bool cudart_graph_memory_copy(graph_memories *copy, const graph_memories *memories);
void cudart_graph_memory_release(graph_memories *memories);

/* Launches. Fails if an allocation is still there from an earlier launch, unless `frees_first`, or if one that is to be
 * freed is not there. */
lab_status cudart_graph_memory_launch(const graph_memories *memories, lab_graph_exec *exec, lab_stream *stream,
                                      bool frees_first);

/* cudaMallocAsync and cudaFreeAsync of a stream that captures; *done is false if it does not. */
lab_status cudart_graph_memory_capture_begin(void **out, size_t bytes, lab_stream *stream, bool *done);
lab_status cudart_graph_memory_capture_end(uint64_t address, lab_stream *stream, bool *done);

/* Takes what the capture that the stream is in has allocated and freed. */
graph_memories cudart_graph_memory_captured(lab_stream *stream);

/* Frees an allocation of a graph outside of graphs, after the stream's work; *done is false if the memory is of no
 * graph. */
lab_status cudart_graph_memory_free(uint64_t address, lab_stream *stream, bool *done);

/* The same after all work of the device. */
lab_status cudart_graph_memory_wait_and_free(uint64_t address, bool *done);

/* The device was reset: its memory is gone. */
void cudart_graph_memory_forget(int device);

#endif
