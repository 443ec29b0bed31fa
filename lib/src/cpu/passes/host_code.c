/* Line by line. The built-ins themselves have a block of assembly, the first in the module, and one call of dprintf. */
#include "host_code.h"

/* Functions of the C library that CUDA has too, between spaces. Those of the second list also exist with an f at their
 * end. */
static const char others[] =
    " abs labs llabs printf malloc free memcpy memmove memset abort dprintf lab_number_of lab_in_shared "
    "lab_in_constant ";
static const char mathematics[] =
    " acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp10 exp2 expm1 fabs fdim floor "
    "fma fmax fmin fmod frexp hypot ilogb j0 j1 jn ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround "
    "modf nan nearbyint nextafter pow remainder remquo rint round scalbln scalbn sin sincos sinh sqrt tan tanh tgamma "
    "trunc y0 y1 yn ";

static const char foreign[] =
    " is declared, but never defined, and is no function that CUDA has for kernels: a kernel cannot call the host's";

static bool is_word_of(const char *words, span name)
{
    for (const char *at = words; *at == ' ' && at[1];) {
        const span word = {at + 1, strcspn(at + 1, " ")};
        if (span_equal(word, name)) return true;
        at = span_end(word);
    }
    return false;
}

/* A name that C++ has decorated cannot be one of the C library's: the linker reports it if it has no body. */
static bool is_of_cuda(span name)
{
    const span without_f = {name.start, name.length - (name.length > 1 && *(span_end(name) - 1) == 'f')};
    return span_starts_with(name, "llvm.") || span_starts_with(name, "_Z") || is_word_of(others, name) ||
           is_word_of(mathematics, name) || is_word_of(mathematics, without_f);
}

/* The words in the line, outside of quotes; NULL if the line lacks them. */
static const char *find_words(span line, const char *words)
{
    const size_t length = strlen(words);
    const char *end = span_end(line);
    for (const char *at = line.start; at + length <= end; at++) {
        if (memcmp(at, words, length) == 0) return at;
        const char *close = *at == '"' ? memchr(at + 1, '"', (size_t)(end - at - 1)) : NULL;
        if (close) at = close;
    }
    return NULL;
}

/* The code after the built-ins' block of assembly. */
static const char *behind_own_assembly(const char *ir)
{
#if defined(__x86_64__)
    static const char begins[] = "\nmodule asm \".pushsection .text\"\n", ends[] = "\nmodule asm \".popsection\"\n";
    const char *first = strstr(ir, "\nmodule asm "), *end = first ? strstr(first, ends) : NULL;
    if (end && strncmp(first, begins, strlen(begins)) == 0) return end + strlen(ends);
#endif
    return ir;
}

/* The section of a constant does not stay. */
static bool has_own_section(span line)
{
    static const char words[] = " section ", annotations[] = "\"llvm.metadata\"";
    const char *found = find_words(line, words);
    if (*line.start == '@' && span_find(line, IR_CONSTANT_SECTION)) return false;
    return found && strncmp(found + strlen(words), annotations, strlen(annotations)) != 0;
}

/* The message about a line with code of the host's; NULL for any other line. */
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
    /* It would round and saturate as the host's processor does. */
    if (find_words(line, " fptosi <") || find_words(line, " fptoui <") || find_words(line, "@llvm.fptosi.sat.v") ||
        find_words(line, "@llvm.fptoui.sat.v"))
        return "a conversion of a whole vector to integers is the host compiler's own, and a GPU has none";
    return NULL;
}

/* Whether the front end has this for one kind of processor only, or for finding the host's own data. */
static bool is_of_a_processor(span name)
{
    static const char *const begins[] = {"llvm.x86.",
                                         "llvm.aarch64.",
                                         "llvm.arm.",
                                         "llvm.read_register",
                                         "llvm.read_volatile_register",
                                         "llvm.write_register",
                                         "llvm.returnaddress",
                                         "llvm.addressofreturnaddress",
                                         "llvm.frameaddress",
                                         "llvm.sponentry",
                                         "llvm.thread.pointer",
                                         "llvm.eh."};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (span_starts_with(name, begins[i])) return true;
    return false;
}

static bool declares_foreign_function(span *name, span line)
{
    const char *after;
    if (!span_starts_with(line, "declare ")) return false;
    *name = ir_next_name('@', line.start, span_end(line), &after);
    return !is_of_cuda(*name);
}

/* Finds the function or variable that a line declares and that kernels must not use. */
static bool find_foreign(host_code *found, span line, bool is_whole)
{
    const char *after;
    const bool is_variable =
        *line.start == '@' && (find_words(line, " external ") || find_words(line, " extern_weak "));
    if (!is_variable && !span_starts_with(line, "declare ")) return false;
    found->name = ir_next_name('@', line.start, span_end(line), &after);
    if (is_variable)
        found->what = " is declared, but never defined: a kernel cannot use the host's variables";
    else if (is_of_a_processor(found->name))
        found->what = " is the host's processor's own, and a GPU has no such builtin";
    else
        found->what = foreign;
    if (is_variable) return is_whole && !span_starts_with(found->name, "_Z");
    return found->what != foreign || (is_whole && declares_foreign_function(&found->name, line));
}

/* The built-ins call dprintf in one function. The source must not: it could write to any open file. */
static bool calls_dprintf(const char *ir)
{
    span rest = span_of(ir);
    const bool in_own = span_find(rest, " @_ZL8lab_stop16cpu_failure_kind") ||
                        span_find(rest, " @_ZL8lab_stop20lab_cpu_failure_kind"); /* in a CUDA file */
    const int declared_and_called = in_own ? 2 : 0;
    int count = 0;
    for (const char *at; (at = span_find(rest, "@dprintf")); count++)
        rest = (span){at + 1, (size_t)(span_end(rest) - at - 1)};
    return count > declared_and_called;
}

bool ir_find_foreign_function(span *name, const char *ir)
{
    for (span line; (line = ir_line(ir)).length; ir += line.length)
        if (declares_foreign_function(name, line)) return true;
    return false;
}

bool ir_find_host_code(host_code *found, const char *ir, bool is_whole)
{
    *found = (host_code){.name = span_of("dprintf"), .what = foreign};
    if (calls_dprintf(ir)) return true;
    ir = behind_own_assembly(ir);
    for (span line; (line = ir_line(ir)).length; ir += line.length) {
        *found = (host_code){.name = {"", 0}, .what = what_is_in(line), .line = line};
        if (found->what) return true;
        if (find_foreign(found, line, is_whole)) return true;
    }
    return false;
}
