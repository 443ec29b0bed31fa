/* What the library assumes about the reader of an output stream. */
#include "base/terminal.h"
#include "test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Clears all settings except a terminal's name. */
static void clear_environment(void)
{
    static const char *const names[] = {"NO_COLOR", "COLUMNS", "LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) unsetenv(names[i]);
    setenv("TERM", "xterm", 1);
}

/* Opens a terminal with this number of columns. */
static int open_terminal(unsigned short columns)
{
    clear_environment();
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    cr_assert(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
    int terminal = open(ptsname(master), O_RDWR | O_NOCTTY);
    struct winsize size = {.ws_row = 24, .ws_col = columns};
    cr_assert(terminal >= 0 && ioctl(terminal, TIOCSWINSZ, &size) == 0);
    return terminal;
}

static int open_pipe(void)
{
    clear_environment();
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    return ends[1];
}

Test(terminal, terminal_has_colour_and_its_own_width)
{
    lab_terminal found = lab_terminal_describe(open_terminal(132));
    cr_assert(found.color);
    cr_assert_eq(found.columns, 132);
}

Test(terminal, pipe_has_no_colour_and_80_columns)
{
    lab_terminal found = lab_terminal_describe(open_pipe());
    cr_assert_not(found.color);
    cr_assert_eq(found.columns, 80);
    cr_assert_eq(lab_terminal_describe(-1).columns, 80);
}

Test(terminal, no_color_is_respected_unless_empty)
{
    int terminal = open_terminal(80);
    setenv("NO_COLOR", "", 1);
    cr_assert(lab_terminal_describe(terminal).color);
    setenv("NO_COLOR", "0", 1);
    cr_assert_not(lab_terminal_describe(terminal).color);
}

Test(terminal, dumb_terminal_has_no_colour)
{
    int terminal = open_terminal(80);
    setenv("TERM", "dumb", 1);
    cr_assert_not(lab_terminal_describe(terminal).color);
    unsetenv("TERM");
    cr_assert_not(lab_terminal_describe(terminal).color);
}

Test(terminal, lines_change_only_where_sequences_are_obeyed)
{
    int terminal = open_terminal(80);
    setenv("NO_COLOR", "1", 1);
    cr_assert(lab_terminal_describe(terminal).rewrites, "NO_COLOR does not forbid rewriting lines");
    setenv("TERM", "dumb", 1);
    cr_assert_not(lab_terminal_describe(terminal).rewrites);
    cr_assert_not(lab_terminal_describe(open_pipe()).rewrites);
}

Test(terminal, columns_of_the_environment_win)
{
    int terminal = open_terminal(132);
    setenv("COLUMNS", "100", 1);
    cr_assert_eq(lab_terminal_describe(terminal).columns, 100);
    setenv("COLUMNS", "wide", 1);
    cr_assert_eq(lab_terminal_describe(terminal).columns, 132, "an invalid number does not count");
    setenv("COLUMNS", "-5", 1);
    cr_assert_eq(lab_terminal_describe(terminal).columns, 132);
}

Test(terminal, width_stays_within_what_can_be_drawn)
{
    cr_assert_eq(lab_terminal_describe(open_terminal(20)).columns, 40);
    int terminal = open_terminal(0);
    cr_assert_eq(lab_terminal_describe(terminal).columns, 80, "a width of 0 is ignored");
    setenv("COLUMNS", "99999999999999999999", 1);
    cr_assert_eq(lab_terminal_describe(terminal).columns, 1000);
}

Test(terminal, character_set_is_that_of_the_first_variable_set)
{
    int end = open_pipe();
    cr_assert_not(lab_terminal_describe(end).utf8, "the C locale is ASCII");
    setenv("LANG", "de_DE.UTF-8", 1);
    cr_assert(lab_terminal_describe(end).utf8);
    setenv("LC_CTYPE", "C", 1);
    cr_assert_not(lab_terminal_describe(end).utf8);
    setenv("LC_ALL", "C.utf8", 1);
    cr_assert(lab_terminal_describe(end).utf8);
    setenv("LC_ALL", "", 1);
    cr_assert_not(lab_terminal_describe(end).utf8, "an empty variable is not set");
    setenv("LC_CTYPE", "de_DE.ISO-8859-1", 1);
    cr_assert_not(lab_terminal_describe(end).utf8);
}
