/* Answers of the playground: what a program must say, findings, orders in which it goes wrong, and the model. */
#include "playground/answer.h"
#include "test.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define TWO_STREAMS "stream one;stream two;event ready;device a 1 MiB;device b 1 MiB;pinned out 1 MiB;"

static json_t *ask_in(const char *language, const char *text)
{
    setenv("LAB_DEVICE", "cpu", 1);
    char *answered = play_answer(text, language, "h200");
    json_t *answer = json_loads(answered, 0, NULL);
    cr_assert_not_null(answer, "not JSON: %s", answered);
    free(answered);
    return answer;
}

static json_t *ask(const char *text) { return ask_in("lab", text); }

static const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}
static int number_of(const json_t *object, const char *key)
{
    return (int)json_integer_value(json_object_get(object, key));
}

/* The number of findings; the answer has no fault. */
static size_t findings_of(const char *text)
{
    json_t *answer = ask(text);
    const json_t *fault = json_object_get(answer, "fault");
    cr_assert_null(fault, "%s: %s", text, fault ? text_of(fault, "text") : "");
    const size_t findings = json_array_size(json_object_get(answer, "findings"));
    json_decref(answer);
    return findings;
}

static void assert_fault(const char *text, int line, const char *words)
{
    json_t *answer = ask(text);
    const json_t *fault = json_object_get(answer, "fault");
    cr_assert_not_null(fault, "%s: accepted", text);
    cr_assert_not_null(strstr(text_of(fault, "text"), words), "%s: %s", text, text_of(fault, "text"));
    cr_assert_eq(number_of(fault, "line"), line, "%s: in line %d", text, number_of(fault, "line"));
    json_decref(answer);
}

Test(playground, says_what_is_wrong_with_a_text_and_where)
{
    assert_fault("stream one\njump", 2, "\"jump\" does not begin a statement");
    assert_fault("stream", 1, "a name is missing");
    assert_fault("stream One", 1, "is not a name");
    assert_fault("stream int", 1, "means something in C, C++ or Python");
    assert_fault("stream one;event one", 2, "there is a \"one\" already");
    assert_fault("stream one two", 1, "\"two\" is more than the statement needs");
    assert_fault("device a 3 bytes", 1, "is not a size");
    assert_fault("device a 1 GiB", 1, "is not a size");
    assert_fault("device a 512 MiB", 1, "is not a size");
    assert_fault("device a 18446744073709551615 MiB", 1, "is not a size");
    assert_fault("pinned a 256 MiB;pinned b 256 MiB;pinned c 256 MiB;pinned d 256 MiB;pageable e 4 bytes", 5,
                 "more than 1 GiB");
    assert_fault("stream one;record one one", 2, "\"one\" is not a event");
    assert_fault("device a 1 KiB;copy null a a", 2, "cannot be its target");
    assert_fault("pinned p 1 KiB;pinned q 1 KiB;copy null p q", 3, "one side of a copy is device memory");
    assert_fault("device a 1 KiB;device b 1 KiB;copy-now a b", 3, "copy-now is between host and device");
    assert_fault("pinned p 1 KiB;kernel null k reads p", 2, "\"p\" is not a device memory");
    assert_fault("device a 1 KiB;kernel null k a", 2, "says what it \"reads\" and \"writes\"");
    assert_fault("device a 1 KiB;kernel null k reads", 2, "reads and writes nothing");
    assert_fault("device a 1 KiB;kernel null k reads a;kernel null k writes a", 3,
                 "line 2 gives \"k\" other arguments");
    assert_fault("device a 1 KiB;alloc null a", 2, "\"a\" is not a pooled memory");
    assert_fault("pooled a 1 KiB;kernel null k reads a", 2, "no line before allocates \"a\"");
    assert_fault("pooled a 1 KiB;free null a", 2, "no line before allocates \"a\"");
    assert_fault("pooled a 1 KiB;alloc null a;alloc null a", 3, "line 2 has allocated \"a\"");
    assert_fault("pooled a 1 KiB;alloc null a;free null a;kernel null k reads a", 4, "line 3 has freed \"a\"");
    assert_fault("pooled a 1 KiB;alloc null a;free null a;free null a", 4, "line 3 has freed \"a\"");
    assert_fault("stream s;graph g;launch s g", 3, "no line before ends the capture of \"g\"");
    assert_fault("stream s;graph g;capture s g;launch s g", 4, "no line before ends the capture of \"g\"");
    assert_fault("stream s;graph g;end s g", 3, "no line before captures \"g\"");
    assert_fault("stream s;graph g;capture s g;sync null", 3, "no line ends the capture");
    assert_fault("stream s;graph g;graph h;capture s g;capture s h", 5, "the capture of line 4 has not ended");
    assert_fault("stream s;graph g;capture s g;end s g;capture s g", 5, "line 4 has captured \"g\"");
    assert_fault("stream s;stream t;graph g;capture s g;end t g", 5, "begins on another stream, in line 4");
    assert_fault("stream s;graph g;pooled a 1 KiB;capture s g;alloc s a", 5, "outside of a capture");
    assert_fault("sync nobody", 1, "neither a stream nor an event");
    assert_fault("host looks", 1, "host reads");
}

