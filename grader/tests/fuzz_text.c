/* Feeds arbitrary bytes to everything that reads untrusted text: the output of a compiler, a linker or a program, a
 * source file as it is and preprocessed, a name, a message on the socket. The result must be valid UTF-8 that controls
 * no terminal, and safe names must be safe. */
#include <assert.h>
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "protocol.h"
#include "sandbox/device.h"
#include "judge/compiler_messages.h"
#include "judge/definitions.h"
#include "judge/open_tasks.h"
#include "base/text.h"
#include "prove/empty_answers.h"
#include "prove/verify.h"
#include "source/changed_lines.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require_clean(const char *text)
{
    json_t *string = json_string(text);
    assert(string);
    json_decref(string);
    for (const char *at = text; *at; at++) assert((unsigned char)*at >= 0x20 || *at == '\n');
}

static void require_safe(char *name)
{
    size_t length = strlen(name);
    assert(length > 0 && length < 128 && name[0] != '.');
    assert(strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == length);
    free(name);
}

/* A message is checked in place, before any of its fields is used. */
static void read_message(const uint8_t *data, size_t size)
{
    static protocol_message message;
    memcpy(&message, data, size < sizeof message ? size : sizeof message);
    if (!protocol_from_program_is_valid(&message, size)) return;
    assert(strlen(message.text) < sizeof message.text && message.crash.frames <= PROTOCOL_FRAMES);
}

/* Reads a preprocessed text, whatever the preprocessor made of a file. */
static void read_source(const char *text, size_t size)
{
    const preprocessed_text source = {text, size};
    json_t *lines = definitions_find(source, "lab03.c");
    char *bodies = empty_answers_bodies(source, "lab03.c");
    assert(lines && bodies && changed_lines(source, source, "f") >= 0);
    json_decref(lines);
    free(bodies);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *clean = text_clean((const char *)data, size), *line = text_clean_line((const char *)data, size);
    require_clean(clean);
    require_clean(line);
    assert(!strchr(line, '\n'));

    char *compiler = compiler_messages_of_compiler(clean, "lab03.c");
    char *linker = compiler_messages_of_linker(clean, "lab03.c", "lab03.h", clean, clean);
    require_clean(compiler);
    require_clean(linker);
    assert(compiler_messages_first_error(compiler) >= compiler);

    char *raw = calloc(1, size + 1);
    memcpy(raw, data, size);
    require_safe(text_safe_name(raw));
    json_t *definitions = definitions_find((preprocessed_text){raw, strlen(raw)}, "lab03.c");
    json_decref(open_tasks_untouched(raw, definitions, raw, definitions));
    open_tasks_marked(raw, strlen(raw));
    json_decref(definitions);
    free(verify_named_check(raw));
    device_info device;
    if (device_parse(&device, raw)) require_clean(device.name);
    read_message(data, size);
    read_source((const char *)data, size);

    free(clean);
    free(line);
    free(compiler);
    free(linker);
    free(raw);
    return 0;
}
