/*
 * sandbox_choice.h: decides from the command line whether a grading runs in a sandbox.
 *
 * A grading without a sandbox is refused unless the command line states explicitly that the files are trusted.
 */
#ifndef GRADER_SANDBOX_SANDBOX_CHOICE_H
#define GRADER_SANDBOX_SANDBOX_CHOICE_H

#include <stdbool.h>

#include "sandbox.h"

/* The word that must follow --no-sandbox and --sandbox-if-possible. */
#define SANDBOX_CHOICE_WORDS "i-trust-these-files"

/* The word that must follow --container-sandbox. */
#define SANDBOX_CHOICE_CONTAINER "this-container-is-thrown-away"

typedef struct sandbox_choice {
    const char *none;        /* the word after --no-sandbox; NULL if not given */
    const char *if_possible; /* the word after --sandbox-if-possible; NULL if not given */
    const char *container;   /* the word after --container-sandbox; NULL if not given */
} sandbox_choice;

/* Opens the sandbox. *use is then `box`, or NULL if none is to be used; `box->description` says which in either case.
 * `box` is closed with sandbox_close. The fault says what to do. */
bool sandbox_choose(const sandbox **use, sandbox *box, const sandbox_choice *choice, const sandbox_options *options,
                    grader_fault *fault);

/* Opens the sandbox for a student's own file. The fault says what to do in the words of make labNN. */
bool sandbox_choose_own(sandbox *box, const sandbox_options *options, grader_fault *fault);

#endif
