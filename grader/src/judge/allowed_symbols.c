/* The allow-list; see allowed_symbols.h. */
#include "allowed_symbols.h"

#include <stdlib.h>
#include <string.h>

#include "base/folder.h"
#include "object_scan.h"

/* What a lesson may call of the C library, in words between spaces. */
static const char *const c_library[] = {
    /* string.h, strings.h, ctype.h */
    "memcpy memmove memset memcmp memchr memrchr mempcpy strlen strnlen strcpy strncpy stpcpy stpncpy strcat strncat "
    "strcmp "
    "strncmp strcasecmp strncasecmp strchr strrchr strchrnul strstr strspn strcspn strpbrk strtok strtok_r strsep "
    "strdup "
    "strndup strerror strerror_r strcoll bzero bcmp bcopy ffs ffsl ffsll index rindex isalpha isdigit isalnum isspace "
    "isupper islower isxdigit ispunct isprint isgraph iscntrl isblank toupper tolower",
    /* stdlib.h */
    "malloc calloc realloc reallocarray free aligned_alloc posix_memalign qsort qsort_r bsearch abs labs llabs div "
    "ldiv "
    "lldiv rand srand rand_r random srandom drand48 srand48 lrand48 erand48 atoi atol atoll atof strtol strtoll "
    "strtoul "
    "strtoull strtof strtod strtold exit abort malloc_usable_size",
    /* stdio.h: to standard output and error, and into memory */
    "printf fprintf vprintf vfprintf sprintf snprintf vsprintf vsnprintf asprintf vasprintf puts putchar putc fputs "
    "fputc "
    "fwrite fflush perror sscanf vsscanf stdout stderr _IO_putc setvbuf",
    /* time.h, unistd.h, sched.h: looking at the clock and waiting, never setting it */
    "clock clock_gettime clock_getres clock_nanosleep gettimeofday time difftime timespec_get nanosleep usleep sleep "
    "sched_yield sched_getcpu sysconf getpagesize localtime gmtime localtime_r gmtime_r strftime mktime",
    /* pthread.h, semaphore.h, threads.h */
    "pthread_create pthread_join pthread_exit pthread_self pthread_equal pthread_yield pthread_once "
    "pthread_attr_init pthread_attr_destroy pthread_attr_setstacksize pthread_attr_getstacksize "
    "pthread_mutex_init pthread_mutex_destroy pthread_mutex_lock pthread_mutex_trylock pthread_mutex_unlock "
    "pthread_mutex_timedlock pthread_mutexattr_init pthread_mutexattr_destroy pthread_mutexattr_settype "
    "pthread_cond_init "
    "pthread_cond_destroy pthread_cond_wait pthread_cond_timedwait pthread_cond_signal pthread_cond_broadcast "
    "pthread_condattr_init pthread_condattr_destroy pthread_condattr_setclock pthread_barrier_init "
    "pthread_barrier_destroy "
    "pthread_barrier_wait pthread_rwlock_init pthread_rwlock_destroy pthread_rwlock_rdlock pthread_rwlock_wrlock "
    "pthread_rwlock_unlock pthread_spin_init pthread_spin_destroy pthread_spin_lock pthread_spin_trylock "
    "pthread_spin_unlock pthread_key_create pthread_key_delete pthread_getspecific pthread_setspecific "
    "pthread_setname_np "
    "sem_init sem_destroy sem_wait sem_trywait sem_timedwait sem_post sem_getvalue thrd_create thrd_join "
    "thrd_exit thrd_current thrd_equal thrd_yield thrd_sleep mtx_init mtx_destroy mtx_lock mtx_trylock mtx_timedlock "
    "mtx_unlock cnd_init cnd_destroy cnd_wait cnd_timedwait cnd_signal cnd_broadcast call_once tss_create tss_delete "
    "tss_get tss_set",
    /* math.h, complex.h, fenv.h: each also with f and l at its end */
    "sqrt cbrt hypot pow exp exp2 expm1 exp10 log log2 log10 log1p logb ilogb sin cos tan asin acos atan atan2 sinh "
    "cosh "
    "tanh asinh acosh atanh sincos erf erfc tgamma lgamma floor ceil trunc round lround llround rint lrint llrint "
    "nearbyint roundeven fmod remainder remquo fabs fmax fmin fdim fma copysign nextafter nexttoward nan ldexp frexp "
    "modf "
    "scalbn scalbln significand isnan isinf finite cabs carg creal cimag conj cexp clog csqrt cpow csin ccos "
    "fegetround "
    "fesetround feclearexcept fetestexcept feraiseexcept fegetenv fesetenv feholdexcept feupdateenv signgam",
    /* what compilers and headers put in place of those */
    "__errno_location __assert_fail __assert __assert_perror_fail __stack_chk_fail __ctype_b_loc __ctype_tolower_loc "
    "__ctype_toupper_loc __tls_get_addr _GLOBAL_OFFSET_TABLE_ __fpclassify __fpclassifyf __fpclassifyl __signbit "
    "__signbitf __signbitl __isnan __isnanf __isnanl __isinf __isinff __isinfl __finite __finitef __finitel "
    "__sigsetjmp "
    "_setjmp setjmp longjmp siglongjmp __longjmp_chk __pthread_register_cancel __pthread_unregister_cancel "
    "__pthread_unwind_next __xpg_strerror_r __sched_cpucount __atomic_is_lock_free",
};

