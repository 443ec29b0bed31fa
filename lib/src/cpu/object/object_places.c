/* Code reaches a variable that its object exports through the table that the loader fills in from the symbol. An
 * absolute symbol is not displaced with the object. */
#include "object_places.h"

#include <elf.h>

static bool lies_in(uint64_t at, uint64_t bytes, uint64_t whole) { return at <= whole && bytes <= whole - at; }

/* The symbols that a loader sees, and their names; NULL if the object has none. */
static const Elf64_Shdr *find_symbols(const Elf64_Shdr **names, const char *object, size_t size)
{
    const Elf64_Ehdr *head = (const void *)object;
    if (size < sizeof *head || !lies_in(head->e_shoff, (uint64_t)head->e_shnum * sizeof(Elf64_Shdr), size)) return NULL;
    const Elf64_Shdr *section = (const void *)(object + head->e_shoff);
    for (int i = 0; i < head->e_shnum; i++) {
        if (section[i].sh_type != SHT_DYNSYM || section[i].sh_link >= head->e_shnum) continue;
        *names = &section[section[i].sh_link];
        const bool sound = lies_in(section[i].sh_offset, section[i].sh_size, size) &&
                           lies_in((*names)->sh_offset, (*names)->sh_size, size) && (*names)->sh_size > 0 &&
                           object[(*names)->sh_offset + (*names)->sh_size - 1] == '\0';
        return sound ? &section[i] : NULL;
    }
    return NULL;
}

bool object_place(void *object, size_t size, span name, uint64_t address)
{
    const Elf64_Shdr *names, *symbols = find_symbols(&names, object, size);
    if (!symbols) return false;
    Elf64_Sym *symbol = (void *)((char *)object + symbols->sh_offset);
    for (uint64_t i = 0; i < symbols->sh_size / sizeof *symbol; i++) {
        if (symbol[i].st_name >= names->sh_size || symbol[i].st_shndx == SHN_UNDEF) continue;
        const span found = span_of((const char *)object + names->sh_offset + symbol[i].st_name);
        const span plain = ir_without_managed(found);
        if (plain.length == found.length || !span_equal(plain, name)) continue;
        symbol[i].st_shndx = SHN_ABS;
        symbol[i].st_value = address;
        return true;
    }
    return false;
}
