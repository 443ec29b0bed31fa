/* Reading LLVM IR as text: lines, names, types. */
#ifndef LAB_CPU_IR_IR_TEXT_H
#define LAB_CPU_IR_IR_TEXT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct span {
    const char *start;
    size_t length;
} span;

bool span_starts_with(span s, const char *prefix);
bool span_is(span s, const char *text);
bool span_equal(span a, span b);

/* The first place of `text` in the span, or NULL. */
const char *span_find(span s, const char *text);

/* The line at `at`, with its newline; length 0 at the end of the text. */
span ir_line(const char *at);

/* The next name after `sigil` (@ or %) in [at, end), without it, and *after behind it; length 0 if there is none.
 * What stands in quotes is skipped, unless the sigil stands before it. */
span ir_next_name(char sigil, const char *at, const char *end, const char **after);

/* Whether the module's pointers have types, "float*", as up to LLVM 14; every module has a pointer to bytes. */
bool ir_has_typed_pointers(const char *ir);

/* A type or operand at `at`: up to the comma, space or bracket that ends it. */
span ir_item(const char *at, const char *stops);

/* Whether a variable is the built-ins': lab_thread, which C++ names _ZL10lab_thread. */
bool ir_is_own_name(span name);

#endif
