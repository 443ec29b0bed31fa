/* Requests of lab 08, the calls that answer them, the files of the disk, and keys: what its checks share. */
#ifndef LAB08_CHECKS_CALL_H
#define LAB08_CHECKS_CALL_H

#include "check.h"
#include "lab08.h"
#include "plan.h"
#include "shared.h"

/* ---- requests and their answers ---- */

/* A request, and what its kernel writes. */
typedef struct wanted {
    lab08_texts request;
    int number[LAB08_NUMBERS];
} wanted;

enum { FROM_SOURCE, FROM_HEADER, FROM_FACTOR, FROM_SHIFT, FROM_ARCHITECTURE, FROM_COMPILER };

/* One call of lab08_get or lab08_load, and what the record shows of it. */
typedef struct call {
    const char *function;
    const lab_trace *trace;
    check_span span;
    lab08_memory *after; /* the shared memory */
    int loads;
    const lab_trace_op *load; /* the last; NULL without one */
    const char *module;       /* what it loaded */
} call;

/* Writes the request with these numbers in its parts. */
wanted wanted_make(const int number[LAB08_NUMBERS]);

/* Numbers of five digits, new in every check. */
wanted wanted_new(void);

/* The same with another number in one of its parts. */
wanted wanted_change(const wanted *from, int part);

call call_make(check_program *program, const char *function, const wanted *request, lab08_arguments arguments);

/* The last load of the call, or else the loop over the table. */
check_place call_place(const call *now);

/* Fails the check unless the kernel of the call is that of the request. */
void call_check_answer(check_program *program, const call *now, const wanted *request);

/* Fails the check unless the call loaded so many modules. */
void call_check_loads(const call *now, int loads, const char *why);

/* ---- files of the disk ---- */

/* Ways in which a file is not sound. */
enum { CUT, CUT_HEADER, CUT_ZEROS, DIGIT, LONGER, FORMAT, OLDER, OTHER_KEY, ENDLESS, DAMAGES };
extern const char *const disk_damage[DAMAGES]; /* "was cut in the middle of its code" */

/* The only file of the disk; NULL without one. Fails the check if there are more. */
const lab08_stored *disk_only_file(const call *now);

/* Fails the check unless the disk has one sound file under this key, with the code that was loaded. */
const lab08_stored *disk_check_sound(const call *now, uint64_t key);

/* Puts a file onto the program's disk, in place of all others. */
void disk_give(check_program *program, const lab08_stored *file);

/* Fails the check if the whole file was not read. */
void disk_check_read(const call *now, uint64_t key, const lab08_stored *file);

/* Damages a file. Whoever trusts it all the same runs a kernel with another number from the source. */
lab08_stored disk_damaged(const lab08_stored *from, int how, int number);

/* ---- keys ---- */

/* The key of a request. */
uint64_t key_find(check_program *program, const lab08_texts *request);

/* The same, where the key of the request is the same in the next call. All its texts are elsewhere then. */
uint64_t key_find_same(check_program *program, const lab08_texts *request);

/* Fails the check if a letter, put between the texts of a request, hides where one ends: a text may have any letter. */
void key_check_separators(check_program *program);

/* Fails the check if the key lacks a byte of a long text: at its end, or anywhere. */
void key_check_places(check_program *program);

/* Fails the check if two of many requests have one key. Of 2^18 random numbers of 32 bits some eight pairs are equal,
 * and none in 3000 series; of 64 bits a pair in half a billion series. */
void key_check_many(check_program *program, lab08_part part);

#endif
