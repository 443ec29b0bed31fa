/* Filtering compiler and linker messages; see compiler_messages.h. */
#include "compiler_messages.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { MOST_LINES = 40 };

/* Whether the line begins with "file:", and so is a message about the file or names the function it is about. */
static bool is_about(const char *line, size_t length, const char *file)
{
    size_t name = strlen(file);
    return length > name && strncmp(line, file, name) == 0 && line[name] == ':';
}

/* Source text and the marks under it are indented; everything else begins a new message. */
static bool is_continuation(const char *line, size_t length) { return length == 0 || line[0] == ' '; }

static size_t line_length(const char *line) { return strcspn(line, "\n"); }

static void append_line(text_buffer *out, const char *line, size_t length)
{
    text_append(out, line, length);
    text_append(out, "\n", 1);
}

static char *finish(text_buffer *buffer)
{
    text_append(buffer, "", 0);
    if (!buffer->failed) return buffer->text;
    free(buffer->text);
    return NULL;
}

static char *first_lines(const char *text)
{
    text_buffer kept = {0};
    for (int lines = 0; *text && lines < MOST_LINES; lines++) {
        size_t length = line_length(text);
        append_line(&kept, text, length);
        text += length + (text[length] == '\n');
    }
    if (*text) text_format(&kept, "...\n");
    return finish(&kept);
}

/* The length of the place that a note begins with, "lab03.c:10:13: "; 0 for another line. */
static size_t place_length(const char *line, size_t length)
{
    static const char note[] = " note: ";
    const char *at = memmem(line, length, note, strlen(note));
    return at ? (size_t)(at - line) + 1 : 0;
}

/* The diagnosis in a line, "error: too few arguments"; NULL for a note or another line. */
static const char *diagnosis(const char *line, size_t length)
{
    static const char *const kinds[] = {" error: ", " fatal error: ", " warning: "};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const char *at = memmem(line, length, kinds[i], strlen(kinds[i]));
        if (at) return at + 1;
    }
    return NULL;
}

/* Whether the line is an error, and not source text that contains the word. The linker's last line says only that there
 * was one. */
static bool is_error(const char *line, size_t length)
{
    static const char driver[] = "collect2:";
    const char *said = is_continuation(line, length) ? NULL : diagnosis(line, length);
    return said && strncmp(said, "warning", strlen("warning")) != 0 && strncmp(line, driver, strlen(driver)) != 0;
}

static const char *find_error(const char *text)
{
    while (*text && !is_error(text, line_length(text))) {
        text += line_length(text);
        text += *text == '\n';
    }
    return *text ? text : NULL;
}

/* Appends the first error of `text` without the folders of its file, if none is kept. */
static void keep_an_error(text_buffer *kept, const char *text)
{
    const char *error = find_error(text);
    if (!error || find_error(kept->text)) return;
    const size_t length = line_length(error);
    const char *colon = memchr(error, ':', length), *slash = memrchr(error, '/', (size_t)(colon - error));
    const char *name = slash ? slash + 1 : error;
    append_line(kept, name, length - (size_t)(name - error));
}

/* The note that shows the contract of a conflicting declaration, without the folders of its header; else NULL. */
static const char *contract(const char *line, size_t length)
{
    if (!memmem(line, length, "note: previous declaration", strlen("note: previous declaration"))) return NULL;
    const char *colon = memchr(line, ':', length), *slash = colon ? memrchr(line, '/', (size_t)(colon - line)) : NULL;
    return slash ? slash + 1 : line;
}

/* In a file saved as UTF-16 every second byte is a null, and gcc reports each. */
static char *not_plain_text(const char *file)
{
    text_buffer sentence = {0};
    text_format(&sentence,
                "%s is not plain text: it is full of null characters, as a file saved as UTF-16 is. Save it "
                "as UTF-8.\n",
                file);
    return finish(&sentence);
}

/* Whether it is a letter or digit of some script, rather than a mark that changes the text around it. */
static bool is_letter(unsigned long code)
{
    return (code >= 0xaa && code < 0x2000) || (code >= 0x2c00 && code < 0xd800) || (code >= 0x10000 && code < 0x40000);
}

/* Writes a letter; returns where the next one goes. */
static char *put_utf8(char *out, unsigned long code)
{
    int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const unsigned char first[] = {0, 0xc0, 0xe0, 0xf0};
    *out++ = (char)(first[more] | code >> (6 * more));
    while (more-- > 0) *out++ = (char)(0x80 | (code >> (6 * more) & 0x3f));
    return out;
}

void compiler_messages_spell_names(char *text)
{
    enum { DIGITS = 8 };
    char *out = text;
    for (const char *at = text; *at;) {
        bool escape = at[0] == '\\' && at[1] == 'U' && strspn(at + 2, "0123456789abcdef") >= DIGITS;
        char digits[DIGITS + 1] = "";
        if (escape) memcpy(digits, at + 2, DIGITS);
        unsigned long code = strtoul(digits, NULL, 16);
        if (is_letter(code)) {
            out = put_utf8(out, code);
            at += 2 + DIGITS;
        } else {
            *out++ = *at++;
        }
    }
    *out = '\0';
}

