/* Finding the student of a submission; see roster_match.h. */
#include "roster_match.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/near_words.h"
#include "base/plain_text.h"
#include "base/text.h"

enum { LONGEST_NAME = 256 };

/* ---- names ------------------------------------------------------------------------------------------------------- */

static void append_character(char *out, size_t *used, uint32_t character)
{
    char bytes[4];
    const size_t count = character ? lab_text_encode(bytes, character) : 0;
    if (*used + count >= LONGEST_NAME) return;
    memcpy(out + *used, bytes, count);
    *used += count;
}

/* Appends letters and digits in lower case, and all characters beyond ASCII: letters with marks apart from them, as
 * the names of files on a Mac have them. */
static void append_letters(char *out, size_t *used, const char *begin, const char *end)
{
    size_t bytes;
    for (const char *at = begin; at < end; at += bytes) {
        uint32_t mark, letter = text_take_letter_apart(lab_text_character(at, &bytes), &mark);
        if (letter == 0) break;
        if (letter < 0x80) letter = isalnum((int)letter) ? (uint32_t)tolower((int)letter) : 0;
        append_character(out, used, letter);
        append_character(out, used, mark);
    }
    out[*used] = '\0';
}

/* The orders in which a name may be written: as it is, with its last word first (Canvas calls "Ada Lovelace"
 * "lovelaceada"), with what follows the first or the last comma first ("Lovelace, Ada King", "Smith, Jr., Bob"). */
typedef enum name_order { AS_IT_IS, LAST_WORD_FIRST, COMMA_LAST, LAST_COMMA_LAST, NAME_ORDERS } name_order;

static const char *find_cut(const char *name, name_order order)
{
    switch (order) {
    case LAST_WORD_FIRST: return strrchr(name, ' ');
    case COMMA_LAST: return strchr(name, ',');
    case LAST_COMMA_LAST: return strrchr(name, ',');
    default: return NULL;
    }
}

static void normalize(char *out, const char *name, name_order order)
{
    const char *end = name + strlen(name), *cut = find_cut(name, order);
    size_t used = 0;
    out[0] = '\0';
    if (cut) append_letters(out, &used, cut, end);
    append_letters(out, &used, name, cut ? cut : end);
}

bool roster_is_name(const roster_student *student, const char *name)
{
    char one[LONGEST_NAME], other[LONGEST_NAME];
    normalize(other, name, AS_IT_IS);
    for (name_order order = AS_IT_IS; order < NAME_ORDERS; order++) {
        normalize(one, student->name, order);
        if (*one && strcmp(one, other) == 0) return true;
    }
    size_t used = 0; /* the last name first, as two columns tell it */
    append_letters(one, &used, student->name + student->first_length, student->name + strlen(student->name));
    append_letters(one, &used, student->name, student->name + student->first_length);
    return *one && strcmp(one, other) == 0;
}

static bool is_called(const roster_student *student, const char *name) { return strcmp(student->name, name) == 0; }

/* The only student whom the text fits in one of two ways, the surer one first. */
typedef bool student_fits(const roster_student *student, const char *text);
static const roster_student *find_only(const roster *students, const char *text, student_fits *fits, bool *several)
{
    const roster_student *found = NULL;
    for (size_t i = 0; *text && i < students->count; i++) {
        if (!fits(&students->student[i], text)) continue;
        *several = *several || found;
        found = &students->student[i];
    }
    return *several ? NULL : found;
}

static const roster_student *find_by_name(const roster *students, const char *name, bool *several)
{
    *several = false;
    const roster_student *found = find_only(students, name, is_called, several);
    return found || *several ? found : find_only(students, name, roster_is_name, several);
}

/* ---- identifiers ------------------------------------------------------------------------------------------------- */

static bool is_same(const char *on_roster, const char *text) { return *on_roster && text && !strcmp(on_roster, text); }

static bool is_alike(const char *on_roster, const char *text)
{
    return *on_roster && text && strcasecmp(on_roster, text) == 0;
}

