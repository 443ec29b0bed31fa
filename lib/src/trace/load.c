/*
 * Reads a record's file. The bytes may come from anybody and are not trusted. This file walks the outer object and
 * parses each value in it separately, with a limit on its size, so that a small file cannot claim much memory. fields.c
 * checks each field; this file checks the relations between fields and operations.
 */
#include "trace/fields.h"
#include "base/plain_text.h"
#include "base/status.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    FILE_BYTES = 256 << 20, /* the whole file; 500 000 operations fit, a million do not */
    VALUE_BYTES = 4 << 20,  /* one event, or one value of the outer object */
    LIST_ENTRIES = 1 << 24, /* accesses and waits of all operations */
};

typedef struct reader {
    const char *name; /* the file's name, for messages */
    const char *bytes;
    size_t size, at;
    lab_trace *trace;
    bool has_head, has_events;
    uint64_t operations; /* the number that the head promises */
    size_t list_entries;
} reader;

__attribute__((format(printf, 2, 3))) static lab_status refuse(const reader *input, const char *format, ...)
{
    char what[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return lab_fail(LAB_ERROR_INVALID_VALUE, "%s is not a record of this library: %s", input->name, what);
}

static size_t line_of(const reader *input, size_t at)
{
    size_t line = 1;
    for (size_t i = 0; i < at && i < input->size; i++) line += input->bytes[i] == '\n';
    return line;
}

/* --- The outer object ------------------------------------------------------------------------------------------- */

/* The next character that is not white space, left unread; '\0' at the end. */
static char peek(reader *input)
{
    while (input->at < input->size && memchr(" \t\r\n", input->bytes[input->at], 4)) input->at++;
    return input->at < input->size ? input->bytes[input->at] : '\0';
}

static bool skip(reader *input, char wanted)
{
    if (peek(input) != wanted) return false;
    input->at++;
    return true;
}

static lab_status expect(reader *input, char wanted)
{
    if (skip(input, wanted)) return LAB_SUCCESS;
    return refuse(input, "line %zu: expected '%c'%s", line_of(input, input->at), wanted,
                  input->at == input->size ? ", but the file ends there" : "");
}

/* Reads one JSON value, which may be of any type. */
static lab_status read_value(reader *input, json_t **out)
{
    json_error_t error;
    (void)peek(input);
    size_t left = input->size - input->at;
    size_t most = left < VALUE_BYTES ? left : VALUE_BYTES;
    *out = json_loadb(input->bytes + input->at, most, JSON_DECODE_ANY | JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES,
                      &error);
    if (*out) {
        input->at += (size_t)error.position;
        return LAB_SUCCESS;
    }
    if (json_error_code(&error) == json_error_out_of_memory || *error.text == '\0')
        return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "not enough memory to read %s", input->name);
    if (json_error_code(&error) == json_error_premature_end_of_input && most < left)
        return refuse(input, "line %zu: a value of more than %d MiB", line_of(input, input->at), VALUE_BYTES >> 20);
    char why[JSON_ERROR_TEXT_LENGTH * 3];
    lab_text_clean(why, sizeof why, error.text, strlen(error.text));
    return refuse(input, "line %zu: %s", line_of(input, input->at + (size_t)error.position), why);
}

/* Walks "key": value, ... of the outer object; calls `read` with `at` after each colon. */
static lab_status read_members(reader *input, lab_status (*read)(reader *input, const char *key))
{
    LAB_TRY(expect(input, '{'));
    do {
        json_t *key;
        LAB_TRY(read_value(input, &key));
        lab_status status = json_is_string(key) ? expect(input, ':')
                                                : refuse(input, "line %zu: expected a key", line_of(input, input->at));
        if (status == LAB_SUCCESS) status = read(input, json_string_value(key));
        json_decref(key);
        LAB_TRY(status);
    } while (skip(input, ','));
    return expect(input, '}');
}

static lab_status read_elements(reader *input, lab_status (*read)(reader *input, json_t *element))
{
    LAB_TRY(expect(input, '['));
    if (peek(input) == ']') return expect(input, ']');
    do {
        json_t *element;
        LAB_TRY(read_value(input, &element));
        lab_status status = read(input, element);
        json_decref(element);
        LAB_TRY(status);
    } while (skip(input, ','));
    return expect(input, ']');
}

/* --- The head --------------------------------------------------------------------------------------------------- */

static lab_status head_integer(const reader *input, const json_t *head, const char *key, int64_t most, int64_t *out)
{
    const json_t *value = json_object_get(head, key);
    *out = json_integer_value(value);
    if (json_is_integer(value) && *out >= 0 && *out <= most) return LAB_SUCCESS;
    return refuse(input, "otherData: field \"%s\" must be an integer from 0 to %" PRId64, key, most);
}

