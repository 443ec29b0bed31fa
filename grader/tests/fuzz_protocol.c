/* Feeds arbitrary bytes to the readers of a program's messages and of a check's evidence. An accepted message must have
 * counts and texts within bounds. Any evidence must give one check's entry, and a result that can be written and read
 * again. */
#include <assert.h>
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "protocol.h"
#include "course/student_facts.h"
#include "course/attempts.h"
#include "judge/evidence.h"
#include "judge/result.h"
#include "base/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void copy_part(void *field, size_t room, const uint8_t **data, size_t *size)
{
    size_t bytes = *size < room ? *size : room;
    memcpy(field, *data, bytes);
    *data += bytes;
    *size -= bytes;
}

/* A message whose fields are taken from the input one by one, so that short inputs reach all of them. */
static void read_message(const uint8_t *data, size_t size)
{
    protocol_message *message = calloc(1, sizeof *message);
    uint8_t whole = 0;
    copy_part(&whole, 1, &data, &size);
    copy_part(&message->kind, sizeof message->kind, &data, &size);
    copy_part(&message->data_bytes, sizeof message->data_bytes, &data, &size);
    copy_part(&message->crash.frames, sizeof message->crash.frames, &data, &size);
    message->version = whole & 2 ? PROTOCOL_VERSION : whole;
    copy_part(message->text, sizeof message->text, &data, &size);
    copy_part(message->name, sizeof message->name, &data, &size);
    if (protocol_from_program_is_valid(message, whole & 1 ? sizeof *message : whole)) {
        assert(message->kind >= PROTOCOL_HELLO && message->kind <= PROTOCOL_STUCK);
        assert(message->data_bytes <= sizeof message->data && message->crash.frames <= PROTOCOL_FRAMES);
        char *clean = text_clean(message->text, strlen(message->text));
        json_t *string = json_string(clean);
        assert(string && strlen(message->name) < sizeof message->name);
        json_decref(string);
        free(clean);
    }
    free(message);
}

/* The first byte says with which status the check ended. */
static void read_evidence(const uint8_t *data, size_t size)
{
    grader_fault fault;
    grading_result result = {.max_points = 7, .checks = json_array(), .timings = json_array(), .ratios = json_array()};
    json_t *check = json_pack("{s:s, s:s, s:i}", "name", "one", "title", "One", "points", 7);
    subprocess_result ended = {.event = SUBPROCESS_EXITED};
    ended.exit.status = size > 0 ? data[0] & 1 : 0;
    ended.output = calloc(1, size + 1);
    if (size > 0) memcpy(ended.output, data + 1, size - 1);
    ended.output_bytes = size > 0 ? size - 1 : 0;
    ended.errors = calloc(1, 1);
    assert(evidence_merge(&result, check, 0, &ended, NULL, &fault));
    assert(json_array_size(result.checks) == 1);
    assert(result_conclude(&result, &fault));
    json_t *json = result_json(&result);
    if (json) {
        char *text = json_dumps(json, 0);
        json_t *again = text ? json_loads(text, 0, NULL) : NULL;
        assert(again);
        student_facts_complete(again, ended.output);
        json_t *results = json_pack("[o]", again), *listed = json_pack("[{}]"), *counts;
        assert(attempts_choose(&counts, results, listed, student_facts_read_attempt(ended.output).rule));
        json_decref(results);
        json_decref(listed);
        free(text);
    }
    json_decref(json);
    json_decref(check);
    free(ended.output);
    free(ended.errors);
    result_free(&result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_message(data, size);
    read_evidence(data, size);
    return 0;
}
