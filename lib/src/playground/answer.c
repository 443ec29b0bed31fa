/* Puts an answer together and writes it as JSON. */
#include "answer.h"

#include "run.h"
#include "story.h"
#include "trace/trace.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------------
 * JSON
 */

static void put_byte(FILE *out, char byte)
{
    if (byte == '"' || byte == '\\')
        fprintf(out, "\\%c", byte);
    else if ((unsigned char)byte < ' ')
        fprintf(out, "\\u%04x", byte);
    else
        fputc(byte, out);
}

static void put_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) put_byte(out, *text);
    fputc('"', out);
}

static void put_fault(FILE *out, const play_fault *fault)
{
    fprintf(out, "{\"fault\": {\"line\": %d, \"text\": ", fault->text_line);
    put_text(out, fault->text);
    fputs("}}\n", out);
}

/* ------------------------------------------------------------------------------------------------------
 * Parts of an answer
 */

/* A question, and what is known about it. */
typedef struct question {
    const play_program *program;
    const play_listing *listing;
    const play_run *run;
    const lab_model *model;
} question;

/* The name of the stream, or of the event, that has this number in the record; NULL if the program has none. */
static const char *stream_name(const question *asked, uint64_t number)
{
    for (int i = 0; i < asked->program->statements; i++)
        if (asked->run->stream[i] == number) return play_name_of(asked->program, i);
    return number == asked->run->null_stream ? "null" : NULL;
}

static const char *event_name(const question *asked, uint64_t number)
{
    for (int i = 0; i < asked->program->statements; i++) {
        const size_t op = asked->run->op[i];
        const bool is_event = asked->program->statement[i].kind == PLAY_EVENT && op < asked->run->trace->ops;
        if (is_event && asked->run->trace->op[op].object == number) return play_name_of(asked->program, i);
    }
    return NULL;
}

/* Words after which a number names something, in sentences and in drawings. */
static const struct {
    const char *words;
    const char *(*name)(const question *asked, uint64_t number);
} numbered[] = {{"stream ", stream_name}, {"stream </tspan>", stream_name}, {"event ", event_name}};
enum { NUMBERED = sizeof numbered / sizeof *numbered };

/* The text with names in place of the record's numbers, which grow with each answer. */
static void put_named(FILE *out, const question *asked, const char *text)
{
    fputc('"', out);
    while (*text) {
        const char *name = NULL, *words = "";
        char *end = NULL;
        for (int i = 0; i < NUMBERED && !name; i++) {
            words = numbered[i].words;
            const char *number = text + strlen(words);
            if (strncmp(text, words, strlen(words)) == 0 && isdigit((unsigned char)*number))
                name = numbered[i].name(asked, strtoull(number, &end, 10));
        }
        for (size_t i = 0; i < (name ? strlen(words) : 1); i++) put_byte(out, text[i]);
        for (const char *at = name; at && *at; at++) put_byte(out, *at);
        text = name ? end : text + 1;
    }
    fputc('"', out);
}

static void put_uses(FILE *out, const question *asked, const play_statement *each, bool reads)
{
    const char *between = "";
    fprintf(out, ", \"%s\": [", reads ? "reads" : "writes");
    for (int i = 0; i < each->uses; i++) {
        if (!(reads ? each->use[i].reads : each->use[i].writes)) continue;
        fputs(between, out);
        put_text(out, play_name_of(asked->program, each->use[i].memory));
        between = ", ";
    }
    fputc(']', out);
}

static void put_times(FILE *out, const char *name, int64_t begin, int64_t end)
{
    if (begin >= 0 && end >= begin)
        fprintf(out, ", \"%s\": [%lld, %lld]", name, (long long)begin, (long long)end);
    else
        fprintf(out, ", \"%s\": null", name);
}

static void put_statement(FILE *out, const question *asked, int number)
{
    const play_statement *each = &asked->program->statement[number];
    const lab_trace *modelled = asked->model->trace;
    char says[64];
    play_describe(says, sizeof says, asked->program, number);
    const int graph = each->graph == PLAY_NOTHING ? asked->run->graph[number] : each->graph;
    fprintf(out, "{\"kind\": \"%s\", \"says\": ", play_kind_name(each->kind));
    put_text(out, says);
    fprintf(out,
            ", \"name\": \"%s\", \"stream\": \"%s\", \"event\": \"%s\", \"graph\": \"%s\", \"line\": %d, \"text\": %d",
            each->name, each->stream == PLAY_NOTHING ? "" : play_name_of(asked->program, each->stream),
            each->event == PLAY_NOTHING ? "" : play_name_of(asked->program, each->event),
            graph == PLAY_NOTHING ? "" : play_name_of(asked->program, graph), asked->listing->line[number],
            each->text_line);
    put_uses(out, asked, each, true);
    put_uses(out, asked, each, false);
    const size_t op = asked->run->op[number];
    const lab_trace_op *times = op < modelled->ops ? &modelled->op[op] : &(lab_trace_op){.call_ns = -1, .start_ns = -1};
    put_times(out, "call", times->call_ns, times->return_ns);
    put_times(out, "run", times->start_ns, times->end_ns);
    fputc('}', out);
}

