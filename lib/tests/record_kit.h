/* What tests of records share: ending one, looking for its operations, and things to record. */
#ifndef LAB_TESTS_RECORD_KIT_H
#define LAB_TESTS_RECORD_KIT_H

#include "lab_trace.h"
#include "test.h"

static inline lab_trace *end(void)
{
    lab_trace *trace;
    LAB_CHECK(lab_trace_end(&trace));
    return trace;
}

/* The n-th operation of the kind, counted from 0. */
static inline const lab_trace_op *find(const lab_trace *trace, lab_op_kind kind, int n)
{
    for (size_t i = 0; i < trace->ops; i++)
        if (trace->op[i].kind == kind && n-- == 0) return &trace->op[i];
    cr_fail("the record has no %s number %d", lab_op_kind_name(kind), n);
    return NULL;
}

static inline size_t count(const lab_trace *trace, lab_op_kind kind)
{
    size_t found = 0;
    for (size_t i = 0; i < trace->ops; i++) found += trace->op[i].kind == kind;
    return found;
}

static inline bool waits_for(const lab_trace_op *op, const lab_trace_op *first)
{
    for (int i = 0; i < op->waits; i++)
        if (op->waits_for[i] == first->id) return true;
    return false;
}

static inline lab_stream *make_stream(unsigned flags)
{
    lab_stream *stream;
    LAB_CHECK(lab_stream_create(&stream, flags));
    return stream;
}

static inline lab_deviceptr allocate(size_t bytes)
{
    lab_deviceptr memory;
    LAB_CHECK(lab_mem_alloc(&memory, bytes));
    return memory;
}

static inline uint64_t id_of(lab_stream *stream)
{
    uint64_t id;
    LAB_CHECK(lab_stream_get_id(&id, stream));
    return id;
}

#endif
