/* Requests, calls and files of lab 08; see checks_call.h. */
#include "checks_call.h"

#include <stdio.h>
#include <string.h>

/* ---- requests and their answers ---------------------------------------------------------------------------------- */

/* Where each number of an answer comes from. */
static const char *const origin[LAB08_NUMBERS] = {"the source",       "the header",       "the option FACTOR",
                                                  "the option SHIFT", "the architecture", "the compiler's version"};

wanted wanted_make(const int number[LAB08_NUMBERS])
{
    wanted made = {.request = {.label = "answer.cu",
                               .architecture = number[FROM_ARCHITECTURE],
                               .compiler = number[FROM_COMPILER]}};
    lab08_texts *request = &made.request;
    memcpy(made.number, number, sizeof made.number);
    snprintf(request->source, sizeof request->source,
             "extern \"C\" __global__ void answer(int *out)\n{\n"
             "    int number[] = {%d, FROM_HEADER, FACTOR, SHIFT, ARCHITECTURE, COMPILER};\n"
             "    for (int i = 0; i < %d; i++) out[i] = number[i];\n}\n",
             number[FROM_SOURCE], LAB08_NUMBERS);
    snprintf(request->header, sizeof request->header, "#define FROM_HEADER %d\n", number[FROM_HEADER]);
    snprintf(request->options, sizeof request->options, "-DFACTOR=%d -DSHIFT=%d", number[FROM_FACTOR],
             number[FROM_SHIFT]);
    return made;
}

wanted wanted_new(void)
{
    int number[LAB08_NUMBERS];
    for (int i = 0; i < LAB08_NUMBERS; i++) number[i] = 10000 + (int)(check_random_u64(1, (uint64_t)i) % 80000);
    return wanted_make(number);
}

wanted wanted_change(const wanted *from, int part)
{
    wanted changed = *from;
    changed.number[part]++;
    return wanted_make(changed.number);
}

static bool is_get(const call *now) { return strcmp(now->function, "lab08_get") == 0; }

check_place call_place(const call *now)
{
    return now->load ? check_at(now->load) : check_at_name(check_text("count in %s", now->function));
}

call call_make(check_program *program, const char *function, const wanted *request, lab08_arguments arguments)
{
    lab08_memory *memory = check_memory(program);
    call made = {.program = program, .function = function, .after = check_alloc(sizeof *made.after)};
    check_trace_begin(program);
    memcpy(&memory->request, &request->request, sizeof memory->request);
    memset(memory->numbers, 0, sizeof memory->numbers);
    check_call(program, function, &arguments, sizeof arguments, NULL, 0);
    check_said(program, made.after, 0, sizeof *made.after, "the table of kernels is the host's");
    made.trace = check_trace(program);
    made.span = check_span_of(made.trace, function);
    made.load = check_op_in(made.span, LAB_OP_MODULE_LOAD, -1);
    made.module = made.load ? made.load->module : "";
    const bool hit = is_get(&made) && !made.load && made.after->table.count > 0;
    CHECK_THAT(!made.after->empty, CHECK_WRONG_RESULT, check_text("%s succeeds and gives the caller nothing", function),
               .at = hit ? check_at_name("entry in lab08_get") : call_place(&made),
               .expected = "a kernel, or the status of the call that failed",
               .found = check_text("%s, and nothing written for the caller", lab_status_name(LAB_SUCCESS)),
               .cause =
                   hit ? "nothing was loaded, so an entry of the table was taken for the right one: its kernel has "
                         "to be written to *kernel too"
                       : NULL);
    return made;
}

