/* Reads the text of a program: words, names, and which statement may name what. */
#include "program.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 256 << 20, MOST_HOST_BYTES = 1 << 30, LINE_BYTES = 400 };

typedef struct reader {
    play_program *program;
    play_fault *fault;
    char line[LINE_BYTES];
    char *rest; /* of the line */
    size_t host_bytes;
    play_statement *capture;   /* that goes on; NULL if none does */
    int life[PLAY_STATEMENTS]; /* of pooled memory: the line that has allocated it, minus the line that has freed it */
} reader;

__attribute__((format(printf, 2, 3))) static bool refuse(const reader *input, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(input->fault->text, sizeof input->fault->text, format, arguments);
    va_end(arguments);
    return false;
}

/* The next word of the line; "" at its end. */
static char *next_word(reader *input)
{
    char *word = input->rest + strspn(input->rest, " \t");
    input->rest = word + strcspn(word, " \t");
    if (*input->rest) *input->rest++ = '\0';
    return word;
}

static play_statement *last_of(const reader *input) { return &input->program->statement[input->program->statements]; }

/* ------------------------------------------------------------------------------------------------------
 * Names
 */

/* The listings are in C, C++ and Python, call a few functions, and have some names of their own. */
static const char *const taken[] = {
    "abs",      "alloc",    "and",    "as",     "asm",       "auto",    "block", "bool",     "break",  "bytes",
    "case",     "catch",    "ceil",   "char",   "check",     "class",   "const", "captured", "cos",    "cp",
    "cupyx",    "def",      "del",    "delete", "device",    "do",      "elif",  "else",     "enum",   "except",
    "exit",     "exp",      "extern", "false",  "float",     "floor",   "for",   "free",     "from",   "global",
    "goto",     "grid",     "i",      "if",     "import",    "in",      "int",   "is",       "kernel", "kernels",
    "lambda",   "log",      "long",   "main",   "malloc",    "max",     "min",   "module",   "n",      "namespace",
    "new",      "not",      "np",     "null",   "operator",  "or",      "pass",  "pow",      "print",  "printf",
    "private",  "public",   "raise",  "range",  "read_all",  "return",  "round", "seen",     "short",  "signed",
    "sin",      "sizeof",   "source", "sqrt",   "static",    "std",     "step",  "struct",   "switch", "tan",
    "template", "this",     "throw",  "true",   "try",       "typedef", "union", "unsigned", "using",  "virtual",
    "void",     "volatile", "while",  "with",   "write_all", "yield"};

static bool is_name(const char *word)
{
    size_t length = strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789_");
    return islower((unsigned char)*word) && !word[length] && length < PLAY_NAME_BYTES;
}

static bool check_name(const reader *input, const char *word)
{
    if (!*word) return refuse(input, "a name is missing at the end of the line");
    if (!is_name(word))
        return refuse(input, "\"%.40s\" is not a name: use at most %d small letters, digits and _, a letter first",
                      word, PLAY_NAME_BYTES - 1);
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (strcmp(taken[i], word) == 0)
            return refuse(input, "\"%s\" means something in C, C++ or Python: use another name", word);
    return true;
}

static int find(const play_program *program, const char *name)
{
    for (int i = 0; i < program->statements; i++)
        if (program->statement[i].kind <= PLAY_PAGEABLE && strcmp(program->statement[i].name, name) == 0) return i;
    return PLAY_NOTHING;
}

static bool read_new_name(reader *input)
{
    const char *word = next_word(input);
    if (!check_name(input, word)) return false;
    if (find(input->program, word) != PLAY_NOTHING) return refuse(input, "there is a \"%s\" already", word);
    strcpy(last_of(input)->name, word);
    return true;
}

/* The things that a statement may name, and their word. */
typedef struct sort {
    play_kind first, last;
    const char *word;
} sort;
static const sort stream_sort = {PLAY_STREAM, PLAY_BLOCKING, "stream"}, event_sort = {PLAY_EVENT, PLAY_EVENT, "event"},
                  graph_sort = {PLAY_GRAPH, PLAY_GRAPH, "graph"}, any_memory = {PLAY_POOLED, PLAY_PAGEABLE, "memory"},
                  device_memory = {PLAY_POOLED, PLAY_DEVICE, "device memory"},
                  pooled_memory = {PLAY_POOLED, PLAY_POOLED, "pooled memory"},
                  host_memory = {PLAY_PINNED, PLAY_PAGEABLE, "host memory"};

