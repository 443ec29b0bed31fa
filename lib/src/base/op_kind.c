/* The words of a kind of operation: its own and its engine's. */
#include "op_kind.h"

const char *lab_op_kind_name(lab_op_kind kind)
{
    switch (kind) {
#define WORD(name, word, engine, stream_work, host_waits)                                                              \
    case name: return word;
        LAB_OP_TABLE(WORD)
#undef WORD
    case LAB_OP_KINDS: break;
    }
    return "unknown";
}

const char *lab_op_kind_engine(lab_op_kind kind)
{
    switch (kind) {
#define ENGINE(name, word, engine, stream_work, host_waits)                                                            \
    case name: return engine;
        LAB_OP_TABLE(ENGINE)
#undef ENGINE
    case LAB_OP_KINDS: break;
    }
    return "";
}

const char *lab_graph_node_kind_name(lab_graph_node_kind kind)
{
    switch (kind) {
    case LAB_NODE_KERNEL: return "kernel";
    case LAB_NODE_COPY_HTOD: return "copy htod";
    case LAB_NODE_COPY_DTOH: return "copy dtoh";
    case LAB_NODE_COPY_DTOD: return "copy dtod";
    case LAB_NODE_FILL: return "fill";
    case LAB_NODE_HOST_FUNCTION: return "host function";
    }
    return "unknown";
}
