/* Students who hand in the whole workbook, several files, or the workbook's own texts: the student's own file is
 * graded, or none with the reason. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "course/attempts.h"
#include "handed_in.h"

#define OWN "labs/lab03-concurrency/lab03.c"

static const char *const never_taken[] = {
    "solutions/lab03-concurrency/lab03.c", "build/right/lab03.c", "build-debug/lab03.c",
    "grader/tests/class/lab03.c",          ".git/lab03.c",        "__MACOSX/labs/lab03.c"};
enum { NEVER_TAKEN = sizeof never_taken / sizeof *never_taken };

static void put_in(const char *folder, const char *name, const char *text)
{
    char *path = folder_path(folder, name);
    put(path, text);
    free(path);
}

static submission_file find_with(const char *name, const char *starter, const char *solution)
{
    submission_file found;
    char *texts[] = {strdup(starter), strdup(solution)};
    const intake_wanted known = {.file = "lab03.c", .starter = texts[0], .solution = texts[1]};
    cr_assert(intake_find(&found, find(name), &known, &fault), "%s", fault.text);
    free(texts[0]);
    free(texts[1]);
    return found;
}

Test(workbook, own_file_is_graded_and_the_page_says_which)
{
    begin();
    put_in("class/ada", OWN, "ada's");
    for (int i = 0; i < NEVER_TAKEN; i++) put_in("class/ada", never_taken[i], "the workbook's");
    open_place("class");
    submission_file found = find_file("ada");
    cr_assert_str_eq(found.note,
                     "graded: " OWN "; also seen: grader/tests/class/lab03.c (the workbook's, never taken), "
                     "solutions/lab03-concurrency/lab03.c (the workbook's, never taken)",
                     "%s", found.note);
    submissions_file_free(&found);
    assert_file("ada", "ada's");
    end();
}

Test(workbook, without_an_own_file_nothing_is_graded)
{
    begin();
    for (int i = 0; i < NEVER_TAKEN; i++) put_in("class/ada", never_taken[i], "the workbook's");
    open_place("class");
    submission_file found = find_file("ada");
    cr_assert_neq(access(found.path, F_OK), 0, "%s", found.path);
    cr_assert_not_null(strstr(found.note, "also seen: grader/tests/class/lab03.c (the workbook's, never taken)"), "%s",
                       found.note);
    submissions_file_free(&found);
    end();
}

/* Whatever the order of an archive's members, what make built is neither unpacked nor counted. */
Test(workbook, archive_of_a_built_clone_gives_the_own_file_in_any_order)
{
    enum { ORDERS = 3, BUILT = 21000 };
    begin();
    put("class/readme/x", "");
    for (int order = 0; order < ORDERS; order++) {
        char name[32];
        snprintf(name, sizeof name, "class/order%d.zip", order);
        struct archive *archive = create(name, true);
        if (order == 0) pack_text(archive, "clone/" OWN, "ada's");
        for (int i = 0; i < NEVER_TAKEN && order == 1; i++) pack_text(archive, never_taken[i], "the workbook's");
        for (int i = 0; i < BUILT; i++) {
            snprintf(name, sizeof name, "clone/build/o%d.c", i);
            pack_text(archive, name, "built");
        }
        for (int i = 0; i < NEVER_TAKEN && order != 1; i++) {
            char *path = text_make("clone/%s", never_taken[i]);
            pack_text(archive, path, "the workbook's");
            free(path);
        }
        if (order > 0) pack_text(archive, "clone/" OWN, "ada's");
        finish(archive);
    }
    open_place("class");
    assert_file("order0", "ada's");
    assert_file("order1", "ada's");
    assert_file("order2", "ada's");
    end();
}

Test(workbook, of_other_files_in_an_archive_only_the_names_are_kept)
{
    begin();
    put("class/readme/x", "");
    struct archive *archive = create("class/ada.zip", true);
    pack_text(archive, "film.bin", "large");
    pack_text(archive, "lab03.c", "ada's");
    finish(archive);
    open_place("class");
    char *film = folder_path(find("ada")->folder, "film.bin"), *text;
    size_t bytes;
    cr_assert_eq(folder_read(&text, &bytes, film, 64, &fault), FOLDER_FILE);
    cr_assert_eq(bytes, 0u);
    assert_file("ada", "ada's");
    free(film);
    free(text);
    end();
}

Test(workbook, list_that_is_not_complete_is_a_refusal)
{
    enum { MANY = 257, DEEP = 18 };
    begin();
    put("class/many/lab03.c", "own");
    for (int i = 0; i < MANY; i++) {
        char name[64];
        snprintf(name, sizeof name, "class/many/sub/%d/lab03.c", i);
        put(name, "another");
    }
    text_buffer deep = {0};
    text_format(&deep, "class/deep");
    put("class/deep/lab03.c", "own");
    for (int i = 0; i < DEEP; i++) text_format(&deep, "/d");
    text_format(&deep, "/x");
    put(deep.text, "");
    free(deep.text);
    open_place("class");
    assert_refused("many", "more than 256 files could be lab03.c: hand in one");
    assert_refused("deep", "its folders are more than 16 deep: hand in lab03.c alone");
    end();
}

