/* Line by line. The built-ins themselves have a block of assembly, which stands first, and one call of dprintf. */
#include "ir_host.h"
#include "ir_text.h"

#include <stdio.h>
#include <string.h>

/* Of the C library, in words between spaces: what CUDA has too. Each function of the second list also with f at its end. */
static const char others[] = " abs labs llabs printf malloc free memcpy memmove memset abort dprintf ";
static const char mathematics[] =
    " acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp10 exp2 expm1 fabs fdim floor "
    "fma fmax fmin fmod frexp hypot ilogb j0 j1 jn ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround "
    "modf nan nearbyint nextafter pow remainder remquo rint round scalbln scalbn sin sincos sinh sqrt tan tanh tgamma "
    "trunc y0 y1 yn ";

static bool is_word_of(const char *words, const char *name, size_t length)
{
    char word[32];
    if (length + 3 > sizeof word) return false;
    snprintf(word, sizeof word, " %.*s ", (int)length, name);
    return strstr(words, word) != NULL;
}

/* A name that C++ has decorated is none of the C library's: the linker misses it if it has no body. */
static bool is_of_cuda(span name)
{
    const bool single = name.length > 1 && name.start[name.length - 1] == 'f';
    return span_starts_with(name, "llvm.") || span_starts_with(name, "_Z") ||
           is_word_of(others, name.start, name.length) || is_word_of(mathematics, name.start, name.length) ||
           (single && is_word_of(mathematics, name.start, name.length - 1));
}

/* Where these words stand in the line, outside of what is quoted; NULL if they do not. */
static const char *find_words(span line, const char *words)
{
    const size_t length = strlen(words);
    const char *end = line.start + line.length;
    for (const char *at = line.start; at + length <= end; at++) {
        if (memcmp(at, words, length) == 0) return at;
        const char *close = *at == '"' ? memchr(at + 1, '"', (size_t)(end - at - 1)) : NULL;
        if (close) at = close;
    }
    return NULL;
}

/* The code behind the built-ins' block of assembly. */
static const char *behind_own_assembly(const char *ir)
{
#if defined(__x86_64__)
    static const char begins[] = "\nmodule asm \".pushsection .text\"\n", ends[] = "\nmodule asm \".popsection\"\n";
    const char *first = strstr(ir, "\nmodule asm "), *end = first ? strstr(first, ends) : NULL;
    if (end && strncmp(first, begins, strlen(begins)) == 0) return end + strlen(ends);
#endif
    return ir;
}

static bool has_own_section(span line)
{
    static const char words[] = " section ", annotations[] = "\"llvm.metadata\"";
    const char *found = find_words(line, words);
    return found && strncmp(found + strlen(words), annotations, strlen(annotations)) != 0;
}

/* What is the host's in a line, as said of the source; NULL if nothing is. */
static const char *what_is_in(span line)
{
    const bool is_global = *line.start == '@';
    if (span_starts_with(line, "module asm ") || find_words(line, " asm "))
        return "inline assembly is a GPU's own, and the CPU device cannot run it";
    if (span_starts_with(line, "@llvm.global_ctors") || span_starts_with(line, "@llvm.global_dtors"))
        return "nothing may run when the module is loaded or unloaded: a variable begins with a constant";
    if (is_global && find_words(line, " ifunc ")) return "no function may choose another when the module is loaded";
    if ((is_global || span_starts_with(line, "define ")) && has_own_section(line))
        return "nothing may be put into a section of its own";
    return NULL;
}

static bool is_foreign(span *name, span line)
{
    const char *after;
    if (!span_starts_with(line, "declare ")) return false;
    *name = ir_next_name('@', line.start, line.start + line.length, &after);
    return name->length && !is_of_cuda(*name);
}

/* The built-ins call dprintf in one function, and nobody else does: it would write to any file that is open. */
static bool calls_dprintf(const char *ir)
{
    const bool in_own = strstr(ir, " @_ZL8lab_stop16cpu_failure_kind");
    const int declared_and_called = in_own ? 2 : 0;
    int count = 0;
    for (const char *at = ir; (at = strstr(at, "@dprintf")); at++) count++;
    return count > declared_and_called;
}

bool cpu_ir_find_host_code(char *text, size_t capacity, const char *ir)
{
    span name = {"dprintf", strlen("dprintf")};
    const char *found = NULL;
    bool foreign = calls_dprintf(ir);
    ir = behind_own_assembly(ir);
    for (span line; !foreign && !found && (line = ir_line(ir)).length; ir += line.length) {
        found = what_is_in(line);
        foreign = !found && is_foreign(&name, line);
    }
    if (foreign)
        snprintf(text, capacity,
                 "%.*s is declared, but never defined, and is no function that CUDA has for kernels: a kernel cannot "
                 "call the host's",
                 (int)name.length, name.start);
    else if (found)
        snprintf(text, capacity, "%s", found);
    return foreign || found;
}
