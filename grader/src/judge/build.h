/*
 * build.h: from a student's file to a program: compile, scan the object, link with the lab's parts.
 * It knows the compiler's command line; compiler_messages.h knows its messages, allowed_symbols.h what is allowed,
 * subprocess.h and sandbox.h how it runs.
 */
#ifndef GRADER_JUDGE_BUILD_H
#define GRADER_JUDGE_BUILD_H

#include <stdbool.h>

#include "base/fault.h"
#include "lab_parts.h"
#include "sandbox/sandbox.h"

typedef struct build_outcome {
    bool ok;
    bool refused; /* it builds, but uses or defines something forbidden: not ok, and the messages name it */
    double seconds;
    char *messages; /* for the student: about the student's lines only; warnings too */
    char *log;      /* everything that compiler and linker printed */
    char *program;  /* path of the program, which exists if ok */
} build_outcome;

/* Compiles FOLDER/parts->file and links it to FOLDER/program, both in a sandbox if `box` is not NULL. What the file
 * uses and defines must be allowed (allowed_symbols.h) unless `any_symbol`; its other functions are invisible outside
 * of it. A file that does not compile, takes too long or floods the compiler's output is an outcome that is not ok;
 * false is a fault of the grader. */
bool build_program(build_outcome *out, const lab_parts *parts, const sandbox *box, bool any_symbol, const char *folder,
                   grader_fault *fault);

void build_free(build_outcome *outcome);

#endif
