/*
 * build.h: from a student's file to a program: compile, hide the file's own names, link with the lab's parts.
 * It knows the command lines of compiler, objcopy and linker; compiler_messages.h knows their messages, subprocess.h
 * and sandbox.h how they run.
 */
#ifndef GRADER_JUDGE_BUILD_H
#define GRADER_JUDGE_BUILD_H

#include <stdbool.h>

#include "base/fault.h"
#include "lab_parts.h"
#include "sandbox/sandbox.h"

typedef struct build_outcome {
    bool ok;
    double seconds;
    char *messages; /* for the student: about the student's lines only; warnings too */
    char *log;      /* everything that compiler and linker printed */
    char *program;  /* path of the program, which exists if ok */
    /* Path of a second program, in which the student's file is compiled with the address and undefined sanitizers, for
     * checks that do not measure times; NULL if it is not ok, or the machine has no sanitizers: `messages` says so. */
    char *sanitized;
} build_outcome;

/* The folder, below that of the program, with a file for each of parts->tables that is a constant of plain numbers. */
#define BUILD_TABLES "tables"

/* Below the same folder, where they are wanted: the student's file and the starter as the compiler's preprocessor
 * leaves them. The program is compiled from that text, so it has no other code than what is counted. */
#define BUILD_TEXT "submission.i"
#define BUILD_STARTER_TEXT "starter.i"
enum { BUILD_TEXT_BYTES = 2 << 20 };

/* What is built besides FOLDER/program. */
typedef struct build_wants {
    bool sanitized; /* FOLDER/sanitized, for checks that do not measure times */
    bool texts;     /* BUILD_TEXT and BUILD_STARTER_TEXT, in a lab with checks that count lines */
} build_wants;

/* Compiles FOLDER/parts->file and links it to FOLDER/program, in a sandbox if `box` is not NULL. Only the names of
 * parts->contract are visible outside of the file. A file that does not compile, uses what parts->forbidden names,
 * takes too long or floods the compiler's output is an outcome that is not ok; false is a fault of the grader. */
bool build_program(build_outcome *out, const lab_parts *parts, const sandbox *box, const char *folder,
                   build_wants wants, grader_fault *fault);

/* Reads FOLDER/parts->file as the compiler's preprocessor leaves it; the caller frees *text, which is NULL for a file
 * that cannot be preprocessed or has more than BUILD_TEXT_BYTES without its macros. False is a fault of the grader. */
bool build_text(char **text, size_t *length, const lab_parts *parts, const sandbox *box, const char *folder,
                grader_fault *fault);

/* Finds the starter's text for all files that are built from then on, in a lab with checks that count lines
 * (lab_parts.given_text); without this each build finds it. */
bool build_know_starter(lab_parts *parts, grader_fault *fault);

void build_free(build_outcome *outcome);

#endif
