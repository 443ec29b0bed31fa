/* Whose a submission is where its name begins with the assignment's: nobody gets the work of another student. */
#include "test.h"

#include <string.h>

#include "course/accounts.h"
#include "course/attempts.h"
#include "course/groups.h"
#include "course/roster_doubts.h"
#include "course/roster_match.h"
#include "handed_in.h"

static roster students;

static void take_class(const char *roster_text)
{
    cr_assert(roster_parse(&students, NULL, "class.csv", roster_text, strlen(roster_text), &fault), "%s", fault.text);
    open_place("class");
    cr_assert(accounts_find(&taken, &students, &fault), "%s", fault.text);
    cr_assert(groups_share(&taken, &students, &fault), "%s", fault.text);
    cr_assert(attempts_number(&taken, &wanted, &fault), "%s", fault.text);
    roster_doubts_note(&taken, &students);
}

static const char *owner_of(const char *name)
{
    const roster_student *student = roster_find(&students, find(name));
    return student ? student->name : "nobody";
}

static void finish_class(void)
{
    roster_free(&students);
    end();
}

#define ATTEMPT "_attempt_2026-11-20-23-41-07_lab03.c"

Test(owners, login_of_blackboard_with_an_underscore_is_not_another_students)
{
    begin();
    put("class/Lab 2_jo_ann" ATTEMPT, "jo ann's");
    put("class/Lab 2_ann" ATTEMPT, "ann's");
    put("class/Lab 2_al_kay" ATTEMPT, "of nobody on the roster");
    take_class("username,name\njo_ann,Jo\nann,Ann\nkay,Kay\n");
    cr_assert_str_eq(owner_of("jo_ann"), "Jo");
    cr_assert_str_eq(owner_of("ann"), "Ann");
    cr_assert_str_eq(owner_of("al_kay"), "nobody");
    assert_file("jo_ann", "jo ann's");
    assert_note("al_kay", "is no student of the roster (nearest: ");
    finish_class();
}

Test(owners, longest_login_of_blackboard_wins_where_all_have_the_same_beginning)
{
    begin();
    put("class/Lab_2_jo_ann" ATTEMPT, "jo ann's");
    put("class/Lab_2_jo_bob" ATTEMPT, "jo bob's");
    take_class("username,name\njo_ann,Jo\njo_bob,Joe\nann,Ann\nbob,Bob\n");
    cr_assert_str_eq(owner_of("jo_ann"), "Jo");
    cr_assert_str_eq(owner_of("jo_bob"), "Joe");
    finish_class();
}

Test(owners, login_of_blackboard_without_a_roster_stands_behind_what_all_files_share)
{
    begin();
    put("class/Lab_2_jo_ann" ATTEMPT, "jo ann's");
    put("class/Lab_2_kay" ATTEMPT, "kay's");
    take_class("name\n");
    assert_file("jo_ann", "jo ann's");
    assert_file("kay", "kay's");
    cr_assert_eq(taken.notes.count, 0u);
    finish_class();
    begin();
    put("class/Lab_2_jo_ann" ATTEMPT, "whose?");
    take_class("name\n");
    assert_file("Lab_2_jo_ann", "whose?");
    assert_note("Lab_2_jo_ann", "nothing tells the login from the assignment's name");
    finish_class();
}

Test(owners, single_submission_is_its_students_with_a_note)
{
    begin();
    put("class/Lab 2_jo_ann" ATTEMPT, "hers");
    take_class("username,name\njo_ann,Jo\nann,Ann\n");
    cr_assert_str_eq(owner_of("jo_ann"), "Jo");
    assert_note("jo_ann", "only this one submission tells where the assignment's name ends");
    finish_class();
}

Test(owners, repository_of_somebody_whose_account_ends_like_another_is_not_the_others)
{
    begin();
    put("class/lab02-mary-ada/lab03.c", "mary's");
    put("class/lab02-bob/lab03.c", "bob's");
    put("class/lab02-kay/lab03.c", "kay's");
    put("class/lab02-the-a-team/lab03.c", "nobody's on the roster");
    put("class/notes/lab03.c", "no repository");
    take_class("github_username,name,team\nada,Ada,A-Team\nbob,Bob,\nKay,Kay,\n");
    cr_assert_str_eq(owner_of("lab02-mary-ada"), "nobody");
    cr_assert_str_eq(owner_of("lab02-bob"), "Bob");
    cr_assert_str_eq(owner_of("lab02-kay"), "Kay");
    cr_assert_str_eq(owner_of("lab02-the-a-team"), "nobody");
    assert_note("lab02-", "is taken as the assignment's name, with the accounts behind it: 4 of 5 names begin so");
    assert_note("lab02-mary-ada", "is neither a student nor a group of the roster (nearest: Ada)");
    finish_class();
}

Test(owners, name_of_brightspace_may_have_a_dash_between_spaces)
{
    begin();
    put("class/1-80551 - Anne-Marie - Lou - Nov 20, 2026 1141 PM/lab03.c", "hers");
    put("class/2-80551 - N0123 - Bo - Lee - Nov 20, 2026 1141 PM/lab03.c", "his");
    take_class("name,id\nAnne-Marie - Lou,7\nBo - Lee,N0123\n");
    cr_assert_str_eq(owner_of("Anne-Marie - Lou"), "Anne-Marie - Lou");
    cr_assert_str_eq(find("Bo - Lee")->id, "N0123");
    finish_class();
}
