/* The command line of labgrade adjust; see adjust_command.h. */
#include "adjust_command.h"

#include <stdio.h>

#include "base/arguments.h"
#include "adjust/adjusting.h"

static const char usage[] = "labgrade adjust --out DIR --student NAME [--lab NAME] --why TEXT WHAT...\n"
                            "    A person's word about one student's result. It counts on pages and in\n"
                            "    exports, and outlives every regrade. The grader's own result stays.\n"
                            "    --group NAME or --section NAME stands for each member.\n"
                            "labgrade adjust --out DIR --csv FILE [--lab NAME] [--why TEXT]\n"
                            "    An adjustment of each row, of all rows or of none. The columns are student,\n"
                            "    points, comment, why, lab, check and due; only student is needed.\n"
                            "labgrade adjust --out DIR --list [--student NAME] [--lab NAME]\n"
                            "    All adjustments and decisions, with those that are revoked.\n"
                            "labgrade adjust --out DIR --revoke N --why TEXT\n"
                            "    Takes adjustment N back. It stays in the list.\n"
                            "\n"
                            "  --student NAME     the submission's name, or the student's id, e-mail or\n"
                            "                     name in the roster; also without a submission\n"
                            "  --lab NAME         needed only if DIR holds several labs\n"
                            "  --why TEXT         the reason, which the student reads too\n"
                            "  --who NAME         whose word it is (your user name)\n"
                            "\n"
                            "WHAT is one or more of these:\n"
                            "  --points N         the points that count, lateness included: 80 or 7.5;\n"
                            "                     with a sign the difference: +5 or -5\n"
                            "  --check NAME       the points are those of this check\n"
                            "  --beyond           allows more points than there are\n"
                            "  --set-aside        the verdict does not stand: the points take its place\n"
                            "  --excused          the lab does not count for the student\n"
                            "  --comment TEXT     for the student\n"
                            "  --resubmission     the student may hand in again\n"
                            "  --due TIME         the due time of the student's own, \"2026-11-27 23:59\",\n"
                            "                     in the course's time zone\n"
                            "  --waive-lateness   lateness costs nothing\n"
                            "\n"
                            "Of several adjustments of a student, each changes what the earlier ones left.\n"
                            "Exit status: 0 done, 2 not done, or not wholly; standard error says why.\n";

typedef struct adjust_words {
    adjusting_request request;
    const char *out, *csv, *revoke;
    bool help, list;
} adjust_words;

static bool read_words(adjust_words *words, int count, char **argument)
{
    adjusting_request *request = &words->request;
    const arguments_option options[] = {
        {"out", &words->out, NULL},
        {"student", &request->student, NULL},
        {"group", &request->group, NULL},
        {"section", &request->section, NULL},
        {"lab", &request->lab, NULL},
        {"check", &request->check, NULL},
        {"points", &request->points, NULL},
        {"due", &request->due, NULL},
        {"comment", &request->comment, NULL},
        {"why", &request->why, NULL},
        {"who", &request->who, NULL},
        {"csv", &words->csv, NULL},
        {"revoke", &words->revoke, NULL},
        {"list", NULL, &words->list},
        {"beyond", NULL, &request->beyond},
        {"set-aside", NULL, &request->set_aside},
        {"excused", NULL, &request->excused},
        {"resubmission", NULL, &request->resubmission},
        {"waive-lateness", NULL, &request->lateness_waived},
        {"help", NULL, &words->help},
    };
    return arguments_read(count, argument, options, sizeof options / sizeof *options);
}

static bool revoke(const adjust_words *words, grader_fault *fault)
{
    uint64_t number;
    const adjusting_request *request = &words->request;
    if (!request->why || !*request->why) return fault_set(fault, "--why is needed: the history says it");
    if (!arguments_number(&number, "revoke", words->revoke) || number > INT64_MAX)
        return fault_set(fault, "--list shows the numbers");
    return adjusting_revoke(stdout, words->out, (int64_t)number, request->who, request->why, fault);
}

static bool adjust(const adjust_words *words, grader_fault *fault)
{
    const adjusting_request *request = &words->request;
    if (!words->out) return fault_set(fault, "--out is needed (labgrade adjust --help lists the options)");
    if (words->list + (words->revoke != NULL) + (words->csv != NULL) > 1)
        return fault_set(fault, "--list, --revoke and --csv are different commands");
    if (words->csv && (request->student || request->group || request->section))
        return fault_set(fault, "--csv names the students: leave --student, --group and --section out");
    if (words->list) return adjusting_list(stdout, words->out, request->student, request->lab, fault);
    if (words->revoke) return revoke(words, fault);
    if (words->csv) return adjusting_add_table(stdout, words->out, words->csv, request, fault);
    return adjusting_add(stdout, words->out, request, fault);
}

int adjust_command(int count, char **argument)
{
    enum { DONE = 0, FAULT = 2 };
    adjust_words words = {0};
    grader_fault fault;
    if (!read_words(&words, count, argument)) return FAULT;
    if (words.help) {
        fputs(usage, stdout);
        return DONE;
    }
    if (adjust(&words, &fault)) return DONE;
    fprintf(stderr, "labgrade: %s\n", fault.text);
    return FAULT;
}
