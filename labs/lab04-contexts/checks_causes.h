/* Why calls of lab 04 fail, for its checks. */
#ifndef LAB04_CHECKS_CAUSES_H
#define LAB04_CHECKS_CAUSES_H

#include "check.h"

static const check_failure_cause why_own_contexts_fail[] = {
    {"the module was already unloaded",
     "a module ends with its context, so it is unloaded before that; and a static variable is one for all threads"},
    {0},
};

static const check_failure_cause why_abroad_fails[] = {
    {" was loaded in ", "this failure is the experiment: its status belongs in *found, and the function goes on"},
    {"the module was already unloaded", "it ended with the context that was current when it was loaded: is that the "
                                        "first one, and is the module unloaded before that is destroyed?"},
    {0},
};

#endif
