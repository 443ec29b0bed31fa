/* Tries to stand between the library and the device process: it meets the device before main, keeps the file of the
 * window, and passes every note on with changes: who started a thread, and whether all threads wait.
 * The harness does not see the thread. Gains all descriptors, and calls that the library knows nothing of. */
#include "parts/wire.h"

#include <dlfcn.h>

static int real, ours;

static ssize_t pass_on(int to, int from)
{
    static char data[4096];
    union {
        char bytes[CMSG_SPACE(8 * sizeof(int))];
        struct cmsghdr aligned;
    } control;
    struct iovec part = {data, sizeof data};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    const ssize_t got = recvmsg(from, &message, 0);
    if (got <= 0) return got;
    part.iov_len = (size_t)got;
    message.msg_flags = 0;
    w_note *note = (w_note *)data;
    if (to == real && note->kind == W_OPEN) note->number += 1000;                 /* another starter */
    if (to == real && note->kind == W_LOOKED) note->bytes = 1, note->address = 0; /* all its threads wait */
    return sendmsg(to, &message, MSG_NOSIGNAL);
}

static void *stand_between(void *user)
{
    struct pollfd files[] = {{.fd = real, .events = POLLIN}, {.fd = ours, .events = POLLIN}};
    while (poll(files, 2, -1) > 0) {
        if (files[0].revents && pass_on(ours, real) <= 0) break;
        if (files[1].revents && pass_on(real, ours) <= 0) break;
    }
    return user;
}

__attribute__((constructor)) static void step_in(void)
{
    int pair[2];
    char number[16];
    pthread_t thread;
    __typeof__(pthread_create) *unseen = (__typeof__(pthread_create) *)dlsym(RTLD_DEFAULT, "pthread_create");
    real = w_socket();
    if (real < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair)) return;
    ours = pair[0];
    snprintf(number, sizeof number, "%d", pair[1]);
    setenv("LAB_DEVICE_SOCKET", number, 1);
    unseen(&thread, NULL, stand_between, NULL);
}

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    return LAB_SUCCESS;
}