/* ---- several files ----------------------------------------------------------------------------------------------- */

Test(workbook, two_candidates_in_one_folder_are_refused_by_name)
{
    begin();
    put("class/ada/lab03.c", "first");
    put("class/ada/lab03 (1).c", "second");
    put("class/grace/LAB03.c", "one");
    put("class/grace/src/lab03-2.c", "two");
    open_place("class");
    assert_refused("ada", "2 files could be lab03.c: lab03 (1).c, lab03.c; hand in one");
    assert_refused("grace", "2 files could be lab03.c: LAB03.c, src/lab03-2.c; hand in one");
    end();
}

Test(workbook, copies_of_one_file_are_one_candidate)
{
    begin();
    put("class/ada/lab03 (1).c", "hers");
    put("class/ada/lab03.c", "hers");
    open_place("class");
    submission_file found = find_file("ada");
    cr_assert_str_eq(found.note, "graded: lab03.c; also seen: lab03 (1).c (the same)", "%s", found.note);
    submissions_file_free(&found);
    end();
}

Test(workbook, file_renamed_by_hand_is_taken_where_it_is_the_only_one)
{
    begin();
    put("class/ada/lab03_final.c", "hers");
    put("class/grace/lab03.c", "hers");
    put("class/grace/lab03_old.c", "older");
    open_place("class");
    submission_file found = find_file("ada");
    cr_assert_str_eq(found.note, "graded: lab03_final.c", "%s", found.note);
    submissions_file_free(&found);
    assert_file("grace", "hers");
    found = find_file("grace");
    cr_assert_str_eq(found.note, "graded: lab03.c; also seen: lab03_old.c (another name)", "%s", found.note);
    submissions_file_free(&found);
    end();
}

/* ---- the workbook's own texts ------------------------------------------------------------------------------------ */

Test(workbook, starter_is_nobodys_work_where_there_is_another_file)
{
    begin();
    put_in("class/ada", OWN, "the starter");
    put("class/ada/work/lab03.c", "hers");
    put("class/grace/lab03.c", "the\r\n\tstarter \n");
    open_place("class");
    submission_file found = find_with("ada", "the starter", "the solution");
    cr_assert_str_eq(found.note, "graded: work/lab03.c; also seen: " OWN " (the starter)", "%s", found.note);
    cr_assert(!found.is_starter);
    submissions_file_free(&found);
    found = find_with("grace", "the starter", "the solution");
    cr_assert(found.is_starter, "spaces and ends of lines do not matter");
    submissions_file_free(&found);
    end();
}

Test(workbook, solution_and_starter_are_told_to_the_instructor)
{
    begin();
    put("class/ada/lab03.c", "the solution\r\n");
    put("class/eve/lab03.c", "the starter");
    put("class/kay/lab03.c", "the solutions");
    open_place("class");
    char starter[] = "the starter\n", solution[] = "the solution\n";
    const intake_wanted known = {.file = "lab03.c", .starter = starter, .solution = solution};
    cr_assert(attempts_number(&taken, &known, &fault), "%s", fault.text);
    assert_note("ada", "handed in the workbook's own solution as lab03.c");
    assert_note("eve", "handed in the starter, unchanged");
    cr_assert_eq(taken.notes.count, 2u);
    end();
}

/* ---- people ------------------------------------------------------------------------------------------------------ */

/* Takes a download of Gradescope in, with a file for each submission of this list. */
static void open_gradescope(const char *metadata)
{
    static const char *const files[] = {"class/submission_1/lab03.c", "class/submission_2/lab03.c",
                                        "class/submission_3/lab03.c", "class/submission_4/lab03.c"};
    begin();
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char name[32];
        snprintf(name, sizeof name, "submission_%zu:", i + 1);
        if (strstr(metadata, name)) put(files[i], name);
    }
    put("class/submission_metadata.yml", metadata);
    open_place("class");
    cr_assert(attempts_number(&taken, &wanted, &fault), "%s", fault.text);
}

