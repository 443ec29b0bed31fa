/*
 * sandbox.h: what untrusted code may see and use while it is built and while it runs.
 *
 * bubblewrap gives the code namespaces of its own (users, processes, network, System V memory, host name, control
 * groups), a keyring of its own and a filter of system calls: no network and no other process. The only files are the
 * system's programs and libraries (read-only), a small private /tmp, and the paths that the job names. A control group
 * limits memory and processes where one can be made; otherwise each process has its own limit, and the description says
 * so. With a CUDA device the driver's device files are passed through.
 *
 * Where bubblewrap cannot work, in a container that is thrown away, sandbox_users.h keeps programs apart by users.
 */
#ifndef GRADER_SANDBOX_SANDBOX_H
#define GRADER_SANDBOX_SANDBOX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/subprocess.h"
#include "control_group.h"
#include "container/spare_user.h"

/* ---- the machine's sandbox
 * ---------------------------------------------------------------------------------------- */

typedef struct sandbox_options {
    bool cuda;                 /* let programs use the CUDA devices */
    const char *const *hidden; /* folders that stay hidden even inside the system's folders; ends with NULL */
    uint64_t memory_bytes;     /* for all programs of one job together; 0: sandbox_default_memory */
    const char *root;          /* for tests: where to look for device files; NULL for the machine's own */
} sandbox_options;

typedef struct sandbox {
    char *bwrap;   /* NULL where each cell has a user instead */
    char **closed; /* the folders that those users do not see, with real paths; ends with NULL; NULL with bubblewrap */
    char *why;     /* why it is not bubblewrap */
    char **common; /* the words that every cell's options begin with; ends with NULL */
    char **gpu;    /* the words that make the GPU visible, likewise; empty without one */
    char *filter;  /* of system calls, as bubblewrap takes it (system_calls.h) */
    size_t filter_bytes;
    control_group_places groups;
    uint64_t memory_bytes;
    uint64_t
        room_bytes; /* for a job's files while it is built, and again while it runs; 0 where nothing can bound them */
    bool cuda;
    bool no_data_limit;    /* the GPU's driver does not run under a data limit (sandbox_cuda.h) */
    bool can_size_folders; /* this bubblewrap can limit the size of /tmp */
    char *description;
} sandbox;

/* Half the machine's memory, at most 4 GiB (8 with CUDA). */
uint64_t sandbox_default_memory(bool cuda);

/* Finds out what this machine supports and tries it with a program. The fault says what is missing. */
bool sandbox_open(sandbox *out, const sandbox_options *options, grader_fault *fault);
void sandbox_close(sandbox *box);

/* Finds out how memory, processes and files can be limited. */
bool sandbox_bound(sandbox *box, grader_fault *fault);

/* Updates the description after a change of the sandbox. */
bool sandbox_describe(sandbox *box, grader_fault *fault);

/* ---- the cell of one job
 * ------------------------------------------------------------------------------------------ */

/* The absolute paths that a job's programs see as they are outside. Each list ends with NULL, or is NULL. In `write`
 * the word SANDBOX_FOLDER stands for the folder that sandbox_cell_load names. */
typedef struct sandbox_view {
    const char *const *read;
    const char *const *write;
    bool no_proc; /* /proc is empty */
    bool device;  /* the GPU is visible, if the sandbox has one */
    bool links;   /* a linker's: what it reads may be more than any other cell is to see */
} sandbox_view;
#define SANDBOX_FOLDER "@folder@"

enum { SANDBOX_PROCESSES = 1024 }; /* of a job */

/* The wrapper and the limits that a job's programs are started with. A program in the sandbox can read its wrapper's
 * command line, so bubblewrap gets its options, which name the job's folders, by a file. */
typedef struct sandbox_cell {
    char **wrapper; /* bubblewrap; NULL without it */
    char **options; /* bubblewrap's; with a user, the folders that are closed */
    char **given;   /* folders that were made the user's; NULL in a loaded cell */
    spare_user spare;
    subprocess_user user; /* whom its programs become; 0 with bubblewrap */
    char *filter;         /* NULL where there is no sandbox */
    size_t filter_bytes;
    int file[2];                             /* what bubblewrap reads: its options and the filter */
    char *groups[CONTROL_GROUP_FOLDERS + 1]; /* folders of control groups; ends with NULL */
    uint64_t data_limit;                     /* of each process, where no group limits the memory; 0 otherwise */
    control_group group;                     /* made by sandbox_cell_open; empty in a loaded cell */
} sandbox_cell;

/* Makes the control group and the command line. */
bool sandbox_cell_open(sandbox_cell *out, const sandbox *box, const sandbox_view *view, grader_fault *fault);

/* Passes the cell to another process: one saves it to a file, the other loads it. `folder` replaces SANDBOX_FOLDER. */
bool sandbox_cell_save(const sandbox_cell *cell, const char *path, grader_fault *fault);
bool sandbox_cell_load(sandbox_cell *out, const char *path, const char *folder, grader_fault *fault);

/* Makes a program that is started with these options run in the cell, which must outlive the start. An empty cell
 * changes nothing. */
void sandbox_cell_apply(const sandbox_cell *cell, subprocess_options *options);

/* How often the kernel killed one of the cell's processes because the memory was used up. */
unsigned sandbox_cell_memory_kills(const sandbox_cell *cell);

/* Frees the cell. Only the process that opened it removes the group. Accepts {0}. */
void sandbox_cell_close(sandbox_cell *cell);

#endif
