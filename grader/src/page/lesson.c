/* Finding a section of a lesson; see lesson.h. */
#include "lesson.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/folder.h"
#include "base/text.h"

enum { MOST_LESSON = 1 << 20 };

/* "Task 3" if the text names a task, or lab 12's program, with one digit, first or alone. */
static bool write_task(char heading[32], const char *text)
{
    static const char *const word[] = {"Task", "Program"};
    for (size_t i = 0; text && i < sizeof word / sizeof *word; i++) {
        const char *task = strstr(text, word[i]);
        if (!task) continue;
        task += strlen(word[i]);
        task += *task == 's';
        if (*task != ' ' || !isdigit((unsigned char)task[1])) continue;
        snprintf(heading, 32, "Task %c", task[1]);
        return true;
    }
    return false;
}

/* The task of the title, else of a hint, else the section that every lesson has. */
static void write_heading(char heading[32], const json_t *check)
{
    const json_t *hint;
    size_t index;
    if (write_task(heading, json_string_value(json_object_get(check, "title")))) return;
    json_array_foreach(json_object_get(check, "hints"), index, hint)
    {
        if (write_task(heading, json_string_value(hint))) return;
    }
    snprintf(heading, 32, "How to read your result");
}

/* The heading of the second level that begins with this text, up to the end of its line and the rest behind it; or
 * NULL. */
static const char *find_heading(const char *text, const char *heading)
{
    const size_t length = strlen(heading);
    for (const char *line = strstr(text, "\n## "); line; line = strstr(line + 1, "\n## "))
        if (strncmp(line + 4, heading, length) == 0 && !isalnum((unsigned char)line[4 + length])) return line + 4;
    return NULL;
}

/* Appends the name that a page gives the heading: small letters, dashes for spaces, no other marks. */
static void append_anchor(text_buffer *place, const char *heading)
{
    for (const char *at = heading; *at && *at != '\n'; at++) {
        const unsigned char byte = (unsigned char)*at;
        const char named = (char)(byte == ' ' ? '-' : tolower(byte));
        if (byte == ' ' || byte >= 0x80 || isalnum(byte) || byte == '_' || byte == '-') text_append(place, &named, 1);
    }
}

char *lesson_place(const char *folder, const json_t *check)
{
    char heading[32], *path = folder_path(folder, "README.md"), *text = NULL;
    size_t bytes = 0;
    text_buffer place = {0};
    grader_fault unread = {0};
    write_heading(heading, check);
    if (path && folder_read(&text, &bytes, path, MOST_LESSON, &unread) == FOLDER_FILE) {
        const char *found = find_heading(text, heading);
        if (found) {
            text_format(&place, "%s#", path);
            append_anchor(&place, found);
        }
    }
    free(text);
    free(path);
    return place.text;
}

char *lesson_address(const char *site, const char *place)
{
    static const char page[] = "index.html", file[] = "README.md#";
    text_buffer address = {0};
    size_t length = strlen(site);
    const char *section = strstr(place, file);
    if (length > sizeof page && strcmp(site + length - sizeof page, "/index.html") == 0) length -= sizeof page - 1;
    while (length > 0 && site[length - 1] == '/') length--;
    if (section)
        text_format(&address, "%.*s/%.*s%s#%s", (int)length, site, (int)(section - place), place, page,
                    section + sizeof file - 1);
    return address.text;
}
