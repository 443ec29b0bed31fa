/* What is asked about a program that has been read. */
#include "program.h"

#include "base/text_writer.h"

#include <string.h>

static const char *const words[PLAY_KINDS] = {"stream",   "blocking", "event", "graph",       "pooled",  "device",
                                              "pinned",   "pageable", "copy",  "copy-now",    "fill",    "kernel",
                                              "function", "launch",   "alloc", "free",        "capture", "end",
                                              "record",   "wait",     "sync",  "sync-device", "host"};

const char *play_kind_name(play_kind kind) { return words[kind]; }

play_direction play_direction_of(const play_program *program, const play_statement *copy)
{
    const bool from_device = play_is_on_device(program->statement[copy->use[0].memory].kind);
    const bool to_device = play_is_on_device(program->statement[copy->use[1].memory].kind);
    return !from_device ? PLAY_HTOD : to_device ? PLAY_DTOD : PLAY_DTOH;
}

size_t play_bytes_of(const play_program *program, const play_statement *statement)
{
    size_t least = SIZE_MAX;
    for (int i = 0; i < statement->uses; i++) {
        const size_t bytes = program->statement[statement->use[i].memory].bytes;
        if (bytes < least) least = bytes;
    }
    return least;
}

const char *play_name_of(const play_program *program, int number)
{
    return number == PLAY_NULL ? "null" : program->statement[number].name;
}

int play_first_of_name(const play_program *program, int number)
{
    const play_statement *wanted = &program->statement[number];
    int first = 0;
    while (program->statement[first].kind != wanted->kind || strcmp(program->statement[first].name, wanted->name) != 0)
        first++;
    return first;
}

void play_describe(char *text, size_t size, const play_program *program, int number)
{
    const play_statement *each = &program->statement[number];
    const char *first = each->uses > 0 ? play_name_of(program, each->use[0].memory) : "";
    const char *second = each->uses > 1 ? play_name_of(program, each->use[1].memory) : "";
    text_writer out = {text, size, 0};
    switch (each->kind) {
    case PLAY_COPY:
    case PLAY_COPY_NOW: text_write(&out, "copy %s to %s", first, second); return;
    case PLAY_FILL: text_write(&out, "fill %s", first); return;
    case PLAY_KERNEL: text_write(&out, "kernel %s", each->name); return;
    case PLAY_FUNCTION: text_write(&out, "host function %s", each->name); return;
    case PLAY_LAUNCH: text_write(&out, "launch %s", play_name_of(program, each->graph)); return;
    case PLAY_CAPTURE: text_write(&out, "begin capture of %s", play_name_of(program, each->graph)); return;
    case PLAY_END: text_write(&out, "end capture of %s", play_name_of(program, each->graph)); return;
    case PLAY_ALLOC: text_write(&out, "allocate %s", first); return;
    case PLAY_FREE: text_write(&out, "free %s", first); return;
    case PLAY_RECORD: text_write(&out, "record %s", play_name_of(program, each->event)); return;
    case PLAY_WAIT: text_write(&out, "wait for %s", play_name_of(program, each->event)); return;
    case PLAY_SYNC:
        text_write(&out, "the host waits for %s", play_name_of(program, each->event >= 0 ? each->event : each->stream));
        return;
    case PLAY_SYNC_DEVICE: text_write(&out, "the host waits for the device"); return;
    case PLAY_HOST: text_write(&out, "the host %s %s", each->use[0].writes ? "writes" : "reads", first); return;
    default: text_write(&out, "%s %s", play_kind_name(each->kind), each->name); return;
    }
}
