/* Tries to hold up the device process when it closes a descriptor that it was sent: a connection with unsent data that
 * lingers for an hour. Gains a check that waits for an hour. */
#include "parts/wire.h"

#include <netinet/in.h>

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    const int listening = socket(AF_INET, SOCK_STREAM, 0), one = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    static char data[1 << 22];
    const struct linger hour = {1, 3600};
    if (bind(listening, (struct sockaddr *)&address, size) || listen(listening, 1) ||
        getsockname(listening, (struct sockaddr *)&address, &size) || connect(one, (struct sockaddr *)&address, size))
        return LAB_SUCCESS;
    while (send(one, data, sizeof data, MSG_DONTWAIT | MSG_NOSIGNAL) > 0) continue;
    setsockopt(one, SOL_SOCKET, SO_LINGER, &hour, sizeof hour);
    const w_note note = {.kind = W_OPEN};
    union {
        char bytes[CMSG_SPACE(sizeof one)];
        struct cmsghdr aligned;
    } control = {.bytes = {0}};
    struct iovec part = {(void *)&note, sizeof note};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof one);
    memcpy(CMSG_DATA(header), &one, sizeof one);
    sendmsg(w_socket(), &message, MSG_NOSIGNAL);
    close(one);
    usleep(100000);
    return LAB_SUCCESS;
}
