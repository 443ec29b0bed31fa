/* A table of names. Long names may begin with one or two hyphens, and take a value as the next word or after "=". */
#include "options.h"
#include "explain.h"

#include "base/system/text_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What an option does. */
typedef enum effect {
    ALL,     /* goes to every compiler as it is */
    ALL_TWO, /* so does it with its value, as two words */
    JOINED,  /* the same as one word: -I and its folder */
    HOST,    /* goes to the compiler of host code */
    DEVICE_DEBUG,
    LINK, /* goes to the linker with its value as one word */
    LINK_AS_IS,
    STANDARD,
    OPTIMISE,
    OUTPUT,
    ACTION,
    LANGUAGE,
    COMMAS,  /* a list for the host's compiler, with commas */
    DEPENDS, /* a depend file as well */
    DEPENDS_FILE,
    DEPENDS_MORE,
    DEPENDS_TARGET,
    LINK_COMMAS,
    HOST_PROGRAM,
    NO_FMA,
    PER_THREAD,
    SHOWS,
    ACCESSES,
    GPU,
    GPU_ARCHITECTURE,
    LINKED,   /* device code is linked */
    LINKED_C, /* the same, without linking the program */
    SHARED,   /* refused, but for -dlink */
    NOTHING,  /* has no effect here */
    NOTHING_TWO,
    REFUSED,
} effect;

typedef struct option {
    const char *name, *other; /* without hyphens; the other is a longer spelling, or NULL */
    effect effect;
    const char *text; /* what it becomes, or why it has no effect */
    labcc_action action;
} option;

static const char accurate[] = "kernels on the CPU device always use the accurate functions";
static const char architecture[] = "kernels are compiled for the device that runs them";

