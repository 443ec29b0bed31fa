/* Notes over a socket, with files. */
#include "note.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

typedef union control {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr aligned;
} control;

bool wire_send_note(int socket, const wire_note *note, int file)
{
    control data = {.bytes = {0}};
    struct iovec part = {(void *)note, sizeof *note};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (file >= 0) {
        message.msg_control = data.bytes;
        message.msg_controllen = sizeof data.bytes;
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof file);
        memcpy(CMSG_DATA(header), &file, sizeof file);
    }
    ssize_t sent;
    do sent = sendmsg(socket, &message, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)sizeof *note;
}

bool wire_receive_note(wire_note *note, int *file, int socket)
{
    control data;
    struct iovec part = {note, sizeof *note};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = data.bytes, .msg_controllen = sizeof data.bytes};
    ssize_t got;
    *file = -1;
    do got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    const struct cmsghdr *header = got < 0 ? NULL : CMSG_FIRSTHDR(&message);
    if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS &&
        header->cmsg_len == CMSG_LEN(sizeof *file))
        memcpy(file, CMSG_DATA(header), sizeof *file);
    note->text[sizeof note->text - 1] = '\0';
    if (got == (ssize_t)sizeof *note && !(message.msg_flags & (MSG_TRUNC | MSG_CTRUNC))) return true;
    if (*file >= 0) close(*file);
    *file = -1;
    return false;
}
