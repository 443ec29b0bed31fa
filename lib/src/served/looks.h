/* Looks at a program that is silent, for the thread that serves its socket. served.h has the question. */
#ifndef LAB_SERVED_LOOKS_H
#define LAB_SERVED_LOOKS_H

#include "wire/note.h"

/* A program is at this socket from now on; -1 for none. */
void looks_begin(int socket);

/* The program has answered. */
void looks_take(const wire_note *note);

#endif
