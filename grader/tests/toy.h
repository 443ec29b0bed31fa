/* toy.h: where the grader's tests find the toy lab: make builds it in BUILD/toylab before the tests run. */
#ifndef GRADER_TESTS_TOY_H
#define GRADER_TESTS_TOY_H

#include <stdlib.h>

#define TOY_FOLDER "grader/tests/fixtures/toylab"

/* The folder that make builds in. */
static inline const char *toy_build(void)
{
    const char *build = getenv("BUILD");
    return build && *build ? build : "build";
}

#endif