Test(playground, refuses_what_is_too_long)
{
    char line[600];
    memset(line, 'a', sizeof line - 1);
    line[sizeof line - 1] = '\0';
    assert_fault(line, 1, "longer than");
    char many[257 * sizeof "sync null;"] = "";
    for (int i = 0; i < 257; i++) strcat(many, "sync null;");
    assert_fault(many, 257, "at most 256 statements");
}

Test(playground, finds_what_no_event_orders)
{
    cr_assert_eq(findings_of(TWO_STREAMS "kernel one make writes a;kernel two use reads a writes b"), 1);
    cr_assert_eq(findings_of(TWO_STREAMS "kernel one make writes a;record ready one;wait two ready;"
                                         "kernel two use reads a writes b"),
                 0);
    cr_assert_eq(findings_of(TWO_STREAMS "record ready one;kernel one make writes a;wait two ready;"
                                         "kernel two use reads a writes b"),
                 1, "an event that is recorded too early");
    cr_assert_eq(findings_of(TWO_STREAMS "copy one a out;host reads out"), 1);
    cr_assert_eq(findings_of(TWO_STREAMS "copy one a out;sync one;host reads out"), 0);
}

Test(playground, names_streams_as_the_program_does_however_often_it_is_asked)
{
    const char *const program = TWO_STREAMS "fill one a;fill two a";
    char *first = play_answer(program, "lab", "h200"), *again = play_answer(program, "lab", "h200");
    cr_assert_str_eq(first, again);
    cr_assert_not_null(strstr(first, "record an event on stream one after fill"), "%s", first);
    cr_assert_not_null(strstr(first, "stream </tspan>two<"), "%s", first);
    free(first);
    free(again);
}

#define GRAPH_AND_TWO_STREAMS                                                                                          \
    "stream one;stream two;blocking old;event forked;event joined;graph g;device a 1 MiB;device b 1 MiB;device c 1 "   \
    "MiB;"