static bool read_thing(int *out, reader *input, const sort *wanted)
{
    const char *word = next_word(input);
    if (!*word) return refuse(input, "the name of a %s is missing at the end of the line", wanted->word);
    *out = wanted == &stream_sort && strcmp(word, "null") == 0 ? PLAY_NULL : find(input->program, word);
    if (*out == PLAY_NULL) return true;
    if (*out == PLAY_NOTHING) return refuse(input, "no line before makes a %s \"%.40s\"", wanted->word, word);
    const play_kind kind = input->program->statement[*out].kind;
    if (kind >= wanted->first && kind <= wanted->last) return true;
    return refuse(input, "\"%s\" is not a %s", word, wanted->word);
}

/* ------------------------------------------------------------------------------------------------------
 * Statements
 */

static bool read_bytes(reader *input)
{
    play_statement *made = last_of(input);
    const char *number = next_word(input), *unit = next_word(input);
    char *end;
    const unsigned long long count = strtoull(number, &end, 10);
    const unsigned long long factor = strcmp(unit, "MiB") == 0 ? 1 << 20 : strcmp(unit, "KiB") == 0 ? 1 << 10 : 1;
    if (!isdigit((unsigned char)*number) || *end || (*unit && factor == 1 && strcmp(unit, "bytes") != 0) ||
        count < 4 / factor || count > MOST_BYTES / factor || count * factor % 4)
        return refuse(input, "\"%.20s %.20s\" is not a size: use 4 bytes to 256 MiB in steps of 4, such as 16 MiB",
                      number, unit);
    made->bytes = (size_t)(count * factor);
    if (play_is_on_device(made->kind)) return true;
    input->host_bytes += made->bytes;
    return input->host_bytes <= MOST_HOST_BYTES || refuse(input, "all host memory together has more than 1 GiB");
}

/* Pooled memory is used, and freed, behind the call that allocates it. */
static bool check_life(const reader *input, int memory)
{
    const play_statement *pooled = &input->program->statement[memory];
    const int line = input->life[memory];
    const bool allocates = last_of(input)->kind == PLAY_ALLOC;
    if (pooled->kind != PLAY_POOLED || allocates == (line <= 0)) return true;
    if (line) return refuse(input, "line %d has %s \"%s\"", abs(line), line > 0 ? "allocated" : "freed", pooled->name);
    return refuse(input, "no line before allocates \"%s\"", pooled->name);
}

static bool read_use(reader *input, const sort *wanted, bool reads, bool writes)
{
    play_statement *made = last_of(input);
    int memory;
    if (!read_thing(&memory, input, wanted) || !check_life(input, memory)) return false;
    for (int i = 0; i < made->uses; i++) {
        if (made->use[i].memory != memory) continue;
        made->use[i].reads |= reads;
        made->use[i].writes |= writes;
        return true;
    }
    if (made->uses == PLAY_USES) return refuse(input, "a statement uses at most %d memories", PLAY_USES);
    made->use[made->uses++] = (play_use){memory, reads, writes};
    return true;
}

static bool is_on_device(const reader *input, const play_use *use)
{
    return play_is_on_device(input->program->statement[use->memory].kind);
}

static bool read_copy(reader *input)
{
    play_statement *made = last_of(input);
    if (made->kind == PLAY_COPY && !read_thing(&made->stream, input, &stream_sort)) return false;
    if (!read_use(input, &any_memory, true, false) || !read_use(input, &any_memory, false, true)) return false;
    if (made->uses < 2) return refuse(input, "the source of a copy cannot be its target");
    const int on_device = is_on_device(input, &made->use[0]) + is_on_device(input, &made->use[1]);
    if (on_device == 0) return refuse(input, "one side of a copy is device memory");
    if (on_device == 2 && made->kind == PLAY_COPY_NOW)
        return refuse(input, "copy-now is between host and device; on the device, use copy with a stream");
    return true;
}

