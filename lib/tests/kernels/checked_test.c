/* How often a thread that runs checked kernels asks the device process which memory there is. */
#include "test.h"

#include "kernels/checked.h"
#include "seam/ledger.h"

#include <pthread.h>
#include <string.h>

enum { FIRST = 0x10000, BYTES = 4096, WHEN = 3 };

static wire_channel *channel;
static _Atomic uint64_t version;
static bool is_freed;
static unsigned wrong; /* answers */

/* Asks for `times` elements of each of `arrays` arrays in turn, as kernels do that write them. */
static void *ask(void *user)
{
    const unsigned *asked = user;
    checked_ask_on(channel);
    for (unsigned i = 0; i < asked[0]; i++) {
        for (unsigned array = 0; array < asked[1]; array++) {
            const uint64_t address = FIRST + array * BYTES;
            ledger_entry entry;
            const bool is_usable = ledger_find(&entry, address + 4 * i, 4, WHEN) == LEDGER_USABLE;
            wrong += !is_usable || entry.address != address || strcmp(entry.made.file, "made.c") != 0 ||
                     entry.died != (is_freed ? 7 : UINT64_MAX);
        }
        if (asked[2] == i) {
            is_freed = true;
            atomic_fetch_add(&version, 1);
        }
    }
    channel->reply.kind = WIRE_REPLY;
    wire_pass(channel, WIRE_DEVICE);
    return NULL;
}

/* The number of questions that come until the thread is done. */
static unsigned count_questions(unsigned times, unsigned arrays, unsigned freed_after)
{
    unsigned questions = 0, asked[] = {times, arrays, freed_after};
    static atomic_bool never;
    pthread_t thread;
    channel = wire_channel_map(wire_channel_create());
    cr_assert_not_null(channel);
    ledger_version_keep_at(&version);
    atomic_store(&channel->turn, WIRE_DEVICE);
    cr_assert_eq(pthread_create(&thread, NULL, ask, asked), 0);
    while (wire_await(channel, WIRE_PROGRAM, &never) && channel->reply.kind == WIRE_QUESTION) {
        apart_question *question = (apart_question *)(void *)channel->reply.bytes;
        cr_assert_eq(question->when, WHEN);
        question->answer = LEDGER_USABLE;
        question->found_address = question->address / BYTES * BYTES;
        question->found_bytes = BYTES;
        question->died = is_freed ? 7 : UINT64_MAX;
        strcpy(question->file[0], "made.c");
        questions++;
        wire_pass(channel, WIRE_PROGRAM);
    }
    cr_assert_eq(pthread_join(thread, NULL), 0);
    wire_channel_unmap(channel);
    cr_assert_eq(wrong, 0);
    return questions;
}

Test(checked, an_array_is_asked_for_once_however_many_elements_a_kernel_writes)
{
    cr_assert_eq(count_questions(1000, 3, UINT32_MAX), 3);
}

Test(checked, what_was_freed_since_is_asked_for_again) { cr_assert_eq(count_questions(1000, 3, 499), 6); }

Test(checked, a_kernel_of_many_arrays_asks_more_often_and_is_answered_right)
{
    cr_assert_eq(count_questions(10, 100, UINT32_MAX), 1000);
}