static bool has_number_or_mail(const roster_student *student, const submission *entry)
{
    return is_same(student->id, entry->id) || is_same(student->id, entry->name) ||
           is_alike(student->email, entry->email) || is_alike(student->email, entry->name);
}

static bool has_other_identifier(const roster_student *student, const submission *entry)
{
    bool has = is_alike(student->github, entry->id) || is_alike(student->github, entry->name);
    for (size_t i = 0; i < ROSTER_ALSO; i++)
        has = has || is_alike(student->also[i], entry->id) || is_alike(student->also[i], entry->name);
    return has;
}

/* The student with an identifier of the submission. One number may be the id of one student and what the learning
 * system calls another: then the name decides, and else the id. */
static const roster_student *find_by_identifier(const roster *students, const submission *entry)
{
    const roster_student *by_id = NULL, *by_other = NULL, *named = NULL;
    size_t others = 0;
    for (size_t i = 0; i < students->count; i++) {
        const roster_student *student = &students->student[i];
        const bool id = !by_id && has_number_or_mail(student, entry), other = has_other_identifier(student, entry);
        if (id) by_id = student;
        if (other) by_other = student;
        others += other;
        if ((id || other) && !named && roster_is_name(student, entry->name)) named = student;
    }
    if (named) return named;
    return by_id ? by_id : others == 1 ? by_other : NULL;
}

bool roster_contradicts(const roster_student *student, const submission *entry)
{
    const bool by_id = student && *student->name && entry->id &&
                       (has_number_or_mail(student, entry) || has_other_identifier(student, entry));
    const bool by_email = by_id && is_alike(student->email, entry->email);
    return by_id && !by_email && strcmp(entry->name, entry->id) != 0 && !roster_is_name(student, entry->name);
}

static const char *without_zeros(const char *text)
{
    const bool number = text && *text && text[strspn(text, "0123456789")] == '\0';
    return number ? text + strspn(text, "0") : NULL;
}

static bool is_same_number(const char *on_roster, const char *text)
{
    const char *one = without_zeros(on_roster), *other = without_zeros(text);
    return one && other && *one && strcmp(one, other) == 0;
}

static bool has_number(const roster_student *student, const char *text)
{
    bool has = is_same_number(student->id, text);
    for (size_t i = 0; i < ROSTER_ALSO; i++) has = has || is_same_number(student->also[i], text);
    return has;
}

const roster_student *roster_find_without_zeros(const roster *students, const submission *entry)
{
    bool several = false;
    const roster_student *found = find_only(students, entry->id ? entry->id : "", has_number, &several);
    return found || several ? found : find_only(students, entry->name, has_number, &several);
}

const roster_student *roster_find_github(const roster *students, const char *account)
{
    for (size_t i = 0; i < students->count; i++) {
        if (is_alike(students->student[i].github, account)) return &students->student[i];
    }
    return NULL;
}

/* Many universities name accounts by the address. */
static bool has_account(const roster_student *student, const char *name)
{
    const size_t length = strcspn(student->email, "@");
    return student->email[length] == '@' && strlen(name) == length && strncasecmp(student->email, name, length) == 0;
}

const roster_student *roster_find(const roster *students, const submission *entry)
{
    bool several;
    const roster_student *student = find_by_identifier(students, entry);
    if (!student && students->dropped_zeros) student = roster_find_without_zeros(students, entry);
    if (!student) student = find_by_name(students, entry->name, &several);
    if (student || several) return student;
    student = roster_find_github(students, entry->account);
    return student ? student : find_only(students, entry->name, has_account, &several);
}

const roster_student *roster_find_login(const roster *students, const char *login)
{
    char name[] = "", id[LONGEST_NAME];
    bool several = false;
    snprintf(id, sizeof id, "%s", login);
    const roster_student *student = find_by_identifier(students, &(submission){.name = name, .id = id});
    return student ? student : find_only(students, login, has_account, &several);
}

