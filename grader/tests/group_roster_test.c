/* Work of groups whose members only the roster names: downloads of Moodle and Canvas do not. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "course/attempts.h"
#include "course/groups.h"
#include "course/roster_doubts.h"
#include "course/roster_match.h"
#include "handed_in.h"
#include "intake/download_names.h"

static roster students;

/* Opens the class in "class", and assigns its groups' work by a roster. */
static void open_class(const char *table)
{
    cr_assert(roster_parse(&students, NULL, "class.csv", table, strlen(table), &fault), "%s", fault.text);
    open_place("class");
    cr_assert(groups_share(&taken, &students, &fault), "%s", fault.text);
    roster_doubts_note(&taken, &students);
}

static void end_class(void)
{
    roster_free(&students);
    end();
}

/* The only submission of a student. */
static const submission *only(const char *name)
{
    const submission *found = NULL;
    for (size_t i = 0; i < taken.list.count; i++) {
        const submission *entry = &taken.list.entry[i];
        if (strcmp(entry->name, name) != 0) continue;
        cr_assert_null(found, "%s has two submissions", name);
        found = entry;
    }
    cr_assert_not_null(found, "%s has no submission", name);
    return found;
}

static void assert_shared(const char *one, const char *other)
{
    cr_assert(only(one)->group && only(other)->group, "%s or %s is in no group", one, other);
    cr_assert_str_eq(only(one)->group, only(other)->group);
}

#define WORKSHEET                                                                                                      \
    "Identifier,Full name,Email address,Group,Grade\n"                                                                 \
    "Participant 4711,Ada Lovelace,ada@x.org,Team A/1,\nParticipant 4712,Grace Hopper,grace@x.org,Team A/1,\n"         \
    "Participant 4713,Konrad Zuse,zuse@x.org,Default group,\nParticipant 4714,Kay McNulty,kay@x.org,Default group,\n"

Test(group_roster, folder_that_moodle_names_after_a_group_belongs_to_each_member)
{
    begin();
    put("class/Team A1_4713_assignsubmission_file/lab03.c", "theirs");
    put("class/Default group_assignsubmission_file/lab03.c", "of those in no group");
    open_class(WORKSHEET);
    cr_assert_eq(taken.list.count, 4u);
    cr_assert_eq(taken.notes.count, 0u, "%s", taken.notes.count ? taken.notes.note[0].reason : "");
    assert_shared("Ada Lovelace", "Grace Hopper");
    assert_shared("Konrad Zuse", "Kay McNulty");
    cr_assert_str_neq(only("Ada Lovelace")->group, only("Kay McNulty")->group);
    assert_file("Ada Lovelace", "theirs");
    assert_file("Grace Hopper", "theirs");
    assert_file("Konrad Zuse", "of those in no group");
    cr_assert_str_eq(only("Grace Hopper")->id, "4712", "the group's number is not hers");
    cr_assert_str_eq(only("Grace Hopper")->email, "grace@x.org");
    cr_assert_str_neq(only("Grace Hopper")->safe, only("Ada Lovelace")->safe);
    end_class();
}

Test(group_roster, files_that_moodle_names_after_a_group_belong_to_each_member)
{
    begin();
    put("class/Team A1_88_assignsubmission_file_lab03.c", "theirs");
    put("class/Default group_assignsubmission_file_lab03.c", "of those in no group");
    put("class/Default group_assignsubmission_file_notes.txt", "beside it");
    open_class(WORKSHEET);
    cr_assert_eq(taken.list.count, 4u);
    assert_shared("Ada Lovelace", "Grace Hopper");
    assert_shared("Konrad Zuse", "Kay McNulty");
    assert_file("Kay McNulty", "of those in no group");
    end_class();
}