void call_check_answer(const call *now, const wanted *request)
{
    int *found = now->after->numbers;
    const check_passage passage = {.output = CHECK_BYTES(now->after->numbers)};
    check_snapshot(now->program, found, offsetof(lab08_memory, numbers), sizeof now->after->numbers);
    for (int i = 0; i < LAB08_NUMBERS; i++)
        CHECK_THAT(found[i] == request->number[i], CHECK_WRONG_RESULT,
                   check_text("the kernel was not made from %s of this request", origin[i]), .at = call_place(now),
                   .expected = check_text("%d, from %s of this request", request->number[i], origin[i]),
                   .found = check_text("%d", found[i]),
                   .cause = is_get(now) ? "a kernel of another request was found: what is in the key?" : NULL);
    check_flow(
        now->program, now->trace,
        &(check_way){.function = now->function, .passage = &passage, .passages = 1, .kernel = {{NULL, "answer"}}});
}

/* A load is not wrong where none is asked for: the search did not find. */
void call_check_loads(const call *now, int loads, const char *why)
{
    const int found = check_count_in(now->span, LAB_OP_MODULE_LOAD);
    const bool goes_on = loads && found > 1;
    CHECK_THAT(found == loads, CHECK_RULE,
               check_text(goes_on ? "%s continues, and loads again after a load"
                          : loads ? "%s does not load once what it has not"
                                  : "%s loads what it has",
                          now->function),
               .at = !loads && is_get(now) ? check_at_name("count in lab08_get") : call_place(now),
               .expected = loads ? "one load" : "no load", .found = check_text("%d", found),
               .cause =
                   goes_on ? "what the first load has made is to be returned: is a return missing behind it?" : why);
}

call call_answered(check_program *program, const char *function, const wanted *request, lab08_arguments arguments,
                   int loads, const char *why)
{
    const call made = call_make(program, function, request, arguments);
    call_check_answer(&made, request);
    call_check_loads(&made, loads, why);
    return made;
}

void call_check_status(const call *now, lab_status status, const char *message, const char *at, const char *cause)
{
    const lab_status found = (lab_status)now->after->status;
    CHECK_THAT(found == status, CHECK_WRONG_RESULT, message, .at = check_at_name(at),
               .expected = lab_status_name(status), .found = lab_status_name(found), .cause = cause);
}

void call_check_entry(const call *now, int place, uint64_t key)
{
    const lab_trace_op *kernel = check_last_op(now->trace, LAB_OP_KERNEL);
    const uint64_t context = kernel ? check_stream(now->trace, kernel->stream)->context : 0;
    const lab08_entry *entry = &now->after->table.entry[place];
    CHECK_THAT(now->after->table.count == place + 1, CHECK_RULE,
               "lab08_get does not add to the table what it has loaded", .at = call_place(now),
               .expected = check_text("a count of %d", place + 1), .found = check_text("%d", now->after->table.count),
               .cause = "after this call the kernel gets an entry at the end of the table, and the count is one more");
    CHECK_THAT(
        entry->key == key && entry->context == context, CHECK_WRONG_RESULT,
        check_text("lab08_get writes another %s into the table", entry->key == key ? "number for the context" : "key"),
        .at = check_at_name("end of lab08_get"),
        .expected = check_text("key %016llx and context %llu in entry %d, by the record of the kernel",
                               (unsigned long long)key, (unsigned long long)context, place),
        .found = check_text("key %016llx and context %llu", (unsigned long long)entry->key,
                            (unsigned long long)entry->context),
        .cause = entry->key == key ? "lab_context_info.id is a number that no other context will have; a handle "
                                     "may be used again"
                 : entry->key == 0 ? "nothing has written this entry: the new one's place is the count before the call"
                                   : "the key of the request is what lab08_key returns for it");
}

/* ---- files of the disk ------------------------------------------------------------------------------------------- */

const lab08_stored *disk_only_file(const call *now)
{
    const lab08_stored *found = NULL;
    int files = 0;
    for (int i = 0; i < LAB08_FILES; i++) {
        if (!now->after->disk[i].bytes) continue;
        found = &now->after->disk[i];
        files++;
    }
    CHECK_THAT(files <= 1, CHECK_RULE, "lab08_load writes a second file for the same request",
               .at = check_at_name("lab08_disk_write in lab08_load"), .expected = "one file for each request",
               .found = check_text("%d", files));
    return found;
}

