/* Reads LLVM IR as text: lines, names, types. Every part of it is a span of the module's text. */
#ifndef LAB_CPU_IR_TEXT_H
#define LAB_CPU_IR_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* A text that its owner frees. */
typedef struct cpu_text {
    char *data; /* with a zero byte after size bytes */
    size_t size;
} cpu_text;

/* A part of a text that something else owns. No span has a zero byte at its end. */
typedef struct span {
    const char *start;
    size_t length;
} span;

static inline span span_of(const char *text) { return (span){text, strlen(text)}; }

static inline const char *span_end(span s) { return s.start + s.length; }

bool span_starts_with(span s, const char *prefix);
bool span_is(span s, const char *text);
bool span_equal(span a, span b);

/* Whether the span is the first text followed by the second. */
bool span_is_joined(span s, const char *first, span second);

/* Negative, 0 or positive. Orders spans by length, then by content. */
int span_compare(span a, span b);

/* Whether the span equals one of the texts, a list that ends with NULL. */
bool span_is_one_of(span s, const char *const *texts);

/* The first occurrence of `text` in the span that does not begin in quotes, or NULL. The span begins outside of them.
 * What a kernel prints stands in quotes, and may look like anything. */
const char *span_find(span s, const char *text);

/* The line at `at`, with its newline; length 0 at the end of the text. */
span ir_line(const char *at);

/* The next name after `sigil` (@ or %) in [at, end), without the sigil and quotes; *after is the end of it. Length 0 if
 * there is no further name. Skips text in quotes, unless it is such a name. */
span ir_next_name(char sigil, const char *at, const char *end, const char **after);

/* Whether the name needs no quotes. */
bool ir_is_plain_name(span name);

/* The number of bytes that a name or string stands for: \C3 is one byte, and so is \\. */
size_t ir_decoded_length(span text);

/* Whether the module's pointers have types, "float*", as up to LLVM 14. Looks at the functions' parameters. */
bool ir_has_typed_pointers(const char *ir);

/* The type or operand at `at`, up to one of the characters `stops` or a closing bracket. */
span ir_item(const char *at, const char *stops);

/* Whether this is a variable of the built-ins: lab_thread, which C++ names _ZL10lab_thread. */
bool ir_is_own_name(span name);

/* The end of a managed variable's name in a CUDA program's code (retarget/retarget.h), and a name without it. */
#define IR_MANAGED ".managed"
span ir_without_managed(span name);

/* The section of a variable of __constant__, up to a number. The first pass over the front end's code removes it. */
#define IR_CONSTANT_SECTION ", section \"lab.constant"

#endif