/* What CUDA refuses is a fault in the line of the call. */
Test(playground, refuses_what_a_capture_cannot_hold)
{
    static const struct {
        const char *calls;
        int line;
        const char *words;
    } cases[] = {
        {"capture null g;end null g", 10, "the null stream cannot capture"},
        {"capture one g;fill one a;sync one;end one g", 12, "the stream is capturing"},
        {"capture one g;fill one a;sync two;end one g", 12, "not while a stream captures"},
        {"capture one g;sync device;end one g", 11, "a stream of the device is capturing"},
        {"record forked two;capture one g;sync forked;end one g", 12, "not while a stream captures"},
        {"capture one g;record forked one;sync forked;end one g", 12, "stands for a place in the graph"},
        {"capture one g;device d 1 KiB;end one g", 11, "not while a stream captures"},
        {"record forked two;capture one g;wait one forked;end one g", 12, "recorded outside of the capture"},
        {"capture one g;record forked one;end one g;wait two forked", 13, "in a capture that has ended"},
        {"capture one g;record forked one;wait two forked;fill two a;end one g", 14, "was not joined"},
        {"capture one g;record forked one;wait null forked;end one g", 12, "the null stream cannot be captured"},
        {"capture old g;fill null a;end old g", 11, "the null stream is ordered with every blocking stream"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char program[1000];
        snprintf(program, sizeof program, GRAPH_AND_TWO_STREAMS "%s", cases[i].calls);
        assert_fault(program, cases[i].line, cases[i].words);
        cr_assert_eq(findings_of(GRAPH_AND_TWO_STREAMS "capture two g;fill two a;end two g;launch two g;sync two"), 0,
                     "a capture is left behind");
    }
}

#define FORK                                                                                                           \
    "capture one g;fill one a;record forked one;wait two forked;kernel two q reads a writes c;record joined two;"
#define JOIN "wait one joined;"
#define LAUNCH "end one g;launch one g;"

Test(playground, orders_the_nodes_of_graphs_and_their_launches)
{
    static const struct {
        const char *calls;
        size_t findings;
        const char *words;
    } cases[] = {
        {FORK JOIN "kernel one r reads a c writes b;" LAUNCH "launch one g;sync one", 0, ""},
        {FORK "kernel one r reads a c writes b;" JOIN LAUNCH, 1,
         "On one: launch g. In it kernel r may run before kernel q"},
        {FORK JOIN LAUNCH "kernel two use reads c writes b", 1, "It reads c before launch g has written it"},
        {FORK JOIN LAUNCH "record joined one;wait two joined;kernel two use reads c writes b", 0, ""},
        {"fill two a;capture one g;kernel one use reads a writes b;" LAUNCH, 1,
         "On one: launch g. It reads a before fill a has written it"},
        {"kernel two make writes a;capture one g;fill one a;end one g;kernel one use reads a writes b", 1,
         "It reads a before kernel make has written it"},
        {"fill two a;capture one g;fill one a;kernel one use reads a writes b;" LAUNCH, 2, "\"On one: launch g\""},
        {"capture one g;fill two b;fill one a;" LAUNCH "sync one;kernel two use reads a b writes c", 0, ""},
        {"fill one c;fill two b;record joined two;capture one g;fill one a;" LAUNCH "wait one joined;fill one b", 0,
         ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char program[1000];
        snprintf(program, sizeof program, GRAPH_AND_TWO_STREAMS "%s", cases[i].calls);
        json_t *answer = ask(program);
        const json_t *findings = json_object_get(answer, "findings");
        char *text = json_dumps(answer, 0);
        cr_assert_eq(json_array_size(findings), cases[i].findings, "case %zu: %s", i, text);
        cr_assert_not_null(strstr(text, cases[i].words), "%s: %s", cases[i].words, text);
        free(text);
        json_decref(answer);
    }
}

Test(playground, says_which_calls_are_nodes)
{
    json_t *answer = ask(GRAPH_AND_TWO_STREAMS FORK JOIN "fill one b;" LAUNCH "fill one c");
    const json_t *statements = json_object_get(answer, "statements");
    static const char *const nodes[] = {"begin capture of g", "fill a",  "kernel q", "fill b",
                                        "end capture of g",   "launch g"};
    size_t found = 0, index;
    const json_t *each;
    json_array_foreach(statements, index, each)
    {
        if (!*text_of(each, "graph")) continue;
        cr_assert(found < sizeof nodes / sizeof *nodes);
        cr_assert_str_eq(text_of(each, "says"), nodes[found++]);
    }
    cr_assert_eq(found, sizeof nodes / sizeof *nodes);
    json_decref(answer);
}

#define POOL_AND_TWO_STREAMS "stream one;stream two;event ready;pooled a 1 MiB;device b 1 MiB;alloc one a;"

/* The pool of lab.h waits for all uses that it sees, and CUDA's for the stream that frees. */
Test(playground, frees_memory_as_the_pool_of_the_language_does)
{
    static const struct {
        const char *program;
        size_t findings;
        const char *words;
    } cases[] = {
        {POOL_AND_TWO_STREAMS "kernel one make writes a;free one a", 0, ""},
        {POOL_AND_TWO_STREAMS "record ready one;wait two ready;kernel two make writes a;free one a", 1,
         "On two: kernel make. It uses a, which free a has returned to the pool"},
        {POOL_AND_TWO_STREAMS "record ready one;wait two ready;kernel two make writes a;free two a", 0, ""},
        {POOL_AND_TWO_STREAMS "kernel two make writes a;sync two;free one a", 1,
         "On two: kernel make. It uses a, which allocate a gives to later work on one alone"},
        {POOL_AND_TWO_STREAMS "fill one a;free one a;alloc two a;kernel two make writes a;free two a", 0, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *answer = ask_in("cuda", cases[i].program);
        const json_t *findings = json_object_get(answer, "findings");
        cr_assert_eq(json_array_size(findings), cases[i].findings, "case %zu: %zu findings", i,
                     json_array_size(findings));
        cr_assert_eq(findings_of(cases[i].program), 0, "case %zu", i);
        char *steps = json_dumps(findings, 0);
        cr_assert_not_null(strstr(steps, cases[i].words), "%s: %s", cases[i].words, steps);
        free(steps);
        json_decref(answer);
    }
}

/* The number of the line in which the text begins. */
static int line_of(const char *listing, const char *begins)
{
    const char *at = strstr(listing, begins);
    cr_assert_not_null(at, "no %s in %s", begins, listing);
    int line = 1;
    for (const char *each = listing; each < at; each++) line += *each == '\n';
    return line;
}

Test(playground, speaks_the_language_of_the_listing_and_names_its_lines)
{
    static const struct {
        const char *language, *file, *call, *words;
    } cases[] = {{"lab", "play.c", "LAB_CHECK(lab_launch(make", "let stream two wait for it before"},
                 {"cuda", "play.cu", "make<<<16, 256, 0, one>>>", "wait for it (cudaStreamWaitEvent) before"},
                 {"cupy", "play.py", "with one: make((16,), (256,)", "before kernel use"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *answered = play_answer(TWO_STREAMS "kernel one make writes a;kernel two use reads a writes b",
                                     cases[i].language, "h200");
        json_t *answer = json_loads(answered, 0, NULL);
        const json_t *found = json_array_get(json_object_get(answer, "findings"), 0);
        char place[40];
        snprintf(place, sizeof place, "kernel make (%s:%d)", cases[i].file,
                 line_of(text_of(answer, "listing"), cases[i].call));
        cr_assert_not_null(strstr(text_of(found, "text"), place), "%s in %s", place, text_of(found, "text"));
        cr_assert_not_null(strstr(text_of(found, "edge"), cases[i].words), "%s", text_of(found, "edge"));
        json_decref(answer);
        free(answered);
    }
}

/* Asserts that the steps are an order in which `stream_of` each statement runs in its turn. */
static void assert_legal(const json_t *answer, const json_t *found)
{
    const json_t *statements = json_object_get(answer, "statements"), *steps = json_object_get(found, "steps");
    int ran[64] = {0}, called[64] = {0}, clock = 0, wrong = 0;
    size_t index;
    const json_t *step;
    json_array_foreach(steps, index, step)
    {
        const int statement = number_of(step, "statement");
        const char *kind = text_of(step, "kind");
        clock++;
        wrong += json_is_true(json_object_get(step, "wrong"));
        if (strcmp(kind, "calls") == 0) {
            for (int before = statement - 1; before >= 0; before--)
                cr_assert(!*text_of(json_array_get(statements, (size_t)before), "stream") || called[before],
                          "call %d comes before call %d", statement, before);
            called[statement] = clock;
        } else if (strcmp(kind, "runs") == 0) {
            cr_assert(called[statement] && !ran[statement]);
            for (int before = 0; before < statement; before++) {
                const char *other = text_of(json_array_get(statements, (size_t)before), "kind");
                if (strstr("record wait alloc free", other)) continue; /* no step of its own */
                cr_assert(strcmp(text_of(json_array_get(statements, (size_t)before), "stream"),
                                 text_of(json_array_get(statements, (size_t)statement), "stream")) != 0 ||
                              !called[before] || ran[before],
                          "%d overtakes %d on its stream", statement, before);
            }
            ran[statement] = clock;
        }
    }
    cr_assert_gt(wrong, 0, "nothing goes wrong");
    if (strncmp(text_of(json_array_get(statements, (size_t)number_of(found, "first")), "says"), "allocate", 8) == 0)
        return; /* which is no work that could run late */
    const int first = number_of(found, "first"), second = number_of(found, "second");
    cr_assert(ran[first] > (ran[second] ? ran[second] : called[second]), "the first runs at %d, the second at %d",
              ran[first], ran[second]);
}

Test(playground, tells_a_legal_order_in_which_a_pool_gives_memory_away)
{
    static const char *const programs[] = {
        POOL_AND_TWO_STREAMS "fill one a;record ready one;wait two ready;kernel two make writes a;free one a",
        POOL_AND_TWO_STREAMS "kernel two make writes a;sync two;free one a",
        POOL_AND_TWO_STREAMS "fill one a;record ready one;wait two ready;kernel two make writes a;fill two b;"
                             "record ready one;free one a;kernel two other writes b",
    };
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        json_t *answer = ask_in("cuda", programs[i]);
        assert_legal(answer, json_array_get(json_object_get(answer, "findings"), 0));
        json_decref(answer);
    }
}

Test(playground, tells_a_legal_order_in_which_it_goes_wrong)
{
    static const struct {
        const char *program, *words;
    } cases[] = {
        {TWO_STREAMS "kernel one make writes a;kernel two use reads a writes b",
         "reads a before kernel make has written it"},
        {TWO_STREAMS "kernel one use reads a writes b;fill two a", "reads a, which fill a has overwritten already"},
        {TWO_STREAMS "fill one a;kernel two make writes a", "overwrites what kernel make has put into a"},
        {TWO_STREAMS
         "fill one a;record ready one;wait two ready;kernel one make writes a;kernel two use reads a writes b",
         "reads what fill a left in a, since kernel make has not run"},
        {TWO_STREAMS "copy one a out;host reads out",
         "The host reads out. It reads out before copy a to out has written it"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *answer = ask(cases[i].program);
        const json_t *found = json_array_get(json_object_get(answer, "findings"), 0);
        char *steps = json_dumps(json_object_get(found, "steps"), 0);
        assert_legal(answer, found);
        cr_assert_not_null(strstr(steps, cases[i].words), "%s: %s", cases[i].words, steps);
        free(steps);
        json_decref(answer);
    }
}

static double makespan(const char *program, const char *profile)
{
    char *answered = play_answer(program, "lab", profile);
    json_t *answer = json_loads(answered, 0, NULL);
    const double time = json_real_value(json_object_get(json_object_get(answer, "model"), "makespan"));
    json_decref(answer);
    free(answered);
    return time;
}

Test(playground, models_the_program_on_the_device_that_is_asked_for)
{
    const char *const both = TWO_STREAMS "copy one out a;kernel two make writes b";
    const char *const one = TWO_STREAMS "copy one out a;kernel one make writes b";
    cr_assert_lt(makespan(both, "h200"), makespan(one, "h200"), "two streams are as slow as one");
    cr_assert_lt(makespan(one, "h200"), makespan(one, "laptop"));
    char *answered = play_answer(both, "lab", "nowhere");
    cr_assert_not_null(strstr(answered, "\"fault\""), "%s", answered);
    free(answered);
}
