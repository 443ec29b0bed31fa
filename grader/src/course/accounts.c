/* Telling accounts from the assignment's name; see accounts.h. */
#include "accounts.h"

#include <stdlib.h>
#include <string.h>

#include "roster_match.h"

enum { LONGEST_BEGINNING = 256 };

/* The names of a download. */
typedef struct naming {
    const char **whole; /* each different name once */
    size_t count;
    char separator; /* between the assignment's name and the account */
    bool is_repository;
    const roster *students;
} naming;

/* What names begin with, and how many accounts of the roster stand behind it. */
typedef struct beginning {
    const char *text;
    size_t length, accounts;
} beginning;

/* The name that holds an account; NULL for a submission that does not need one. */
static const char *whole_of(const naming *names, const submission *entry)
{
    if (!names->is_repository) return entry->whole;
    bool several;
    const bool known = roster_find(names->students, entry) || roster_find_group(names->students, entry->name, &several);
    return known ? NULL : entry->name;
}

static void add_whole(naming *names, const char *whole)
{
    for (size_t i = 0; whole && i < names->count; i++) {
        if (strcmp(names->whole[i], whole) == 0) return;
    }
    if (whole) names->whole[names->count++] = whole;
}

/* What stands behind the beginning; NULL for a name that begins otherwise. */
static const char *behind(const char *whole, const beginning *begin)
{
    return strncmp(whole, begin->text, begin->length) == 0 && whole[begin->length] ? whole + begin->length : NULL;
}

static bool is_account(const naming *names, const char *text)
{
    bool several;
    if (!names->is_repository) return roster_find_login(names->students, text);
    return roster_find_github(names->students, text) || roster_find_group(names->students, text, &several);
}

/* How many names begin so. */
static size_t count_names(const naming *names, const beginning *begin)
{
    size_t common = 0;
    for (size_t i = 0; i < names->count; i++) common += behind(names->whole[i], begin) != NULL;
    return common;
}

static size_t count_accounts(const naming *names, const beginning *begin)
{
    size_t accounts = 0;
    for (size_t i = 0; i < names->count; i++) {
        const char *rest = behind(names->whole[i], begin);
        accounts += rest && is_account(names, rest);
    }
    return accounts;
}

/* Two beginnings of more than half of the names are in one name at least: of each length there is one only. */
static beginning find_beginning(const naming *names)
{
    beginning best = {0};
    bool seen[LONGEST_BEGINNING] = {false};
    for (size_t i = 0; i < names->count; i++) {
        const char *whole = names->whole[i];
        for (const char *at = whole; *at && (at = strchr(at + 1, names->separator));) {
            beginning next = {.text = whole, .length = (size_t)(at - whole) + 1};
            if (next.length >= LONGEST_BEGINNING) break;
            if (seen[next.length] || 2 * count_names(names, &next) <= names->count) continue;
            seen[next.length] = true;
            next.accounts = count_accounts(names, &next);
            const bool better = next.accounts > best.accounts ||
                                (next.accounts && next.accounts == best.accounts && next.length < best.length);
            if (better) best = next;
        }
    }
    return best;
}

/* Notes what nothing but one name says. */
static void note_uncertain(intake *taken, const naming *names, const submission *entry, const beginning *begin)
{
    if (!begin->text && entry->whole && strcmp(entry->name, entry->whole) == 0) {
        intake_notes_add(&taken->notes, entry->name,
                         "nothing tells the login from the assignment's name: a roster with the logins does");
    } else if (begin->accounts == 1 && entry->account && is_account(names, entry->account)) {
        intake_notes_add(&taken->notes, entry->name,
                         "is taken as the work of %s: only this one submission tells where the assignment's name ends",
                         entry->account);
    }
}

/* Notes a beginning that not all names have: the assignment's may be shorter. */
static void note_beginning(intake *taken, const naming *names, const beginning *begin)
{
    const size_t common = begin->text ? count_names(names, begin) : names->count;
    if (common == names->count) return;
    intake_notes_add(&taken->notes, begin->text,
                     "is taken as the assignment's name, with the accounts behind it: %zu of %zu names begin so",
                     common, names->count);
}

static bool set_account(const naming *names, submission *entry, const beginning *begin, grader_fault *fault)
{
    const char *whole = begin->text ? whole_of(names, entry) : NULL, *rest = whole ? behind(whole, begin) : NULL;
    if (!rest) return true;
    const submission_student login = {.name = rest, .id = rest};
    char *account = strdup(rest);
    if (account && !names->is_repository && !submissions_give(entry, &login, fault)) {
        free(account);
        return false;
    }
    entry->account = account;
    return account || fault_memory(fault, "the accounts");
}

static bool set_accounts(intake *taken, const naming *names, grader_fault *fault)
{
    beginning begin = find_beginning(names);
    char *text = begin.text ? strndup(begin.text, begin.length) : NULL; /* names change below */
    bool ok = !begin.text || text || fault_memory(fault, "the accounts");
    begin.text = text;
    if (ok) note_beginning(taken, names, &begin);
    for (size_t i = 0; ok && i < taken->list.count; i++) {
        ok = set_account(names, &taken->list.entry[i], &begin, fault);
        if (ok) note_uncertain(taken, names, &taken->list.entry[i], &begin);
    }
    free(text);
    return ok;
}

bool accounts_find(intake *taken, const roster *students, grader_fault *fault)
{
    const bool is_repository = strcmp(taken->layout, "folders") == 0 && roster_has_accounts(students);
    if (!is_repository && strcmp(taken->layout, "Blackboard") != 0) return true;
    naming names = {.whole = calloc(taken->list.count + 1, sizeof *names.whole),
                    .separator = is_repository ? '-' : '_',
                    .is_repository = is_repository,
                    .students = students};
    if (!names.whole) return fault_memory(fault, "the accounts");
    for (size_t i = 0; i < taken->list.count; i++) add_whole(&names, whole_of(&names, &taken->list.entry[i]));
    bool ok = set_accounts(taken, &names, fault);
    free(names.whole);
    return ok && submissions_finish(&taken->list, fault);
}
