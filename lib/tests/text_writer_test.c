/* Texts put together in a buffer of fixed size. */
#include "base/text_writer.h"
#include "test.h"

Test(text_writer, parts_follow_each_other)
{
    char buffer[16] = "";
    text_writer writer = {buffer, sizeof buffer, 0};
    text_write(&writer, "%d, ", 17);
    text_write(&writer, "%s", "four");
    cr_assert_str_eq(buffer, "17, four");
}

Test(text_writer, what_does_not_fit_is_cut)
{
    char buffer[6] = "";
    text_writer writer = {buffer, sizeof buffer, 0};
    text_write(&writer, "%s", "abc");
    text_write(&writer, "%s", "defgh");
    cr_assert_str_eq(buffer, "abcde");
    text_write(&writer, "%s", "more");
    cr_assert_str_eq(buffer, "abcde");
    cr_assert_eq(writer.length, 5);
}