static bool read_pooling(reader *input, int text_line)
{
    play_statement *made = last_of(input);
    if (!read_thing(&made->stream, input, &stream_sort) || !read_use(input, &pooled_memory, false, false)) return false;
    if (input->capture) return refuse(input, "memory is allocated and freed outside of a capture, here");
    input->life[made->use[0].memory] = made->kind == PLAY_ALLOC ? text_line : -text_line;
    return true;
}

/* The line that ends the graph's capture, or begins it if the capture is still open; 0 before it. */
static int captured_in(const reader *input, int graph)
{
    int line = 0;
    for (const play_statement *each = input->program->statement; each < last_of(input); each++)
        if (each->graph == graph && each->kind != PLAY_LAUNCH) line = each->text_line;
    return line;
}

static bool read_capture(reader *input)
{
    play_statement *made = last_of(input);
    if (!read_thing(&made->stream, input, &stream_sort) || !read_thing(&made->graph, input, &graph_sort)) return false;
    const char *graph = play_name_of(input->program, made->graph);
    const int line = captured_in(input, made->graph);
    const bool is_open = input->capture && input->capture->graph == made->graph;
    if (made->kind == PLAY_CAPTURE) {
        if (input->capture) return refuse(input, "the capture of line %d has not ended", input->capture->text_line);
        if (line) return refuse(input, "line %d has captured \"%s\"", line, graph);
        input->capture = made;
    } else if (made->kind == PLAY_END) {
        if (!is_open) return refuse(input, "no line before captures \"%s\"", graph);
        if (input->capture->stream != made->stream)
            return refuse(input, "the capture begins on another stream, in line %d", input->capture->text_line);
        input->capture = NULL;
    } else if (!line || is_open) {
        return refuse(input, "no line before ends the capture of \"%s\"", graph);
    }
    return true;
}

static int written_first(const void *left, const void *right)
{
    const play_use *one = left, *other = right;
    return one->writes != other->writes ? other->writes - one->writes : one->memory - other->memory;
}

/* "reads a b writes c" */
static bool read_work(reader *input)
{
    play_statement *made = last_of(input);
    if (!read_thing(&made->stream, input, &stream_sort)) return false;
    const char *name = next_word(input);
    if (!check_name(input, name)) return false;
    if (find(input->program, name) != PLAY_NOTHING) return refuse(input, "\"%s\" is the name of something else", name);
    strcpy(made->name, name);
    const sort *wanted = made->kind == PLAY_KERNEL ? &device_memory : &host_memory;
    bool reads = false, writes = false;
    for (;;) {
        input->rest += strspn(input->rest, " \t");
        const size_t length = strcspn(input->rest, " \t");
        if (!length) break;
        if (length == 5 && strncmp(input->rest, "reads", 5) == 0) {
            reads = *next_word(input);
            writes = false;
        } else if (length == 6 && strncmp(input->rest, "writes", 6) == 0) {
            writes = *next_word(input);
            reads = false;
        } else if (!reads && !writes) {
            return refuse(input, "behind its name, a %s says what it \"reads\" and \"writes\"",
                          made->kind == PLAY_KERNEL ? "kernel" : "host function");
        } else if (!read_use(input, wanted, reads, writes)) {
            return false;
        }
    }
    if (!made->uses) return refuse(input, "\"%s\" reads and writes nothing: name its memory", name);
    qsort(made->use, (size_t)made->uses, sizeof *made->use, written_first);
    return true;
}

/* Two kernels of one name are launches of the same code. */
static bool check_same_arguments(const reader *input)
{
    const play_statement *made = last_of(input);
    for (const play_statement *each = input->program->statement; each < made; each++) {
        if (each->kind != made->kind || strcmp(each->name, made->name) != 0) continue;
        bool same = each->uses == made->uses;
        for (int i = 0; same && i < made->uses; i++)
            same = each->use[i].reads == made->use[i].reads && each->use[i].writes == made->use[i].writes;
        if (!same)
            return refuse(input, "line %d gives \"%s\" other arguments: use another name", each->text_line, made->name);
    }
    return true;
}

