/*
 * sandbox.h: what a stranger's code may see and use while it is built and while it runs.
 *
 * bubblewrap gives it namespaces of its own (users, processes, network, System V memory, host name, control groups): no
 * network, no other process, no file but the system's programs and libraries (read-only), a small /tmp of its own, and
 * what the job names. A control group limits memory and processes where one can be made; otherwise each process has a
 * limit of its own, which the description says. With a CUDA device the driver's device files are passed through.
 * It knows bubblewrap's command line and nothing of labs, compilers or verdicts.
 */
#ifndef GRADER_SANDBOX_SANDBOX_H
#define GRADER_SANDBOX_SANDBOX_H

#include <stdbool.h>
#include <stdint.h>

#include "control_group.h"
#include "base/fault.h"
#include "base/subprocess.h"

/* ---- the machine's ------------------------------------------------------------------------------------------------ */

typedef struct sandbox_options {
    bool cuda;                 /* let programs use the CUDA devices */
    const char *const *hidden; /* folders that stay hidden even where they lie in the system's; ends with NULL */
    uint64_t memory_bytes;     /* of one job's programs together; 0: sandbox_default_memory */
    const char *root;          /* where device files are looked for, for tests; NULL for the machine's own */
} sandbox_options;

typedef struct sandbox {
    char *bwrap;
    char **common; /* the words that every sandbox's command line begins with; ends with NULL */
    control_group_places groups;
    uint64_t memory_bytes;
    uint64_t
        room_bytes; /* of a job's files while it is built, and again while it runs; 0 where nothing can bound them */
    bool cuda;
    bool no_data_limit; /* a GPU's driver does not run with one (sandbox_cuda.h) */
    bool sized;         /* this bubblewrap can limit the size of /tmp */
    char *description;
} sandbox;

/* Half the machine's memory, at most 4 GiB (8 with CUDA). */
uint64_t sandbox_default_memory(bool cuda);

/* Finds out what this machine can do and tries it with a program. The fault says what is missing. */
bool sandbox_open(sandbox *out, const sandbox_options *options, grader_fault *fault);
void sandbox_close(sandbox *box);

/* Writes the description anew, after a change of the sandbox. */
bool sandbox_describe(sandbox *box, grader_fault *fault);

/* ---- one job's ---------------------------------------------------------------------------------------------------- */

/* The paths, absolute, that a job's programs see as they are outside; each list ends with NULL, or is NULL. In `write`
 * the word SANDBOX_FOLDER stands for the folder that sandbox_cell_load names. */
typedef struct sandbox_view {
    const char *const *read;
    const char *const *write;
    bool no_proc; /* /proc is empty: nothing tells one run from another */
} sandbox_view;
#define SANDBOX_FOLDER "@folder@"

/* What programs are started with. */
typedef struct sandbox_cell {
    char **wrapper;
    char *groups[CONTROL_GROUP_FOLDERS + 1]; /* folders of control groups; ends with NULL */
    uint64_t data_limit;                     /* of each process, where no group limits the memory; 0 otherwise */
    control_group group;                     /* as made here; empty if loaded */
} sandbox_cell;

/* Makes the control group and the command line. */
bool sandbox_cell_open(sandbox_cell *out, const sandbox *box, const sandbox_view *view, grader_fault *fault);

/* The same cell for another process: writes all that is needed to use it into a file, and reads it there. */
bool sandbox_cell_save(const sandbox_cell *cell, const char *path, grader_fault *fault);
bool sandbox_cell_load(sandbox_cell *out, const char *path, const char *folder, grader_fault *fault);

/* Lets a program that is started with these options run in the cell, which must outlive the start. */
void sandbox_cell_apply(const sandbox_cell *cell, subprocess_options *options);

/* How often the kernel killed one of the cell's processes because their memory was used up. */
unsigned sandbox_cell_memory_kills(const sandbox_cell *cell);

/* Frees it; the group is removed by who made it. Accepts {0}. */
void sandbox_cell_close(sandbox_cell *cell);

#endif