static const option table[] = {
    {"c", "compile", ACTION, NULL, LABCC_COMPILE},
    {"dc", "device-c", LINKED_C, NULL, LABCC_COMPILE},
    {"dw", "device-w", ACTION, NULL, LABCC_COMPILE},
    {"E", "preprocess", ACTION, NULL, LABCC_PREPROCESS},
    {"M", "generate-dependencies", ACTION, "-M", LABCC_DEPENDENCIES},
    {"MM", "generate-nonsystem-dependencies", ACTION, "-MM", LABCC_DEPENDENCIES},
    {"link", NULL, ACTION, NULL, LABCC_LINK},
    {"V", "version", ACTION, NULL, LABCC_VERSION},
    {"h", "help", ACTION, NULL, LABCC_HELP},
    {"o", "output-file", OUTPUT, NULL, LABCC_LINK},
    {"x", "x", LANGUAGE, NULL, LABCC_LINK},
    {"v", "verbose", SHOWS, NULL, LABCC_LINK},
    {"I", "include-path", JOINED, "-I", LABCC_LINK},
    {"isystem", "system-include", ALL_TWO, "-isystem", LABCC_LINK},
    {"include", "pre-include", ALL_TWO, "-include", LABCC_LINK},
    {"D", "define-macro", JOINED, "-D", LABCC_LINK},
    {"U", "undefine-macro", JOINED, "-U", LABCC_LINK},
    {"std", "std", STANDARD, NULL, LABCC_LINK},
    {"O", "optimize", OPTIMISE, NULL, LABCC_LINK},
    {"g", "debug", HOST, "-g", LABCC_LINK},
    {"G", "device-debug", DEVICE_DEBUG, NULL, LABCC_LINK},
    {"lineinfo", "generate-line-info", NOTHING, "kernels keep their lines in any case", LABCC_LINK},
    {"pg", "profile", HOST, "-pg", LABCC_LINK},
    {"w", "disable-warnings", ALL, "-w", LABCC_LINK},
    {"MD", "generate-dependencies-with-compile", DEPENDS, "-MD", LABCC_LINK},
    {"MMD", "generate-nonsystem-dependencies-with-compile", DEPENDS, "-MMD", LABCC_LINK},
    {"MP", "generate-dependency-targets", DEPENDS_MORE, "-MP", LABCC_LINK},
    {"MF", "dependency-output", DEPENDS_FILE, NULL, LABCC_LINK},
    {"MT", "dependency-target-name", DEPENDS_TARGET, "-MT", LABCC_LINK},
    {"MQ", NULL, DEPENDS_TARGET, "-MQ", LABCC_LINK},
    {"L", "library-path", LINK, "-L", LABCC_LINK},
    {"l", "library", LINK, "-l", LABCC_LINK},
    {"shared", "shared", SHARED, NULL, LABCC_LINK},
    {"Xcompiler", "compiler-options", COMMAS, NULL, LABCC_LINK},
    {"Xlinker", "linker-options", LINK_COMMAS, NULL, LABCC_LINK},
    {"ccbin", "compiler-bindir", HOST_PROGRAM, NULL, LABCC_LINK},
    {"fmad", "fmad", NO_FMA, NULL, LABCC_LINK},
    {"default-stream", "default-stream", PER_THREAD, NULL, LABCC_LINK},
    {"use_fast_math", "use_fast_math", NOTHING, accurate, LABCC_LINK},
    {"ftz", "ftz", NOTHING_TWO, accurate, LABCC_LINK},
    {"prec-div", "prec-div", NOTHING_TWO, accurate, LABCC_LINK},
    {"prec-sqrt", "prec-sqrt", NOTHING_TWO, accurate, LABCC_LINK},
    {"arch", "gpu-architecture", GPU_ARCHITECTURE, NULL, LABCC_LINK},
    {"code", "gpu-code", NOTHING_TWO, architecture, LABCC_LINK},
    {"gencode", "generate-code", NOTHING_TWO, architecture, LABCC_LINK},
    {"maxrregcount", "maxrregcount", NOTHING_TWO, "a CPU's kernels have no such limit", LABCC_LINK},
    {"rdc", "relocatable-device-code", LINKED, NULL, LABCC_LINK},
    {"dlink", "device-link", ACTION, NULL, LABCC_DEVICE_LINK},
    {"ptx", "ptx", ACTION, ".ptx", LABCC_IMAGE},
    {"cubin", "cubin", ACTION, ".cubin", LABCC_IMAGE},
    {"fatbin", "fatbin", ACTION, ".fatbin", LABCC_IMAGE},
    {"lib", "lib", REFUSED, "labcc makes no libraries: compile with -c, then use ar", LABCC_LINK},
    {"run", "run", REFUSED, "labcc does not run programs", LABCC_LINK},
    {"expt-relaxed-constexpr", NULL, NOTHING, "constexpr functions are always the device's too", LABCC_LINK},
    {"expt-extended-lambda", "extended-lambda", NOTHING, "lambdas may always be the device's", LABCC_LINK},
    {"restrict", "restrict", NOTHING, "pointers are as the source says", LABCC_LINK},
    {"m64", NULL, NOTHING, "there is nothing else", LABCC_LINK},
    {"m", "machine", NOTHING_TWO, "there is nothing else", LABCC_LINK},
    {"cudart", "cudart", NOTHING_TWO, "the library is linked statically", LABCC_LINK},
    {"cudadevrt", "cudadevrt", NOTHING_TWO, "kernels launch no kernels", LABCC_LINK},
    {"Xptxas", "ptxas-options", NOTHING_TWO, "there is no PTX", LABCC_LINK},
    {"Xnvlink", "nvlink-options", NOTHING_TWO, "device code is linked when the program runs", LABCC_LINK},
    {"Xcudafe", NULL, NOTHING_TWO, "the front end is clang", LABCC_LINK},
    {"diag-suppress", "diag_suppress", NOTHING_TWO, "the front end is clang", LABCC_LINK},
    {"allow-unsupported-compiler", NULL, NOTHING, "the front end is clang", LABCC_LINK},
    {"res-usage", "resource-usage", NOTHING, "a CPU's kernels have no registers to count", LABCC_LINK},
    {"dlto", "dlink-time-opt", NOTHING, "linked device code is always optimised", LABCC_LINK},
    {"dopt", "dopt", NOTHING_TWO, "kernels are always optimised", LABCC_LINK},
    {"time", "time", NOTHING_TWO, "it measures nothing", LABCC_LINK},
    {"split-compile", "split-compile", NOTHING_TWO, "files are compiled one after another", LABCC_LINK},
    {"Werror", "Werror", NOTHING_TWO, "warnings are no errors", LABCC_LINK},
    {"t", "threads", NOTHING_TWO, "files are compiled one after another", LABCC_LINK},
    {"keep", "keep", NOTHING, "files between the steps are removed", LABCC_LINK},
    {"keep-dir", NULL, NOTHING_TWO, "files between the steps are removed", LABCC_LINK},
    {"Wno-deprecated-gpu-targets", NULL, NOTHING, architecture, LABCC_LINK},
    {"forward-unknown-to-host-compiler", NULL, NOTHING, "unknown options of a compiler go to it", LABCC_LINK},
    {"host-accesses", NULL, ACCESSES, NULL, LABCC_LINK},
    {"gpu", NULL, GPU, NULL, LABCC_LINK},
    {"pthread", NULL, LINK_AS_IS, "-pthread", LABCC_LINK},
};

