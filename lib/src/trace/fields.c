/* The table of fields; and, for each type of field, a function to JSON and a function from JSON. */
#include "trace/fields.h"
#include "base/status.h"

#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum field_type {
    FIELD_INT,         /* int */
    FIELD_BOOL,        /* bool */
    FIELD_TIME,        /* int64_t */
    FIELD_NUMBER,      /* uint64_t */
    FIELD_ADDRESS,     /* uint64_t, an address unless it is small */
    FIELD_TEXT,        /* const char * */
    FIELD_KIND,        /* lab_op_kind, as its word */
    FIELD_HOST_MEMORY, /* lab_host_memory, as its word */
    FIELD_DIM,         /* lab_dim, as three integers */
    FIELD_ACCESSES,    /* lists: offset, least and most are unused */
    FIELD_WAITS,
} field_type;

typedef struct field {
    const char *name;
    field_type type;
    bool required;
    size_t offset;
    int64_t least, most; /* range of an INT or TIME, and of a NUMBER unless `most` is 0 */
} field;

#define AT(member) offsetof(lab_trace_op, member)
static const field table[] = {
    {"id", FIELD_NUMBER, true, AT(id), 1, LAB_TRACE_OPS},
    {"kind", FIELD_KIND, true, AT(kind), 0, 0},
    {"name", FIELD_TEXT, false, AT(name), 0, 0},
    {"device", FIELD_INT, false, AT(device), 0, LAB_TRACE_DEVICES - 1},
    {"stream", FIELD_NUMBER, false, AT(stream), 0, 0},
    {"object", FIELD_ADDRESS, false, AT(object), 0, 0},
    {"thread", FIELD_NUMBER, true, AT(thread), 1, LAB_TRACE_THREADS},
    {"bytes", FIELD_NUMBER, false, AT(bytes), 0, 0},
    {"kept", FIELD_NUMBER, false, AT(kept), 0, 0},
    {"module", FIELD_TEXT, false, AT(module), 0, 0},
    {"compile_ns", FIELD_TIME, false, AT(compile_ns), 0, LAB_TRACE_TIME_NS},
    {"arguments", FIELD_TEXT, false, AT(arguments), 0, 0},
    {"host_memory", FIELD_HOST_MEMORY, false, AT(host_memory), 0, 0},
    {"peer", FIELD_INT, false, AT(peer), 0, LAB_TRACE_DEVICES},
    {"peer_access", FIELD_BOOL, false, AT(peer_access), 0, 0},
    {"grid", FIELD_DIM, false, AT(grid), 0, UINT_MAX},
    {"block", FIELD_DIM, false, AT(block), 0, UINT_MAX},
    {"call_ns", FIELD_TIME, true, AT(call_ns), 0, LAB_TRACE_TIME_NS},
    {"return_ns", FIELD_TIME, true, AT(return_ns), -1, LAB_TRACE_TIME_NS},
    {"host_waits", FIELD_BOOL, false, AT(host_waits), 0, 0},
    {"start_ns", FIELD_TIME, false, AT(start_ns), -1, LAB_TRACE_TIME_NS},
    {"end_ns", FIELD_TIME, false, AT(end_ns), -1, LAB_TRACE_TIME_NS},
    {"lane", FIELD_INT, false, AT(lane), -1, INT_MAX},
    {"file", FIELD_TEXT, false, AT(file), 0, 0},
    {"line", FIELD_INT, false, AT(line), 0, INT_MAX},
    {"caller", FIELD_ADDRESS, false, AT(caller), 0, 0},
    {"access", FIELD_ACCESSES, false, 0, 0, 0},
    {"declared", FIELD_INT, false, AT(declared), 0, LAB_TRACE_LIST_LENGTH},
    {"waits_for", FIELD_WAITS, false, 0, 0, 0},
};
#undef AT
enum { FIELDS = sizeof table / sizeof *table };

static const char *const memory_words[] = {
    [LAB_HOST_NONE] = "none", [LAB_HOST_PAGEABLE] = "pageable", [LAB_HOST_PINNED] = "pinned"};

/* Every JSON reader holds integers up to here exactly. */
static const uint64_t exact_number = (uint64_t)1 << 53;
/* From here on, an ADDRESS is written in hexadecimal; a smaller one is an event's number. */
static const uint64_t first_address = (uint64_t)1 << 32;

lab_trace_op lab_fields_usual(void)
{
    return (lab_trace_op){.name = "",
                          .module = "",
                          .arguments = "",
                          .file = "",
                          .return_ns = -1,
                          .start_ns = -1,
                          .end_ns = -1,
                          .lane = -1};
}

