/* A request to adjust a result, checked and planned; see adjusting_internal.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "adjusting_internal.h"
#include "class/adjustments.h"
#include "base/near_words.h"
#include "base/text.h"
#include "course/score.h"
#include "judge/result.h"

enum { MOST_POINTS = 100000 };

/* ---- what is said ------------------------------------------------------------------------------------------------ */

static bool is_said(const char *text) { return text && *text; }

/* Reads "80", "+5", "-2.5" or "2,5". */
static bool read_points(double *points, bool *relative, const char *text, grader_fault *fault)
{
    char number[16];
    *relative = *text == '+' || *text == '-';
    const char *digits = text + *relative;
    const size_t whole = strspn(digits, "0123456789"), mark = whole + (digits[whole] == '.' || digits[whole] == ',');
    const size_t length = mark + strspn(digits + mark, "0123456789");
    bool ok = whole > 0 && digits[length] == '\0' && (mark == whole || length > mark) && length < sizeof number;
    if (ok) {
        memcpy(number, digits, length + 1);
        if (mark > whole) number[whole] = '.';
        *points = strtod(number, NULL);
        if (*text == '-') *points = -*points;
    }
    return (ok && fabs(*points) <= MOST_POINTS) ||
           fault_set(fault, "points \"%s\": a number such as 80, 7.5, +5 or -5 is needed, or excused", text);
}

static json_t *clean_json(const char *text, char *(*clean)(const char *text, size_t bytes))
{
    char *cleaned = clean(text ? text : "", text ? strlen(text) : 0);
    json_t *string = json_string(cleaned ? cleaned : "");
    free(cleaned);
    return string;
}

static bool fits_together(const adjusting_request *request, bool excused, grader_fault *fault)
{
    const bool points = is_said(request->points) && !(excused && !request->excused);
    if (!is_said(request->why)) return fault_set(fault, "why is needed: the history and the student's page say it");
    if (points && excused) return fault_set(fault, "a student is excused or has points, not both");
    if (is_said(request->check) && !points) return fault_set(fault, "a check needs points");
    if (request->set_aside && (!points || *request->points == '+' || *request->points == '-'))
        return fault_set(fault, "a verdict that is set aside needs the points that take its place, such as 60");
    if (points || excused || request->resubmission || request->lateness_waived || is_said(request->comment))
        return true;
    return fault_set(fault, "nothing is adjusted: give points or a comment, or excuse the student (--help lists more)");
}

static bool read_says(json_t **out, const adjusting_request *request, grader_fault *fault)
{
    double points = 0;
    bool relative = false;
    const bool word = is_said(request->points) && strcasecmp(request->points, "excused") == 0;
    const bool excused = word || request->excused, number = is_said(request->points) && !word;
    FAULT_TRY(fits_together(request, excused, fault));
    if (number) FAULT_TRY(read_points(&points, &relative, request->points, fault));
    *out = json_pack("{s:o, s:b, s:o, s:o, s:b, s:b, s:b, s:b, s:b}", "points",
                     number ? json_real(points) : json_null(), "relative", relative, "check",
                     clean_json(request->check, text_clean_line), "comment", clean_json(request->comment, text_clean),
                     "beyond", request->beyond, "set_aside", request->set_aside, "excused", excused, "resubmission",
                     request->resubmission, "lateness_waived", request->lateness_waived);
    return *out || fault_memory(fault, "the adjustments");
}

/* ---- against the results ----------------------------------------------------------------------------------------- */

/* The points of a check of the lab, as any of its results has them; below 0 for an unknown check, which is a fault. */
static int points_of_check(const adjusted_lab *lab, const char *name, grader_fault *fault)
{
    near_words near = {.wanted = name};
    size_t index, place;
    json_t *student, *check;
    json_array_foreach(lab->students, index, student)
    {
        json_array_foreach(json_object_get(student, "checks"), place, check)
        {
            if (strcmp(result_string(check, "name"), name) == 0) return result_integer(check, "max_points");
            near_words_offer(&near, result_string(check, "name"));
        }
    }
    char *told = near_words_text(&near);
    fault_set(fault, "%s has no check \"%s\"%s", lab->name, name, told ? told : "");
    free(told);
    return -1;
}

static bool has_check(const json_t *student, const char *name)
{
    size_t index;
    json_t *check;
    json_array_foreach(json_object_get(student, "checks"), index, check)
    {
        if (strcmp(result_string(check, "name"), name) == 0) return true;
    }
    return false;
}

static bool in_range(double points, int most, const char *what, bool beyond, grader_fault *fault)
{
    if (points < 0) return fault_set(fault, "%s would have %.10g points: the least is 0", what, points);
    if (points <= most || beyond) return true;
    return fault_set(fault, "%s would have %.10g of %d points: --beyond allows more than there are", what, points,
                     most);
}