static bool takes_value(effect what)
{
    switch (what) {
    case ALL_TWO:
    case JOINED:
    case LINK:
    case STANDARD:
    case OPTIMISE:
    case OUTPUT:
    case DEPENDS_FILE:
    case DEPENDS_TARGET:
    case LANGUAGE:
    case COMMAS:
    case LINK_COMMAS:
    case HOST_PROGRAM:
    case NO_FMA:
    case PER_THREAD:
    case GPU_ARCHITECTURE:
    case LINKED:
    case NOTHING_TWO: return true;
    default: return false;
    }
}

/* Whether the value may follow at once: -I/usr, -O3. */
static bool joins(const option *o)
{
    return strlen(o->name) == 1 && (o->effect == JOINED || o->effect == LINK || o->effect == OPTIMISE);
}

/* Finds the option that a word names. *value becomes what follows in the same word, or NULL. */
static const option *find(const char *word, const char **value)
{
    const char *name = word + 1 + (word[1] == '-');
    const size_t length = strcspn(name, "=");
    *value = name[length] ? name + length + 1 : NULL;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const option *o = &table[i];
        if ((strlen(o->name) == length && strncmp(o->name, name, length) == 0) ||
            (o->other && strlen(o->other) == length && strncmp(o->other, name, length) == 0))
            if (!*value || takes_value(o->effect)) return o;
    }
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (word[1] == *table[i].name && joins(&table[i])) {
            *value = word + 2;
            return &table[i];
        }
    return NULL;
}

static void add_item(labcc_options *to, const char *text, labcc_language language)
{
    to->item = realloc(to->item, ((size_t)to->items + 1) * sizeof *to->item);
    if (!to->item) abort();
    to->item[to->items++] = (labcc_item){text, language};
    to->sources += language == LABCC_CUDA || language == LABCC_CXX || language == LABCC_C;
}

/* What the preprocessor reads counts for kernels too, as in nvcc. */
static void add_host_option(labcc_options *to, const char *text)
{
    if (strcmp(text, "-fopenmp") == 0)
        to->openmp = to->links_openmp = true;
    else if (text[0] == '-' && text[1] && strchr("DUI", text[1]) && text[2])
        arguments_add(&to->all, text, NULL);
    else
        arguments_add(&to->host_compiler, text, NULL);
}

/* The next part of a list, and *at moves behind it. As a shell would, a separator after a backslash is none, and quotes
 * keep a part whole. */
static const char *next_part(const char **at, const char *separators)
{
    char *part = arguments_text("%s", *at), *end = part, quote = '\0';
    for (; **at && (quote || !strchr(separators, **at)); ++*at) {
        if (**at == quote || (!quote && (**at == '"' || **at == '\''))) {
            quote = quote ? '\0' : **at;
            continue;
        }
        if (**at == '\\' && (*at)[1] && quote != '\'') ++*at;
        *end++ = **at;
    }
    *end = '\0';
    if (**at) ++*at;
    return part;
}

/* Adds each part of a list with commas or spaces. */
static void add_list(labcc_options *to, const char *list, bool links)
{
    for (const char *at = list; *at;) {
        const char *part = next_part(&at, ", ");
        if (!*part) continue;
        if (links) {
            add_item(to, "-Xlinker", LABCC_LINKER_OPTION);
            add_item(to, part, LABCC_LINKER_OPTION);
        } else {
            add_host_option(to, part);
        }
    }
}

