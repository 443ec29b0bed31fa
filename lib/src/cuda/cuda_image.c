/* A symbol of the symbol table says in which section and where in it a variable lies. */
#include "cuda_image.h"

#include <elf.h>
#include <stdint.h>
#include <string.h>

typedef struct view {
    const unsigned char *data;
    size_t size;
    Elf64_Ehdr head;
} view;

/* Copies a structure out of the image, which may lie anywhere; false if it does not lie inside. */
static bool read_at(void *into, const view *of, uint64_t offset, size_t bytes)
{
    if (offset > of->size || bytes > of->size - offset) return false;
    memcpy(into, of->data + offset, bytes);
    return true;
}

static bool read_section(Elf64_Shdr *into, const view *of, uint64_t index)
{
    return index < of->head.e_shnum && of->head.e_shoff <= of->size &&
           read_at(into, of, of->head.e_shoff + index * sizeof *into, sizeof *into);
}

static bool open_view(view *made, const void *image, size_t size)
{
    *made = (view){.data = image, .size = size};
    return read_at(&made->head, made, 0, sizeof made->head) && memcmp(made->head.e_ident, ELFMAG, SELFMAG) == 0 &&
           made->head.e_ident[EI_CLASS] == ELFCLASS64 && made->head.e_shentsize == sizeof(Elf64_Shdr);
}

/* Whether the string at the offset in the section of strings is the name. */
static bool is_named(const view *of, const Elf64_Shdr *strings, uint32_t offset, const char *name)
{
    size_t length = strlen(name) + 1;
    if (offset > strings->sh_size || length > strings->sh_size - offset) return false;
    if (strings->sh_offset > of->size || strings->sh_size > of->size - strings->sh_offset) return false;
    return memcmp(of->data + strings->sh_offset + offset, name, length) == 0;
}

static bool find_symbol(Elf64_Sym *found, const view *of, const Elf64_Shdr *table, const char *name)
{
    Elf64_Shdr strings;
    if (!read_section(&strings, of, table->sh_link)) return false;
    for (uint64_t i = 0; i < table->sh_size / sizeof *found; i++)
        if (read_at(found, of, table->sh_offset + i * sizeof *found, sizeof *found) &&
            is_named(of, &strings, found->st_name, name))
            return true;
    return false;
}

const void *cuda_image_variable(const void *image, size_t size, const char *name, size_t bytes)
{
    view of;
    Elf64_Shdr section;
    Elf64_Sym symbol;
    bool found = false;
    if (!open_view(&of, image, size)) return NULL;
    for (uint64_t i = 0; i < of.head.e_shnum && !found; i++)
        found = read_section(&section, &of, i) && section.sh_type == SHT_SYMTAB &&
                find_symbol(&symbol, &of, &section, name);
    if (!found || !read_section(&section, &of, symbol.st_shndx) || section.sh_type == SHT_NOBITS) return NULL;
    if (symbol.st_value > section.sh_size || bytes > section.sh_size - symbol.st_value) return NULL;
    if (section.sh_offset > size || section.sh_size > size - section.sh_offset) return NULL;
    return (const unsigned char *)image + section.sh_offset + symbol.st_value;
}