static lab_status head_text(const reader *input, const json_t *head, const char *key, size_t size, const char **out)
{
    const json_t *value = json_object_get(head, key);
    *out = json_string_value(value);
    if (*out && json_string_length(value) < size) return LAB_SUCCESS;
    return refuse(input, "otherData: field \"%s\" must be a text of at most %zu bytes", key, size - 1);
}

static lab_status read_head(reader *input, const json_t *head)
{
    lab_trace *trace = input->trace;
    const char *format, *name, *kind;
    int64_t version, multiprocessors, operations;
    if (input->has_head) return refuse(input, "it has \"otherData\" twice");
    LAB_TRY(head_text(input, head, "format", 32, &format));
    LAB_TRY(head_integer(input, head, "version", INT32_MAX, &version));
    if (strcmp(format, "lab-trace") != 0 || version != 1)
        return refuse(input, "otherData: \"format\" and \"version\" are not \"lab-trace\" and 1");
    LAB_TRY(head_text(input, head, "device_name", sizeof trace->device_name, &name));
    LAB_TRY(head_text(input, head, "device_kind", sizeof trace->device_kind, &kind));
    if (strcmp(kind, "cpu") != 0 && strcmp(kind, "cuda") != 0 && strcmp(kind, "model") != 0)
        return refuse(input, "otherData: field \"device_kind\" must be \"cpu\", \"cuda\" or \"model\"");
    LAB_TRY(head_integer(input, head, "multiprocessors", INT32_MAX, &multiprocessors));
    LAB_TRY(head_integer(input, head, "duration_ns", LAB_TRACE_TIME_NS, &trace->duration_ns));
    LAB_TRY(head_integer(input, head, "operations", LAB_TRACE_OPS, &operations));
    lab_trace_set_device(trace, name, kind, (int)multiprocessors);
    input->operations = (uint64_t)operations;
    input->has_head = true;
    return LAB_SUCCESS;
}

/* --- Events ----------------------------------------------------------------------------------------------------- */

static lab_status read_stream(reader *input, const json_t *args)
{
    lab_trace *trace = input->trace;
    lab_trace_stream stream;
    if (!lab_fields_to_number(json_object_get(args, "stream"), &stream.id) || stream.id == 0)
        return refuse(input, "stream %zu of the file: field \"stream\" must be a number of at least 1",
                      trace->streams + 1);
    const json_t *device = json_object_get(args, "device");
    const json_t *context = json_object_get(args, "context");   /* older files have none */
    const json_t *priority = json_object_get(args, "priority"); /* nor this */
    const json_t *null_stream = json_object_get(args, "null_stream");
    const json_t *non_blocking = json_object_get(args, "non_blocking");
    if (!json_is_integer(device) || json_integer_value(device) < 0 || json_integer_value(device) >= LAB_TRACE_DEVICES)
        return refuse(input, "stream %" PRIu64 ": field \"device\" must be an integer from 0 to %d", stream.id,
                      LAB_TRACE_DEVICES - 1);
    stream.context = 0;
    if (context && !lab_fields_to_number(context, &stream.context))
        return refuse(input, "stream %" PRIu64 ": field \"context\" must be a number", stream.id);
    if (priority && (!json_is_integer(priority) || llabs(json_integer_value(priority)) > INT_MAX))
        return refuse(input, "stream %" PRIu64 ": field \"priority\" must be an integer", stream.id);
    if (!json_is_boolean(null_stream) || !json_is_boolean(non_blocking))
        return refuse(input, "stream %" PRIu64 ": fields \"null_stream\" and \"non_blocking\" must be true or false",
                      stream.id);
    if (trace->streams == LAB_TRACE_OPS) return refuse(input, "it has more than %d streams", LAB_TRACE_OPS);
    if (lab_trace_find_stream(trace, stream.id) < trace->streams)
        return refuse(input, "stream %" PRIu64 " appears twice", stream.id);
    stream.device = (int)json_integer_value(device);
    stream.priority = priority ? (int)json_integer_value(priority) : 0;
    stream.null_stream = json_is_true(null_stream);
    stream.non_blocking = json_is_true(non_blocking);
    return lab_trace_append_stream(trace, &stream);
}

