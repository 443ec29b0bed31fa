/*
 * Reads a record's file. The bytes may come from anybody, so nothing in them is believed: the outer shape is walked
 * here and every value below it is parsed alone and of limited size, so that a small file cannot ask for much
 * memory; fields.c checks each field, and this file what must hold between fields and operations.
 */
#include "trace/fields.h"
#include "base/plain_text.h"
#include "base/status.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    FILE_BYTES = 256 << 20, /* of the whole file; a million operations do not fit, 500 000 do */
    VALUE_BYTES = 4 << 20,  /* of one event, or of one value of the outer object */
    LIST_ENTRIES = 1 << 24, /* accesses and waits of all operations */
};

typedef struct reader {
    const char *name; /* of the file, for messages */
    const char *bytes;
    size_t size, at;
    lab_trace *trace;
    bool has_head, has_events;
    uint64_t operations; /* how many the head promises */
    size_t list_entries;
} reader;

__attribute__((format(printf, 2, 3))) static lab_status refuse(const reader *from, const char *format, ...)
{
    char what[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return lab_fail(LAB_ERROR_INVALID_VALUE, "%s is not a record of this library: %s", from->name, what);
}

static size_t line_of(const reader *from, size_t at)
{
    size_t line = 1;
    for (size_t i = 0; i < at && i < from->size; i++) line += from->bytes[i] == '\n';
    return line;
}

/* --- The outer shape -------------------------------------------------------------------------------------------- */

/* The next character that is no white space, left unread; '\0' at the end. */
static char peek(reader *from)
{
    while (from->at < from->size && memchr(" \t\r\n", from->bytes[from->at], 4)) from->at++;
    return from->at < from->size ? from->bytes[from->at] : '\0';
}

static bool skip(reader *from, char wanted)
{
    if (peek(from) != wanted) return false;
    from->at++;
    return true;
}

static lab_status expect(reader *from, char wanted)
{
    if (skip(from, wanted)) return LAB_SUCCESS;
    return refuse(from, "line %zu: expected '%c'%s", line_of(from, from->at), wanted,
                  from->at == from->size ? ", but the file ends there" : "");
}

/* Reads one JSON value, which may be of any type. */
static lab_status read_value(reader *from, json_t **out)
{
    json_error_t error;
    (void)peek(from);
    size_t left = from->size - from->at;
    size_t most = left < VALUE_BYTES ? left : VALUE_BYTES;
    *out = json_loadb(from->bytes + from->at, most, JSON_DECODE_ANY | JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES,
                      &error);
    if (*out) {
        from->at += (size_t)error.position;
        return LAB_SUCCESS;
    }
    if (json_error_code(&error) == json_error_out_of_memory || *error.text == '\0')
        return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "not enough memory to read %s", from->name);
    if (json_error_code(&error) == json_error_premature_end_of_input && most < left)
        return refuse(from, "line %zu: a value of more than %d MiB", line_of(from, from->at), VALUE_BYTES >> 20);
    char why[JSON_ERROR_TEXT_LENGTH * 3];
    lab_text_clean(why, sizeof why, error.text, strlen(error.text));
    return refuse(from, "line %zu: %s", line_of(from, from->at + (size_t)error.position), why);
}

/* Walks "key": value, ... of the outer object; `read` is called with `at` behind each colon. */
static lab_status read_members(reader *from, lab_status (*read)(reader *from, const char *key))
{
    LAB_TRY(expect(from, '{'));
    do {
        json_t *key;
        LAB_TRY(read_value(from, &key));
        lab_status status =
            json_is_string(key) ? expect(from, ':') : refuse(from, "line %zu: expected a key", line_of(from, from->at));
        if (status == LAB_SUCCESS) status = read(from, json_string_value(key));
        json_decref(key);
        LAB_TRY(status);
    } while (skip(from, ','));
    return expect(from, '}');
}

