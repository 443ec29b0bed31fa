/* The modelled time of a recorded program on another device. */
#include "check_state.h"
#include "program/grounds.h"

#include <stdlib.h>
#include <string.h>

/* The model's result on a profile, to be freed. */
static lab_model *run_model(const lab_trace *trace, const char *profile_name, double scale)
{
    lab_profile *profile;
    lab_model *model;
    if (lab_profile_open(&profile, profile_name) != LAB_SUCCESS) check_fault("%s", lab_error_message());
    lab_status status = lab_model_run(&model, trace, profile, &(lab_model_options){.scale = scale});
    lab_profile_free(profile);
    if (status != LAB_SUCCESS) check_fault("%s", lab_error_message());
    return model;
}

/* The longest operation on the critical path, in the record; NULL for none. */
static const lab_trace_op *find_longest(const lab_model *model, const lab_trace *trace)
{
    const lab_model_step *longest = NULL;
    for (const lab_model_step *step = model->step; step < model->step + model->steps; step++)
        if (!step->host && (!longest || step->to_ns - step->from_ns > longest->to_ns - longest->from_ns))
            longest = step;
    return longest ? &trace->op[longest->op] : NULL;
}

check_modelled check_model(const lab_trace *trace, const char *profile, double scale)
{
    grounds_ordered(trace);
    const char *asked = getenv("LAB_CHECK_PROFILE");
    lab_model *model = run_model(trace, profile, scale);
    check_modelled found = {.makespan = model->makespan_ms,
                            .best = model->best_ms,
                            .work = model->serial_ms,
                            .advised = model->advised_ms,
                            .longest = find_longest(model, trace)};
    memcpy(found.label, model->label, sizeof found.label);
    memcpy(found.advice, model->advice, sizeof found.advice);
    lab_model_free(model);
    if (!asked || strcmp(asked, profile) == 0) return found;
    model = run_model(trace, asked, scale);
    found.asked_makespan = model->makespan_ms;
    memcpy(found.asked_label, model->label, sizeof found.asked_label);
    lab_model_free(model);
    return found;
}

/* Why a run takes longer than the best order of the same calls. */
static const char *cause_of_time(const check_modelled *yours, const check_modelled *its)
{
    const double same = 1.02;
    if (yours->work > same * its->work)
        return check_text("there are %.1f ms of work in this run, and %.1f ms in the workbook's own calls: something "
                          "is copied or computed once more, or in smaller pieces",
                          yours->work, its->work);
    if (yours->advised < yours->makespan) return check_text("the first thing to change: %s", yours->advice);
    return "the same work in a better order takes less time: which call could come earlier, so that copies both ways "
           "and kernels run at once?";
}

void check_near_best(const check_modelled *yours, const check_modelled *its, double best, const char *function,
                     check_place at)
{
    const double slack = 0.02; /* the model's best is that of one good order: another one may be faster */
    const bool faster = yours->makespan < (1 - slack) * its->best;
    CHECK_THAT(its->best > 0 && (!faster || yours->work >= (1 - slack) * its->work), CHECK_RULE,
               check_text("%s does less than the work, %s", function, yours->label), .at = at,
               .expected = check_text("at least the %.1f ms of work that the workbook's own calls do, one after "
                                      "another, %s",
                                      its->work, its->label),
               .found = check_text("%.1f ms", yours->work),
               .cause = "copies or kernels that the task asks for are missing in this run");
    CHECK_THAT(best >= 0.9 * yours->makespan, CHECK_RULE,
               check_text("on a large GPU %s would take %.1f times as long as it needs to, %s", function,
                          yours->makespan / best, yours->label),
               .at = at.file || at.function || !yours->longest
                         ? at
                         : check_at_line(yours->longest->file, yours->longest->line, NULL),
               .expected = check_text("at most %.1f ms: the best order of these calls takes %.1f ms, %s", best / 0.9,
                                      best, its->label),
               .found = check_text("%.1f ms", yours->makespan), .cause = cause_of_time(yours, its));
}

void check_timing_modelled(const char *label, check_who who, const check_modelled *modelled)
{
    check_timing(check_text("%s, %s", label, modelled->label), who, &modelled->makespan, 1);
    if (*modelled->asked_label)
        check_timing(check_text("%s, %s", label, modelled->asked_label), who, &modelled->asked_makespan, 1);
}
