/* Tries to open a connection.
 * Beats a naive harness by: network.  Verdict: wrong result. */
#include "toylab.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>

lab_status toy_run(float *out, const float *in, int count)
{
    (void)out, (void)in, (void)count;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(9), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int connection = socket(AF_INET, SOCK_DGRAM, 0);
    if (connect(connection, (struct sockaddr *)&address, sizeof address) == 0 && send(connection, "x", 1, 0) == 1)
        puts("sent");
    return LAB_SUCCESS;
}

lab_status toy_sum(float *sum, const float *in, int count)
{
    (void)sum, (void)in, (void)count;
    return LAB_SUCCESS;
}