/* Whether the points of a check, and with them the score, stay in range. */
static bool check_fits(const adjusted_lab *lab, const json_t *student, const json_t *own, const json_t *says,
                       grader_fault *fault)
{
    const char *check = result_string(says, "check");
    const int most = points_of_check(lab, check, fault);
    if (most < 0) return false;
    if (!has_check(student, check))
        return fault_set(fault, "no check ran for this student: give points for the whole lab");
    return in_range(score_check_points(student, own, check), most, check, json_is_true(json_object_get(says, "beyond")),
                    fault);
}

static bool fits_result(const adjusted_lab *lab, const json_t *student, const json_t *own, const json_t *says,
                        grader_fault *fault)
{
    const json_t *late = json_object_get(student, "late");
    const bool beyond = json_is_true(json_object_get(says, "beyond"));
    if (json_is_true(json_object_get(says, "lateness_waived")) && result_integer(late, "days") == 0)
        return fault_set(fault, "no lateness is known of this student: there is nothing to waive");
    if (!json_is_number(json_object_get(says, "points"))) return true;
    if (*result_string(says, "check")) FAULT_TRY(check_fits(lab, student, own, says, fault));
    const int own_full = score_full_points(student), full = own_full > 0 ? own_full : lab->results.full;
    const double score = score_adjusted(student, own, full);
    if (full == 0) return fault_set(fault, "how many points %s has is not known: no result of it has any", lab->name);
    if (isnan(score)) return fault_set(fault, "the grader gave no points: give a number of points, not a difference");
    return in_range(score, full, lab->name, beyond, fault);
}

/* ---- the plan ---------------------------------------------------------------------------------------------------- */

static bool make_plan(adjusting_plan *plan, adjusted_lab *lab, const json_t *student, const json_t *says,
                      const adjusting_request *request, grader_fault *fault)
{
    const json_t *submission = json_object_get(student, "submission");
    const json_t *known = submission ? json_object_get(submission, "student") : student;
    *plan = (adjusting_plan){
        .lab = lab,
        .before = adjustments_score_text(student),
        .student = strdup(adjustments_name(student)),
        .id = strdup(result_string(known, "id")),
        .says = json_dumps(says, JSON_COMPACT | JSON_REAL_PRECISION(9)),
        .who = is_said(request->who) ? text_clean_line(request->who, strlen(request->who)) : store_user(),
        .why = text_clean_line(request->why, strlen(request->why)),
    };
    plan->row = (store_adjustment){.lab = lab->name,
                                   .student = plan->student,
                                   .id = plan->id,
                                   .says = plan->says,
                                   .made = "",
                                   .who = plan->who,
                                   .why = plan->why};
    return (plan->before && plan->student && plan->id && plan->says && plan->who && plan->why) ||
           fault_memory(fault, "the adjustments");
}

/* Checks the score that the adjustment would give, with those that are there or planned. */
static bool try_plan(const adjusting_plan *plan, const json_t *student, const json_t *says, grader_fault *fault)
{
    const adjusted_lab *lab = plan->lab;
    json_t *planned = adjustments_json(&plan->row);
    if (json_array_append_new(lab->results.adjustments, planned) < 0) return fault_memory(fault, "the adjustments");
    json_t *own = adjustments_of(lab->results.adjustments, student);
    bool ok = fits_result(lab, student, own, says, fault);
    json_decref(own);
    if (!ok) json_array_remove(lab->results.adjustments, json_array_size(lab->results.adjustments) - 1);
    return ok;
}

static bool add_plan(adjusting *all, adjusting_plan *plan, grader_fault *fault)
{
    adjusting_plan *larger = realloc(all->plan, (all->plans + 1) * sizeof *larger);
    if (!larger) return fault_memory(fault, "the adjustments");
    all->plan = larger;
    all->plan[all->plans++] = *plan;
    plan->lab->changed = true;
    return true;
}

static bool plan_for(adjusting *all, adjusted_lab *lab, const json_t *student, const adjusting_request *request,
                     grader_fault *fault)
{
    adjusting_plan plan = {0};
    json_t *says = NULL;
    bool ok = read_says(&says, request, fault) && make_plan(&plan, lab, student, says, request, fault) &&
              try_plan(&plan, student, says, fault) && add_plan(all, &plan, fault);
    if (!ok) adjusting_plan_free(&plan);
    json_decref(says);
    return ok;
}

bool adjusting_plan_request(adjusting *all, const adjusting_request *request, grader_fault *fault)
{
    adjusted_lab *lab;
    const json_t *student;
    if (!is_said(request->student)) return fault_set(fault, "which student? A name or id is needed");
    FAULT_TRY(adjusting_find_lab(&lab, all, is_said(request->lab) ? request->lab : NULL, fault));
    FAULT_TRY(adjusting_find_student(&student, lab, request->student, fault));
    return plan_for(all, lab, student, request, fault);
}