const char *lab_fields_missing(const json_t *object)
{
    for (size_t i = 0; i < FIELDS; i++)
        if (table[i].required && !json_object_get(object, table[i].name)) return table[i].name;
    return NULL;
}

/* --- To JSON -------------------------------------------------------------------------------------------------- */

static json_t *hexadecimal(uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "0x%" PRIx64, value);
    return json_string_nocheck(text);
}

json_t *lab_fields_number(uint64_t value)
{
    return value <= exact_number ? json_integer((json_int_t)value) : hexadecimal(value);
}

/* Appends the value to the list; false if either could not be created. */
static bool append(json_t *list, json_t *value) { return json_array_append_new(list, value) == 0; }

static json_t *from_dim(lab_dim dim)
{
    json_t *list = json_array();
    if (append(list, json_integer(dim.x)) && append(list, json_integer(dim.y)) && append(list, json_integer(dim.z)))
        return list;
    json_decref(list);
    return NULL;
}

/* ["0x7f00dead0000", 4096, "host rw"] */
static json_t *from_access(const lab_trace_access *access)
{
    char how[16];
    snprintf(how, sizeof how, "%s%s%s", access->host ? "host " : "", access->reads ? "r" : "",
             access->writes ? "w" : "");
    json_t *list = json_array();
    if (append(list, hexadecimal(access->address)) && append(list, lab_fields_number(access->bytes)) &&
        append(list, json_string_nocheck(how)))
        return list;
    json_decref(list);
    return NULL;
}

static json_t *from_accesses(const lab_trace_op *op)
{
    json_t *list = json_array();
    for (int i = 0; i < op->accesses; i++) {
        if (append(list, from_access(&op->access[i]))) continue;
        json_decref(list);
        return NULL;
    }
    return list;
}

static json_t *from_waits(const lab_trace_op *op)
{
    json_t *list = json_array();
    for (int i = 0; i < op->waits; i++) {
        if (append(list, lab_fields_number(op->waits_for[i]))) continue;
        json_decref(list);
        return NULL;
    }
    return list;
}

static bool is_usual(const lab_trace_op *op, const field *row)
{
    const lab_trace_op usual = lab_fields_usual();
    const char *value = (const char *)op + row->offset;
    const char *same = (const char *)&usual + row->offset;
    switch (row->type) {
    case FIELD_INT: return memcmp(value, same, sizeof(int)) == 0;
    case FIELD_BOOL: return !*(const bool *)value;
    case FIELD_TIME: return memcmp(value, same, sizeof(int64_t)) == 0;
    case FIELD_NUMBER:
    case FIELD_ADDRESS: return memcmp(value, same, sizeof(uint64_t)) == 0;
    case FIELD_TEXT:
        return !*(const char *const *)(const void *)value || **(const char *const *)(const void *)value == '\0';
    case FIELD_KIND: return false;
    case FIELD_HOST_MEMORY: return memcmp(value, same, sizeof(lab_host_memory)) == 0;
    case FIELD_DIM: return memcmp(value, same, sizeof(lab_dim)) == 0;
    case FIELD_ACCESSES: return op->accesses == 0;
    case FIELD_WAITS: return op->waits == 0;
    }
    return false;
}

static json_t *to_json(const lab_trace_op *op, const field *row)
{
    const void *value = (const char *)op + row->offset;
    switch (row->type) {
    case FIELD_INT: return json_integer(*(const int *)value);
    case FIELD_BOOL: return json_boolean(*(const bool *)value);
    case FIELD_TIME: return json_integer(*(const int64_t *)value);
    case FIELD_NUMBER: return lab_fields_number(*(const uint64_t *)value);
    case FIELD_ADDRESS: {
        uint64_t address = *(const uint64_t *)value;
        return address < first_address ? lab_fields_number(address) : hexadecimal(address);
    }
    case FIELD_TEXT: return json_string(*(const char *const *)value);
    case FIELD_KIND: return json_string(lab_op_kind_name(*(const lab_op_kind *)value));
    case FIELD_HOST_MEMORY: return json_string(memory_words[*(const lab_host_memory *)value]);
    case FIELD_DIM: return from_dim(*(const lab_dim *)value);
    case FIELD_ACCESSES: return from_accesses(op);
    case FIELD_WAITS: return from_waits(op);
    }
    return NULL;
}

bool lab_fields_write(json_t *object, const lab_trace_op *op)
{
    for (size_t i = 0; i < FIELDS; i++) {
        if (!table[i].required && is_usual(op, &table[i])) continue;
        if (json_object_set_new_nocheck(object, table[i].name, to_json(op, &table[i])) != 0) return false;
    }
    return true;
}

/* --- From JSON ------------------------------------------------------------------------------------------------ */