Test(workbook, two_people_with_one_id_are_not_one_student)
{
    open_gradescope("submission_1:\n  :submitters:\n  - :name: Ada\n    :sid: null\n    :email: ada@example.edu\n"
                    "submission_2:\n  :submitters:\n  - :name: Bob\n    :sid: ~\n    :email: bob@example.edu\n"
                    "submission_3:\n  :submitters:\n  - :name: Eve\n    :sid: 17\n    :email: eve@example.edu\n"
                    "submission_4:\n  :submitters:\n  - :name: Kay\n    :sid: 17\n    :email: kay@example.edu\n");
    cr_assert_eq(taken.list.count, 4u);
    for (size_t i = 0; i < 4; i++) cr_assert_eq(taken.list.entry[i].attempts, 1, "%s", taken.list.entry[i].name);
    cr_assert_str_eq(find("Ada")->id, "ada@example.edu");
    cr_assert_str_eq(find("Kay")->id, "kay@example.edu");
    assert_note("Eve", "shares the id 17 with somebody else: known as eve@example.edu");
    assert_note("Kay", "shares the id 17 with somebody else: known as kay@example.edu");
    end();
}

Test(workbook, without_addresses_the_names_keep_people_apart)
{
    open_gradescope("submission_1:\n  :submitters:\n  - :name: Eve\n    :sid: 17\n"
                    "submission_2:\n  :submitters:\n  - :name: Kay\n    :sid: 17\n    :email: null\n"
                    "submission_3:\n  :submitters:\n  - :name: KAY\n    :sid: 17\n"
                    "submission_4:\n  :submitters:\n  - :name: null\n    :sid: 17\n");
    cr_assert_eq(find("Eve")->attempts, 1);
    cr_assert_str_eq(find("Eve")->id, "17 Eve");
    cr_assert_eq(find("KAY")->attempts, 2);
    cr_assert_str_eq(find("submission_4")->id, "17", "nothing says that it is somebody else");
    assert_note("Eve", "shares the id 17 with somebody else: known as 17 Eve");
    assert_note("Kay", "shares the id 17 with somebody else: known as 17 Kay");
    end();
}

Test(workbook, an_address_is_a_person_whatever_the_names_say)
{
    open_gradescope("submission_1:\n  :submitters:\n  - :name: Kay\n    :sid: 17\n    :email: kay@example.edu\n"
                    "submission_2:\n  :submitters:\n  - :name: Kay\n    :sid: 17\n    :email: eve@example.edu\n"
                    "submission_3:\n  :submitters:\n  - :name: Ada L\n    :sid: 18\n    :email: ada@example.edu\n"
                    "submission_4:\n  :submitters:\n  - :name: Ada\n    :sid: 18\n    :email: Ada@example.edu\n");
    cr_assert_eq(find("Kay")[0].attempts, 1);
    cr_assert_str_eq(find("Kay")[0].id, "eve@example.edu");
    cr_assert_str_eq(find("Kay")[1].id, "kay@example.edu");
    cr_assert_eq(find("Ada")->attempts, 2);
    cr_assert_str_eq(find("Ada")->id, "18");
    assert_note("Ada L", "has the id 18, as Ada has: taken as an attempt of theirs");
    end();
}

Test(workbook, members_of_a_group_with_one_id_are_two)
{
    open_gradescope("submission_1:\n  :submitters:\n  - :name: Eve\n    :sid: 17\n  - :name: Kay\n    :sid: 17\n");
    cr_assert_eq(taken.list.count, 2u);
    cr_assert_str_eq(find("Eve")->group, "submission_1");
    cr_assert_str_eq(find("Kay")->group, "submission_1");
    end();
}

Test(workbook, two_people_with_one_number_in_moodle_are_not_one_student)
{
    static const char *const forms[][2] = {
        {"class/Ada Lovelace_88_assignsubmission_file_/lab03.c", "class/Team A_88_assignsubmission_file_/lab03.c"},
        {"class/Ada Lovelace_88_assignsubmission_file_lab03.c", "class/Team A_88_assignsubmission_file_lab03.c"}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        begin();
        put(forms[i][0], "hers");
        put(forms[i][1], "theirs");
        open_place("class");
        cr_assert(attempts_number(&taken, &wanted, &fault), "%s", fault.text);
        cr_assert_eq(taken.list.count, 2u);
        cr_assert_eq(find("Ada Lovelace")->attempts, 1);
        assert_file("Ada Lovelace", "hers");
        assert_file("Team A", "theirs");
        assert_note("Team A", "shares the id 88 with somebody else: known as 88 Team A");
        end();
    }
}

/* Canvas gives a group's file the id of one member. */
Test(workbook, another_name_with_an_id_of_canvas_is_told)
{
    begin();
    put("class/lovelaceada_17_204_lab03.c", "hers");
    put("class/teama_17_205_lab03.c", "theirs");
    open_place("class");
    cr_assert(attempts_number(&taken, &wanted, &fault), "%s", fault.text);
    cr_assert_eq(find("teama")->attempts, 2);
    assert_note("lovelaceada", "has the id 17, as teama has: taken as an attempt of theirs");
    end();
}
