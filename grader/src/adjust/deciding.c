/* Decisions about a lab as a whole: points of its checks, and the release of its results; see adjusting.h. */
#include <stdlib.h>
#include <string.h>

#include "adjusting_internal.h"
#include "base/near_words.h"
#include "base/text.h"
#include "judge/result.h"

static bool is_said(const char *text) { return text && *text; }

/* ---- points of a check ------------------------------------------------------------------------------------------- */

enum { MOST_POINTS = 100000 };

static bool read_weight(int *out, const char *text, grader_fault *fault)
{
    char *end = NULL;
    const bool digits = is_said(text) && strspn(text, "0123456789") == strlen(text) && strlen(text) < 9;
    *out = digits ? (int)strtol(text, &end, 10) : -1;
    return (digits && *out <= MOST_POINTS) ||
           fault_set(fault, "points \"%s\": a whole number such as 20 or 0 is needed", text ? text : "");
}

static bool plan_weight(adjusting *all, const adjusting_request *request, grader_fault *fault)
{
    adjusted_lab *lab;
    int weight, before;
    if (!is_said(request->check)) return fault_set(fault, "which check? --check NAME is needed");
    if (!is_said(request->why)) return fault_set(fault, "why is needed: the history and the students' pages say it");
    FAULT_TRY(read_weight(&weight, request->points, fault));
    FAULT_TRY(adjusting_find_lab(&lab, all, request->lab, fault));
    before = adjusting_points_of_check(lab, request->check, fault);
    if (before < 0) return false;
    if (lab->results.full - before + weight <= 0)
        return fault_set(fault, "%s would have no points: another check must count some", lab->name);
    json_t *says = json_pack("{s:i, s:s}", "weight", weight, "check", request->check);
    bool ok = adjusting_plan_decision(all, lab, says, request, fault);
    json_decref(says);
    return ok;
}

bool adjusting_weigh(FILE *out, const char *folder, const adjusting_request *request, grader_fault *fault)
{
    adjusting all;
    bool ok = adjusting_open(&all, folder, fault) && plan_weight(&all, request, fault) &&
              adjusting_carry_out(out, &all, fault);
    adjusting_close(&all);
    return ok;
}

/* ---- release ----------------------------------------------------------------------------------------------------- */

/* Whether a student of the lab is in the section. */
static bool has_section(const adjusted_lab *lab, const char *section, near_words *near)
{
    bool found = false;
    size_t index;
    json_t *student;
    json_array_foreach(lab->students, index, student)
    {
        const char *own = result_string(adjusting_known(student), "section");
        near_words_offer(near, own);
        found = found || strcmp(own, section) == 0;
    }
    return found;
}

static bool plan_release_of(adjusting *all, adjusted_lab *lab, bool held, const adjusting_request *request,
                            grader_fault *fault)
{
    near_words near = {.wanted = request->section};
    if (is_said(request->section) && !has_section(lab, request->section, &near)) {
        char *told = near_words_text(&near);
        fault_set(fault, "%s has no section \"%s\"%s", lab->name, request->section, told ? told : "");
        free(told);
        return false;
    }
    json_t *says = json_pack("{s:s, s:s}", "release", held ? "held" : "released", "section",
                             is_said(request->section) ? request->section : "");
    bool ok = adjusting_plan_decision(all, lab, says, request, fault);
    json_decref(says);
    return ok;
}

static bool plan_release(adjusting *all, bool held, const adjusting_request *request, grader_fault *fault)
{
    for (size_t i = 0; i < all->labs; i++) {
        adjusted_lab *lab;
        const char *name = is_said(request->lab) ? request->lab : all->lab[i].name;
        FAULT_TRY(adjusting_find_lab(&lab, all, name, fault));
        FAULT_TRY(plan_release_of(all, lab, held, request, fault));
        if (is_said(request->lab)) break;
    }
    return true;
}

bool adjusting_release(FILE *out, const char *folder, bool held, const adjusting_request *request, grader_fault *fault)
{
    adjusting all;
    bool ok = adjusting_open(&all, folder, fault) && plan_release(&all, held, request, fault) &&
              adjusting_carry_out(out, &all, fault);
    adjusting_close(&all);
    return ok;
}