static void put_steps(FILE *out, const play_story *story)
{
    static const char *const kinds[] = {"calls", "runs", "returns"};
    for (int i = 0; i < story->steps; i++) {
        const play_step *each = &story->step[i];
        fprintf(out, "%s{\"kind\": \"%s\", \"statement\": %d, \"wrong\": %s, \"text\": ", i ? ", " : "",
                kinds[each->kind], each->statement, each->wrong ? "true" : "false");
        put_text(out, each->text);
        fputc('}', out);
    }
}

static lab_status put_finding(FILE *out, const question *asked, const lab_order_finding *each)
{
    static play_story story;
    fprintf(out, "{\"first\": %d, \"second\": %d, \"same\": %llu, \"bytes\": %llu, \"host\": %s, \"text\": ",
            play_statement_at(asked->listing, each->first.file, each->first.line),
            play_statement_at(asked->listing, each->second.file, each->second.line),
            (unsigned long long)each->same_cause, (unsigned long long)each->bytes, each->host ? "true" : "false");
    put_named(out, asked, each->text);
    fputs(", \"edge\": ", out);
    put_named(out, asked, each->edge);
    LAB_TRY(play_tell(&story, asked->program, asked->listing, asked->run, each));
    fputs(", \"steps\": [", out);
    put_steps(out, &story);
    fputs("]}", out);
    return LAB_SUCCESS;
}

static void describe_op(char text[64], const question *asked, uint64_t id)
{
    const lab_trace_op *op = &asked->model->trace->op[id ? id - 1 : 0];
    const int statement = play_statement_at(asked->listing, op->file, op->line);
    text[0] = '\0';
    if (statement >= 0) play_describe(text, 64, asked->program, statement);
}

/* The drawing names the operations of a finding; the sentences stand elsewhere. */
static void shorten_findings(const question *asked)
{
    static char words[LAB_TRACE_FINDINGS][160];
    for (size_t i = 0; i < asked->model->trace->findings; i++) {
        lab_trace_finding *each = &asked->model->trace->finding[i];
        char first[64], second[64];
        describe_op(first, asked, each->first);
        describe_op(second, asked, each->second);
        snprintf(words[i], sizeof words[i], "%s and %s: nothing orders them", first, second);
        each->text = words[i];
        each->edge = "";
    }
}

static void put_model(FILE *out, const question *asked)
{
    const lab_model *model = asked->model;
    char *svg = NULL;
    shorten_findings(asked);
    fputs("{\"label\": ", out);
    put_text(out, model->label);
    fprintf(out, ", \"makespan\": %.6f, \"serial\": %.6f, \"svg\": ", model->makespan_ms, model->serial_ms);
    put_named(out, asked, lab_timeline_svg(&svg, model->trace, NULL) == LAB_SUCCESS ? svg : "");
    fputc('}', out);
    free(svg);
}

static lab_status put_answer(FILE *out, const question *asked)
{
    fprintf(out, "{\"file\": \"%s\", \"listing\": ", asked->listing->file);
    put_text(out, asked->listing->text);
    fputs(",\n\"statements\": [", out);
    for (int i = 0; i < asked->program->statements; i++) {
        fputs(i ? ",\n" : "", out);
        put_statement(out, asked, i);
    }
    fputs("],\n\"findings\": [", out);
    for (size_t i = 0; i < asked->run->findings; i++) {
        fputs(i ? ",\n" : "", out);
        LAB_TRY(put_finding(out, asked, &asked->run->finding[i]));
    }
    fputs("],\n\"model\": ", out);
    put_model(out, asked);
    fputs("}\n", out);
    return LAB_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------------
 * The question
 */

static play_language language_named(const char *name)
{
    return strcmp(name, "cuda") == 0 ? PLAY_CUDA : strcmp(name, "cupy") == 0 ? PLAY_CUPY : PLAY_LAB;
}

static lab_status model(lab_model **out, const lab_trace *trace, const char *name)
{
    lab_profile *profile;
    LAB_TRY(lab_profile_open(&profile, name));
    const lab_status status = lab_model_run(out, trace, profile, NULL);
    lab_profile_free(profile);
    return status;
}

/* Answers about a program that has run. */
static void answer(FILE *out, question *asked, const char *profile)
{
    lab_model *modelled = NULL;
    lab_status status = model(&modelled, asked->run->trace, profile);
    asked->model = modelled;
    if (status == LAB_SUCCESS) status = put_answer(out, asked);
    lab_model_free(modelled);
    if (status == LAB_SUCCESS) return;
    rewind(out); /* a part of an answer is none */
    play_fault fault = {0};
    strncpy(fault.text, lab_error_message(), sizeof fault.text - 1);
    put_fault(out, &fault);
}

char *play_answer(const char *text, const char *language, const char *profile)
{
    static play_program program;
    static play_listing listing;
    static play_run run;
    char *answered = NULL;
    size_t size;
    play_fault fault;
    FILE *out = open_memstream(&answered, &size);
    if (!out) return NULL;
    if (!play_read(&program, &fault, text)) {
        put_fault(out, &fault);
    } else if (play_list(&listing, &program, language_named(language))) {
        question asked = {&program, &listing, &run, NULL};
        if (play_start(&run, &fault, &program, &listing)) {
            answer(out, &asked, profile);
            play_run_clear(&run);
        } else {
            put_fault(out, &fault);
        }
        play_listing_clear(&listing);
    }
    const bool failed = ferror(out) != 0;
    if (fclose(out) == 0 && !failed) return answered;
    free(answered);
    return NULL;
}
