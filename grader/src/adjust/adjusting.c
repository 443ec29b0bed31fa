/* Results adjusted by persons; see adjusting.h. */
#include "adjusting.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "adjusting_internal.h"
#include "base/folder.h"
#include "base/text.h"
#include "class/adjustments.h"
#include "judge/result.h"
#include "base/csv.h"

/* ---- carrying out ------------------------------------------------------------------------------------------------ */

static bool add_plans(const adjusting *all, grader_fault *fault)
{
    store_adjustment *rows = calloc(all->plans, sizeof *rows);
    if (!rows) return fault_memory(fault, "the adjustments");
    for (size_t i = 0; i < all->plans; i++) rows[i] = all->plan[i].row;
    bool ok = store_add_adjustments(all->store, rows, all->plans, fault);
    for (size_t i = 0; i < all->plans; i++) all->plan[i].row.number = rows[i].number;
    free(rows);
    return ok;
}

static void print_clean(FILE *out, const char *text)
{
    char *line = text_clean_line(text, strlen(text));
    fputs(line ? line : "?", out);
    free(line);
}

/* A decision about the lab, and the points that the lab has by it. */
static bool print_decision(FILE *out, const adjusting_plan *plan)
{
    json_t *json = adjustments_json(&plan->row);
    fprintf(out, "%5lld  %s: %s", (long long)plan->row.number, plan->lab->name, result_string(json, "what"));
    if (json_object_get(json, "weight")) fprintf(out, "; the lab has %d", plan->lab->results.full);
    fputc('\n', out);
    json_decref(json);
    return true;
}

static bool print_plan(FILE *out, const adjusting_plan *plan, grader_fault *fault)
{
    const json_t *student;
    if (!*plan->student) return print_decision(out, plan);
    FAULT_TRY(adjusting_find_student(&student, plan->lab, *plan->id ? plan->id : plan->student, fault));
    char *after = adjustments_score_text(student);
    fprintf(out, "%5lld  %s  ", (long long)plan->row.number, plan->lab->name);
    print_clean(out, plan->student);
    fprintf(out, ": %s -> %s\n", plan->before, after ? after : "?");
    free(after);
    return true;
}

bool adjusting_carry_out(FILE *out, adjusting *all, grader_fault *fault)
{
    if (all->plans == 0) return true;
    FAULT_TRY(add_plans(all, fault));
    FAULT_TRY(adjusting_write(all, fault));
    for (size_t i = 0; i < all->plans; i++) FAULT_TRY(print_plan(out, &all->plan[i], fault));
    fprintf(out, "grader/report/report.py %s writes the pages again\n", all->folder);
    return true;
}

bool adjusting_add(FILE *out, const char *folder, const adjusting_request *request, grader_fault *fault)
{
    adjusting all;
    bool ok = adjusting_open(&all, folder, fault) && adjusting_plan_request(&all, request, fault) &&
              adjusting_carry_out(out, &all, fault);
    adjusting_close(&all);
    return ok;
}

/* ---- from a table ------------------------------------------------------------------------------------------------ */

typedef struct table_columns {
    int student, points, comment, why, lab, check, due; /* -1 for a column that is not there */
} table_columns;

static bool read_columns(table_columns *columns, const csv_reader *reader, grader_fault *fault)
{
    *columns = (table_columns){-1, -1, -1, -1, -1, -1, -1};
    const struct {
        const char *name;
        int *place;
    } known[] = {{"student", &columns->student}, {"points", &columns->points}, {"comment", &columns->comment},
                 {"why", &columns->why},         {"lab", &columns->lab},       {"check", &columns->check},
                 {"due", &columns->due}};
    for (size_t i = 0; i < reader->fields; i++) {
        size_t k = 0;
        while (k < sizeof known / sizeof *known && strcasecmp(known[k].name, reader->field[i]) != 0) k++;
        if (k == sizeof known / sizeof *known || *known[k].place >= 0)
            return fault_set(fault,
                             "%s:%d: column \"%s\": the columns are student, points, comment, why, lab, check and due",
                             reader->path, reader->row_line, reader->field[i]);
        *known[k].place = (int)i;
    }
    return columns->student >= 0 ||
           fault_set(fault, "%s:%d: a column \"student\" is needed", reader->path, reader->row_line);
}

/* The cell of a column, or what all rows have in common. */
static const char *cell(const csv_reader *reader, int column, const char *common)
{
    const bool there = column >= 0 && (size_t)column < reader->fields && *reader->field[column];
    return there ? reader->field[column] : common;
}

static bool plan_row(adjusting *all, const csv_reader *reader, const table_columns *columns,
                     const adjusting_request *common, grader_fault *fault)
{
    adjusting_request request = *common;
    request.student = cell(reader, columns->student, NULL);
    request.points = cell(reader, columns->points, common->points);
    request.comment = cell(reader, columns->comment, common->comment);
    request.why = cell(reader, columns->why, common->why);
    request.lab = cell(reader, columns->lab, common->lab);
    request.check = cell(reader, columns->check, common->check);
    request.due = cell(reader, columns->due, common->due);
    return adjusting_plan_request(all, &request, fault);
}