/* Checks an operation's fields against each other and against what came before. */
static lab_status check_op(const reader *input, const lab_trace_op *op)
{
    const lab_trace *trace = input->trace;
    size_t expected = trace->ops + 1;
    if (op->id != expected)
        return refuse(input,
                      "operation %zu: field \"id\" is %" PRIu64 "; operations are numbered 1, 2, 3, ... in order",
                      expected, op->id);
    if (op->stream != 0) {
        size_t stream = lab_trace_find_stream(trace, op->stream);
        if (stream == trace->streams)
            return refuse(input, "operation %zu: field \"stream\" is %" PRIu64 ", which no earlier event declares",
                          expected, op->stream);
        /* A mark is made on the current device, and the current stream may be another's. */
        if (op->kind != LAB_OP_MARK && trace->stream[stream].device != op->device)
            return refuse(input, "operation %zu: field \"device\" is %d, but stream %" PRIu64 " is on device %d",
                          expected, op->device, op->stream, trace->stream[stream].device);
    }
    if (op->return_ns != -1 && op->return_ns < op->call_ns)
        return refuse(input, "operation %zu: field \"return_ns\" is %" PRId64 ", before \"call_ns\" %" PRId64, expected,
                      op->return_ns, op->call_ns);
    if (op->end_ns != -1 && (op->start_ns == -1 || op->end_ns < op->start_ns))
        return refuse(input, "operation %zu: field \"end_ns\" is %" PRId64 ", before \"start_ns\" %" PRId64, expected,
                      op->end_ns, op->start_ns);
    if (op->declared > op->accesses)
        return refuse(input, "operation %zu: field \"declared\" is %d, but there are %d accesses", expected,
                      op->declared, op->accesses);
    for (int w = 0; w < op->waits; w++)
        if (op->waits_for[w] >= op->id)
            return refuse(input,
                          "operation %zu: field \"waits_for\" has %" PRIu64 ", which is not an earlier operation",
                          expected, op->waits_for[w]);
    return LAB_SUCCESS;
}

static lab_status read_op(reader *input, json_t *args)
{
    size_t number = input->trace->ops + 1;
    const char *missing = lab_fields_missing(args);
    if (missing) return refuse(input, "operation %zu: field \"%s\" is missing", number, missing);

    lab_trace_op op = lab_fields_usual();
    const char *key;
    json_t *value;
    json_object_foreach(args, key, value)
    {
        lab_field_fault fault = {""};
        lab_status status = lab_fields_read(input->trace, &op, key, value, &fault);
        if (status == LAB_ERROR_INVALID_VALUE) {
            char field[64];
            lab_text_clean(field, sizeof field, key, strlen(key));
            return refuse(input, "operation %zu: field \"%s\" %s", number, field, fault.text);
        }
        LAB_TRY(status);
    }
    LAB_TRY(check_op(input, &op));
    input->list_entries += (size_t)op.accesses + (size_t)op.waits;
    if (input->list_entries > LIST_ENTRIES)
        return refuse(input, "its operations have more than %d accesses and waits", LIST_ENTRIES);
    return lab_trace_append(input->trace, &op);
}

/* check_whole checks the operations that it names, when all have been read. */
static lab_status read_finding(reader *input, const json_t *args)
{
    const size_t number = input->trace->findings + 1;
    lab_trace_finding finding;
    const json_t *text = json_object_get(args, "text"), *edge = json_object_get(args, "edge");
    if (!lab_fields_to_number(json_object_get(args, "first"), &finding.first) ||
        !lab_fields_to_number(json_object_get(args, "second"), &finding.second))
        return refuse(input, "finding %zu: fields \"first\" and \"second\" must be numbers", number);
    if (!json_is_string(text) || !json_is_string(edge) || json_string_length(text) >= LAB_TRACE_TEXT_BYTES ||
        json_string_length(edge) >= LAB_TRACE_TEXT_BYTES)
        return refuse(input, "finding %zu: fields \"text\" and \"edge\" must be texts of at most %d bytes", number,
                      LAB_TRACE_TEXT_BYTES - 1);
    if (number > LAB_TRACE_FINDINGS) return refuse(input, "it has more than %d findings", LAB_TRACE_FINDINGS);
    finding.text = json_string_value(text);
    finding.edge = json_string_value(edge);
    return lab_trace_append_finding(input->trace, &finding);
}

static lab_status read_event(reader *input, json_t *event)
{
    json_t *args = json_object_get(event, "args");
    const char *phase = json_string_value(json_object_get(event, "ph"));
    if (!phase || (args && !json_is_object(args)))
        return refuse(input, "line %zu: an event must be an object with a text \"ph\", and its \"args\" an object",
                      line_of(input, input->at));
    bool metadata = strcmp(phase, "M") == 0;
    if (metadata && json_object_get(args, "stream")) return read_stream(input, args);
    if (!metadata && json_object_get(args, "id")) return read_op(input, args);
    if (!metadata && json_object_get(args, "finding")) return read_finding(input, args);
    return LAB_SUCCESS;
}

/* --- The whole -------------------------------------------------------------------------------------------------- */

