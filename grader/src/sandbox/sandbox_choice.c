/* Choosing a sandbox or none; see sandbox_choice.h. */
#include "sandbox_choice.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static bool are_the_words(const char *option, const char *said, grader_fault *fault)
{
    if (!said || strcmp(said, SANDBOX_CHOICE_WORDS) == 0) return true;
    return fault_set(fault,
                     "--%s lets submissions do all that you can do, to your files too: if you mean it, write "
                     "--%s %s",
                     option, option, SANDBOX_CHOICE_WORDS);
}

static bool say_none(sandbox *box, const char *why, grader_fault *fault)
{
    text_buffer text = {0};
    text_format(&text, "none: %s", why);
    box->description = text.failed ? NULL : text.text;
    if (text.failed) free(text.text);
    return box->description || fault_set(fault, "not enough memory for a sentence");
}

bool sandbox_choose(const sandbox **use, sandbox *box, const sandbox_choice *choice, const sandbox_options *options,
                    grader_fault *fault)
{
    *use = NULL;
    *box = (sandbox){0};
    if (!are_the_words("no-sandbox", choice->none, fault)) return false;
    if (!are_the_words("sandbox-if-possible", choice->if_possible, fault)) return false;
    if (choice->none) return say_none(box, "as was asked for", fault);
    if (sandbox_open(box, options, fault)) {
        *use = box;
        return true;
    }
    const grader_fault why = *fault;
    if (choice->if_possible) return say_none(box, why.text, fault);
    return fault_set(fault,
                     "nothing is graded, because submissions cannot be kept in a sandbox: %s. `make setup` installs "
                     "bubblewrap, `make doctor` says what it lacks; in a container it needs leave to make user "
                     "namespaces. If you trust every one of "
                     "the files: --no-sandbox %s",
                     why.text, SANDBOX_CHOICE_WORDS);
}
