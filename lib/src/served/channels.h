/* The channels of the connection, for the thread that serves its socket. */
#ifndef LAB_SERVED_CHANNELS_H
#define LAB_SERVED_CHANNELS_H

#include "served.h"
#include "wire/note.h"

/* Threads know the channels of their starters by the remainders of the channels' numbers. */
enum { CHANNEL_NUMBERS = 1000 };

/* Begins a connection. */
void channels_begin(int socket, bool trusted);

/* Ends the connection: all who wait for the program continue without it. Call it until all have, since a program may
 * write to its channels for as long as it runs. Returns why the connection was ended; NULL if the program ended it. */
const char *channels_end(void);

/* A channel for a thread of the program, as the first member of a struct of that size; NULL if there is none.
 * The program is told. */
served_channel *channels_open(uint32_t starter, size_t bytes);
void channels_drop(served_channel *channel);

/* A channel whose thread says that it ends, else NULL, and the number of threads that serve the program. */
served_channel *channels_find_ended(int *running);

/* The calling thread's channel. */
extern _Thread_local served_channel *channels_own;

#endif
