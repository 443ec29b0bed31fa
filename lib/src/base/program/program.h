/*
 * The program's functions and settings: the only way in which the library calls the one and reads the other while the
 * program runs. The program is this process unless program_use names another way to it.
 */
#ifndef LAB_BASE_PROGRAM_H
#define LAB_BASE_PROGRAM_H

#include "lab.h"

typedef struct program_access {
    /* Call a host function or a callback of the program and wait for its return, or for the program's end. */
    void (*host_function)(void (*function)(void *user), void *user);
    void (*callback)(void (*callback)(lab_stream *stream, lab_status status, void *user), lab_stream *stream,
                     lab_status status, void *user);
    /* Whether all threads of the program waited when it was last looked at, each for another, and the processor time
     * that it had used by then. Asks for another look, without waiting for it. */
    bool (*all_wait)(int64_t *computed_ns);
    /* The value of a variable of the program's environment, cut to fit; false if it has none. */
    bool (*setting)(char *out, size_t bytes, const char *name);
    /* Whether the program may launch cooperatively. It says so when it connects. */
    bool (*launches_cooperatively)(void);
} program_access;

/* Uses this way from now on. To be called before the library's first call; `access` stays the caller's. */
void program_use(const program_access *access);

void program_call_host_function(void (*function)(void *user), void *user);
void program_call_callback(void (*callback)(lab_stream *stream, lab_status status, void *user), lab_stream *stream,
                           lab_status status, void *user);
bool program_setting(char *out, size_t bytes, const char *name);

/* Whether there may be cooperative launches, for which the device keeps threads ready. */
bool program_launches_cooperatively(void);

/* As all_wait; false and 0 if the program has not said. */
bool program_all_wait(int64_t *computed_ns);

#endif
