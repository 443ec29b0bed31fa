/*
 * How the library builds a record: it is created empty, and streams and operations are appended in the order of the
 * calls. All text in it is clean (plain_text.h) and may be printed anywhere. One thread at a time.
 */
#ifndef LAB_TRACE_TRACE_H
#define LAB_TRACE_TRACE_H

#include "lab_trace.h"

/* The bounds of a record, also of one read from an untrusted file. */
enum {
    LAB_TRACE_TEXT_BYTES = 1024, /* a name or path with its terminating zero; longer text is cut */
    LAB_TRACE_OPS = 1 << 20,     /* operations in a file that is read */
    LAB_TRACE_FINDINGS = 1000,
    LAB_TRACE_DEVICES = 1000,       /* device numbers are below this */
    LAB_TRACE_THREADS = 1 << 16,    /* thread numbers are at most this */
    LAB_TRACE_LIST_LENGTH = 1 << 16 /* accesses or waits of one operation */
};
#define LAB_TRACE_TIME_NS ((int64_t)1 << 53) /* about 104 days; also what a JSON number holds exactly */

/* Creates an empty record, to be freed with lab_trace_free. */
lab_status lab_trace_create(lab_trace **out);

/* Sets the device that was recorded. */
void lab_trace_set_device(lab_trace *trace, const char *name, const char *kind, int multiprocessors);

/* Appends a stream; fails if the record already has it. */
lab_status lab_trace_append_stream(lab_trace *trace, const lab_trace_stream *stream);

/* The index of the stream with this id in trace->stream; trace->streams if there is none. */
size_t lab_trace_find_stream(const lab_trace *trace, uint64_t id);

/* Appends a copy of the operation, its text and its lists; its id becomes its place, counted from 1. May move
 * trace->op. */
lab_status lab_trace_append(lab_trace *trace, const lab_trace_op *op);

/* Appends a copy of the finding and its texts. The operations that it names need not exist yet. Fails after
 * LAB_TRACE_FINDINGS findings. */
lab_status lab_trace_append_finding(lab_trace *trace, const lab_trace_finding *finding);

/* Makes a clean copy of the text that lives as long as the record. Equal texts are kept once, except for rare hash
 * collisions. */
lab_status lab_trace_intern(lab_trace *trace, const char **out, const char *text);

/* Copies of lists that live as long as the record. An empty list is NULL. */
lab_status lab_trace_copy_accesses(lab_trace *trace, const lab_trace_access **out, const lab_trace_access *access,
                                   int count);
lab_status lab_trace_copy_waits(lab_trace *trace, const uint64_t **out, const uint64_t *waits, int count);

/* Whether the device has run the operation to its end. */
static inline bool lab_trace_ran(const lab_trace_op *op) { return op->start_ns >= 0 && op->end_ns >= op->start_ns; }

/* Reads a record from memory, as lab_trace_load does from a file; messages call it `name`. */
lab_status lab_trace_load_bytes(lab_trace **out, const char *bytes, size_t size, const char *name);

#endif
