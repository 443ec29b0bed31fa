/* Requests, calls and files of lab 08; see checks_call.h. */
#include "checks_call.h"

#include <stdio.h>
#include <string.h>

/* Where each number of an answer comes from. */
static const char *const origin[LAB08_NUMBERS] = {"the source",       "the header",       "the option FACTOR",
                                                  "the option SHIFT", "the architecture", "the compiler's version"};

wanted wanted_make(const int number[LAB08_NUMBERS])
{
    wanted made = {.request = {.architecture = number[FROM_ARCHITECTURE], .compiler = number[FROM_COMPILER]}};
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
    snprintf(request->label, sizeof request->label, "answer.cu");
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

check_place call_place(const call *now)
{
    return now->load ? check_at(now->load) : check_at_name(check_text("count in %s", now->function));
}

call call_make(check_program *program, const char *function, const wanted *request, lab08_arguments arguments)
{
    lab08_memory *memory = check_memory(program);
    call made = {.function = function, .after = check_alloc(sizeof *made.after)};
    check_trace_begin(program);
    memcpy(&memory->request, &request->request, sizeof memory->request);
    memset(memory->numbers, 0, sizeof memory->numbers);
    check_call(program, function, &arguments, sizeof arguments, NULL, 0);
    check_said(program, made.after, 0, sizeof *made.after, "the table of kernels is the host's");
    made.trace = check_trace(program);
    made.span = check_between(made.trace, LAB08_BEGINS, LAB08_ENDS, function);
    made.loads = check_count_in(made.span, LAB_OP_MODULE_LOAD);
    made.load = check_op_in(made.span, LAB_OP_MODULE_LOAD, -1);
    made.module = made.load ? made.load->module : NULL;
    CHECK_THAT(!made.after->empty, CHECK_WRONG_RESULT, check_text("%s succeeds and gives the caller nothing", function),
               .at = call_place(&made), .expected = "a kernel, or the status of the call that failed",
               .found = check_text("%s, and nothing written for the caller", lab_status_name(LAB_SUCCESS)));
    return made;
}

void call_check_answer(check_program *program, const call *now, const wanted *request)
{
    const check_passage passage = {.output = CHECK_BYTES(now->after->numbers)};
    check_snapshot(program, now->after->numbers, offsetof(lab08_memory, numbers), sizeof now->after->numbers);
    for (int i = 0; i < LAB08_NUMBERS; i++) {
        CHECK_THAT(now->after->numbers[i] == request->number[i], CHECK_WRONG_RESULT,
                   check_text("the kernel was not made from %s of this request", origin[i]), .at = call_place(now),
                   .expected = check_text("%d, from %s of this request", request->number[i], origin[i]),
                   .found = check_text("%d", now->after->numbers[i]),
                   .cause = strcmp(now->function, "lab08_get") == 0
                                ? "a kernel of another request was found: what is in the key?"
                                : NULL);
    }
    check_flow(
        program, now->trace,
        &(check_way){.function = now->function, .passage = &passage, .passages = 1, .kernel = {{NULL, "answer"}}});
}

void call_check_loads(const call *now, int loads, const char *why)
{
    /* A load is not wrong where none is asked for: the search did not find. */
    const check_place at =
        !loads && strcmp(now->function, "lab08_get") == 0 ? check_at_name("count in lab08_get") : call_place(now);
    CHECK_THAT(loads == 0 || now->loads <= 1, CHECK_RULE,
               check_text("%s goes on to load again after a load", now->function), .at = at,
               .expected = loads ? "one load" : "no load", .found = check_text("%d", now->loads),
               .cause = "what the first load has made is to be returned: is a return missing behind it?");
    CHECK_THAT(now->loads == loads, CHECK_RULE,
               check_text(loads ? "%s does not load once what it has not" : "%s loads what it has", now->function),
               .at = at, .expected = loads ? "one load" : "no load", .found = check_text("%d", now->loads),
               .cause = why);
}

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

const lab08_stored *disk_check_sound(const call *now, uint64_t key)
{
    const lab08_stored *file = disk_only_file(now);
    CHECK_THAT(file, CHECK_RULE, "lab08_load writes no file",
               .at = check_at_name(now->after->writes ? "lab08_disk_write in lab08_load" : "end of lab08_load"),
               .expected = "a file with the code, for the next run",
               .found = now->after->writes ? "no file, although lab08_disk_write was called"
                                           : "no call of lab08_disk_write");
    const lab08_header *header = &file->file.header;
    const size_t bytes = file->bytes - sizeof *header, room = sizeof file->file.code;
    CHECK_THAT(file->name == key, CHECK_RULE, "the file has another name than the key",
               .at = check_at_name(now->after->writes ? "lab08_disk_write in lab08_load" : "end of lab08_load"),
               .expected = check_text("a file whose name is the key of its request: %016llx", (unsigned long long)key),
               .found = check_text("the name %016llx", (unsigned long long)file->name));
    CHECK_THAT(header->format == LAB08_FORMAT, CHECK_WRONG_RESULT, "the file does not begin with LAB08_FORMAT",
               .at = check_at_name("header in lab08_load"),
               .expected = check_text("a header, and then the code: %016llx in the first 8 bytes",
                                      (unsigned long long)LAB08_FORMAT),
               .found = check_text("%016llx", (unsigned long long)header->format));
    CHECK_THAT(file->bytes > sizeof *header && bytes <= room && header->bytes == bytes, CHECK_WRONG_RESULT,
               "the file does not end where its header says", .at = check_at_name("header in lab08_load"),
               .expected = "a header, then the code with the 0 at its end",
               .found = check_text("%zu bytes; the header has %zu, and says %llu for the code", file->bytes,
                                   sizeof *header, (unsigned long long)header->bytes));
    const size_t length = strnlen(file->file.code, bytes);
    CHECK_THAT(length + 1 == bytes, CHECK_WRONG_RESULT, "the file does not end with the 0 of its code",
               .at = check_at_name("header in lab08_load"), .expected = "a header, then the code with the 0 at its end",
               .found = length == bytes ? "no 0 among the bytes that the header counts" : "more bytes behind the 0",
               .cause = length == bytes ? "strlen does not count the 0 at the end of a text" : NULL);
    CHECK_THAT(header->key == key && header->hash == lab08_hash(LAB08_HASH, file->file.code, bytes), CHECK_WRONG_RESULT,
               "the file's header is not that of its code", .at = check_at_name("header in lab08_load"),
               .expected = "the key, and the hash of the code",
               .found = header->key != key ? "another key" : "another hash");
    return file;
}

void disk_give(check_program *program, const lab08_stored *file)
{
    lab08_memory *memory = check_memory(program);
    memset(memory->disk, 0, sizeof memory->disk);
    memory->disk[0] = *file;
}

void disk_check_read(const call *now, uint64_t key, const lab08_stored *file)
{
    const lab08_memory *after = now->after;
    CHECK_THAT(after->reads && after->read_name == key && after->read_bytes == file->bytes, CHECK_RULE,
               "lab08_load does not read the file that is on the disk",
               .at = check_at_name(after->reads ? "lab08_disk_read in lab08_load" : "lab08_load"),
               .expected = check_text("the file %016llx read, all %zu bytes", (unsigned long long)key, file->bytes),
               .found = after->reads ? check_text("%zu bytes of the file %016llx", after->read_bytes,
                                                  (unsigned long long)after->read_name)
                                     : "no call of lab08_disk_read",
               .cause = "the file is there and sound: read it before lab08_compile");
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
    if (how == FORMAT) header->format++;
    if (how == OLDER) header->format--;
    if (how == OTHER_KEY) header->key++;
    if (how == ENDLESS) header->bytes = UINT64_MAX - sizeof *header;
    return made;
}
