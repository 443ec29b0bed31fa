/* A request to adjust a result, checked and planned; see adjusting_internal.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "adjusting_internal.h"
#include "class/adjustments.h"
#include "base/near_words.h"
#include "base/text.h"
#include "course/course.h"
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
    if (points || excused || request->resubmission || request->lateness_waived || is_said(request->comment) ||
        is_said(request->due))
        return true;
    return fault_set(fault, "nothing is adjusted: give points or a comment, or excuse the student (--help lists more)");
}

/* Reads a due time later than that of the class, as a moment and in words. */
static bool read_due(json_t *says, const adjusted_lab *lab, const char *text, grader_fault *fault)
{
    int64_t own, common;
    char moment[32], words[96];
    const json_t *settings = json_object_get(lab->results.facts, "course");
    const char *zone = result_string(settings, "time_zone");
    if (!course_time(&common, result_string(settings, "due"), "UTC"))
        return fault_set(fault, "%s has no due time: grade it with a course file that says one", lab->name);
    if (!*zone) return fault_set(fault, "%s was graded by an older labgrade: grade it again first", lab->name);
    if (course_time_is_skipped(text, zone))
        return fault_set(fault, "due \"%.64s\": the clocks of %s skip this time", text, zone);
    if (course_time_is_repeated(text, zone))
        return fault_set(fault, "due \"%.64s\": the clocks of %s show this time twice; add the offset, such as +0100",
                         text, zone);
    if (!course_time(&own, text, zone))
        return fault_set(fault, "due \"%.64s\": a time such as 2026-11-27 23:59 is needed", text);
    course_local(words, sizeof words, common, zone);
    if (own <= common) return fault_set(fault, "due \"%s\": that is not after the due time, %s", text, words);
    course_local(words, sizeof words, own, zone);
    course_utc(moment, sizeof moment, own);
    return (json_object_set_new(says, "due", json_string(moment)) == 0 &&
            json_object_set_new(says, "due_words", json_string(words)) == 0) ||
           fault_memory(fault, "the adjustments");
}

static bool read_says(json_t **out, const adjusted_lab *lab, const adjusting_request *request, grader_fault *fault)
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
    if (!*out) return fault_memory(fault, "the adjustments");
    return !is_said(request->due) || read_due(*out, lab, request->due, fault);
}

/* ---- against the results ----------------------------------------------------------------------------------------- */

int adjusting_points_of_check(const adjusted_lab *lab, const char *name, grader_fault *fault)
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

static int full_points(const adjusted_lab *lab, const json_t *student)
{
    const int own = score_full_points(student);
    return own > 0 ? own : lab->results.full;
}

/* Whether the points of a check, and with them the score, stay in range. */
static bool check_fits(const adjusted_lab *lab, const json_t *student, const json_t *own, const json_t *says,
                       grader_fault *fault)
{
    const char *check = result_string(says, "check");
    const int most = adjusting_points_of_check(lab, check, fault);
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
    if (*result_string(says, "due") && json_is_object(late) && !json_object_get(late, "seconds"))
        return fault_set(fault, "%s was graded by an older labgrade: grade it again first", lab->name);
    if (!json_is_number(json_object_get(says, "points"))) return true;
    if (*result_string(says, "check")) FAULT_TRY(check_fits(lab, student, own, says, fault));
    const int full = full_points(lab, student);
    const double score = score_adjusted(student, own, full);
    if (full == 0) return fault_set(fault, "how many points %s has is not known: no result of it has any", lab->name);
    if (isnan(score)) return fault_set(fault, "the grader gave no points: give a number of points, not a difference");
    return in_range(score, full, lab->name, beyond, fault);
}

/* ---- the plan ---------------------------------------------------------------------------------------------------- */