static lab_status read_elements(reader *from, lab_status (*read)(reader *from, json_t *element))
{
    LAB_TRY(expect(from, '['));
    if (peek(from) == ']') return expect(from, ']');
    do {
        json_t *element;
        LAB_TRY(read_value(from, &element));
        lab_status status = read(from, element);
        json_decref(element);
        LAB_TRY(status);
    } while (skip(from, ','));
    return expect(from, ']');
}

/* --- The head --------------------------------------------------------------------------------------------------- */

static lab_status head_integer(const reader *from, const json_t *head, const char *key, int64_t most, int64_t *out)
{
    const json_t *value = json_object_get(head, key);
    *out = json_integer_value(value);
    if (json_is_integer(value) && *out >= 0 && *out <= most) return LAB_SUCCESS;
    return refuse(from, "otherData: field \"%s\" must be an integer from 0 to %" PRId64, key, most);
}

static lab_status head_text(const reader *from, const json_t *head, const char *key, size_t size, const char **out)
{
    const json_t *value = json_object_get(head, key);
    *out = json_string_value(value);
    if (*out && json_string_length(value) < size) return LAB_SUCCESS;
    return refuse(from, "otherData: field \"%s\" must be a text of at most %zu bytes", key, size - 1);
}

static lab_status read_head(reader *from, const json_t *head)
{
    lab_trace *trace = from->trace;
    const char *format, *name, *kind;
    int64_t version, multiprocessors, operations;
    if (from->has_head) return refuse(from, "it has two of \"otherData\"");
    LAB_TRY(head_text(from, head, "format", 32, &format));
    LAB_TRY(head_integer(from, head, "version", INT32_MAX, &version));
    if (strcmp(format, "lab-trace") != 0 || version != 1)
        return refuse(from, "otherData: \"format\" and \"version\" are not \"lab-trace\" and 1");
    LAB_TRY(head_text(from, head, "device_name", sizeof trace->device_name, &name));
    LAB_TRY(head_text(from, head, "device_kind", sizeof trace->device_kind, &kind));
    if (strcmp(kind, "cpu") != 0 && strcmp(kind, "cuda") != 0 && strcmp(kind, "model") != 0)
        return refuse(from, "otherData: field \"device_kind\" must be \"cpu\", \"cuda\" or \"model\"");
    LAB_TRY(head_integer(from, head, "multiprocessors", INT32_MAX, &multiprocessors));
    LAB_TRY(head_integer(from, head, "duration_ns", LAB_TRACE_TIME_NS, &trace->duration_ns));
    LAB_TRY(head_integer(from, head, "operations", LAB_TRACE_OPS, &operations));
    lab_trace_set_device(trace, name, kind, (int)multiprocessors);
    from->operations = (uint64_t)operations;
    from->has_head = true;
    return LAB_SUCCESS;
}

/* --- Events ----------------------------------------------------------------------------------------------------- */

static lab_status read_stream(reader *from, const json_t *args)
{
    lab_trace *trace = from->trace;
    lab_trace_stream stream;
    if (!lab_fields_to_number(json_object_get(args, "stream"), &stream.id) || stream.id == 0)
        return refuse(from, "stream %zu of the file: field \"stream\" must be a number of at least 1",
                      trace->streams + 1);
    const json_t *device = json_object_get(args, "device");
    const json_t *context = json_object_get(args, "context"); /* older files have none */
    const json_t *null_stream = json_object_get(args, "null_stream");
    const json_t *non_blocking = json_object_get(args, "non_blocking");
    if (!json_is_integer(device) || json_integer_value(device) < 0 || json_integer_value(device) >= LAB_TRACE_DEVICES)
        return refuse(from, "stream %" PRIu64 ": field \"device\" must be an integer from 0 to %d", stream.id,
                      LAB_TRACE_DEVICES - 1);
    stream.context = 0;
    if (context && !lab_fields_to_number(context, &stream.context))
        return refuse(from, "stream %" PRIu64 ": field \"context\" must be a number", stream.id);
    if (!json_is_boolean(null_stream) || !json_is_boolean(non_blocking))
        return refuse(from, "stream %" PRIu64 ": fields \"null_stream\" and \"non_blocking\" must be true or false",
                      stream.id);
    if (trace->streams == LAB_TRACE_OPS) return refuse(from, "it has more than %d streams", LAB_TRACE_OPS);
    if (lab_trace_find_stream(trace, stream.id) < trace->streams)
        return refuse(from, "stream %" PRIu64 " is in it twice", stream.id);
    stream.device = (int)json_integer_value(device);
    stream.null_stream = json_is_true(null_stream);
    stream.non_blocking = json_is_true(non_blocking);
    return lab_trace_append_stream(trace, &stream);
}

