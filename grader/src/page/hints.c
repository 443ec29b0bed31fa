/* Choosing and printing a hint; see hints.h. */
#include "hints.h"

#include <stdlib.h>
#include <string.h>

#include "base/folder.h"
#include "judge/result.h"
#include "progress.h"

uint64_t hints_first_failed(const char *out)
{
    char *path = folder_path(out, "result.json");
    json_t *last = path ? json_load_file(path, 0, NULL) : NULL;
    const json_t *check;
    size_t index;
    uint64_t found = strcmp(result_string(last, "verdict"), result_verdict_name(RESULT_PASSED)) == 0 ? 0 : 1;
    json_array_foreach(json_object_get(last, "checks"), index, check)
    {
        if (strcmp(result_string(check, "status"), "failed") != 0) continue;
        found = index + 1;
        break;
    }
    json_decref(last);
    free(path);
    return found;
}

static void print(const text_page *page, const json_t *check, int level, int levels)
{
    char head[64];
    snprintf(head, sizeof head, "Hint %d of %d  ", level, levels);
    page_field(page, 0, page_columns(head), head, result_string(check, "title"));
    page_field(page, 2, 0, "", json_string_value(json_array_get(json_object_get(check, "hints"), (size_t)level - 1)));
}

/* Says how to get the next hint: without a number as long as taken hints are remembered. */
static void print_next(const text_page *page, const hints_choice *choice, int next, const grader_fault *unwritten)
{
    if (choice->level)
        fprintf(page->file, "The next one: HINT=%d\n", next);
    else if (*unwritten->text)
        fprintf(page->file, "The next one: HINT=%d (%s)\n", next, unwritten->text);
    else
        page_text(page, 0, "Not enough? Ask again for the next one.");
}

bool hints_print(const text_page *page, const lab_parts *parts, const hints_choice *choice, grader_fault *fault)
{
    uint64_t number = choice->check ? choice->check : hints_first_failed(choice->out);
    size_t checks = json_array_size(parts->manifest);
    if (number == 0) {
        page_text(page, 0, "All checks passed in your last run: there is nothing to hint at. CHECK=N chooses a check.");
        return true;
    }
    if (number > checks) return fault_set(fault, "%s has the checks 1 to %zu", parts->name, checks);
    const json_t *check = lab_parts_check(parts, number - 1);
    int levels = (int)json_array_size(json_object_get(check, "hints")), level = 1;
    if (levels == 0) return fault_set(fault, "there is no hint for \"%s\"", result_string(check, "title"));
    if (choice->level > (uint64_t)levels)
        return fault_set(fault, "\"%s\" has the hints 1 to %d", result_string(check, "title"), levels);
    grader_fault unwritten = {0};
    if (choice->level)
        level = (int)choice->level;
    else if (choice->progress)
        progress_next_hint(&level, choice->progress, parts->name, result_string(check, "name"), levels, &unwritten);
    print(page, check, level, levels);
    if (level < levels) print_next(page, choice, level + 1, &unwritten);
    return true;
}