static lab_status read_member(reader *input, const char *key)
{
    if (strcmp(key, "traceEvents") == 0) {
        if (input->has_events) return refuse(input, "it has \"traceEvents\" twice");
        input->has_events = true;
        return read_elements(input, read_event);
    }
    json_t *value;
    LAB_TRY(read_value(input, &value));
    lab_status status = strcmp(key, "otherData") == 0 ? read_head(input, value) : LAB_SUCCESS;
    json_decref(value);
    return status;
}

/* A host time after the record's end would be from another record. Device times may differ slightly, since the device
 * has its own clock. */
static lab_status check_whole(const reader *input)
{
    const lab_trace *trace = input->trace;
    if (!input->has_head) return refuse(input, "it has no \"otherData\"");
    if (!input->has_events) return refuse(input, "it has no \"traceEvents\"");
    if (trace->ops != input->operations)
        return refuse(input, "it holds %zu operations; its \"otherData\" says %" PRIu64, trace->ops, input->operations);
    for (size_t i = 0; i < trace->ops; i++) {
        const lab_trace_op *op = &trace->op[i];
        if (op->call_ns > trace->duration_ns || op->return_ns > trace->duration_ns)
            return refuse(input, "operation %" PRIu64 ": field \"%s\" is after the end of the record, %" PRId64, op->id,
                          op->call_ns > trace->duration_ns ? "call_ns" : "return_ns", trace->duration_ns);
    }
    for (size_t i = 0; i < trace->findings; i++) {
        const lab_trace_finding *finding = &trace->finding[i];
        if (finding->first > trace->ops || finding->second > trace->ops || !(finding->first || finding->second))
            return refuse(input,
                          "finding %zu: fields \"first\" and \"second\" are %" PRIu64 " and %" PRIu64
                          "; they must name operations, at most one of them 0 for none",
                          i + 1, finding->first, finding->second);
    }
    return LAB_SUCCESS;
}

lab_status lab_trace_load_bytes(lab_trace **out, const char *bytes, size_t size, const char *name)
{
    reader input = {.name = name, .bytes = bytes, .size = size};
    LAB_TRY(lab_trace_create(&input.trace));
    lab_status status = read_members(&input, read_member);
    (void)peek(&input);
    if (status == LAB_SUCCESS && input.at < input.size)
        status = refuse(&input, "line %zu: something follows its end", line_of(&input, input.at));
    if (status == LAB_SUCCESS) status = check_whole(&input);
    if (status == LAB_SUCCESS)
        *out = input.trace;
    else
        lab_trace_free(input.trace);
    return status;
}

/* Reads a regular file of at most FILE_BYTES; *bytes is the caller's to free. */
static lab_status read_file(const char *path, char **bytes, size_t *size)
{
    lab_status status = LAB_SUCCESS;
    char *buffer = NULL;
    struct stat about;
    int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (descriptor < 0 || fstat(descriptor, &about) != 0) {
        status = lab_fail(LAB_ERROR_FILE_NOT_FOUND, "cannot read %s: %s", path, strerror(errno));
        goto done;
    }
    if (!S_ISREG(about.st_mode)) {
        status = lab_fail(LAB_ERROR_FILE_NOT_FOUND, "cannot read %s: it is not a regular file", path);
        goto done;
    }
    if (about.st_size > FILE_BYTES) {
        status = lab_fail(LAB_ERROR_INVALID_VALUE, "%s has %lld MiB; a record of at most %d MiB can be read", path,
                          (long long)about.st_size >> 20, FILE_BYTES >> 20);
        goto done;
    }
    buffer = malloc((size_t)about.st_size + 1);
    if (!buffer) {
        status = lab_fail(LAB_ERROR_OUT_OF_MEMORY, "not enough memory to read %s", path);
        goto done;
    }
    /* If the file shrinks meanwhile, the read is shorter; if it grows, the new part is ignored. */
    size_t length = 0;
    while (length < (size_t)about.st_size) {
        ssize_t count = read(descriptor, buffer + length, (size_t)about.st_size - length);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) {
            status = lab_fail(LAB_ERROR_FILE_NOT_FOUND, "cannot read %s: %s", path, strerror(errno));
            goto done;
        }
        if (count == 0) break;
        length += (size_t)count;
    }
    *bytes = buffer;
    *size = length;
    buffer = NULL;

done:
    free(buffer);
    if (descriptor >= 0) close(descriptor);
    return status;
}

lab_status lab_trace_load(lab_trace **out, const char *path)
{
    char *bytes = NULL;
    size_t size = 0;
    LAB_TRY(read_file(path, &bytes, &size));
    lab_status status = lab_trace_load_bytes(out, bytes, size, path);
    free(bytes);
    return status;
}
