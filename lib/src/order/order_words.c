/* Findings in words: what happened, and the missing edge. */
#include "base/op_kind.h"
#include "order_state.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct words {
    char text[1600];
    size_t used;
} words;

static void say(words *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(words *to, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(to->text + to->used, sizeof to->text - to->used, format, arguments);
    va_end(arguments);
    if (length > 0) to->used += (size_t)length;
    if (to->used >= sizeof to->text) to->used = sizeof to->text - 1;
}

static const char *base_name(const char *file)
{
    const char *slash = strrchr(file, '/');
    return slash ? slash + 1 : file;
}

/* "kernel scale (lab02.c:40)" */
static void say_place(words *to, const lab_order_side *side)
{
    if (side->graph) say(to, "graph node ");
    say(to, "%s", lab_op_kind_name(side->kind));
    if (*side->name) say(to, " %s", side->name);
    if (*side->file)
        say(to, " (%s:%d)", base_name(side->file), side->line);
    else
        say(to, " (operation %llu)", (unsigned long long)side->number);
}

/* ", operation 7, on stream 5, thread 1" */
static void say_whose(words *to, const lab_order_side *side)
{
    say(to, " [operation %llu", (unsigned long long)side->number);
    if (side->stream) say(to, ", stream %llu", (unsigned long long)side->stream);
    say(to, ", host thread %llu]", (unsigned long long)side->thread);
}

static void say_bytes(words *to, const lab_order_finding *of)
{
    if (!of->allocation_bytes) {
        say(to, "%llu bytes of %s memory at 0x%llx", (unsigned long long)of->bytes, of->host ? "host" : "device",
            (unsigned long long)of->address);
        return;
    }
    say(to, "bytes %llu to %llu of the %llu bytes of %s memory", (unsigned long long)of->offset,
        (unsigned long long)(of->offset + of->bytes - 1), (unsigned long long)of->allocation_bytes,
        of->host ? "host" : "device");
    if (*of->allocation_file) say(to, " made at %s:%d", base_name(of->allocation_file), of->allocation_line);
}

static const char *does(const lab_order_side *side) { return side->writes ? "writes" : "reads"; }

static bool is_host_access(lab_op_kind kind) { return kind == LAB_OP_HOST_READ || kind == LAB_OP_HOST_WRITE; }

static void say_wait_for_event(words *edge, const lab_order_finding *of)
{
    say(edge, "record an event on stream %llu after ", (unsigned long long)of->first.stream);
    say_place(edge, &of->first);
    say(edge, ", and let stream %llu wait for it before ", (unsigned long long)of->second.stream);
    say_place(edge, &of->second);
}

static void say_race(words *text, words *edge, const lab_order_finding *of, bool one_launch)
{
    const lab_order_side *first = &of->first, *second = &of->second;
    say_place(text, second);
    say_whose(text, second);
    say(text, " %s ", does(second));
    say_bytes(text, of);
    say(text, ", which ");
    say_place(text, first);
    say_whose(text, first);
    say(text, " %s, and nothing orders the two", does(first));
    if (one_launch) {
        say(edge, "while the graph is captured, record an event after ");
        say_place(edge, first);
        say(edge, " and let the stream of ");
        say_place(edge, second);
        say(edge, " wait for it before that call");
        return;
    }
    if (is_host_access(second->kind)) {
        say(edge, "after ");
        say_place(edge, first);
        say(edge,
            " wait for stream %llu, with lab_stream_synchronize or for an event recorded there, before the host "
            "%s the memory at %s:%d",
            (unsigned long long)first->stream, does(second), base_name(second->file), second->line);
        return;
    }
    say_wait_for_event(edge, of);
}

static void say_use_before_allocation(words *text, words *edge, const lab_order_finding *of)
{
    say_place(text, &of->second);
    say_whose(text, &of->second);
    say(text, " %s ", does(&of->second));
    say_bytes(text, of);
    say(text, ", which ");
    say_place(text, &of->first);
    say_whose(text, &of->first);
    say(text, " gives to its own stream: another may still be using them, and nothing orders the two");
    say_wait_for_event(edge, of);
}

static void say_use_after_free(words *text, words *edge, const lab_order_finding *of)
{
    say_place(text, &of->second);
    say_whose(text, &of->second);
    say(text, " %s ", does(&of->second));
    say_bytes(text, of);
    say(text, ", which were given back by ");
    say_place(text, &of->first);
    say_whose(text, &of->first);
    say(edge, "give the memory back after the last use: move ");
    say_place(edge, &of->first);
    say(edge, " behind ");
    say_place(edge, &of->second);
}

static void say_free_in_use(words *text, words *edge, const lab_order_finding *of)
{
    say_place(text, &of->second);
    say_whose(text, &of->second);
    say(text, " gives back ");
    say_bytes(text, of);
    say(text, ", which ");
    say_place(text, &of->first);
    say_whose(text, &of->first);
    say(text, " %s, and nothing orders the two", does(&of->first));
    say_wait_for_event(edge, of);
}

void order_describe(lab_order_finding *made, const order_use *use, bool one_launch)
{
    const order_allocation *in = order_allocation_of(made->host ? ORDER_HOST : ORDER_DEVICE, use->start);
    made->address = use->start;
    made->bytes = use->end - use->start;
    made->allocation_file = in ? order_intern(in->file) : "";
    if (in) {
        made->offset = use->start - in->start;
        made->allocation_bytes = in->bytes;
        made->allocation_line = in->line;
    }
    words text = {0}, edge = {0};
    switch (made->kind) {
    case LAB_ORDER_RACE: say_race(&text, &edge, made, one_launch); break;
    case LAB_ORDER_USE_BEFORE_ALLOCATION: say_use_before_allocation(&text, &edge, made); break;
    case LAB_ORDER_USE_AFTER_FREE: say_use_after_free(&text, &edge, made); break;
    case LAB_ORDER_FREE_IN_USE: say_free_in_use(&text, &edge, made); break;
    }
    made->text = order_intern(text.text);
    made->edge = order_intern(edge.text);
}
