/* Both codes are LLVM IR, in which a variable is one line. */
#include "managed.h"

#include "base/system/text_file.h"
#include "cpu/ir/text.h"
#include "seam/program/program_image.h"

#include <stdio.h>
#include <stdlib.h>

static const char section[] = ", section \"lab.managed\"";

/* Where the line of a managed variable names the section; NULL in other lines. */
static const char *find_section(span line)
{
    return *line.start == '@' ? memmem(line.start, line.length, section, strlen(section)) : NULL;
}

bool labcc_has_managed(const char *device_code)
{
    char *text;
    if (text_file_read(&text, device_code) != LAB_SUCCESS) return false;
    const bool has = strstr(text, section) != NULL;
    free(text);
    return has;
}

static span find_variable(const char *ir, span name)
{
    const char *after;
    for (span line; (line = ir_line(ir)).length; ir += line.length)
        if (*line.start == '@' && span_equal(ir_next_name('@', line.start, span_end(line), &after), name)) return line;
    return (span){ir, 0};
}

static void write_text(FILE *out, const char *begin, const char *end) { fwrite(begin, 1, (size_t)(end - begin), out); }

/* In a device's code some static variables are open to the host's. The name tells what they are. */
static bool is_static(span name)
{
    char *copy = strndup(name.start, name.length);
    const bool found = copy && program_name_is_static(copy);
    free(copy);
    return found;
}

static const char *find_linkage(span name, span device)
{
    static const char *const words[] = {" internal ", " external ", " linkonce_odr ", " weak_odr ", " weak "};
    for (size_t i = is_static(name) ? 0 : 1; i < sizeof words / sizeof *words; i++)
        if (i == 0 || span_find(device, words[i])) return words[i];
    return " ";
}

/* Writes the host's line with what the device's says between the name and the section. */
static void write_variable(FILE *out, span host, span device, bool of_pages)
{
    static const char global[] = "global ", align[] = ", align ";
    const char *after, *from = span_find(device, global), *rest = find_section(host) + strlen(section);
    const span name = ir_next_name('@', host.start, span_end(host), &after);
    if (!from) {
        write_text(out, host.start, span_end(host));
        return;
    }
    write_text(out, host.start, after);
    fprintf(out, " =%s", find_linkage(name, device));
    write_text(out, from, find_section(device));
    if (of_pages && strncmp(rest, align, strlen(align)) == 0) {
        fprintf(out, "%s4096", align);
        rest += strlen(align);
        rest += strspn(rest, "0123456789");
    }
    write_text(out, rest, span_end(host));
}

/* Where the line of a stand-in says that it is the file's own; NULL in other lines. */
static const char *find_internal(span line)
{
    return *line.start == '@' && span_find(line, " undef,") ? span_find(line, " internal ") : NULL;
}

/* Writes the stand-in of a variable that other files may use. A second definition is found with that of the device. */
static void write_open(FILE *out, span host)
{
    const char *linkage = find_internal(host);
    write_text(out, host.start, linkage);
    fputs(" weak ", out);
    write_text(out, linkage + strlen(" internal "), span_end(host));
}

static bool rewrite(FILE *out, const char *host, const char *device, bool is_linked, bool of_pages)
{
    const char *after;
    for (span line; (line = ir_line(host)).length; host += line.length) {
        const bool is_managed = find_section(line), may_open = is_linked && find_internal(line);
        const span name =
            is_managed || may_open ? ir_next_name('@', line.start, span_end(line), &after) : (span){host, 0};
        const span other = name.length ? find_variable(device, name) : name;
        if (other.length && is_managed)
            write_variable(out, line, other, of_pages);
        else if (other.length && strcmp(find_linkage(name, other), " ") == 0)
            write_open(out, line);
        else
            write_text(out, line.start, span_end(line));
    }
    return fclose(out) == 0;
}

bool labcc_share_variables(const char *host_code, const char *device_code, bool is_linked, bool of_pages)
{
    char *host = NULL, *device = NULL;
    bool done = text_file_read(&host, host_code) == LAB_SUCCESS && text_file_read(&device, device_code) == LAB_SUCCESS;
    FILE *out = done ? fopen(host_code, "w") : NULL;
    done = out && rewrite(out, host, device, is_linked, of_pages);
    free(host);
    free(device);
    return done;
}