/* A detached thread that runs on after the function has returned looks like one that is just about to end. */
static const char detached[] = "pthread_detach pthread_attr_setdetachstate thrd_detach";

static bool in_words(const char *words, const char *name, size_t length)
{
    for (const char *at = words; length > 0 && (at = strstr(at, name)); at++) {
        bool begins = at == words || at[-1] == ' ';
        if (begins && (at[length] == ' ' || at[length] == '\0')) return true;
    }
    return false;
}

static bool in_c_library(const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof c_library / sizeof *c_library; i++) {
        if (in_words(c_library[i], name, length)) return true;
    }
    return false;
}

static bool starts_with(const char *text, const char *start) { return strncmp(text, start, strlen(start)) == 0; }

/* Whether the C library has the name inside a decoration: "__memcpy_chk", "__isoc99_sscanf", "sqrtf". */
static bool is_decorated(const char *name)
{
    static const char *const standards[] = {"__isoc99_", "__isoc23_"};
    char bare[128];
    size_t length = strlen(name);
    if (length >= sizeof bare) return false;
    for (size_t i = 0; i < sizeof standards / sizeof *standards; i++) {
        if (starts_with(name, standards[i])) return in_c_library(name + strlen(standards[i]));
    }
    memcpy(bare, name, length + 1);
    if (starts_with(name, "__") && length > 6 && strcmp(name + length - 4, "_chk") == 0) {
        bare[length - 4] = '\0';
        return in_c_library(bare + 2);
    }
    if (length > 2 && (name[length - 1] == 'f' || name[length - 1] == 'l')) bare[length - 1] = '\0';
    return in_c_library(bare);
}

/* Whether the compiler calls it for arithmetic that takes several instructions: __udivti3, __atomic_load_16. */
static bool is_compilers(const char *name)
{
    static const char *const ends[] = {"ti3",   "ti2",   "di2",  "si2",   "tf2",  "tf3",  "sc3",   "dc3",
                                       "xc3",   "tc3",   "tisf", "tidf",  "tixf", "titf", "sfti",  "dfti",
                                       "xfti",  "tfti",  "ditf", "sitf",  "tfdi", "tfsi", "sftf2", "dftf2",
                                       "tfsf2", "tfdf2", "hf2",  "hfsf2", "sfhf2"};
    size_t length = strlen(name);
    if (!starts_with(name, "__")) return false;
    if (starts_with(name, "__atomic_") || starts_with(name, "__sync_")) return true;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t end = strlen(ends[i]);
        if (length > end && strcmp(name + length - end, ends[i]) == 0) return true;
    }
    return false;
}

/* ---- a lab's rules ----------------------------------------------------------------------------------------------- */