char *compiler_messages_of_compiler(const char *text, const char *file)
{
    text_buffer kept = {0};
    bool keep = false;
    if (strstr(text, "null character")) return not_plain_text(file);
    const char *elsewhere = NULL; /* a diagnosis in a macro, until the line of the file that uses the macro */
    for (const char *line = text; *line;) {
        size_t length = line_length(line);
        const char *said = is_continuation(line, length) ? NULL : diagnosis(line, length);
        if (!is_continuation(line, length)) keep = is_about(line, length, file);
        const char *note = kept.length > 0 && !is_continuation(line, length) ? contract(line, length) : NULL;
        if (said) elsewhere = keep ? NULL : said;
        if (note) {
            append_line(&kept, note, length - (size_t)(note - line));
            line += length + (line[length] == '\n');
            keep = true;
            continue;
        }
        size_t place = keep && elsewhere ? place_length(line, length) : 0;
        if (place) {
            text_append(&kept, line, place);
            append_line(&kept, elsewhere, line_length(elsewhere));
            elsewhere = NULL;
        } else if (keep && length > 0) {
            append_line(&kept, line, length);
        }
        line += length + (line[length] == '\n');
    }
    if (kept.length > 0) {
        keep_an_error(&kept, text);
        return finish(&kept);
    }
    free(kept.text);
    return first_lines(text);
}

/* What the compiler prints above messages to say where they are: "lab03.c: In function 'f':". */
static bool is_context(const char *line, size_t length)
{
    return length > 0 && (line[length - 1] == ':' || line[length - 1] == ',');
}

const char *compiler_messages_first_error(const char *messages)
{
    const char *other = NULL; /* the first line that is a message at all */
    for (const char *line = messages; *line;) {
        const size_t length = line_length(line);
        if (is_error(line, length)) return line;
        if (!other && !is_continuation(line, length) && !is_context(line, length)) other = line;
        line += length + (line[length] == '\n');
    }
    return other ? other : messages;
}

/* ---- the linker ------------------------------------------------------------------------------------------------ */

/* The name between the quotes that follow `phrase` in the line; its length is 0 without the phrase. */
static const char *quoted_name(const char *line, size_t length, const char *phrase, size_t *name_length)
{
    *name_length = 0;
    const char *at = memmem(line, length, phrase, strlen(phrase));
    if (!at) return line;
    at += strlen(phrase);
    *name_length = strcspn(at, "'\n");
    return at;
}

/* The "file:12" in front of a message, if the linker names a line of the file; its length is 0 if not. */
static const char *place_in_file(const char *line, size_t length, const char *file, size_t *place_length)
{
    size_t name = strlen(file);
    const char *at = memmem(line, length, file, name);
    *place_length = 0;
    if (!at || at + name >= line + length || at[name] != ':' || !isdigit((unsigned char)at[name + 1])) return line;
    *place_length = name + 1 + strspn(at + name + 1, "0123456789");
    return at;
}

static bool contains_word(const char *text, const char *word, size_t length)
{
    for (const char *at = text; (at = memmem(at, strlen(at), word, length)); at++) {
        bool begins = at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');
        bool ends = !(isalnum((unsigned char)at[length]) || at[length] == '_');
        if (begins && ends) return true;
    }
    return false;
}

/* The line of the rules about a name with FORBIDDEN_PREFIX, "lab_cast_as_numpy: the table is yours to work out"; its
 * length is 0 for another name. */
static const char *rule_about(const char *name, size_t length, const char *rules, size_t *rule_length)
{
    size_t prefix = strlen(FORBIDDEN_PREFIX);
    *rule_length = 0;
    if (length <= prefix || strncmp(name, FORBIDDEN_PREFIX, prefix) != 0) return rules;
    for (const char *line = rules; *line;) {
        size_t whole = line_length(line);
        if (strncmp(line, name + prefix, length - prefix) == 0 && line[length - prefix] == ':') {
            *rule_length = whole;
            return line;
        }
        line += whole + (line[whole] == '\n');
    }
    return rules;
}

/* Appends a sentence unless it is there already: the linker repeats itself for each use. */
static void append_once(text_buffer *sentences, text_buffer *sentence)
{
    bool fresh = sentence->text && !(sentences->text && strstr(sentences->text, sentence->text));
    if (fresh) text_append(sentences, sentence->text, sentence->length);
    sentences->failed = sentences->failed || sentence->failed;
    free(sentence->text);
}

char *compiler_messages_of_linker(const char *text, const char *file, const char *header, const char *declarations,
                                  const char *rules)
{
    text_buffer sentences = {0};
    for (const char *line = text; *line;) {
        size_t length = line_length(line), missing, twice, place, rule;
        const char *missing_name = quoted_name(line, length, "undefined reference to `", &missing);
        const char *twice_name = quoted_name(line, length, "multiple definition of `", &twice);
        const char *where = place_in_file(line, length, file, &place);
        const char *forbidden = rule_about(missing_name, missing, rules, &rule);
        text_buffer sentence = {0};
        if (rule) {
            text_format(&sentence, "%.*s uses %.*s\n", place ? (int)place : (int)strlen(file), place ? where : file,
                        (int)rule, forbidden);
        } else if (missing && place) {
            text_format(&sentence, "%.*s uses %.*s, which is not defined anywhere\n", (int)place, where, (int)missing,
                        missing_name);
        } else if (missing && contains_word(declarations, missing_name, missing)) {
            text_format(&sentence, "%s does not define %.*s, which %s declares\n", file, (int)missing, missing_name,
                        header);
        } else if (missing) {
            text_format(&sentence, "%s does not define %.*s, which the lab calls\n", file, (int)missing, missing_name);
        } else if (twice) {
            text_format(&sentence, "%s defines %.*s, which the lab's program defines too\n", file, (int)twice,
                        twice_name);
        }
        append_once(&sentences, &sentence);
        line += length + (line[length] == '\n');
    }
    if (sentences.length > 0) return finish(&sentences);
    free(sentences.text);
    return first_lines(text);
}