/* `student` is NULL for a decision about the lab. */
static bool make_plan(adjusting_plan *plan, adjusted_lab *lab, const json_t *student, const json_t *says,
                      const adjusting_request *request, grader_fault *fault)
{
    const char *why = is_said(request->why) ? request->why : "";
    *plan = (adjusting_plan){
        .lab = lab,
        .before = student ? adjustments_score_text(student) : strdup(""),
        .student = strdup(student ? adjustments_name(student) : ""),
        .id = strdup(student ? result_string(adjusting_known(student), "id") : ""),
        .says = json_dumps(says, JSON_COMPACT | JSON_REAL_PRECISION(9)),
        .who = is_said(request->who) ? text_clean_line(request->who, strlen(request->who)) : store_user(),
        .why = text_clean_line(why, strlen(why)),
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

/* Keeps of how many points the person gives some. */
static bool set_of(json_t *says, const adjusted_lab *lab, const json_t *student, grader_fault *fault)
{
    const char *check = result_string(says, "check");
    if (!json_is_number(json_object_get(says, "points"))) return true;
    const int of = *check ? adjusting_points_of_check(lab, check, fault) : full_points(lab, student);
    return of >= 0 &&
           (json_object_set_new(says, "of", json_integer(of)) == 0 || fault_memory(fault, "the adjustments"));
}

static bool plan_for(adjusting *all, adjusted_lab *lab, const json_t *student, const adjusting_request *request,
                     grader_fault *fault)
{
    adjusting_plan plan = {0};
    json_t *says = NULL;
    bool ok = read_says(&says, lab, request, fault) && set_of(says, lab, student, fault) &&
              make_plan(&plan, lab, student, says, request, fault) && try_plan(&plan, student, says, fault) &&
              add_plan(all, &plan, fault);
    if (!ok) adjusting_plan_free(&plan);
    json_decref(says);
    return ok;
}

/* ---- several students -------------------------------------------------------------------------------------------- */

/* Whether the student is in the group by the roster, or by the submission that counts. */
static bool is_in_group(const json_t *student, const char *group)
{
    size_t index;
    json_t *entry;
    json_array_foreach(json_object_get(adjusting_known(student), "groups"), index, entry)
    {
        if (strcmp(json_string_value(entry), group) == 0) return true;
    }
    json_array_foreach(json_object_get(student, "attempts"), index, entry)
    {
        const bool counts = json_is_true(json_object_get(entry, "counts"));
        if (counts && strcmp(result_string(entry, "group"), group) == 0) return true;
    }
    return false;
}

static bool is_asked_for(const json_t *student, const adjusting_request *request)
{
    if (is_said(request->group)) return is_in_group(student, request->group);
    return strcmp(result_string(adjusting_known(student), "section"), request->section) == 0;
}

/* Plans the same for each member of a group or section. */
static bool plan_for_each(adjusting *all, adjusted_lab *lab, const adjusting_request *request, grader_fault *fault)
{
    const char *what = is_said(request->group) ? "group" : "section";
    const size_t before = all->plans;
    size_t index;
    json_t *student;
    json_array_foreach(lab->students, index, student)
    {
        if (!is_asked_for(student, request) || plan_for(all, lab, student, request, fault)) continue;
        const grader_fault why = *fault;
        return fault_set(fault, "%s: %s", adjustments_name(student), why.text);
    }
    return all->plans > before || fault_set(fault, "%s has nobody in %s \"%s\"", lab->name, what,
                                            is_said(request->group) ? request->group : request->section);
}

bool adjusting_plan_request(adjusting *all, const adjusting_request *request, grader_fault *fault)
{
    adjusted_lab *lab;
    const json_t *student;
    const int kinds = is_said(request->student) + is_said(request->group) + is_said(request->section);
    if (kinds == 0) return fault_set(fault, "which student? A name or id is needed");
    if (kinds > 1) return fault_set(fault, "a student, a group or a section is adjusted: name one of them");
    FAULT_TRY(adjusting_find_lab(&lab, all, is_said(request->lab) ? request->lab : NULL, fault));
    if (!is_said(request->student)) return plan_for_each(all, lab, request, fault);
    FAULT_TRY(adjusting_find_student(&student, lab, request->student, fault));
    return plan_for(all, lab, student, request, fault);
}

bool adjusting_plan_decision(adjusting *all, adjusted_lab *lab, const json_t *says, const adjusting_request *request,
                             grader_fault *fault)
{
    adjusting_plan plan;
    bool ok = make_plan(&plan, lab, NULL, says, request, fault) && add_plan(all, &plan, fault);
    if (!ok) adjusting_plan_free(&plan);
    return ok;
}
