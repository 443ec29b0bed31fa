/* Included before the sources of a handout's compiled checks and solution. The bytes of their constants, texts among
 * them, are in the file combined with WORDS_MASK, in a section of this name (compiled.py); here the program puts them
 * right before anything else runs. */
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

extern unsigned char __start_lab_words[] __attribute__((weak, visibility("hidden")));
extern unsigned char __stop_lab_words[] __attribute__((weak, visibility("hidden")));

__attribute__((constructor(101))) static void lab_words_open(void)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t first = (uintptr_t)__start_lab_words / page * page, end = (uintptr_t)__stop_lab_words;
    if (end <= first) return;
    if (mprotect((void *)first, end - first, PROT_READ | PROT_WRITE) != 0) _exit(1);
    /* One by one: a vector of masks would be a constant itself, which is not right yet. */
    for (volatile unsigned char *byte = __start_lab_words; byte < __stop_lab_words; byte++) *byte ^= WORDS_MASK;
    if (mprotect((void *)first, end - first, PROT_READ) != 0) _exit(1);
}