static bool read_names(source_names *names, const char *folder, const char *file, grader_fault *fault)
{
    enum { HEADER_BYTES = 1 << 20 };
    char *text = NULL, *path = folder_path(folder, file);
    size_t bytes = 0;
    bool found = path && folder_read(&text, &bytes, path, HEADER_BYTES, fault) == FOLDER_FILE;
    bool whole = found && source_header_names(names, (source_text){text, bytes});
    free(text);
    free(path);
    if (!found) return fault_set(fault, "cannot read %s/%s", folder, file);
    return whole || fault_memory(fault, "the names of a header");
}

static bool read_allowed(symbol_rules *rules, const lab_parts *parts, grader_fault *fault)
{
    enum { MOST_BYTES = 65536 };
    size_t bytes;
    char *path = folder_path(parts->folder, "allowed.txt");
    folder_found found = path ? folder_read(&rules->allowed, &bytes, path, MOST_BYTES, fault) : FOLDER_UNREADABLE;
    free(path);
    if (found == FOLDER_FILE) return true;
    if (found != FOLDER_NOTHING) return fault_set(fault, "cannot read allowed.txt of %s", parts->name);
    rules->allowed = strdup("");
    return rules->allowed || fault_memory(fault, "the lab's rules");
}

static bool read_contract(symbol_rules *rules, const lab_parts *parts, grader_fault *fault)
{
    text_buffer header = {0};
    text_format(&header, "%s.h", parts->name);
    bool ok = header.failed ? fault_memory(fault, "the lab's rules")
                            : read_names(&rules->contract, parts->folder, header.text, fault);
    free(header.text);
    return ok;
}

bool allowed_symbols_open(symbol_rules *out, const lab_parts *parts, grader_fault *fault)
{
    *out = (symbol_rules){0};
    bool ok = read_names(&out->library, parts->include, "lab.h", fault) && read_contract(out, parts, fault) &&
              read_allowed(out, parts, fault);
    if (!ok) allowed_symbols_close(out);
    return ok;
}

void allowed_symbols_close(symbol_rules *rules)
{
    source_names_free(&rules->library);
    source_names_free(&rules->contract);
    free(rules->allowed);
    *rules = (symbol_rules){0};
}

/* The sign of the line of allowed.txt about a name, and the reason after its colon; 0 without such a line. */
static char line_about(const char *allowed, const char *name, const char **why, size_t *why_bytes)
{
    size_t length = strlen(name);
    for (const char *line = allowed; *line; line += strcspn(line, "\n") + (line[strcspn(line, "\n")] == '\n')) {
        const char *said = line + 1 + (*line ? strspn(line + 1, " ") : 0);
        if ((*line != '+' && *line != '-') || strncmp(said, name, length) != 0) continue;
        if (said[length] && !strchr(": \n", said[length])) continue;
        *why = said + length + strspn(said + length, ": ");
        *why_bytes = strcspn(*why, "\n");
        return *line;
    }
    return 0;
}

enum { MOST_REFUSALS = 65536 }; /* bytes; further reasons help nobody */

/* ---- an object --------------------------------------------------------------------------------------------------- */

typedef struct object_check {
    text_buffer *refusals;
    const symbol_rules *rules;
    const source_names *names;
    const char *file;
} object_check;

/* Writes "lab03.c:12", or "lab03.c" where the line is not known. */
static void begin_sentence(const object_check *check, const char *name)
{
    int line = source_line(check->names, name);
    text_format(check->refusals, "%s", check->file);
    if (line > 0) text_format(check->refusals, ":%d", line);
}

static void check_use(const object_check *check, const char *name)
{
    const char *why = "";
    size_t bytes = 0;
    char sign = line_about(check->rules->allowed, name, &why, &bytes);
    bool known = source_line(&check->rules->library, name) > 0 || source_line(&check->rules->contract, name) > 0;
    if (sign == '+' || (!sign && (known || in_c_library(name) || is_decorated(name) || is_compilers(name)))) return;
    char *clean = text_clean_line(name, strlen(name));
    begin_sentence(check, name);
    if (bytes > 0)
        text_format(check->refusals, " uses %s: %.*s\n", clean ? clean : "?", (int)bytes, why);
    else if (in_words(detached, name, strlen(name)))
        text_format(check->refusals, " uses %s: a function must join the threads that it starts before it returns\n",
                    clean ? clean : "?");
    else
        text_format(check->refusals, " uses %s, which this lab does not allow\n", clean ? clean : "?");
    free(clean);
}

