/* Types need no more than their end: brackets nest, and the types of functions contain spaces. */
#include "operand.h"

#include <string.h>

const char *operand_skip_spaces(const char *at)
{
    while (*at == ' ') at++;
    return at;
}

/* A type ends at a space or comma outside of brackets. */
const char *operand_end_of_type(const char *at)
{
    span item = ir_item(at, " ,");
    const char *end = item.start + item.length;
    while (strncmp(end, " (", 2) == 0 || strncmp(end, " addrspace(", 11) == 0) { /* a pointer to functions */
        item = ir_item(operand_skip_spaces(end), " ,");
        end = item.start + item.length;
    }
    return end;
}

bool operand_is_attribute(const char *at)
{
    static const char *const no_attribute[] = {"getelementptr", "bitcast",       "null",   "undef",
                                               "inttoptr",      "addrspacecast", "poison", "zeroinitializer"};
    for (size_t i = 0; i < sizeof no_attribute / sizeof *no_attribute; i++)
        if (strncmp(at, no_attribute[i], strlen(no_attribute[i])) == 0) return false;
    return *at >= 'a' && *at <= 'z';
}

operand operand_read(const char *at)
{
    operand found = {0};
    const char *end = operand_end_of_type(at);
    found.type = (span){at, (size_t)(end - at)};
    at = operand_skip_spaces(end);
    while (operand_is_attribute(at)) {
        const bool align = strncmp(at, "align ", 6) == 0;
        if (align) at += 6;
        const span word = ir_item(at, " ,");
        if (align) found.align = word;
        at = operand_skip_spaces(word.start + word.length);
    }
    found.value = ir_item(at, *at == '%' || *at == '@' ? " ," : ",");
    found.after = found.value.start + found.value.length;
    return found;
}

operand operand_next(const operand *before)
{
    return operand_read(operand_skip_spaces(before->after + (*before->after == ',')));
}
