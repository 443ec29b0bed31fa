/*
 * The parameters of a generated kernel as the program writes them: "T x, raw float32 table", and how a kernel's author
 * may name things. Knows no arguments.
 */
#ifndef LAB_SEAM_SIGNATURE_H
#define LAB_SEAM_SIGNATURE_H

#include "dtype.h"
#include "base/status.h"

enum { MOST_PARAMETERS = 16, NAME_BYTES = 64 };

typedef struct parameter {
    char name[NAME_BYTES];
    lab_dtype dtype; /* 0 if the type is a letter */
    char letter;
    bool raw;
    bool output;
} parameter;

typedef struct signature {
    const char *kind;        /* "elementwise": what messages call the kernel, */
    char kernel[NAME_BYTES]; /* with its name: a C identifier */
    bool reduces;            /* all elements to one: each output has a single element */
    int count;
    parameter parameter[MOST_PARAMETERS]; /* inputs first */
} signature;

/* Reads the lists of a kernel's inputs and outputs, whose kind, name and purpose are set. There must be an output. */
lab_status signature_parse(signature *into, const char *inputs, const char *outputs);

/* Takes a kernel's name; fails if it cannot be one. */
lab_status signature_set_name(signature *into, const char *kernel);

/* Whether a parameter has this name. */
bool signature_names(const signature *in, const char *name);

#endif
