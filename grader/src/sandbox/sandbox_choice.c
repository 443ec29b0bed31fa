/* Choosing a sandbox or none; see sandbox_choice.h. */
#include "sandbox_choice.h"

#include <stdlib.h>
#include <string.h>

#include "base/subprocess.h"
#include "base/text.h"
#include "sandbox_users.h"

/* Whether the word after an option is the right one, or the option is absent; the same of --container-sandbox. */
static bool is_meant(const char *option, const char *word, grader_fault *fault)
{
    if (!word || strcmp(word, SANDBOX_CHOICE_WORDS) == 0) return true;
    return fault_set(fault,
                     "--%s lets submissions do all that you can do, to your files too: if you mean it, write "
                     "--%s %s",
                     option, option, SANDBOX_CHOICE_WORDS);
}

static bool is_container(const char *word, grader_fault *fault)
{
    if (!word || strcmp(word, SANDBOX_CHOICE_CONTAINER) == 0) return true;
    return fault_set(fault,
                     "--container-sandbox changes permissions and owners of files, and takes them back for none: if "
                     "this is a container that you throw away, write --container-sandbox " SANDBOX_CHOICE_CONTAINER);
}

static bool describe_none(sandbox *box, const char *why, grader_fault *fault)
{
    box->description = text_make("none: %s", why);
    return box->description || fault_memory(fault, "a sentence");
}

/* Adds to the reason why there is no sandbox what to do about it. */
static void say_what_to_do(grader_fault *why)
{
    grader_fault reason = *why;
    char *bwrap = subprocess_find_program("bwrap");
    fault_set(why, "%s\n%s", reason.text,
              bwrap ? "`make doctor` says what to do." : "`make setup FOR=grading` installs it.");
    free(bwrap);
}

bool sandbox_choose(const sandbox **use, sandbox *box, const sandbox_choice *choice, const sandbox_options *options,
                    grader_fault *fault)
{
    *use = NULL;
    *box = (sandbox){0};
    FAULT_TRY(is_meant("no-sandbox", choice->none, fault));
    FAULT_TRY(is_meant("sandbox-if-possible", choice->if_possible, fault));
    FAULT_TRY(is_container(choice->container, fault));
    if (choice->none) return describe_none(box, "as was asked for", fault);
    if (sandbox_open(box, options, fault)) {
        *use = box;
        return true;
    }
    grader_fault why = *fault;
    if (choice->container && sandbox_users_open(box, options, why.text, fault)) {
        *use = box;
        return true;
    }
    if (choice->container) why = *fault;
    if (choice->if_possible) return describe_none(box, why.text, fault);
    say_what_to_do(&why);
    return fault_set(fault,
                     "nothing is graded, because submissions cannot be kept in a sandbox: %s\n"
                     "In a container that is thrown away, add --container-sandbox " SANDBOX_CHOICE_CONTAINER "\n"
                     "If you trust every one of the files, add --no-sandbox " SANDBOX_CHOICE_WORDS "\n"
                     "With make: make grade LABGRADE='--no-sandbox " SANDBOX_CHOICE_WORDS "'",
                     why.text);
}

bool sandbox_choose_own(sandbox *box, const sandbox_options *options, grader_fault *fault)
{
    if (sandbox_open(box, options, fault)) return true;
    grader_fault why = *fault;
    say_what_to_do(&why);
    return fault_set(fault, "GRADED=1 needs a sandbox: %s Without GRADED=1 the same checks run outside of a sandbox.",
                     why.text);
}
