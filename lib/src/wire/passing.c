/* Messages over a socket, with files. */
#include "passing.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

typedef union control {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr aligned;
} control;

bool passing_send(int socket, const void *message, size_t bytes, int file)
{
    control data = {.bytes = {0}};
    struct iovec part = {(void *)message, bytes};
    struct msghdr head = {.msg_iov = &part, .msg_iovlen = 1};
    if (file >= 0) {
        head.msg_control = data.bytes;
        head.msg_controllen = sizeof data.bytes;
        struct cmsghdr *header = CMSG_FIRSTHDR(&head);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof file);
        memcpy(CMSG_DATA(header), &file, sizeof file);
    }
    ssize_t sent;
    do sent = sendmsg(socket, &head, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)bytes;
}

bool passing_receive(void *message, size_t bytes, int *file, int socket)
{
    control data;
    struct iovec part = {message, bytes};
    /* No room for a second file, which sizeof data.bytes would have: the system would give it, and nobody close it. */
    struct msghdr head = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = data.bytes, .msg_controllen = CMSG_LEN(sizeof *file)};
    ssize_t got;
    *file = -1;
    do got = recvmsg(socket, &head, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    const struct cmsghdr *header = got < 0 ? NULL : CMSG_FIRSTHDR(&head);
    if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS &&
        header->cmsg_len == CMSG_LEN(sizeof *file))
        memcpy(file, CMSG_DATA(header), sizeof *file);
    if (got == (ssize_t)bytes && !(head.msg_flags & (MSG_TRUNC | MSG_CTRUNC))) return true;
    if (*file >= 0) close(*file);
    *file = -1;
    return false;
}