Test(group_roster, folders_of_each_member_as_moodle_had_them_are_one_submission)
{
    begin();
    put("class/Team A1-Ada Lovelace_4711_assignsubmission_file_/lab03.c", "theirs");
    put("class/Team A1-Grace Hopper_4712_assignsubmission_file_/lab03.c", "theirs");
    put("class/Default group-Participant_4713_assignsubmission_file_/lab03.c", "zuse's");
    put("class/Team A1-Kay McNulty_4714_assignsubmission_file_/lab03.c", "not in it");
    open_class(WORKSHEET);
    cr_assert_eq(taken.list.count, 4u);
    assert_shared("Ada Lovelace", "Grace Hopper");
    cr_assert_not_null(only("Konrad Zuse")->group, "found by the number where names are hidden");
    cr_assert_str_neq(only("Konrad Zuse")->group, only("Ada Lovelace")->group);
    assert_note("Team A1-Kay McNulty",
                "has the id of Kay McNulty on the roster, and another name, and that of no group");
    end_class();
}

#define GROUP_SET                                                                                                      \
    "name,canvas_user_id,user_id,login_id,sections,group_name,canvas_group_id,group_id\n"                              \
    "Ada Lovelace,17,s17,ada,Autumn,Team_1 A,3,\nGrace Hopper,18,s18,grace,Autumn,Team_1 A,3,\n"                       \
    "Kay McNulty,19,s19,kay,Autumn,,,\n"

Test(group_roster, file_that_canvas_names_after_a_group_belongs_to_each_member)
{
    begin();
    put("class/team_1a_LATE_18_205_lab03.c", "theirs");
    put("class/kaymcnulty_19_206_lab03.c", "kay's");
    open_class(GROUP_SET);
    cr_assert_str_eq(taken.layout, "Canvas");
    cr_assert_eq(taken.list.count, 3u);
    assert_shared("Ada Lovelace", "Grace Hopper");
    assert_file("Ada Lovelace", "theirs");
    cr_assert_str_eq(only("Ada Lovelace")->id, "17");
    cr_assert_str_eq(students.student[0].section, "Autumn");
    cr_assert_null(only("kaymcnulty")->group);
    end_class();
}

Test(group_roster, file_with_the_id_of_an_outsider_is_the_groups_too)
{
    begin();
    put("class/team_1a_19_205_lab03.c", "theirs");
    open_class(GROUP_SET);
    cr_assert_eq(taken.list.count, 3u);
    assert_shared("Ada Lovelace", "Kay McNulty");
    assert_shared("Ada Lovelace", "Grace Hopper");
    assert_note("team_1a", "has the id of Kay McNulty, who is not in Team_1 A on the roster: it is theirs too");
    end_class();
}

Test(group_roster, files_of_one_number_in_canvas_are_one_submission_without_a_roster)
{
    begin();
    put("class/lovelaceada_17_205_lab03.c", "theirs");
    put("class/hoppergrace_18_205_lab03.c", "theirs");
    put("class/mcnultykay_19_206_lab03.c", "kay's");
    open_place("class");
    cr_assert_eq(taken.list.count, 3u);
    assert_shared("lovelaceada", "hoppergrace");
    cr_assert_null(only("mcnultykay")->group);
    end();
}

Test(group_roster, folder_that_a_teacher_names_after_a_group_may_hold_its_attempts)
{
    begin();
    put("class/team a1/attempt1/lab03.c", "first");
    put("class/team a1/attempt2/lab03.c", "second");
    put("class/turing/lab03.c", "not on the roster");
    open_class(WORKSHEET);
    cr_assert(attempts_number(&taken, &wanted, &fault), "%s", fault.text);
    cr_assert_eq(taken.list.count, 5u);
    const submission *ada = find("Ada Lovelace"), *grace = find("Grace Hopper");
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(grace[i].attempt, i + 1);
        cr_assert_str_eq(ada[i].group, grace[i].group);
    }
    cr_assert_str_neq(ada[0].group, ada[1].group);
    assert_note("turing", "is neither a student nor a group of the roster: listed by its own name");
    end_class();
}