/* What must hold between the fields of an operation, and with what came before it. */
static lab_status check_op(const reader *from, const lab_trace_op *op)
{
    const lab_trace *trace = from->trace;
    size_t expected = trace->ops + 1;
    if (op->id != expected)
        return refuse(from, "operation %zu: field \"id\" is %" PRIu64 "; operations are numbered 1, 2, 3, ... in order",
                      expected, op->id);
    if (op->stream != 0) {
        size_t stream = lab_trace_find_stream(trace, op->stream);
        if (stream == trace->streams)
            return refuse(from, "operation %zu: field \"stream\" is %" PRIu64 ", which no event before it names",
                          expected, op->stream);
        if (trace->stream[stream].device != op->device)
            return refuse(from, "operation %zu: field \"device\" is %d, but stream %" PRIu64 " is on device %d",
                          expected, op->device, op->stream, trace->stream[stream].device);
    }
    if (op->return_ns != -1 && op->return_ns < op->call_ns)
        return refuse(from, "operation %zu: field \"return_ns\" is %" PRId64 ", before \"call_ns\" %" PRId64, expected,
                      op->return_ns, op->call_ns);
    if (op->end_ns != -1 && (op->start_ns == -1 || op->end_ns < op->start_ns))
        return refuse(from, "operation %zu: field \"end_ns\" is %" PRId64 ", before \"start_ns\" %" PRId64, expected,
                      op->end_ns, op->start_ns);
    for (int w = 0; w < op->waits; w++)
        if (op->waits_for[w] >= op->id)
            return refuse(from, "operation %zu: field \"waits_for\" has %" PRIu64 ", which is no earlier operation",
                          expected, op->waits_for[w]);
    return LAB_SUCCESS;
}

static lab_status read_op(reader *from, json_t *args)
{
    size_t number = from->trace->ops + 1;
    const char *missing = lab_fields_missing(args);
    if (missing) return refuse(from, "operation %zu: field \"%s\" is missing", number, missing);

    lab_trace_op op = lab_fields_usual();
    const char *key;
    json_t *value;
    json_object_foreach(args, key, value)
    {
        lab_field_fault fault = {""};
        lab_status status = lab_fields_read(from->trace, &op, key, value, &fault);
        if (status == LAB_ERROR_INVALID_VALUE) {
            char field[64];
            lab_text_clean(field, sizeof field, key, strlen(key));
            return refuse(from, "operation %zu: field \"%s\" %s", number, field, fault.text);
        }
        LAB_TRY(status);
    }
    LAB_TRY(check_op(from, &op));
    from->list_entries += (size_t)op.accesses + (size_t)op.waits;
    if (from->list_entries > LIST_ENTRIES)
        return refuse(from, "its operations have more than %d accesses and waits", LIST_ENTRIES);
    return lab_trace_append(from->trace, &op);
}

/* Which operations it names is checked when all have been read. */
static lab_status read_finding(reader *from, const json_t *args)
{
    const size_t number = from->trace->findings + 1;
    lab_trace_finding finding;
    const json_t *text = json_object_get(args, "text"), *edge = json_object_get(args, "edge");
    if (!lab_fields_to_number(json_object_get(args, "first"), &finding.first) ||
        !lab_fields_to_number(json_object_get(args, "second"), &finding.second))
        return refuse(from, "finding %zu: fields \"first\" and \"second\" must be numbers", number);
    if (!json_is_string(text) || !json_is_string(edge) || json_string_length(text) >= LAB_TRACE_TEXT_BYTES ||
        json_string_length(edge) >= LAB_TRACE_TEXT_BYTES)
        return refuse(from, "finding %zu: fields \"text\" and \"edge\" must be texts of at most %d bytes", number,
                      LAB_TRACE_TEXT_BYTES - 1);
    if (number > LAB_TRACE_FINDINGS) return refuse(from, "it has more than %d findings", LAB_TRACE_FINDINGS);
    finding.text = json_string_value(text);
    finding.edge = json_string_value(edge);
    return lab_trace_append_finding(from->trace, &finding);
}

