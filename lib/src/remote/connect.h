/* The connection to the device process, and its channels. */
#ifndef LAB_REMOTE_CONNECT_H
#define LAB_REMOTE_CONNECT_H

#include "remote.h"

/* A new channel, for a thread that the thread of the channel `starter` started; connects at first. NULL, with a
 * message, if there is none. `serve` is what threads run that call the program's host functions; each gets a channel.
 * connect_drop frees a channel. */
remote_channel *connect_open(uint32_t starter, void *(*serve)(void *channel));
void connect_drop(remote_channel *channel);

/* Why the connection ended. */
const char *connect_reason(void);

#endif
