/*
 * The form of an operation's fields in a record's file: one table, used to write and to read, so that what is written
 * can be read. Checks names, types and ranges of single fields; load.c checks the relations between fields.
 */
#ifndef LAB_TRACE_FIELDS_H
#define LAB_TRACE_FIELDS_H

#include "trace/trace.h"

#include <jansson.h>

/* Says what is wrong with a value: "is a text; it must be an integer". */
typedef struct lab_field_fault {
    char text[256];
} lab_field_fault;

/* Adds the operation's fields to a JSON object, except fields that have their usual values. False if there is no
 * memory. */
bool lab_fields_write(json_t *object, const lab_trace_op *op);

/* Reads one field into op; its text and lists are interned in the trace. LAB_ERROR_INVALID_VALUE and a text in `fault`
 * if there is no such field or it cannot have this value. */
lab_status lab_fields_read(lab_trace *trace, lab_trace_op *op, const char *field, const json_t *value,
                           lab_field_fault *fault);

/* An operation with the usual values in all fields. */
lab_trace_op lab_fields_usual(void);

/* The first required field that this object lacks; NULL if it has them all. */
const char *lab_fields_missing(const json_t *object);

/* A 64-bit number: a JSON integer if every JSON reader holds it exactly, else hexadecimal text. */
json_t *lab_fields_number(uint64_t value);
bool lab_fields_to_number(const json_t *value, uint64_t *out);

#endif