static labcc_language language_of(const char *path)
{
    static const struct {
        const char *ending;
        labcc_language language;
    } known[] = {{".cu", LABCC_CUDA}, {".c", LABCC_C},     {".cpp", LABCC_CXX},
                 {".cc", LABCC_CXX},  {".cxx", LABCC_CXX}, {".C", LABCC_CXX}};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof known / sizeof *known; i++)
        if (strcmp(dot, known[i].ending) == 0) return known[i].language;
    return LABCC_OBJECT;
}

static bool set_language(labcc_language *forced, bool *is_forced, const char *name)
{
    static const char *const names[] = {"cu", "c++", "c"};
    *is_forced = strcmp(name, "none") != 0;
    for (int i = 0; i < 3; i++)
        if (strcmp(name, names[i]) == 0) {
            *forced = (labcc_language)i;
            return true;
        }
    if (!*is_forced) return true;
    fprintf(stderr, "labcc: -x %s: the language is cu, c++, c or none\n", name);
    return false;
}

static bool is_openmp(const char *library)
{
    return strcmp(library, "gomp") == 0 || strcmp(library, "omp") == 0 || strcmp(library, "iomp5") == 0;
}

/* Whether liblabcuda takes the library's place. */
static bool is_replaced(const char *library)
{
    static const char *const replaced[] = {"cudart", "cudart_static", "cuda", "nvrtc", "cudadevrt", "nvToolsExt"};
    for (size_t i = 0; i < sizeof replaced / sizeof *replaced; i++)
        if (strcmp(library, replaced[i]) == 0) return true;
    return false;
}

static void apply(labcc_options *to, const option *o, const char *value)
{
    switch (o->effect) {
    case ALL: arguments_add(&to->all, o->text, NULL); break;
    case ALL_TWO: arguments_add(&to->all, o->text, value, NULL); break;
    case JOINED: arguments_add(&to->all, arguments_text("%s%s", o->text, value), NULL); break;
    case HOST: arguments_add(&to->host_compiler, o->text, NULL); break;
    case DEVICE_DEBUG:
        arguments_add(&to->all, "-D__CUDACC_DEBUG__", NULL);
        arguments_add(&to->device, "-Xclang", "-debug-info-kind=limited", "-Xclang", "-dwarf-version=4", NULL);
        break;
    case LINK: add_item(to, arguments_text("%s%s", o->text, value), LABCC_LINKER_OPTION); break;
    case LINK_AS_IS: add_item(to, o->text, LABCC_LINKER_OPTION); break;
    case STANDARD: to->standard = arguments_text("-std=%s", value); break;
    case OPTIMISE: arguments_add(&to->host_compiler, arguments_text("-O%s", value), NULL); break;
    case OUTPUT: to->output = value; break;
    case COMMAS: add_list(to, value, false); break;
    case LINK_COMMAS: add_list(to, value, true); break;
    case HOST_PROGRAM: to->host = value; break;
    case NO_FMA:
        if (strcmp(value, "false") == 0) {
            arguments_add(&to->device, "-Xclang", "-ffp-contract=off", NULL);
            arguments_add(&to->gpu_compiler, "-fmad=false", NULL);
        }
        break;
    case PER_THREAD:
        if (strcmp(value, "per-thread") == 0) arguments_add(&to->all, "-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1", NULL);
        break;
    case SHOWS: to->shows = true; break;
    case ACCESSES: to->host_accesses = true; break;
    case GPU: to->gpu = true; break;
    case GPU_ARCHITECTURE: arguments_add(&to->gpu_compiler, arguments_text("-arch=%s", value), NULL); break;
    case LINKED: to->links_device_code = strcmp(value, "true") == 0; break;
    case LINKED_C:
        to->links_device_code = true;
        to->action = o->action;
        to->ending = ".o";
        break;
    case ACTION:
        to->action = o->action;
        if (o->action == LABCC_DEPENDENCIES) to->depends.option = o->text;
        to->ending = o->action == LABCC_IMAGE ? o->text : ".o";
        break;
    case DEPENDS: to->depends.option = o->text; break;
    case DEPENDS_FILE: to->depends.file = value; break;
    case DEPENDS_MORE: arguments_add(&to->depends.more, o->text, NULL); break;
    case DEPENDS_TARGET:
        arguments_add(&to->depends.more, o->text, value, NULL);
        to->depends.names_target = true;
        break;
    default: break;
    }
}

