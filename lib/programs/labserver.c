/*
 * labserver: the device process of a program that uses liblab-remote.
 *
 *   labserver SOCKET [--untrusted]
 *
 * SOCKET is the number of an inherited socket (SOCK_SEQPACKET). If it listens, programs are served one after another,
 * each at a connection of its own; else the program at its other end is served, and then labserver ends.
 */
#include "served/served.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The program is gone: a record is still saved, but nothing waits for a kernel that never ends. */
enum { MOST_SECONDS_TO_END = 60 };

static int serve(int socket, bool trusted)
{
    const char *fault = served_run(socket, trusted);
    if (fault) fprintf(stderr, "labserver: %s\n", fault);
    close(socket);
    return fault != NULL;
}

int main(int arguments, char **argument)
{
    bool trusted = arguments == 2;
    if (arguments < 2 || (!trusted && strcmp(argument[2], "--untrusted") != 0)) {
        fprintf(stderr, "usage: %s SOCKET [--untrusted]\n", argument[0]);
        return 2;
    }
    int socket = atoi(argument[1]), listens = 0;
    setvbuf(stdout, NULL, _IOLBF, 0); /* what kernels print appears when it does in one process */
    socklen_t size = sizeof listens;
    signal(SIGPIPE, SIG_IGN);
    if (getsockopt(socket, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 || !listens) {
        int status = serve(socket, trusted);
        alarm(MOST_SECONDS_TO_END);
        return status;
    }
    for (int program; (program = accept4(socket, NULL, NULL, SOCK_CLOEXEC)) >= 0;) {
        serve(program, trusted);
        served_release();
    }
    return 0;
}
