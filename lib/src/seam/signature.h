/*
 * The parameters of a generated kernel as the program writes them: "T x, raw float32 table"; and the names that a
 * kernel's author may choose. Independent of arguments.
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
    const char *kind;        /* "elementwise": messages call the kernel by its kind and name */
    char kernel[NAME_BYTES]; /* its name: a C identifier */
    bool reduces;            /* all elements to one: each output has a single element */
    int count;
    parameter parameter[MOST_PARAMETERS]; /* inputs first */
} signature;

/* Reads the lists of inputs and outputs; kind, name and `reduces` are already set. At least one output is needed. */
lab_status signature_parse(signature *sig, const char *inputs, const char *outputs);

/* Sets the kernel's name; fails if it is not a valid name. */
lab_status signature_set_name(signature *sig, const char *kernel);

/* Whether a parameter has this name. */
bool signature_names(const signature *sig, const char *name);

#endif