static void check_definition(const object_check *check, const char *name)
{
    if (source_line(&check->rules->contract, name) > 0) return;
    bool is_library = source_line(&check->rules->library, name) > 0 || starts_with(name, "lab_");
    bool is_system = in_c_library(name) || in_words(detached, name, strlen(name)) || is_decorated(name) ||
                     starts_with(name, "_") || strcmp(name, "main") == 0;
    bool is_harness = starts_with(name, "worker_");
    if (!is_library && !is_system && !is_harness) return;
    char *clean = text_clean_line(name, strlen(name));
    begin_sentence(check, name);
    text_format(check->refusals, " defines %s, which is %s\n", clean ? clean : "?",
                strcmp(name, "main") == 0 ? "not its own: the lab's program has one"
                : is_library              ? "the library's"
                : is_harness              ? "the harness's"
                                          : "the system's");
    free(clean);
}

static void see_symbol(void *user, object_symbol_kind kind, const char *name)
{
    const object_check *check = user;
    if (check->refusals->length > MOST_REFUSALS) return;
    if (kind == OBJECT_UNDEFINED) check_use(check, name);
    if (kind == OBJECT_DEFINED) check_definition(check, name);
    if (kind != OBJECT_INDIRECT) return;
    begin_sentence(check, name);
    text_format(check->refusals, " lets a function that runs before main choose another (ifunc)\n");
}

/* Whether compilers make such sections for plain C. */
static bool is_plain_section(const char *name)
{
    static const char *const plain[] = {
        ".text",   ".data",     ".bss",     ".rodata", ".tdata",           ".tbss",  ".rel",  ".debug", ".symtab",
        ".strtab", ".shstrtab", ".comment", ".note",   ".eh_frame",        ".group", ".llvm", ".gnu",   ".sframe",
        ".sdata",  ".sbss",     ".riscv",   ".ARM",    ".gcc_except_table"};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        if (starts_with(name, plain[i])) return true;
    }
    return *name == '\0';
}

static void see_section(void *user, const char *name, bool runs_at_start, bool executable)
{
    const object_check *check = user;
    if (check->refusals->length > MOST_REFUSALS) return;
    char *clean = text_clean_line(name, strlen(name));
    const char *shown = clean ? clean : "?";
    if (runs_at_start)
        text_format(check->refusals, "%s has code that runs before or after main (section %s)\n", check->file, shown);
    else if (!is_plain_section(name))
        text_format(check->refusals, "%s puts something into a section of its own (%s)\n", check->file, shown);
    else if (executable && starts_with(name, ".note"))
        text_format(check->refusals,
                    "%s uses the address of a function inside a function, which needs a stack that can "
                    "be run: move it out\n",
                    check->file);
    else if (executable && !starts_with(name, ".text"))
        text_format(check->refusals, "%s has code where only data belongs (section %s)\n", check->file, shown);
    free(clean);
}

bool allowed_symbols_check(text_buffer *refusals, const symbol_rules *rules, const void *object, size_t bytes,
                           const char *file, const source_names *names)
{
    object_check check = {refusals, rules, names, file};
    const object_visitor visitor = {see_symbol, see_section, &check};
    if (!object_scan(object, bytes, &visitor)) text_format(refusals, "%s makes an object that cannot be read\n", file);
    return !refusals->failed;
}

char *allowed_symbols_kept(const symbol_rules *rules)
{
    text_buffer list = {0};
    for (size_t i = 0; i < rules->contract.count; i++) text_format(&list, "%s\n", rules->contract.name[i].name);
    text_format(&list, "%s", "");
    if (!list.failed) return list.text;
    free(list.text);
    return NULL;
}
