/* What a name becomes is never longer. */
#include "ptx_names.h"

#include "seam/program/program_image.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The length, at least `least`, of the namespace at `name`, whose decimal number of letters ends there. 0 if none fits:
 * digits before the number may belong to the name before it. *number: where the number begins. */
static size_t namespace_length(const char **number, const char *text, const char *name, size_t least)
{
    for (const char *digit = name; digit > text && isdigit((unsigned char)digit[-1]);) {
        const size_t length = strtoul(--digit, NULL, 10);
        if (*digit == '0' || length < least || length > strcspn(name, " ,;:()[]\n")) continue;
        if (isdigit((unsigned char)name[length]) || name[length] == 'L') {
            *number = digit;
            return length;
        }
    }
    return 0;
}

/* The length of the one name at `name` that its namespace is left with, as in "N35_INTERNAL_...7changedE"; 0 if there
 * are more. */
static size_t last_name(const char *name)
{
    char *plain;
    const size_t length = strtoul(name, &plain, 10), whole = (size_t)(plain - name) + length;
    return length && strnlen(plain, length + 1) > length && name[whole] == 'E' ? whole : 0;
}

/* Replaces each namespace whose name begins with `begins`, and the number before it. What it becomes is shorter. */
static void rename_namespaces(char *text, const char *begins, const char *becomes)
{
    char *out = text;
    const char *copied = text;
    for (const char *name = text; (name = strstr(name, begins));) {
        const char *number;
        const size_t length = namespace_length(&number, copied, name, strlen(begins) + 2);
        if (!length) {
            name++;
            continue;
        }
        memmove(out, copied, (size_t)(number - copied));
        out += number - copied;
        memcpy(out, becomes, strlen(becomes));
        out += strlen(becomes);
        copied = name += length;
        const size_t last = *becomes ? 0 : last_name(name);
        if (!last) continue;
        out[-1] = 'L'; /* in place of N: "L7changed" */
        memmove(out, name, last);
        out += last;
        copied = name += last + 1;
    }
    memmove(out, copied, strlen(copied) + 1);
}

/* The length of the name at `name`: a letter or more, digits, "_" and "$". */
static size_t name_length(const char *name)
{
    size_t length = 0;
    while (isalnum((unsigned char)name[length]) || name[length] == '_' || name[length] == '$') length++;
    return length;
}

/* "__nv_static_26__fa3c4d0d_5_st_cu_cb27180d_own" is "own$file": 26 letters between the underlines. */
static void rename_static(char *text)
{
    static const char begins[] = "__nv_static_";
    char *out = text, *name = text;
    const char *copied = text;
    while ((name = strstr(name, begins))) {
        char *hash;
        const size_t length = strtoul(name + strlen(begins), &hash, 10), whole = name_length(name);
        const char *plain = hash + length + 2;
        const size_t plain_length = plain < name + whole ? whole - (size_t)(plain - name) : 0;
        const char *next = name + whole;
        if (plain_length && *hash == '_' && plain[-1] == '_') {
            memmove(out, copied, (size_t)(name - copied));
            out += name - copied;
            memmove(out, plain, plain_length);
            out += plain_length;
            memcpy(out, PROGRAM_PTX_FILE, strlen(PROGRAM_PTX_FILE));
            out += strlen(PROGRAM_PTX_FILE);
            copied = next;
        }
        name = (char *)next;
    }
    memmove(out, copied, strlen(copied) + 1);
}

void labcc_rename_ptx(char *ptx)
{
    rename_static(ptx);
    rename_namespaces(ptx, "_INTERNAL_", "");
    rename_namespaces(ptx, "_GLOBAL__N__", "12_GLOBAL__N_1");
}
