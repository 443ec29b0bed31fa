/* The command lines of labgrade weigh, hold and release; see decide_command.h. */
#include "decide_command.h"

#include <stdio.h>

#include "adjust/adjusting.h"
#include "base/arguments.h"

static const char weigh_usage[] = "labgrade weigh --out DIR [--lab NAME] --check NAME --points N --why TEXT\n"
                                  "    Changes the points that a check counts, for everybody and without running\n"
                                  "    anything again. 0 takes the check out of the score. A share of the old\n"
                                  "    points becomes the same share of the new ones, also where a person gave\n"
                                  "    them. Pages show the old points.\n"
                                  "\n"
                                  "  --lab NAME         needed only if DIR holds several labs\n"
                                  "  --why TEXT         the reason, which the students read too\n"
                                  "  --who NAME         whose decision it is (your user name)\n"
                                  "\n"
                                  "labgrade adjust --list shows it, and adjust --revoke N takes it back.\n"
                                  "Exit status: 0 done, 2 not done, or not wholly; standard error says why.\n";

static const char release_usage[] = "labgrade hold --out DIR [--lab NAME] [--section NAME] [--why TEXT]\n"
                                    "    Holds results back: exports of them are refused.\n"
                                    "labgrade release --out DIR [--lab NAME] [--section NAME] [--why TEXT]\n"
                                    "    Releases results that are held back, by labgrade hold or by\n"
                                    "    \"release = held\" in the course file.\n"
                                    "\n"
                                    "  --lab NAME         one lab of DIR; all of them without it\n"
                                    "  --section NAME     one section of the roster; everybody without it\n"
                                    "  --why TEXT         a reason, for the history\n"
                                    "  --who NAME         whose decision it is (your user name)\n"
                                    "\n"
                                    "Of several, each changes what the earlier ones left. labgrade adjust --list\n"
                                    "shows them, and adjust --revoke N takes one back.\n"
                                    "Exit status: 0 done, 2 not done, or not wholly; standard error says why.\n";

typedef struct decide_words {
    adjusting_request request;
    const char *out;
    bool help;
} decide_words;

enum { DONE = 0, FAULT = 2 };

/* After reading the words: whether there is something to do; `status` if not. */
static bool is_to_do(int *status, const decide_words *words, bool read, const char *usage)
{
    *status = FAULT;
    if (!read) return false;
    if (words->help) *status = DONE, fputs(usage, stdout);
    if (!words->help && !words->out) fputs("labgrade: --out is needed (--help lists the options)\n", stderr);
    return !words->help && words->out;
}

static int end(bool ok, const grader_fault *fault)
{
    if (!ok) fprintf(stderr, "labgrade: %s\n", fault->text);
    return ok ? DONE : FAULT;
}

int weigh_command(int count, char **argument)
{
    int status;
    grader_fault fault;
    decide_words words = {0};
    adjusting_request *request = &words.request;
    const arguments_option options[] = {
        {"out", &words.out, NULL},          {"lab", &request->lab, NULL}, {"check", &request->check, NULL},
        {"points", &request->points, NULL}, {"why", &request->why, NULL}, {"who", &request->who, NULL},
        {"help", NULL, &words.help},
    };
    const bool read = arguments_read(count, argument, options, sizeof options / sizeof *options);
    if (!is_to_do(&status, &words, read, weigh_usage)) return status;
    return end(adjusting_weigh(stdout, words.out, request, &fault), &fault);
}

static int release(int count, char **argument, bool held)
{
    int status;
    grader_fault fault;
    decide_words words = {0};
    adjusting_request *request = &words.request;
    const arguments_option options[] = {
        {"out", &words.out, NULL},    {"lab", &request->lab, NULL}, {"section", &request->section, NULL},
        {"why", &request->why, NULL}, {"who", &request->who, NULL}, {"help", NULL, &words.help},
    };
    const bool read = arguments_read(count, argument, options, sizeof options / sizeof *options);
    if (!is_to_do(&status, &words, read, release_usage)) return status;
    return end(adjusting_release(stdout, words.out, held, request, &fault), &fault);
}

int hold_command(int count, char **argument) { return release(count, argument, true); }

int release_command(int count, char **argument) { return release(count, argument, false); }