/* Plans every row; faulty ones are told, and then it fails. */
static bool plan_rows(adjusting *all, csv_reader *reader, const adjusting_request *common, grader_fault *fault)
{
    table_columns columns;
    bool found;
    size_t faulty = 0, rows = 0;
    FAULT_TRY(csv_next(reader, &found, fault));
    if (!found) return fault_set(fault, "%s: it is empty", reader->path);
    FAULT_TRY(read_columns(&columns, reader, fault));
    for (;; rows++) {
        FAULT_TRY(csv_next(reader, &found, fault));
        if (!found) break;
        if (plan_row(all, reader, &columns, common, fault)) continue;
        fprintf(stderr, "labgrade: %s:%d: %s\n", reader->path, reader->row_line, fault->text);
        faulty++;
    }
    if (rows == 0) return fault_set(fault, "%s: it has no row below its columns", reader->path);
    return faulty == 0 ||
           fault_set(fault, "%s: %zu of %zu rows cannot be taken: nothing is adjusted", reader->path, faulty, rows);
}

static bool plan_table(adjusting *all, const char *path, const adjusting_request *common, grader_fault *fault)
{
    enum { LARGEST = 16 << 20 };
    char *bytes = NULL;
    size_t count = 0;
    csv_reader reader;
    if (folder_read(&bytes, &count, path, LARGEST, fault) != FOLDER_FILE)
        return fault_set(fault, "cannot read %s", path);
    csv_begin(&reader, path, bytes, count);
    bool ok = plan_rows(all, &reader, common, fault);
    csv_end(&reader);
    free(bytes);
    return ok;
}

bool adjusting_add_table(FILE *out, const char *folder, const char *path, const adjusting_request *common,
                         grader_fault *fault)
{
    adjusting all;
    bool ok = adjusting_open(&all, folder, fault) && plan_table(&all, path, common, fault) &&
              adjusting_carry_out(out, &all, fault);
    adjusting_close(&all);
    return ok;
}

/* ---- revoking ---------------------------------------------------------------------------------------------------- */

typedef struct wanted_row {
    int64_t number;
    char *lab;
} wanted_row;

static bool find_row(void *user, const store_adjustment *adjustment)
{
    wanted_row *wanted = user;
    if (adjustment->number == wanted->number) wanted->lab = strdup(adjustment->lab);
    return !wanted->lab;
}

/* Opens the lab of an adjustment first, because a lab whose grading was cut short cannot be written again. */
static bool revoke(adjusting *all, int64_t number, const char *who, const char *why, grader_fault *fault)
{
    wanted_row wanted = {.number = number};
    adjusted_lab *lab = NULL;
    FAULT_TRY(store_each_adjustment(all->store, NULL, find_row, &wanted, fault));
    bool ok = !wanted.lab || adjusting_find_lab(&lab, all, wanted.lab, fault);
    free(wanted.lab);
    FAULT_TRY(ok);
    FAULT_TRY(store_revoke(all->store, number, who, why, fault));
    lab->changed = true;
    return adjusting_write(all, fault);
}

bool adjusting_revoke(FILE *out, const char *folder, int64_t number, const char *who, const char *why,
                      grader_fault *fault)
{
    adjusting all;
    char *user = who ? text_clean_line(who, strlen(who)) : store_user();
    if (!user) return fault_memory(fault, "a name");
    bool ok = adjusting_open(&all, folder, fault) && revoke(&all, number, user, why, fault);
    if (ok)
        fprintf(out, "adjustment %lld is revoked; grader/report/report.py %s writes the pages again\n",
                (long long)number, folder);
    adjusting_close(&all);
    free(user);
    return ok;
}

/* ---- listing ----------------------------------------------------------------------------------------------------- */

typedef struct listing {
    FILE *out;
    const char *student;
    size_t count;
} listing;

static bool print_adjustment(void *user, const store_adjustment *adjustment)
{
    listing *list = user;
    const bool own =
        !list->student || strcmp(list->student, adjustment->student) == 0 || strcmp(list->student, adjustment->id) == 0;
    if (!own) return true;
    json_t *json = adjustments_json(adjustment);
    const char *comment = result_string(json, "comment");
    list->count++;
    fprintf(list->out, "%5lld  %s  %s%s", (long long)adjustment->number, adjustment->made, adjustment->lab,
            *adjustment->student ? "  " : "");
    print_clean(list->out, adjustment->student);
    fprintf(list->out, ": %s  (", result_string(json, "what"));
    print_clean(list->out, adjustment->who);
    if (*adjustment->why) fputs(": ", list->out), print_clean(list->out, adjustment->why);
    fputs(")\n", list->out);
    if (*comment) fputs("       comment: ", list->out), print_clean(list->out, comment), fputc('\n', list->out);
    if (*adjustment->revoked) {
        fprintf(list->out, "       revoked %s (", adjustment->revoked);
        print_clean(list->out, adjustment->revoked_by);
        fputs(": ", list->out);
        print_clean(list->out, adjustment->revoked_why);
        fputs(")\n", list->out);
    }
    json_decref(json);
    return true;
}

bool adjusting_list(FILE *out, const char *folder, const char *student, const char *lab, grader_fault *fault)
{
    grade_store *store;
    listing list = {.out = out, .student = student};
    FAULT_TRY(store_open_to_read(&store, folder, fault));
    bool ok = store_each_adjustment(store, lab, print_adjustment, &list, fault);
    if (ok && list.count == 0) fputs("nothing is adjusted\n", out);
    store_close(store);
    return ok;
}
