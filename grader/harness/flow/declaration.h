/* Declarations of kernels, as check_kernel has them, and the arguments of launches, as a record has them. */
#ifndef GRADER_HARNESS_FLOW_DECLARATION_H
#define GRADER_HARNESS_FLOW_DECLARATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DECLARATION_PARAMETERS = 16, DECLARATION_NAME = 64 };

typedef enum declared_type { DECLARED_SIGNED, DECLARED_UNSIGNED, DECLARED_FLOATING } declared_type;

typedef struct declared_parameter {
    char name[DECLARATION_NAME];
    declared_type type; /* of the value, or of an array's elements */
    size_t size;
    bool array;  /* a pointer, with `counter` or `count` elements */
    int counter; /* the parameter that holds the number of elements; -1 for `count` */
    uint64_t count;
    bool counts; /* it is some array's counter */
} declared_parameter;

typedef struct declaration {
    char name[DECLARATION_NAME];
    bool any_grid; /* it writes all elements whatever its grid */
    int parameters;
    declared_parameter parameter[DECLARATION_PARAMETERS];
} declaration;

/* Says what is wrong in `fault` if the text is no such declaration. */
bool declaration_read(declaration *out, const char *text, const char **fault);

/* The arguments of a launch: addresses of arrays, and values. */
typedef struct launch_arguments {
    uint64_t address[DECLARATION_PARAMETERS];
    double value[DECLARATION_PARAMETERS];
} launch_arguments;

/* Reads lab_trace_op.arguments. False if they are not of this declaration. */
bool launch_arguments_read(launch_arguments *out, const declaration *kernel, const char *text);

/* The bytes of an array that the kernel may use. Large numbers give UINT64_MAX. */
uint64_t launch_arguments_bytes(const launch_arguments *arguments, const declaration *kernel, int parameter);

/* The number of elements of the array. */
double launch_arguments_count(const launch_arguments *arguments, const declaration *kernel, int parameter);

#endif
