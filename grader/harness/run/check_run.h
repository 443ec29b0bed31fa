/* check_run.h: one check, from its first line to its evidence. */
#ifndef GRADER_HARNESS_RUN_CHECK_RUN_H
#define GRADER_HARNESS_RUN_CHECK_RUN_H

#include "check_state.h"

/* Runs a check and writes its evidence; whether it passed. `message` gets what the check found, or an empty text. */
enum { CHECK_MESSAGE = 512 };
bool check_run(const check_definition *definition, char message[CHECK_MESSAGE]);

#endif
