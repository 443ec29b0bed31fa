/*
 * Where an operation's waits take effect: the arrows of a drawing, one for each entry of waits_for. Independent of how
 * arrows look.
 */
#ifndef LAB_TRACE_DRAWING_ARROWS_H
#define LAB_TRACE_DRAWING_ARROWS_H

#include "trace/trace.h"

typedef struct lab_arrows lab_arrows;

/* From the end of the awaited operation, on its stream, to the end of the wait. */
typedef struct lab_arrow {
    size_t source, target; /* indices of operations */
    bool to_host;          /* points to the target's call on its host thread, not to its place on its stream */
    int64_t from_ns, to_ns;
} lab_arrow;

/* Borrows the record, which must not change meanwhile. */
lab_status lab_arrows_create(lab_arrows **out, const lab_trace *trace);
void lab_arrows_free(lab_arrows *arrows);

/* The arrow for entry number `wait` of an operation's waits_for. False if one of its ends never ran. */
bool lab_arrows_get(const lab_arrows *arrows, size_t op, int wait, lab_arrow *out);

#endif
