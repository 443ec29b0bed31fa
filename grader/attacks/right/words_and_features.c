/* make appends this file to each solution, and the result is also a right answer. Its contents are useless but harmless:
 * the words asm("nop"), #line and __attribute__((constructor)) in a comment, names that are words elsewhere, and features
 * of C and its compilers. */
_Static_assert(sizeof(float) == 4, "a float has 32 bits; this is no __asm__");

enum { section = 1, alias = 2, weak = 4, constructor = 8 };

typedef struct pair {
    double asm_time, line_time;
    union {
        unsigned bits;
        float number;
    };
} pair;

#define KIND_OF(x) _Generic((x), float : "float", double : "double", default : "neither: asm, #line")
#define line 7

static _Thread_local int index_of_thread;
static const char *const words[] = {[0] = "__asm__(\"syscall\")", [1] = "#include </etc/passwd>", [2] = "main"};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
__attribute__((unused, noinline, cold)) static double read_all(double *restrict destination,
                                                               const double *restrict source, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += (destination[i] = source[i] * (double)(section | alias | weak | constructor));
    return sum + index_of_thread++;
}
#pragma GCC diagnostic pop

__attribute__((__unused__)) static inline const char *open_words(int which)
{
    pair first = {.asm_time = 1.5, .line_time = line, .bits = 0x3f800000u};
    return which < 3 ? words[which] : KIND_OF(first.number);
}