static bool read_sync(reader *input)
{
    play_statement *made = last_of(input);
    const char *word = next_word(input);
    if (strcmp(word, "device") == 0) {
        made->kind = PLAY_SYNC_DEVICE;
        return true;
    }
    const int found = strcmp(word, "null") == 0 ? PLAY_NULL : find(input->program, word);
    const bool is_event = found >= 0 && input->program->statement[found].kind == PLAY_EVENT;
    const bool is_stream =
        found == PLAY_NULL || (found >= 0 && play_makes_stream(input->program->statement[found].kind));
    if (!is_event && !is_stream)
        return refuse(input, "\"%.40s\" is neither a stream nor an event nor \"device\"", word);
    *(is_event ? &made->event : &made->stream) = found;
    return true;
}

static bool read_host(reader *input)
{
    const char *word = next_word(input);
    const bool reads = strcmp(word, "reads") == 0, writes = strcmp(word, "writes") == 0;
    if (!reads && !writes) return refuse(input, "use \"host reads\" or \"host writes\"");
    return read_use(input, &host_memory, reads, writes);
}

static bool read_rest(reader *input)
{
    play_statement *made = last_of(input);
    switch (made->kind) {
    case PLAY_STREAM:
    case PLAY_BLOCKING:
    case PLAY_EVENT:
    case PLAY_GRAPH: return read_new_name(input);
    case PLAY_POOLED:
    case PLAY_DEVICE:
    case PLAY_PINNED:
    case PLAY_PAGEABLE: return read_new_name(input) && read_bytes(input);
    case PLAY_COPY:
    case PLAY_COPY_NOW: return read_copy(input);
    case PLAY_FILL:
        return read_thing(&made->stream, input, &stream_sort) && read_use(input, &device_memory, false, true);
    case PLAY_KERNEL:
    case PLAY_FUNCTION: return read_work(input) && check_same_arguments(input);
    case PLAY_CAPTURE:
    case PLAY_END:
    case PLAY_LAUNCH: return read_capture(input);
    case PLAY_ALLOC:
    case PLAY_FREE: return read_pooling(input, made->text_line);
    case PLAY_RECORD:
        return read_thing(&made->event, input, &event_sort) && read_thing(&made->stream, input, &stream_sort);
    case PLAY_WAIT:
        return read_thing(&made->stream, input, &stream_sort) && read_thing(&made->event, input, &event_sort);
    case PLAY_SYNC: return read_sync(input);
    case PLAY_HOST: return read_host(input);
    case PLAY_SYNC_DEVICE:
    case PLAY_KINDS: break;
    }
    return false;
}

static bool read_line(reader *input, int text_line)
{
    input->line[strcspn(input->line, "#")] = '\0';
    input->rest = input->line;
    const char *word = next_word(input);
    if (!*word) return true;
    if (input->program->statements == PLAY_STATEMENTS)
        return refuse(input, "a program has at most %d statements", PLAY_STATEMENTS);
    play_statement *made = last_of(input);
    int kind = 0;
    while (kind < PLAY_KINDS && (kind == PLAY_SYNC_DEVICE || strcmp(play_kind_name((play_kind)kind), word) != 0))
        kind++;
    *made = (play_statement){.kind = (play_kind)kind,
                             .text_line = text_line,
                             .stream = PLAY_NOTHING,
                             .event = PLAY_NOTHING,
                             .graph = PLAY_NOTHING};
    if (kind == PLAY_KINDS) return refuse(input, "\"%.40s\" does not begin a statement", word);
    if (!read_rest(input)) return false;
    const char *more = next_word(input);
    if (*more) return refuse(input, "\"%.40s\" is more than the statement needs", more);
    input->program->statements++;
    return true;
}

bool play_read(play_program *out, play_fault *fault, const char *text)
{
    reader input = {.program = out, .fault = fault};
    out->statements = 0;
    *fault = (play_fault){0};
    for (int line = 1;; line++) {
        const size_t length = strcspn(text, ";\r\n");
        fault->text_line = line;
        if (length >= LINE_BYTES) return refuse(&input, "the line is longer than %d characters", LINE_BYTES - 1);
        memcpy(input.line, text, length);
        input.line[length] = '\0';
        if (!read_line(&input, line)) return false;
        text += length;
        if (!*text && input.capture) fault->text_line = input.capture->text_line;
        if (!*text) return !input.capture || refuse(&input, "no line ends the capture");
        text += 1 + (text[0] == '\r' && text[1] == '\n');
    }
}
