/*
 * sandbox_choice.h: whether a grading runs in a sandbox: what the command line says of it, and what is told the person.
 *
 * A grading without a sandbox is refused unless the person writes, in so many words, that the files are trusted. It
 * knows options and sentences; sandbox.h knows how it is done.
 */
#ifndef GRADER_SANDBOX_SANDBOX_CHOICE_H
#define GRADER_SANDBOX_SANDBOX_CHOICE_H

#include <stdbool.h>

#include "sandbox.h"

/* What must be written after --no-sandbox and --sandbox-if-possible. */
#define SANDBOX_CHOICE_WORDS "i-trust-these-files"

typedef struct sandbox_choice {
    const char *none;        /* the word after --no-sandbox; NULL if not given */
    const char *if_possible; /* the word after --sandbox-if-possible; NULL if not given */
} sandbox_choice;

/* Opens the sandbox. *use is then `box`, or NULL where none is to be used: `box->description` says so in either case
 * and is freed with sandbox_close. The fault says what to do. */
bool sandbox_choose(const sandbox **use, sandbox *box, const sandbox_choice *choice, const sandbox_options *options,
                    grader_fault *fault);

#endif
