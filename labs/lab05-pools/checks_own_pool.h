/* Scripts of calls for the pools that the student writes, and their judge. */
#ifndef LAB05_CHECKS_OWN_POOL_H
#define LAB05_CHECKS_OWN_POOL_H

#include "check.h"
#include "shared.h"

enum { UNIT = LAB05_UNIT, CAPACITY = 64 * UNIT }; /* CAPACITY: the pieces of memory of most scripts */

static inline size_t rounded(size_t bytes) { return (bytes + UNIT - 1) / UNIT * UNIT; }

/* A script of allocations and frees, and the pools after each call. */
typedef struct script {
    check_program *program;
    lab05_call call[LAB05_SCRIPT];
    lab05_pool after[LAB05_SCRIPT];
    lab05_script given;
} script;

/* What is wrong with a call, judged by what the student's own pool held before: one mistake is found once. */
typedef enum mistake { NO_MISTAKE, WRONG_STATUS, WRONG_MEMORY, WRONG_LIST, NOT_BEST, NOT_JOINED } mistake;

/* An empty script for pools of so many bytes, owned by the check. Each of the next two adds a call and returns its
 * number: an allocation from the first pool; the free of an earlier call's block. */
script *new_script(size_t capacity);
int add_alloc(script *list, size_t bytes);
int add_free(script *list, int which);

/* Runs the script on the student's pools and takes back the results of the calls, and nothing else. */
script *play(script *list);

/* Scripts that have been played: random calls of every kind for all pools; calls that fill a list, with blocks that
 * are released and taken again; more than there is, frees of what is not in use, and a block that is freed twice. */
script *improvise(void);
script *fill_list(void);
script *ask_for_errors(void);

/* Fails the check if a call of the script has one of these mistakes, a set of bits such as 1U << WRONG_LIST. */
void check_script(const script *list, unsigned mistakes);

/* Fails the check unless this call of the script, an allocation, got the memory so far behind the pool's beginning. */
void check_gets(const script *list, int call, size_t offset, const char *message, const char *which);

#endif
