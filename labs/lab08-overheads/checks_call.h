/* Requests of lab 08, the calls that answer them, the files of the disk, and keys: what its checks share. */
#ifndef LAB08_CHECKS_CALL_H
#define LAB08_CHECKS_CALL_H

#include "check.h"
#include "lab08.h"
#include "plan.h"
#include "shared.h"

/* A request, and what its kernel writes: a number from each part. */
enum { FROM_SOURCE, FROM_HEADER, FROM_FACTOR, FROM_SHIFT, FROM_ARCHITECTURE, FROM_COMPILER };
typedef struct wanted {
    lab08_texts request;
    int number[LAB08_NUMBERS];
} wanted;

/* A request with these numbers; with numbers of five digits, new in each check; with another number in one part. */
wanted wanted_make(const int number[LAB08_NUMBERS]);
wanted wanted_new(void);
wanted wanted_change(const wanted *from, int part);

/* One call of lab08_get or lab08_load, and what the record shows of it. */
typedef struct call {
    check_program *program;
    const char *function;
    const lab_trace *trace;
    check_span span;
    lab08_memory *after;      /* the shared memory */
    const lab_trace_op *load; /* the last; NULL without one */
    const char *module;       /* what it loaded */
} call;

call call_make(check_program *program, const char *function, const wanted *request, lab08_arguments arguments);

/* Fails the check unless the kernel of the call is that of the request; unless it loaded so many modules; and a call of
 * which both is asked. */
void call_check_answer(const call *now, const wanted *request);
void call_check_loads(const call *now, int loads, const char *why);
call call_answered(check_program *program, const char *function, const wanted *request, lab08_arguments arguments,
                   int loads, const char *why);

/* The last load of the call, or else the loop over the table. */
check_place call_place(const call *now);

/* Fails the check unless the call has returned this status. */
void call_check_status(const call *now, lab_status status, const char *message, const char *at, const char *cause);

/* Fails the check unless the last of the table's entries, number `place`, is that of the call's kernel. */
void call_check_entry(const call *now, int place, uint64_t key);

/* Ways in which a file is not sound, and a file that is damaged so: whoever trusts it all the same runs a kernel with
 * another number from the source. */
enum { CUT, CUT_HEADER, CUT_ZEROS, DIGIT, LONGER, FORMAT, OLDER, OTHER_KEY, ENDLESS, DAMAGES };
extern const char *const disk_damage[DAMAGES]; /* "was cut in the middle of its code" */
lab08_stored disk_damaged(const lab08_stored *from, int how, int number);

/* The only file of the disk; NULL without one. Fails the check if there are more; the second, unless there is one, and
 * it is sound and has this key. */
const lab08_stored *disk_only_file(const call *now);
const lab08_stored *disk_check_sound(const call *now, uint64_t key);

/* Puts a file onto the program's disk, in place of all others. */
void disk_give(check_program *program, const lab08_stored *file);

/* The key of a request, which the next call has too. All its texts are elsewhere then. */
uint64_t key_find(check_program *program, const lab08_texts *request);

/* Fails the check if two requests with different code have one key, or one request has two. */
void key_check_all(check_program *program);

#endif