bool roster_fits_several(const roster *students, const submission *entry)
{
    bool several = false;
    if (!find_by_identifier(students, entry)) find_by_name(students, entry->name, &several);
    return several && !roster_find(students, entry);
}

/* ---- who it may be ----------------------------------------------------------------------------------------------- */

/* Whether the account ends with the whole identifier behind another word, as "mary-ada" does with "ada". */
static bool ends_with_word(const char *account, const char *identifier)
{
    const size_t length = strlen(account), end = strlen(identifier);
    return end > 0 && length > end + 1 && strchr("-_", account[length - end - 1]) &&
           strcasecmp(account + length - end, identifier) == 0;
}

/* How many letters of the names or ids differ at least; SIZE_MAX if they are not alike. */
static size_t distance_to(const roster_student *student, const submission *entry)
{
    enum { OTHERS = ROSTER_ALSO + 2 };
    const char *const identifiers[OTHERS] = {student->id,      student->github,  student->also[0],
                                             student->also[1], student->also[2], student->also[3]};
    char own[LONGEST_NAME];
    size_t least = (size_t)-1;
    normalize(own, submissions_account(entry), AS_IT_IS);
    for (int i = 0; i < NAME_ORDERS + OTHERS; i++) {
        char word[LONGEST_NAME];
        near_words near = {.wanted = own};
        normalize(word, i < NAME_ORDERS ? student->name : identifiers[i - NAME_ORDERS],
                  i < NAME_ORDERS ? (name_order)i : AS_IT_IS);
        near_words_offer(&near, word);
        if (near.count && near.distance[0] < least) least = near.distance[0];
    }
    for (int i = 0; entry->account && i < OTHERS; i++) {
        const size_t rest = strlen(entry->account) - strlen(identifiers[i]);
        if (ends_with_word(entry->account, identifiers[i]) && rest < least) least = rest;
    }
    return least;
}

size_t roster_nearest(const roster_student **near, size_t most, const roster *students, const submission *entry)
{
    enum { MOST_NEAR = 8 };
    size_t distance[MOST_NEAR], count = 0;
    if (most > MOST_NEAR) most = MOST_NEAR;
    for (size_t i = 0; i < students->count; i++) {
        const size_t away = distance_to(&students->student[i], entry);
        size_t place = count;
        while (place > 0 && away < distance[place - 1]) place--;
        if (away == (size_t)-1 || place == most) continue;
        if (count < most) count++;
        for (size_t k = count - 1; k > place; k--) {
            near[k] = near[k - 1];
            distance[k] = distance[k - 1];
        }
        near[place] = &students->student[i];
        distance[place] = away;
    }
    return count;
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

static bool is_group(const char *on_roster, const char *name) { return strcmp(on_roster, name) == 0; }

static bool is_group_alike(const char *on_roster, const char *name)
{
    char one[LONGEST_NAME], other[LONGEST_NAME];
    normalize(one, on_roster, AS_IT_IS);
    normalize(other, name, AS_IT_IS);
    return *one && strcmp(one, other) == 0;
}

bool roster_has_accounts(const roster *students)
{
    bool has = false;
    for (size_t i = 0; i < students->count; i++) has = has || *students->student[i].github;
    return has;
}

const char *roster_find_group(const roster *students, const char *name, bool *several)
{
    bool (*const fits[])(const char *, const char *) = {is_group, is_group_alike};
    const int forms = sizeof fits / sizeof *fits;
    const char *found = NULL;
    *several = false;
    for (int form = 0; form < forms && !found; form++) {
        for (size_t i = 0; i < students->members; i++) {
            const char *group = students->member[i].group;
            if (!fits[form](group, name)) continue;
            *several = *several || (found && strcmp(found, group) != 0);
            if (!found) found = group;
        }
    }
    return *several ? NULL : found;
}

bool roster_is_member(const roster *students, const roster_student *student, const char *group)
{
    for (size_t i = 0; i < students->members; i++) {
        const roster_member *member = &students->member[i];
        if (&students->student[member->student] == student && strcmp(member->group, group) == 0) return true;
    }
    return false;
}