__attribute__((format(printf, 2, 3))) static lab_status refuse(lab_field_fault *fault, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(fault->text, sizeof fault->text, format, arguments);
    va_end(arguments);
    return LAB_ERROR_INVALID_VALUE;
}

static const char *type_name(const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT: return "an object";
    case JSON_ARRAY: return "a list";
    case JSON_STRING: return "a text";
    case JSON_INTEGER: return "an integer";
    case JSON_REAL: return "a number with a fraction";
    case JSON_TRUE:
    case JSON_FALSE: return "true or false";
    case JSON_NULL: return "null";
    }
    return "of unknown type";
}

bool lab_fields_to_number(const json_t *value, uint64_t *out)
{
    if (json_is_integer(value)) {
        *out = (uint64_t)json_integer_value(value);
        return json_integer_value(value) >= 0;
    }
    const char *text = json_string_value(value);
    if (!text || strncmp(text, "0x", 2) != 0) return false;
    const char *digits = text + 2;
    size_t count = strlen(digits);
    if (count == 0 || count > 16 || strspn(digits, "0123456789abcdefABCDEF") != count) return false;
    *out = strtoull(digits, NULL, 16);
    return true;
}

static lab_status to_integer(const field *row, const json_t *value, int64_t *out, lab_field_fault *fault)
{
    if (!json_is_integer(value)) return refuse(fault, "is %s; it must be an integer", type_name(value));
    *out = json_integer_value(value);
    if (*out < row->least || *out > row->most)
        return refuse(fault, "is %" PRId64 "; it must be from %" PRId64 " to %" PRId64, *out, row->least, row->most);
    return LAB_SUCCESS;
}

static lab_status to_bool(const json_t *value, bool *out, lab_field_fault *fault)
{
    if (!json_is_boolean(value)) return refuse(fault, "is %s; it must be true or false", type_name(value));
    *out = json_is_true(value);
    return LAB_SUCCESS;
}

static lab_status to_number(const field *row, const json_t *value, uint64_t *out, lab_field_fault *fault)
{
    if (!lab_fields_to_number(value, out))
        return refuse(fault, "is %s; it must be an integer of at least 0, or hexadecimal text such as \"0x7f\"",
                      json_is_integer(value) ? "negative" : type_name(value));
    if (row->most > 0 && (*out < (uint64_t)row->least || *out > (uint64_t)row->most))
        return refuse(fault, "is %" PRIu64 "; it must be from %" PRId64 " to %" PRId64, *out, row->least, row->most);
    return LAB_SUCCESS;
}

static lab_status to_text(lab_trace *trace, const json_t *value, const char **out, lab_field_fault *fault)
{
    if (!json_is_string(value)) return refuse(fault, "is %s; it must be a text", type_name(value));
    if (json_string_length(value) >= LAB_TRACE_TEXT_BYTES)
        return refuse(fault, "has %zu bytes; it may have %d", json_string_length(value), LAB_TRACE_TEXT_BYTES - 1);
    return lab_trace_intern(trace, out, json_string_value(value));
}

static lab_status to_kind(const json_t *value, lab_op_kind *out, lab_field_fault *fault)
{
    const char *word = json_string_value(value);
    for (int kind = 0; word && kind < LAB_OP_KINDS; kind++) {
        if (strcmp(word, lab_op_kind_name((lab_op_kind)kind)) != 0) continue;
        *out = (lab_op_kind)kind;
        return LAB_SUCCESS;
    }
    return refuse(fault, "is not a kind of operation; it must be a word such as \"kernel\" or \"copy htod\"");
}

static lab_status to_memory(const json_t *value, lab_host_memory *out, lab_field_fault *fault)
{
    const char *word = json_string_value(value);
    for (int memory = LAB_HOST_NONE; word && memory <= LAB_HOST_PINNED; memory++) {
        if (strcmp(word, memory_words[memory]) != 0) continue;
        *out = (lab_host_memory)memory;
        return LAB_SUCCESS;
    }
    return refuse(fault, "is not a kind of host memory; it must be \"pageable\" or \"pinned\"");
}

static lab_status to_dim(const field *row, const json_t *value, lab_dim *out, lab_field_fault *fault)
{
    if (!json_is_array(value) || json_array_size(value) != 3)
        return refuse(fault, "must be a list of three integers: x, y and z");
    unsigned *extent[] = {&out->x, &out->y, &out->z};
    for (size_t i = 0; i < 3; i++) {
        int64_t number = 0;
        LAB_TRY(to_integer(row, json_array_get(value, i), &number, fault));
        *extent[i] = (unsigned)number;
    }
    return LAB_SUCCESS;
}