/* The words of the command line, and of the files that it names for more. */
static bool read_words(arguments *words, int count, char **argument)
{
    for (int i = 1; i < count; i++) {
        if (strcmp(argument[i], "--options-file") != 0 && strcmp(argument[i], "-optf") != 0) {
            arguments_add(words, argument[i], NULL);
            continue;
        }
        char *text;
        const char *path = ++i < count ? argument[i] : "";
        if (text_file_read(&text, path) != LAB_SUCCESS) {
            fprintf(stderr, "labcc: %s: %s\n", argument[i - 1], *path ? lab_error_message() : "a file must follow");
            return false;
        }
        for (const char *at = text; *at;) {
            const char *word = next_part(&at, " \t\r\n");
            if (*word) arguments_add(words, word, NULL);
        }
        free(text);
    }
    return true;
}

static bool read_options(labcc_options *options, int count, const char *const *argument)
{
    labcc_language forced = LABCC_CUDA;
    bool is_forced = false;
    const char *shared = NULL;
    arguments unused = {0};
    *options = (labcc_options){.host = NULL};
    for (int i = 0; i < count; i++) {
        const char *word = argument[i], *value;
        if (*word != '-' || !word[1]) {
            add_item(options, word, is_forced ? forced : language_of(word));
            continue;
        }
        const option *o = find(word, &value);
        if (!o) {
            /* As nvcc does with -forward-unknown-to-host-compiler: warnings, -f and -m options, of which gcc and clang
             * have hundreds. */
            if (word[1] == 'W' || word[1] == 'f' || word[1] == 'm') {
                if (strncmp(word, "-Wl,", 4) == 0)
                    add_item(options, word, LABCC_LINKER_OPTION);
                else
                    add_host_option(options, word);
                continue;
            }
            fprintf(stderr, "labcc: unknown option %s; labcc --help lists the options\n", word);
            return false;
        }
        if (takes_value(o->effect) && !value) value = ++i < count ? argument[i] : NULL;
        if (takes_value(o->effect) && !value) {
            fprintf(stderr, "labcc: %s needs a value\n", word);
            return false;
        }
        if (o->effect == SHARED) shared = word;
        if (o->effect == REFUSED) {
            fprintf(stderr, "labcc: %s: %s\n", word, o->text);
            return false;
        }
        if (o->effect == LANGUAGE && !set_language(&forced, &is_forced, value)) return false;
        if (o->effect == NOTHING || o->effect == NOTHING_TWO)
            arguments_add(&unused, arguments_text("labcc: %s has no effect: %s\n", word, o->text), NULL);
        if (o->effect == LINK && strcmp(o->name, "l") == 0) {
            const char *missing = labcc_why_missing(value);
            if (missing) {
                fprintf(stderr, "labcc: -l%s: %s\n", value, missing);
                return false;
            }
            if (is_replaced(value)) {
                arguments_add(&unused, arguments_text("labcc: -l%s has no effect: liblabcuda is linked\n", value),
                              NULL);
                continue;
            }
            if (is_openmp(value)) {
                options->links_openmp = true;
                continue;
            }
        }
        apply(options, o, value);
    }
    for (int i = 0; options->shows && i < unused.count; i++) fputs(unused.list[i], stderr);
    if (shared && options->action == LABCC_LINK) {
        fprintf(stderr, "labcc: %s: labcc makes no shared libraries: link the objects into the program\n", shared);
        return false;
    }
    return true;
}

bool labcc_options_read(labcc_options *options, int count, char **argument)
{
    arguments words = {0};
    return read_words(&words, count, argument) && read_options(options, words.count, words.list);
}

void labcc_add_output(arguments *command, const labcc_options *options, const char *object)
{
    const char *output = object ? object : options->action == LABCC_PREPROCESS ? options->output : NULL;
    if (output) arguments_add(command, "-o", output, NULL);
}
