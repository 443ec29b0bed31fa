/* Tries to use up the descriptors of the check, and to hold it up when it closes them.
 * Gains a fault of the grader. */
#include "parts/protocol.h"

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    static p_message message;
    p_find_call(&message);
    message.kind = P_STUCK;
    for (int i = 0; i < 2000; i++) {
        int files[100];
        union {
            char bytes[CMSG_SPACE(sizeof files)];
            struct cmsghdr aligned;
        } control = {.bytes = {0}};
        for (int k = 0; k < 100; k++) files[k] = 3;
        struct iovec part = {&message, sizeof message};
        struct msghdr sent = {
            .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
        struct cmsghdr *header = CMSG_FIRSTHDR(&sent);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof files);
        memcpy(CMSG_DATA(header), files, sizeof files);
        if (sendmsg(3, &sent, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) break;
    }
    return LAB_SUCCESS;
}
