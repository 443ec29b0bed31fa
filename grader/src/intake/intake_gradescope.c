/* Takes in downloads of Gradescope; see intake.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/folder.h"
#include "download_names.h"
#include "intake_internal.h"

static char *text_or_null(const char *text) { return *text ? strdup(text) : NULL; }

/* How Gradescope identifies a submitter; "" if only by the name, which several may share. */
static const char *submitter_id(const gradescope_submitter *submitter)
{
    return *submitter->sid ? submitter->sid : submitter->email;
}

static submission_student described(const gradescope_submitter *submitter)
{
    return (submission_student){.name = *submitter->name ? submitter->name : NULL,
                                .id = submitter_id(submitter),
                                .email = *submitter->email ? submitter->email : NULL};
}

/* Whether an earlier submitter of the same submission is the same person. */
static bool is_repeated(const gradescope_submission *listed, int number)
{
    const submission_student own = described(&listed->submitter[number]);
    for (int i = 0; *own.id && i < number; i++) {
        const submission_student other = described(&listed->submitter[i]);
        if (strcmp(other.id, own.id) == 0 && !submissions_are_of_two(&own, &other)) return true;
    }
    return false;
}

/* ---- submissions ------------------------------------------------------------------------------------------------- */

/* Gives the submissions from number `first` on to each of the submitters; `name` names the folder. */
static bool share_among(intake *taken, size_t first, const gradescope_submission *listed, const char *name,
                        int submitters, grader_fault *fault)
{
    const size_t end = taken->list.count;
    for (int i = 0; i < (submitters ? submitters : 1); i++) {
        const gradescope_submitter *submitter = &listed->submitter[i];
        char unknown[80];
        if (is_repeated(listed, i)) continue;
        snprintf(unknown, sizeof unknown, "%s-%d", name, i + 1);
        const submission_student student = {.name = *submitter->name ? submitter->name : name,
                                            .id = *submitter_id(submitter) ? submitter_id(submitter)
                                                  : submitters > 1         ? unknown
                                                                           : name,
                                            .email = *submitter->email ? submitter->email : NULL};
        for (size_t k = first; k < end; k++) {
            if (i == 0)
                FAULT_TRY(submissions_give(&taken->list.entry[k], &student, fault));
            else
                FAULT_TRY(submissions_share(&taken->list, k, &student, fault));
        }
    }
    return true;
}

/* A group's submission becomes one submission of each member. */
static bool add_gradescope(intake *taken, const char *folder, const gradescope_submission *listed, grader_fault *fault)
{
    char name[64];
    struct stat status;
    const int submitters = listed->submitters < GRADESCOPE_SUBMITTERS ? listed->submitters : GRADESCOPE_SUBMITTERS;
    const char *first_name = listed->submitter[0].name;
    snprintf(name, sizeof name, "submission_%lld", listed->number);
    if (!intake_is_kind(folder, name, S_IFDIR, &status)) {
        intake_notes_add(&taken->notes, name, "is listed for %s%s, but its folder is missing", first_name,
                         submitters > 1 ? " and others" : "");
        return true;
    }
    if (listed->submitters > submitters) {
        intake_notes_add(&taken->notes, name, "is the work of %d students, of whom %d are taken in", listed->submitters,
                         submitters);
    }
    submission entry = {.name = strdup(*first_name ? first_name : name),
                        .folder = folder_path(folder, name),
                        .submitted = text_or_null(listed->created),
                        .group = submitters > 1 ? strdup(name) : NULL,
                        .order = listed->number};
    const size_t before = taken->list.count;
    FAULT_TRY(intake_add(taken, &entry, fault));
    return share_among(taken, before, listed, name, submitters, fault);
}

static bool is_listed(const intake *taken, long long number)
{
    for (size_t i = 0; i < taken->list.count; i++) {
        if (taken->list.entry[i].order == number) return true;
    }
    return false;
}

bool intake_take_gradescope(intake *taken, const char *folder, const folder_names *names, const char *metadata,
                            grader_fault *fault)
{
    gradescope_submission next;
    taken->layout = "Gradescope";
    while (download_names_gradescope_next(&next, &metadata)) {
        if (is_listed(taken, next.number))
            intake_notes_add(&taken->notes, next.submitter[0].name, "submission_%lld is listed twice", next.number);
        else
            FAULT_TRY(add_gradescope(taken, folder, &next, fault));
    }
    for (int i = 0; i < names->count; i++) {
        const char *name = names->entry[i]->d_name;
        long long number = download_names_gradescope_folder(name);
        struct stat status;
        if (number < 0 || is_listed(taken, number) || !intake_is_kind(folder, name, S_IFDIR, &status)) continue;
        intake_notes_add(&taken->notes, name, "is not in submission_metadata.yml: listed by its number");
        next = (gradescope_submission){.number = number};
        FAULT_TRY(add_gradescope(taken, folder, &next, fault));
    }
    return true;
}
