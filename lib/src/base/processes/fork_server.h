/*
 * A program that is loaded once for several runs. A library, preloaded into it, stops it before its main function, and
 * forks it for each run, which begins there: what the loader and the constructors of a large program do is done once.
 * (The fuzzer AFL starts programs so, and gave it the name.)
 */
#ifndef LAB_BASE_PROCESSES_FORK_SERVER_H
#define LAB_BASE_PROCESSES_FORK_SERVER_H

#include <stdbool.h>
#include <sys/types.h>

typedef struct fork_server {
    pid_t program;  /* a child of this process */
    int connection; /* to the library in it; -1 if it was not started */
} fork_server;

#define FORK_SERVER_NONE ((fork_server){-1, -1})

static inline bool fork_server_runs(const fork_server *server) { return server->connection >= 0; }

/* Loads the program, which is a path, with this environment. False if it cannot be, or does not load the library, as a
 * program that is linked statically. */
bool fork_server_start(fork_server *server, const char *program, const char *const *environment);

/* Runs a copy, with the arguments behind the program's name, an environment of its own, and these descriptors as 0, 1
 * and 2. Until fork_server_wait it keeps its number, also if it has ended, and no other may be run. Returns its number;
 * -1 where it cannot be made. */
pid_t fork_server_run(const fork_server *server, const char *const *arguments, const char *const *environment,
                      const int descriptors[3]);

/* Waits until the copy has ended. Returns its status as waitpid gives it, or that of a killed program if the server was
 * lost. */
int fork_server_wait(const fork_server *server);

/* Ends it, if it was started. After it the times of all its copies are those of children of this process. */
void fork_server_stop(fork_server *server);

#endif
