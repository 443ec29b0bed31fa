/*
 * Stands in for labkernels and lies: runs no kernel, and answers each launch as its first argument says (lies.h). What
 * any code in labkernels could do to the device process, it could do by these answers.
 */
#include "lies.h"

#include "kernels/kernels.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static apart_head *head;
static atomic_bool never;

static void say(wire_channel *channel, int64_t status, const char *message)
{
    apart_result *result = (apart_result *)(void *)channel->reply.bytes;
    result->status = status;
    snprintf(result->message, sizeof result->message, "%s", message);
}

/* Fills everything that both processes share, but for who has the turn. */
static void fill_all(wire_channel *own)
{
    for (uint32_t i = 0; i < head->claims; i++) memset(&apart_claims(head)[i], 0xa5, sizeof(apart_claim));
    memset(&own->request, 0xa5, sizeof own->request + sizeof own->reply);
    memset((void *)(uintptr_t)head->address[1], 0xa5, 1 << 20);
    say(own, LAB_SUCCESS, "");
    memset(head, 0xa5, sizeof *head);
}

/* Asks about memory that cannot be. */
static void ask(wire_channel *channel, uint64_t i)
{
    const apart_question question = {.address = i * UINT64_C(0x9e3779b97f4a7c15), .bytes = ~i, .when = i << 32};
    memcpy(channel->reply.bytes, &question, sizeof question);
    channel->reply.kind = WIRE_QUESTION;
    wire_pass(channel, WIRE_DEVICE);
    wire_await(channel, WIRE_DEVICE, &never);
    channel->reply.kind = WIRE_REPLY;
}

/* Says something about the kernel in a text that fills the message and goes on behind it. */
static void say_endlessly(wire_channel *channel, lab_status status)
{
    say(channel, status, "kernel 'told': ");
    memset(channel->reply.bytes + offsetof(apart_result, message) + strlen("kernel 'told': "), 'A', 100 * 1024);
}

static void lie(wire_channel *channel)
{
    apart_run run;
    int kind;
    memcpy(&run, channel->request.bytes, sizeof run);
    memcpy(&kind, channel->request.bytes + sizeof run, sizeof kind);
    apart_claim *claim = run.claim == APART_NO_CLAIM ? NULL : &apart_claims(head)[run.claim];
    say(channel, LAB_SUCCESS, "");
    switch (kind) {
    case LIE_DONE:
        if (claim) atomic_store(&claim->next, run.count);
        break;
    case LIE_TOO_MANY_BLOCKS:
        if (claim) atomic_store(&claim->next, UINT64_MAX);
        break;
    case LIE_UNKNOWN_STATUS: say(channel, 12345, "kernel 'told': a status that does not exist"); break;
    case LIE_HUGE_STATUS: say(channel, INT64_MIN, "kernel 'told': a status that does not exist"); break;
    case LIE_FOREIGN_STATUS: say(channel, LAB_ERROR_NOT_READY, "kernel 'told': not ready"); break;
    case LIE_ENDLESS_TEXT: say_endlessly(channel, LAB_ERROR_ASSERT); break;
    case LIE_OTHER_NAME: say(channel, LAB_ERROR_ASSERT, "kernel 'other': it was not me"); break;
    case LIE_CONTROLS: say(channel, LAB_ERROR_ASSERT, "kernel 'told': \033[2J\n\xff gone"); break;
    case LIE_RACE: say(channel, LAB_ERROR_NOT_ORDERED, "kernel 'told': a race"); break;
    case LIE_ENDLESS_RACE: say_endlessly(channel, LAB_ERROR_NOT_ORDERED); break;
    case LIE_QUESTIONS:
        for (uint64_t i = 0; i < 1000; i++) ask(channel, i);
        say(channel, LAB_SUCCESS, "");
        break;
    case LIE_ENDLESS_QUESTIONS:
        for (uint64_t i = 0;; i++) ask(channel, i);
    case LIE_FILL: fill_all(channel); break;
    case LIE_NO_TURN: atomic_store(&channel->turn, 77); _exit(5);
    case LIE_EXIT: _exit(3);
    case LIE_SIGNAL:
        signal(SIGSEGV, SIG_DFL);
        raise(SIGSEGV);
        break;
    }
}

static void *lie_always(void *user)
{
    wire_channel *channel = user;
    for (;;) {
        wire_await(channel, WIRE_DEVICE, &never);
        lie(channel);
        wire_pass(channel, WIRE_DEVICE);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    head = kernels_map_all();
    if (!head) return 3;
    wire_channel *channel = apart_channels(head);
    const uint32_t threads = head->threads;
    for (uint32_t i = 1; i <= threads; i++)
        if (pthread_create(&thread, NULL, lie_always, &channel[i]) != 0) return 4;
    for (;;) {
        say(channel, LAB_SUCCESS, "");
        wire_pass(channel, WIRE_DEVICE);
        wire_await(channel, WIRE_DEVICE, &never);
    }
}
