/* Requests and questions of one thread: copies, checks, executes, replies. */
#include "served.h"

#include "base/call_site.h"
#include "base/status.h"
#include "intern.h"
#include "order/order.h"

#include <stdlib.h>

enum { MOST_DEPTH = 32, SMALL = 2048 };

bool served_may_call(wire *in, bool only_trusted)
{
    if (!in->fault && in->at != in->end) wire_fail(in, "the message is longer than the call");
    if (!in->fault && only_trusted && !served_trusted) wire_fail(in, "the call is for the check alone");
    return !in->fault;
}

/* Reads where the program calls. */
static call_site get_place(wire *in, const char **file)
{
    call_site site = {"", 0, 0};
    wire_get(in, &site.line, sizeof site.line);
    wire_get(in, &site.caller, sizeof site.caller);
    if (!wire_get_bool(in)) *file = intern_file(wire_get_text(in));
    if (*file) site.file = *file;
    return site;
}

/* Appends the message of the thread's last failure, if the program has not been told. */
static void put_failure(wire *out)
{
    static _Thread_local uint64_t told;
    const status_failure last = status_last_failure();
    const lab_status status = last.count == told ? LAB_SUCCESS : last.status;
    told = last.count;
    wire_put(out, &status, sizeof status);
    if (status != LAB_SUCCESS) wire_put(out, lab_error_message(), strlen(lab_error_message()) + 1);
}

const char *served_execute(const wire_message *request, wire_message *reply, const char **file)
{
    if (request->number >= served_call_count) return "there is no such call";
    wire in = {.bytes = (unsigned char *)request->bytes, .end = request->length};
    wire out = {.bytes = reply->bytes, .end = WIRE_BYTES};
    call_site_begin(get_place(&in, file));
    served_calls[request->number].serve(&in, &out);
    lab_here_ends(LAB_SUCCESS);
    wire_release(&in);
    if (in.fault) return in.fault;
    put_failure(&out);
    reply->kind = WIRE_REPLY;
    reply->number = request->number;
    reply->length = out.at;
    return NULL;
}

/* Executes the request in the channel and passes the turn back. False if the connection ends. */
static bool serve_request(served_channel *channel, uint64_t length)
{
    _Alignas(16) unsigned char small[offsetof(wire_message, bytes) + SMALL];
    wire_message *copy = length <= SMALL ? (wire_message *)small : malloc(sizeof *copy);
    const char *fault = copy ? NULL : "no memory for a message";
    if (copy) {
        copy->number = channel->shared->request.number;
        copy->length = length;
        memcpy(copy->bytes, channel->shared->request.bytes, length);
        fault = served_execute(copy, &channel->shared->reply, &channel->file);
        if (fault) served_refuse(fault, copy->number < served_call_count ? served_calls[copy->number].name : NULL);
    } else {
        served_refuse(fault, NULL);
    }
    if (copy != (wire_message *)small) free(copy);
    if (fault) return false;
    atomic_store_explicit(&channel->starter_mark, order_starter_mark(), memory_order_relaxed);
    if (wire_pass(channel->shared, WIRE_DEVICE)) return true;
    served_refuse("a message came while another was being served", NULL);
    return false;
}

/* Waits for a message that is not a call. Returns its kind, 0 if the connection ends. */
static uint32_t await_other(served_channel *channel)
{
    while (wire_await(channel->shared, WIRE_DEVICE, &served_ended)) {
        const uint32_t kind = *(volatile uint32_t *)&channel->shared->request.kind;
        const uint64_t length = *(volatile uint64_t *)&channel->shared->request.length;
        if (kind != WIRE_CALL) return kind;
        if (length > WIRE_BYTES || channel->depth >= MOST_DEPTH) {
            served_refuse(length > WIRE_BYTES ? "the message has an impossible length" : "too many calls in calls",
                          NULL);
            return 0;
        }
        if (!serve_request(channel, length)) return 0;
    }
    return 0;
}

void served_converse(served_channel *channel)
{
    uint32_t kind = await_other(channel);
    if (kind && kind != WIRE_END) served_refuse("an answer came without a question", NULL);
}

/* Reads the answer in the channel. */
static bool get_answer(wire_told *told, const served_channel *channel, const served_question *question)
{
    const unsigned char *bytes = channel->shared->request.bytes;
    memcpy(told, bytes, sizeof *told);
    if (told->status && question->got) memcpy(question->got, bytes + sizeof *told, question->got_bytes);
    return true;
}

bool served_ask(wire_told *told, const served_question *question)
{
    served_channel *channel = served_channel_mine();
    *told = (wire_told){0};
    if (!channel || atomic_load(&served_ended)) return false;
    wire_message *reply = &channel->shared->reply;
    reply->kind = WIRE_QUESTION;
    reply->number = question->question;
    reply->length = sizeof question->ask + question->sent_bytes;
    memcpy(reply->bytes, &question->ask, sizeof question->ask);
    if (question->sent) memcpy(reply->bytes + sizeof question->ask, question->sent, question->sent_bytes);
    if (!wire_pass(channel->shared, WIRE_DEVICE)) {
        served_refuse("a message came while another was being served", NULL);
        return false;
    }
    channel->depth++;
    uint32_t kind = await_other(channel);
    channel->depth--;
    if (kind == WIRE_ANSWER) return get_answer(told, channel, question);
    if (kind) served_refuse("a question was not answered", NULL);
    return false;
}

lab_status served_give(const void *bytes, size_t count)
{
    enum { PART = WIRE_BYTES - sizeof(wire_ask) };
    wire_told told;
    for (size_t at = 0; at < count; at += PART) {
        size_t part = count - at < PART ? count - at : PART;
        const served_question take = {WIRE_TAKE, {.bytes = part}, (const char *)bytes + at, part, NULL, 0};
        if (!served_ask(&told, &take) || !told.status)
            return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "the program has no memory for the result");
    }
    return LAB_SUCCESS;
}