Test(group_roster, work_that_a_member_submits_alone_is_another_attempt)
{
    begin();
    put("class/Team A1_88_assignsubmission_file/lab03.c", "theirs");
    put("class/Ada Lovelace_9_assignsubmission_file/lab03.c", "hers");
    put("class/Team B_89_assignsubmission_file/lab03.c", "of a group that is not on the roster");
    open_class("name,group,id\nAda Lovelace,Team A/1,s17\nGrace Hopper,Team A/1,\nKay McNulty,Team A/1,s19\n");
    cr_assert(attempts_number(&taken, &wanted, &fault), "%s", fault.text);
    cr_assert_eq(taken.list.count, 5u);
    const submission *ada = find("Ada Lovelace");
    cr_assert_eq(ada[0].attempts, 2);
    cr_assert_eq(ada[1].attempt, 2);
    cr_assert_str_eq(ada[0].id, "s17", "as the roster has it, not as Moodle numbers its folders");
    cr_assert_null(only("Grace Hopper")->id);
    assert_note("Ada Lovelace", "handed in alone and with a group: each is an attempt");
    assert_note("Ada Lovelace", "nothing says which is later");
    assert_note("Team B", "is neither a student nor a group");
    end_class();
}

Test(group_roster, member_of_two_groups_has_the_work_of_both)
{
    begin();
    put("class/Team A_88_assignsubmission_file/lab03.c", "A's");
    put("class/Team B_89_assignsubmission_file/lab03.c", "B's");
    open_class("id,name,group\n17,Ada,Team A\n18,Grace,Team A\n17,Ada,Team B\n");
    cr_assert_eq(students.count, 2u);
    cr_assert(attempts_number(&taken, &wanted, &fault), "%s", fault.text);
    cr_assert_eq(taken.list.count, 3u);
    cr_assert_eq(find("Ada")->attempts, 2);
    assert_note("Ada", "is in Team A and in Team B on the roster: what either handed in is an attempt of theirs");
    end_class();
}

Test(group_roster, name_that_fits_several_students_is_given_to_none)
{
    begin();
    put("class/team1/lab03.c", "whose?");
    put("class/Team-1/lab03.c", "the first's");
    put("class/Kay/lab03.c", "kay's own");
    open_class("id,name,group\n17,Ada,Team-1\n18,Grace,Team 1\n19,Kay,\n20,Konrad,Kay\n");
    cr_assert_eq(taken.list.count, 3u);
    assert_note("team1", "could be the work of more than one group of the roster: listed by its own name");
    assert_file("team1", "whose?");
    assert_file("Ada", "the first's");
    assert_note("Kay", "is the name of a student and of a group without them: taken as the student's");
    assert_file("Kay", "kay's own");
    end_class();
}

Test(group_roster, name_of_two_students_or_of_none_is_noted_and_is_nobodys)
{
    begin();
    put("class/Jo Li/lab03.c", "whose?");
    put("class/jli/lab03.c", "a login");
    open_class("id,name\n15,Jo Li\n16,Jo Li\n");
    cr_assert(attempts_number(&taken, &wanted, &fault), "%s", fault.text);
    assert_note("Jo Li", "fits the names of several students of the roster: listed by its own name");
    assert_note("jli", "is no student of the roster (nearest: Jo Li 15; Jo Li 16): listed by its own name");
    cr_assert_null(roster_find(&students, only("Jo Li")));
    end_class();
}

Test(group_roster, another_name_with_an_id_of_the_roster_is_told)
{
    begin();
    put("class/lovelaceada_17_204_lab03.c", "hers");
    put("class/hoppergrace_18_205_lab03.c", "grace's");
    open_class("id,name\n17,Ada Lovelace\n18,Konrad Zuse\n");
    cr_assert(attempts_number(&taken, &wanted, &fault), "%s", fault.text);
    assert_note("hoppergrace", "has the id of Konrad Zuse on the roster, and another name: graded as theirs");
    cr_assert_eq(taken.notes.count, 1u);
    end_class();
}

Test(group_roster, gradescope_says_itself_who_is_in_a_group)
{
    begin();
    put("class/submission_9/lab03.c", "ada's own");
    put("class/submission_metadata.yml", "submission_9:\n  :submitters:\n  - :name: Team A\n    :sid: '17'\n");
    open_class("id,name,group\n17,Ada,Team A\n18,Grace,Team A\n");
    cr_assert_eq(taken.list.count, 1u);
    cr_assert_null(only("Team A")->group);
    end_class();
}
