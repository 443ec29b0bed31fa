/*
 * build.h: from a student's file to a program: compile, link with the lab's parts.
 * It knows the compiler's command line; messages.h knows what it says, subprocess.h how it is run.
 */
#ifndef GRADER_BUILD_H
#define GRADER_BUILD_H

#include <stdbool.h>

#include "fault.h"
#include "kit.h"
#include "sandbox.h"

typedef struct build_outcome {
    bool ok;
    double seconds;
    char *messages; /* for the student: about the student's lines only; warnings too */
    char *log;      /* everything that compiler and linker said */
    char *program;  /* path of the program, which is there if ok */
} build_outcome;

/* Compiles FOLDER/kit->file and links it to FOLDER/program, both in a sandbox if `box` is not NULL. A file that does not compile, takes too long or floods
 * the compiler's output is an outcome that is not ok; false is a fault of the grader. */
bool build_program(build_outcome *out, const grading_kit *kit, const sandbox *box, const char *folder,
                   grader_fault *fault);

void build_free(build_outcome *outcome);

#endif