static lab_status to_access(const json_t *value, lab_trace_access *out, lab_field_fault *fault)
{
    if (!json_is_array(value) || json_array_size(value) != 3 ||
        !lab_fields_to_number(json_array_get(value, 0), &out->address) ||
        !lab_fields_to_number(json_array_get(value, 1), &out->bytes) || !json_is_string(json_array_get(value, 2)))
        return refuse(fault, "must hold lists of an address, a number of bytes and a text such as \"rw\"");
    if (out->bytes > UINT64_MAX - out->address)
        return refuse(fault, "holds a range of memory that goes past the last address");

    const char *how = json_string_value(json_array_get(value, 2));
    out->host = strncmp(how, "host ", 5) == 0;
    if (out->host) how += 5;
    out->reads = *how == 'r';
    if (out->reads) how++;
    out->writes = *how == 'w';
    if (out->writes) how++;
    if (*how != '\0')
        return refuse(fault, "holds an access that is not \"r\", \"w\" or \"rw\", with or without \"host \" before it");
    return LAB_SUCCESS;
}

static lab_status check_list(const json_t *value, lab_field_fault *fault)
{
    if (!json_is_array(value)) return refuse(fault, "is %s; it must be a list", type_name(value));
    if (json_array_size(value) > LAB_TRACE_LIST_LENGTH)
        return refuse(fault, "has %zu entries; it may have %d", json_array_size(value), LAB_TRACE_LIST_LENGTH);
    return LAB_SUCCESS;
}

static lab_status to_accesses(lab_trace *trace, lab_trace_op *op, const json_t *value, lab_field_fault *fault)
{
    LAB_TRY(check_list(value, fault));
    int count = (int)json_array_size(value);
    lab_trace_access *access = calloc((size_t)count + 1, sizeof *access);
    lab_status status = access ? LAB_SUCCESS : lab_fail(LAB_ERROR_OUT_OF_MEMORY, "not enough memory for the record");
    for (int i = 0; i < count && status == LAB_SUCCESS; i++)
        status = to_access(json_array_get(value, (size_t)i), &access[i], fault);
    if (status == LAB_SUCCESS) status = lab_trace_copy_accesses(trace, &op->access, access, count);
    if (status == LAB_SUCCESS) op->accesses = count;
    free(access);
    return status;
}

static lab_status to_waits(lab_trace *trace, lab_trace_op *op, const json_t *value, lab_field_fault *fault)
{
    static const field number = {.least = 1, .most = LAB_TRACE_OPS};
    LAB_TRY(check_list(value, fault));
    int count = (int)json_array_size(value);
    uint64_t *waits = calloc((size_t)count + 1, sizeof *waits);
    lab_status status = waits ? LAB_SUCCESS : lab_fail(LAB_ERROR_OUT_OF_MEMORY, "not enough memory for the record");
    for (int i = 0; i < count && status == LAB_SUCCESS; i++)
        status = to_number(&number, json_array_get(value, (size_t)i), &waits[i], fault);
    if (status == LAB_SUCCESS) status = lab_trace_copy_waits(trace, &op->waits_for, waits, count);
    if (status == LAB_SUCCESS) op->waits = count;
    free(waits);
    return status;
}

static lab_status from_json(lab_trace *trace, lab_trace_op *op, const field *row, const json_t *value,
                            lab_field_fault *fault)
{
    void *place = (char *)op + row->offset;
    int64_t integer = 0;
    switch (row->type) {
    case FIELD_INT:
        LAB_TRY(to_integer(row, value, &integer, fault));
        *(int *)place = (int)integer;
        return LAB_SUCCESS;
    case FIELD_BOOL: return to_bool(value, place, fault);
    case FIELD_TIME: return to_integer(row, value, place, fault);
    case FIELD_NUMBER:
    case FIELD_ADDRESS: return to_number(row, value, place, fault);
    case FIELD_TEXT: return to_text(trace, value, place, fault);
    case FIELD_KIND: return to_kind(value, place, fault);
    case FIELD_HOST_MEMORY: return to_memory(value, place, fault);
    case FIELD_DIM: return to_dim(row, value, place, fault);
    case FIELD_ACCESSES: return to_accesses(trace, op, value, fault);
    case FIELD_WAITS: return to_waits(trace, op, value, fault);
    }
    return LAB_ERROR_UNKNOWN;
}

lab_status lab_fields_read(lab_trace *trace, lab_trace_op *op, const char *name, const json_t *value,
                           lab_field_fault *fault)
{
    for (size_t i = 0; i < FIELDS; i++)
        if (strcmp(name, table[i].name) == 0) return from_json(trace, op, &table[i], value, fault);
    return refuse(fault, "is not a field of an operation");
}
