/* Messages of a fixed size over a socket (SOCK_SEQPACKET), each with a file or none. */
#ifndef LAB_WIRE_PASSING_H
#define LAB_WIRE_PASSING_H

#include <stdbool.h>
#include <stddef.h>

/* Sends a message, with a file unless it is -1. False if the other side has ended. */
bool passing_send(int socket, const void *message, size_t bytes, int file);

/* Waits for a message. *file is the caller's, -1 if none came. False if the other side has ended or sent anything
 * else. */
bool passing_receive(void *message, size_t bytes, int *file, int socket);

#endif
