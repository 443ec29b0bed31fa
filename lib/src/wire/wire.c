/* Texts and arguments of kernels in messages. */
#include "wire.h"

#include "base/program/host_memory.h"

#include <stdlib.h>

/* Longer ones are read from the program's memory. No source and no struct is longer than the most. */
enum { LONGEST_INLINE = 4096, MOST_READ = 4 << 20 };

struct wire_text {
    struct wire_text *next;
    char bytes[];
};

typedef enum place { NOWHERE, IN_MESSAGE, IN_MEMORY } place;

/* Bytes that may be long; `extra` more bytes are kept free behind them. */
static void put_bytes(wire *out, const void *bytes, uint64_t count)
{
    unsigned char where = !bytes ? NOWHERE : count <= LONGEST_INLINE ? IN_MESSAGE : IN_MEMORY;
    uint64_t address = (uintptr_t)bytes;
    wire_put(out, &where, 1);
    if (where == NOWHERE) return;
    wire_put(out, &count, sizeof count);
    if (where == IN_MESSAGE)
        wire_put(out, bytes, count);
    else
        wire_put(out, &address, sizeof address);
}

static char *read_bytes(wire *in, uint64_t address, uint64_t count)
{
    struct wire_text *text = count <= MOST_READ ? malloc(sizeof *text + count) : NULL;
    if (!text) {
        wire_fail(in, "a text or a struct is too long");
        return NULL;
    }
    text->next = in->owned;
    in->owned = text;
    if (host_memory_read(text->bytes, address, count)) return text->bytes;
    wire_fail(in, "a text or a struct is not in the program's memory");
    return NULL;
}

static char *get_bytes(wire *in, uint64_t *count)
{
    unsigned char where;
    uint64_t address;
    *count = 0;
    wire_get(in, &where, 1);
    if (where == NOWHERE) return NULL;
    wire_get(in, count, sizeof *count);
    if (where == IN_MEMORY) {
        wire_get(in, &address, sizeof address);
        return in->fault ? NULL : read_bytes(in, address, *count);
    }
    char *found = (char *)in->bytes + in->at;
    if (where != IN_MESSAGE || *count > in->end - in->at) {
        wire_fail(in, "a text or a struct ends after the message");
        return NULL;
    }
    in->at += *count;
    return found;
}

void wire_put_text(wire *out, const char *text) { put_bytes(out, text, text ? strlen(text) + 1 : 0); }

const char *wire_get_text(wire *in)
{
    uint64_t count;
    const char *text = get_bytes(in, &count);
    if (!text || (count > 0 && memchr(text, '\0', count) == text + count - 1)) return text;
    wire_fail(in, "a text does not end where it says");
    return NULL;
}

void wire_put_arg(wire *out, lab_arg arg)
{
    wire_put(out, &arg.kind, sizeof arg.kind);
    wire_put(out, &arg.size, sizeof arg.size);
    if (arg.kind == LAB_ARG_BYTES || arg.kind == LAB_ARG_RAW)
        put_bytes(out, arg.value.bytes, arg.size);
    else if (arg.kind == LAB_ARG_HOST_ARRAY)
        wire_put_object(out, arg.value.host, sizeof *arg.value.host);
    else
        wire_put(out, &arg.value, sizeof arg.value);
}

lab_arg wire_get_arg(wire *in, lab_host_array *room)
{
    lab_arg arg = {0};
    uint64_t count;
    wire_get(in, &arg.kind, sizeof arg.kind);
    wire_get(in, &arg.size, sizeof arg.size);
    if (arg.kind == LAB_ARG_BYTES || arg.kind == LAB_ARG_RAW) {
        arg.value.bytes = get_bytes(in, &count);
        if (count != arg.size || (!arg.value.bytes && arg.size > 0)) wire_fail(in, "an argument has another size");
    } else if (arg.kind == LAB_ARG_HOST_ARRAY) {
        arg.value.host = wire_get_object(in, room, sizeof *room);
    } else {
        wire_get(in, &arg.value, sizeof arg.value);
    }
    return arg;
}

void wire_put_args(wire *out, lab_args args)
{
    int32_t count = args.count > WIRE_ARGS ? WIRE_ARGS + 1 : args.count;
    wire_put(out, &count, sizeof count);
    wire_put_bool(out, args.arg != NULL);
    for (int i = 0; args.arg && i < count && i < WIRE_ARGS; i++) wire_put_arg(out, args.arg[i]);
}

lab_args wire_get_args(wire *in, wire_args_room *room)
{
    int32_t count;
    wire_get(in, &count, sizeof count);
    bool present = wire_get_bool(in);
    if (count > WIRE_ARGS + 1 || (count > 0 && !present)) {
        wire_fail(in, "the number of arguments is impossible");
        count = 0;
    }
    for (int i = 0; i < count && i < WIRE_ARGS; i++) room->arg[i] = wire_get_arg(in, &room->host[i]);
    if (count > WIRE_ARGS) room->arg[WIRE_ARGS] = (lab_arg){0};
    return (lab_args){present ? room->arg : NULL, count};
}

void wire_release(wire *in)
{
    while (in->owned) {
        struct wire_text *next = in->owned->next;
        free(in->owned);
        in->owned = next;
    }
}
