/* Memory that belongs to a graph: it keeps its address, and work may use it between two nodes or launches alone. Makes
 * the order checker, the ledger and the record see when that is. Independent of who owns the memory and of what may be
 * freed when. */
#ifndef LAB_OBJECTS_WORK_GRAPH_MEMORY_H
#define LAB_OBJECTS_WORK_GRAPH_MEMORY_H

#include "objects/contexts/stream.h"

/* The number of the capture that the stream is in; 0 if it is in none, or is no stream. */
uint64_t graph_memory_capture(lab_stream *stream);

/* Allocates memory of the current context that is not there for any work yet, also while streams capture. */
lab_status graph_memory_make(uint64_t *address, size_t bytes, const char *call);

/* Frees the memory, also while streams capture. */
lab_status graph_memory_drop(uint64_t address);

/* From now on the memory is there for later work of the stream, with bytes that nothing has written. */
lab_status graph_memory_begin(uint64_t address, size_t bytes, lab_stream *stream);

/* After the earlier work of the stream the memory is not there any more. */
lab_status graph_memory_end(uint64_t address, size_t bytes, lab_stream *stream);

/* Adds to the capture that the stream is in the node that begins or ends the memory: no work, but a place that all uses
 * of the memory must be ordered with. lab_graph_node has its name. */
lab_status graph_memory_add_node(lab_stream *stream, uint64_t address, size_t bytes, bool ends);
#define GRAPH_MEMORY_BEGINS "memory alloc"
#define GRAPH_MEMORY_ENDS "memory free"

#endif
