/* The modelled time of a recorded program on another device. */
#include "check_state.h"

#include <string.h>

check_modelled check_model(const lab_trace *trace, const char *profile_name, double scale)
{
    lab_profile *profile;
    lab_model *model;
    check_modelled found = {.makespan = 0};
    if (lab_profile_open(&profile, profile_name) != LAB_SUCCESS) check_fault("%s", lab_error_message());
    lab_status status = lab_model_run(&model, trace, profile, &(lab_model_options){.scale = scale});
    lab_profile_free(profile);
    if (status != LAB_SUCCESS) check_fault("%s", lab_error_message());
    found.makespan = model->makespan_ms;
    found.best = model->best_ms;
    memcpy(found.label, model->label, sizeof found.label);
    memcpy(found.advice, model->advice, sizeof found.advice);
    lab_model_free(model);
    return found;
}

void check_timing_modelled(const char *label, check_who who, const check_modelled *modelled)
{
    check_timing(owned_text("%s, %s", label, modelled->label), who, &modelled->makespan, 1);
}
