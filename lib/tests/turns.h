/* Which tests take turns by the day: of the suites that lib/tools/turns.txt lists, one of a few tests runs, where the
 * environment's TEST_TURN says which: "2/7" for every seventh test, from the second on. TEST_TURN_OF_OTHERS says the
 * same of the other suites, where tests run once more with a sanitizer or in another order. */
#ifndef LAB_TURNS_H
#define LAB_TURNS_H

#include <stdbool.h>

/* Whether the next test of this suite runs today. Asked once for each test, in the order of the program. */
bool test_has_its_turn(const char *suite);

/* Prints how many had not, if any; run-tests.sh adds the numbers up. */
void test_tell_turns(void);

#endif