static lab_status read_event(reader *from, json_t *event)
{
    json_t *args = json_object_get(event, "args");
    const char *phase = json_string_value(json_object_get(event, "ph"));
    if (!phase || (args && !json_is_object(args)))
        return refuse(from, "line %zu: an event must be an object with a text \"ph\", and its \"args\" an object",
                      line_of(from, from->at));
    bool metadata = strcmp(phase, "M") == 0;
    if (metadata && json_object_get(args, "stream")) return read_stream(from, args);
    if (!metadata && json_object_get(args, "id")) return read_op(from, args);
    if (!metadata && json_object_get(args, "finding")) return read_finding(from, args);
    return LAB_SUCCESS;
}

/* --- The whole -------------------------------------------------------------------------------------------------- */

static lab_status read_member(reader *from, const char *key)
{
    if (strcmp(key, "traceEvents") == 0) {
        if (from->has_events) return refuse(from, "it has two of \"traceEvents\"");
        from->has_events = true;
        return read_elements(from, read_event);
    }
    json_t *value;
    LAB_TRY(read_value(from, &value));
    lab_status status = strcmp(key, "otherData") == 0 ? read_head(from, value) : LAB_SUCCESS;
    json_decref(value);
    return status;
}

/* A time of the host that lies after the record's end would be from another record. The device's clock is another, and
 * may differ by a little. */
static lab_status check_whole(const reader *from)
{
    const lab_trace *trace = from->trace;
    if (!from->has_head) return refuse(from, "it has no \"otherData\"");
    if (!from->has_events) return refuse(from, "it has no \"traceEvents\"");
    if (trace->ops != from->operations)
        return refuse(from, "it holds %zu operations; its \"otherData\" says %" PRIu64, trace->ops, from->operations);
    for (size_t i = 0; i < trace->ops; i++) {
        const lab_trace_op *op = &trace->op[i];
        if (op->call_ns > trace->duration_ns || op->return_ns > trace->duration_ns)
            return refuse(from, "operation %" PRIu64 ": field \"%s\" is after the end of the record, %" PRId64, op->id,
                          op->call_ns > trace->duration_ns ? "call_ns" : "return_ns", trace->duration_ns);
    }
    for (size_t i = 0; i < trace->findings; i++) {
        const lab_trace_finding *finding = &trace->finding[i];
        if (finding->first > trace->ops || finding->second > trace->ops || !(finding->first || finding->second))
            return refuse(from,
                          "finding %zu: fields \"first\" and \"second\" are %" PRIu64 " and %" PRIu64
                          "; they must name operations, at most one of them 0 for none",
                          i + 1, finding->first, finding->second);
    }
    return LAB_SUCCESS;
}

lab_status lab_trace_load_bytes(lab_trace **out, const char *bytes, size_t size, const char *name)
{
    reader from = {.name = name, .bytes = bytes, .size = size};
    LAB_TRY(lab_trace_create(&from.trace));
    lab_status status = read_members(&from, read_member);
    (void)peek(&from);
    if (status == LAB_SUCCESS && from.at < from.size)
        status = refuse(&from, "line %zu: something follows its end", line_of(&from, from.at));
    if (status == LAB_SUCCESS) status = check_whole(&from);
    if (status == LAB_SUCCESS)
        *out = from.trace;
    else
        lab_trace_free(from.trace);
    return status;
}

/* Reads a regular file of at most FILE_BYTES; `*bytes` is to be freed. */
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
    /* A file that shrinks meanwhile is read as short as it is; one that grows, as long as it was. */
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