/* What a header says, in words. */
static const char *text_of(const lab08_header *header)
{
    return check_text("format %llx, key %016llx, %llu bytes, hash %016llx", (unsigned long long)header->format,
                      (unsigned long long)header->key, (unsigned long long)header->bytes,
                      (unsigned long long)header->hash);
}

const lab08_stored *disk_check_sound(const call *now, uint64_t key)
{
    const lab08_stored *file = disk_only_file(now);
    const bool writes = now->after->writes;
    CHECK_THAT(file && file->name == key, CHECK_RULE,
               file ? "the file has another name than the key" : "lab08_load writes no file",
               .at = check_at_name(writes ? "lab08_disk_write in lab08_load" : "end of lab08_load"),
               .expected = check_text("a file with the code, for the next run: its name is the key %016llx",
                                      (unsigned long long)key),
               .found = file     ? check_text("the name %016llx", (unsigned long long)file->name)
                        : writes ? "no file, although lab08_disk_write was called"
                                 : "no call of lab08_disk_write");
    const char *code = file->file.code;
    const size_t room = sizeof file->file.code, length = strnlen(code, room - 1);
    const lab08_header *header = &file->file.header,
                       sound = {LAB08_FORMAT, key, length + 1, lab08_hash(LAB08_HASH, code, length + 1)};
    const bool is_right = memcmp(header, &sound, sizeof sound) == 0;
    CHECK_THAT(
        is_right && file->bytes == sizeof sound + sound.bytes, CHECK_WRONG_RESULT,
        "the file is not a header and its code",
        .at = check_at_name(is_right ? "lab08_disk_write in lab08_load" : "header in lab08_load"),
        .expected = check_text("a file of %zu bytes; the header says: %s", sizeof sound + length + 1, text_of(&sound)),
        .found = check_text("%zu bytes; %s", file->bytes, text_of(header)),
        .cause = is_right                       ? "what is written is as long as the header and the code together"
                 : header->bytes == length      ? "strlen does not count the 0 at the end of a text"
                 : header->bytes == file->bytes ? "`bytes` are those of the code, and the header is not among them"
                 : header->bytes != sound.bytes ? NULL
                 : header->hash != sound.hash   ? "the hash is that of the bytes of the code, and of nothing else"
                                                : NULL);
    return file;
}

void disk_give(check_program *program, const lab08_stored *file)
{
    lab08_memory *memory = check_memory(program);
    memset(memory->disk, 0, sizeof memory->disk);
    memory->disk[0] = *file;
}

const char *const disk_damage[DAMAGES] = {
    "was cut in the middle of its code",
    "was cut in the middle of its header",
    "lacks the end of its code, which was zeros",
    "has a digit of its code changed",
    "goes on behind the end that its header says",
    "was written in a later format",
    "was written in an earlier format",
    "has the code of another request, whose key it says",
    "has a header that says a length beyond all memory",
};

lab08_stored disk_damaged(const lab08_stored *from, int how, int number)
{
    lab08_stored made = *from;
    lab08_header *header = &made.file.header;
    char *digit = strstr(made.file.code, check_text("{%d", number));
    if (!digit) check_fail(CHECK_WRONG_RESULT, "the file does not have the code of its request");
    digit[1] = digit[1] == '9' ? '1' : '9';
    if (how == CUT_ZEROS) header->bytes += 64;
    if (how != DIGIT) header->hash = lab08_hash(LAB08_HASH, made.file.code, header->bytes);
    if (how == CUT) made.bytes -= header->bytes / 2;
    if (how == CUT_HEADER) {
        made.bytes = sizeof *header - 1;
        header->bytes = made.bytes - sizeof *header; /* so that only the length of the file tells */
    }
    if (how == LONGER) {
        memset(made.file.code + header->bytes, 'x', 40);
        made.bytes += 40;
    }
    header->format += (how == FORMAT) - (how == OLDER);
    if (how == OTHER_KEY) header->key++;
    if (how == ENDLESS) header->bytes = UINT64_MAX - sizeof *header;
    return made;
}
