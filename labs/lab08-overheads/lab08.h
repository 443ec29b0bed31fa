/*
 * Lab 08, overheads: what you are given and what you write.
 */
#ifndef LAB08_H
#define LAB08_H

#include "lab08_given.h"

/* If a call fails, a function returns that status at once. You may ignore the status of a call
 * that only releases something. */

/* Task 1. Pays each cost once, in the order of the list in lab08_given.h, each with its lap: makes
 * a context on device 0; loads the source, which is new to the cache of kernels; loads it again
 * under the same name, which finds it there; launches its kernel nothing(void), one block of one
 * thread, and waits until it has run; does that again. Between two laps lies only what belongs to
 * the cost. All is in the new context. What was made is released, after a failure too. */
lab_status lab08_measure(const char *source);

/* Task 1. Your prediction: 1 if a program pays the cost, 0 if not. LAB08_COLD is the first run on a
 * machine, LAB08_WARM the next run, a new process, and LAB08_AGAIN the second call in one process,
 * which has kept context and kernel. */
enum { LAB08_COLD, LAB08_WARM, LAB08_AGAIN, LAB08_RUNS };
extern const int lab08_paid[LAB08_FIRST][LAB08_RUNS];

/* Task 2. The key of a request: the same in every process for requests from which the same code is
 * made, wherever their texts are in memory. If the code may differ, the keys differ. A piece of
 * text that moves from one member to the next makes other code. All 64 bits depend on each text:
 * among a quarter of a million requests no key comes twice. */
uint64_t lab08_key(const lab08_request *request);

/* Task 2. The kernels of this process, in the order in which they were loaded. */
typedef struct lab08_entry {
    uint64_t key, context; /* lab08_key, and lab_context_info.id */
    lab_module *module;
    lab_function kernel;
} lab08_entry;
enum { LAB08_MOST = 32 };
typedef struct lab08_table {
    lab08_entry entry[LAB08_MOST];
    int count; /* of the entries in use; what is in the others means nothing */
} lab08_table;

/* Task 2. Finds the kernel `answer` of the request for the current context. If the table does not
 * have it, it loads it with lab08_load and adds it to the table, which has room. If the table has
 * it, nothing is loaded. A module that is not in the table, because it has no such kernel, does not
 * stay loaded. */
lab_status lab08_get(lab_function *kernel, lab08_table *table, const lab08_request *request);

/* Task 3. A file of the disk: this header, then the code. */
typedef struct lab08_header {
    uint64_t format; /* LAB08_FORMAT; another version of this program may write another format */
    uint64_t key;    /* of the request */
    uint64_t bytes;  /* of the code, with the 0 at its end */
    uint64_t hash;   /* lab08_hash of these bytes */
} lab08_header;
#define LAB08_FORMAT 0x3130386c656e7265u
typedef struct lab08_file {
    lab08_header header;
    char code[LAB08_CODE_BYTES];
} lab08_file;

/* Task 3. Loads the code of a request in the current context. The name of its file is the key. If
 * the file is sound, its code is loaded, and nothing is compiled. Otherwise lab08_compile makes the
 * code, and a sound file replaces what was there. A file is sound if it has the format and the key,
 * ends where its header says, and its code has the hash. Code that does not load is not written. A
 * full disk is no failure. */
lab_status lab08_load(lab_module **module, const lab08_request *request);

#endif
