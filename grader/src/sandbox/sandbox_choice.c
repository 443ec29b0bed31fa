/* Choosing a sandbox or none; see sandbox_choice.h. */
#include "sandbox_choice.h"

#include <string.h>

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
    return fault_set(
        fault,
        "nothing is graded, because submissions cannot be kept in a sandbox: %s. `make setup FOR=grading` installs "
        "bubblewrap, `make doctor` says what it lacks. In a container that is thrown away: --container-sandbox %s. If "
        "you trust every one of the files: --no-sandbox %s",
        why.text, SANDBOX_CHOICE_CONTAINER, SANDBOX_CHOICE_WORDS);
}
