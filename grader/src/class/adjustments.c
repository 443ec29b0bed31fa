/* The adjustments of a lab; see adjustments.h. */
#include "adjustments.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "judge/result.h"

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* A decision about the lab in words: "the_sum_is_right counts 20 points", "held back for section A". */
static void add_decision(text_buffer *text, const json_t *says)
{
    const char *release = result_string(says, "release"), *section = result_string(says, "section");
    const int weight = result_integer(says, "weight");
    if (json_object_get(says, "weight"))
        text_format(text, "%s counts %d point%s", result_string(says, "check"), weight, weight == 1 ? "" : "s");
    if (*release) text_format(text, "%s", strcmp(release, "held") == 0 ? "held back" : release);
    if (*section) text_format(text, " for section %s", section);
}

/* "80 of 100", as many as there were then; "+5" for a difference. */
static void add_points(text_buffer *text, const json_t *says)
{
    const double points = json_number_value(json_object_get(says, "points"));
    const int of = result_integer(says, "of");
    if (json_is_true(json_object_get(says, "relative")))
        text_format(text, "%+.10g", points);
    else if (of > 0)
        text_format(text, "%.10g of %d", points, of);
    else
        text_format(text, "%.10g", points);
}

/* What the adjustment does, in words: "80 of 100 points; verdict set aside". */
static char *in_words(const json_t *says)
{
    static const struct {
        const char *field, *words;
    } flags[] = {{"set_aside", "verdict set aside"},
                 {"excused", "excused"},
                 {"resubmission", "may be handed in again"},
                 {"lateness_waived", "lateness waived"}};
    text_buffer text = {0};
    const char *check = result_string(says, "check"), *due = result_string(says, "due_words");
    add_decision(&text, says);
    if (json_is_number(json_object_get(says, "points"))) {
        add_points(&text, says);
        text_format(&text, " points%s%s", *check ? " for " : "", check);
    }
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        if (!json_is_true(json_object_get(says, flags[i].field))) continue;
        text_format(&text, "%s%s", text.length ? "; " : "", flags[i].words);
    }
    if (*due) text_format(&text, "%sdue %s", text.length ? "; " : "", due);
    if (text.length == 0) text_format(&text, "a comment");
    return text.text;
}

json_t *adjustments_json(const store_adjustment *adjustment)
{
    json_t *says = json_loads(adjustment->says, 0, NULL);
    char *words = in_words(says);
    json_t *more = json_pack("{s:I, s:s, s:s, s:s, s:s, s:s, s:s}", "number", (json_int_t)adjustment->number, "made",
                             adjustment->made, "who", adjustment->who, "why", adjustment->why, "what",
                             words ? words : "", "student", adjustment->student, "id", adjustment->id);
    free(words);
    const bool ok = says && more && json_object_update(says, more) == 0;
    json_decref(more);
    if (ok) return says;
    json_decref(says);
    return NULL;
}

typedef struct reading {
    json_t *list;
    bool ok;
} reading;

static bool keep_adjustment(void *user, const store_adjustment *adjustment)
{
    reading *into = user;
    if (!*adjustment->revoked) into->ok = json_array_append_new(into->list, adjustments_json(adjustment)) == 0;
    return into->ok;
}

bool adjustments_read(json_t **out, grade_store *store, const char *lab, grader_fault *fault)
{
    reading into = {.list = json_array(), .ok = true};
    bool ok = store_each_adjustment(store, lab, keep_adjustment, &into, fault);
    if (ok && !into.ok) ok = fault_memory(fault, "the adjustments");
    if (ok)
        *out = into.list;
    else
        json_decref(into.list);
    return ok;
}

/* ---- whose ------------------------------------------------------------------------------------------------------- */

static bool is_about(const json_t *adjustment, const char *name, const json_t *known)
{
    const char *id = result_string(adjustment, "id"), *own = result_string(known, "id");
    const char *student = result_string(adjustment, "student");
    if (*id && *own) return strcmp(id, own) == 0;
    return strcmp(student, name) == 0 || strcmp(student, result_string(known, "name")) == 0;
}

const char *adjustments_name(const json_t *result)
{
    const json_t *submission = json_object_get(result, "submission");
    const char *name = result_string(submission ? submission : result, "name");
    return *name ? name : result_string(result, "id");
}

json_t *adjustments_of(const json_t *all, const json_t *result)
{
    const json_t *submission = json_object_get(result, "submission");
    const json_t *known = submission ? json_object_get(submission, "student") : result;
    json_t *own = json_array(), *adjustment;
    size_t index;
    json_array_foreach((json_t *)all, index, adjustment)
    {
        if (!is_about(adjustment, adjustments_name(result), known)) continue;
        json_t *copy = json_copy(adjustment);
        json_object_del(copy, "student");
        json_object_del(copy, "id");
        json_array_append_new(own, copy);
    }
    return own;
}

char *adjustments_score_text(const json_t *result)
{
    const json_t *score = json_object_get(result, "score");
    if (json_is_true(json_object_get(json_object_get(result, "adjusted"), "excused"))) return text_make("excused");
    if (!json_object_get(result, "submission") && !score) return text_make("not handed in");
    if (!json_is_number(score)) return text_make("no points");
    return text_make("%.10g of %d", json_number_value(score), result_integer(result, "full_points"));
}
