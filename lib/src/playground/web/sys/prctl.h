/* A thread's timer slack, which tells the order checker who has started it: there is one thread. */
#ifndef LAB_PLAYGROUND_PRCTL_H
#define LAB_PLAYGROUND_PRCTL_H

enum { PR_SET_TIMERSLACK = 29, PR_GET_TIMERSLACK = 30 };

static inline int prctl(int option, ...)
{
    (void)option;
    return -1;
}

#endif
