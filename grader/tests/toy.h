/* toy.h: the toy lab's folders. make builds the toy lab in BUILD/toylab before the grader's tests run. */
#ifndef GRADER_TESTS_TOY_H
#define GRADER_TESTS_TOY_H

#include <stdlib.h>

#define TOY_FOLDER "grader/tests/fixtures/toylab"

/* The folder in which make builds. */
static inline const char *toy_build(void)
{
    const char *build = getenv("BUILD");
    return build && *build ? build : "build";
}

#endif
