/*
 * Writes LLVM IR as text. A template is IR in which each $ stands for the next piece:
 *
 *     ir_emit(e, "  $ = load $, $ $\n", as_local("t", 3), as_text(type), as_pointer(type), as_local("a", 7));
 *
 * A piece may have any length: none passes through a buffer of fixed size. Only the emitter distinguishes modules whose
 * pointers have types from those with one type of pointer.
 */
#ifndef LAB_CPU_IR_EMIT_H
#define LAB_CPU_IR_EMIT_H

#include "text.h"

#include <stdio.h>

typedef struct ir_emitter {
    FILE *out;
    bool typed_pointers; /* "float*" rather than "ptr" */
} ir_emitter;

typedef enum ir_form { IR_TEXT, IR_NUMBER, IR_LOCAL, IR_SYMBOL, IR_POINTER, IR_SIZE, IR_ADDRESS } ir_form;

typedef struct ir_piece {
    ir_form form;
    span text, name;
    const char *prefix; /* the beginning of a name */
    long long number;
    int second; /* the 5 of %p3.5, or -1 */
} ir_piece;

static inline ir_piece as_text(span text) { return (ir_piece){.form = IR_TEXT, .text = text}; }

static inline ir_piece as_string(const char *text) { return as_text(span_of(text)); }

static inline ir_piece as_number(long long number) { return (ir_piece){.form = IR_NUMBER, .number = number}; }

/* A value: %t3. */
static inline ir_piece as_local(const char *prefix, int number)
{
    return (ir_piece){.form = IR_LOCAL, .prefix = prefix, .number = number, .second = -1};
}

/* A value with two numbers: %p3.5. */
static inline ir_piece as_local_pair(const char *prefix, int number, int second)
{
    return (ir_piece){.form = IR_LOCAL, .prefix = prefix, .number = number, .second = second};
}

/* A variable or function of the module, by its name in two parts without the @. Writes quotes where the name needs
 * them. */
static inline ir_piece as_symbol(const char *prefix, span name)
{
    return (ir_piece){.form = IR_SYMBOL, .prefix = prefix, .name = name};
}

/* The type of a pointer to this type: "float*", "ptr". */
static inline ir_piece as_pointer(span type) { return (ir_piece){.form = IR_POINTER, .text = type}; }

/* The size of the type as a constant expression of type i64, without that type. */
static inline ir_piece as_size(span type) { return (ir_piece){.form = IR_SIZE, .text = type}; }

/* The address of a symbol of this type as a pointer to bytes: "i8* bitcast (float* @x to i8*)". */
static inline ir_piece as_address(span type, const char *prefix, span name)
{
    return (ir_piece){.form = IR_ADDRESS, .text = type, .prefix = prefix, .name = name};
}

/* Takes at least one piece; the template must have as many $ as there are pieces. */
#define ir_emit(emitter, template, ...)                                                                                \
    ir_emit_pieces(emitter, template, (const ir_piece[]){__VA_ARGS__},                                                 \
                   sizeof((const ir_piece[]){__VA_ARGS__}) / sizeof(ir_piece))
void ir_emit_pieces(const ir_emitter *e, const char *template, const ir_piece *piece, size_t count);

static inline void ir_emit_span(FILE *out, span text)
{
    if (text.length) fwrite(text.start, 1, text.length, out);
}

/* Closes a stream from open_memstream. False, with *text empty, when memory ran out. */
bool ir_emit_end(FILE *file, cpu_text *text);

#endif
