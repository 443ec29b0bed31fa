/* A symbol in the symbol table gives a variable's section and its offset there. */
#include "cuda_image.h"

#include <elf.h>
#include <stdint.h>
#include <string.h>

typedef struct view {
    const unsigned char *data;
    size_t size;
    Elf64_Ehdr head;
} view;

/* Copies a structure from any offset of the image; false if it is not inside the image. */
static bool read_at(void *out, const view *image, uint64_t offset, size_t bytes)
{
    if (offset > image->size || bytes > image->size - offset) return false;
    memcpy(out, image->data + offset, bytes);
    return true;
}

static bool read_section(Elf64_Shdr *section, const view *image, uint64_t index)
{
    return index < image->head.e_shnum && image->head.e_shoff <= image->size &&
           read_at(section, image, image->head.e_shoff + index * sizeof *section, sizeof *section);
}

static bool open_view(view *made, const void *image, size_t size)
{
    *made = (view){.data = image, .size = size};
    return read_at(&made->head, made, 0, sizeof made->head) && memcmp(made->head.e_ident, ELFMAG, SELFMAG) == 0 &&
           made->head.e_ident[EI_CLASS] == ELFCLASS64 && made->head.e_shentsize == sizeof(Elf64_Shdr);
}

/* Whether the string at the offset in the string section is the name. */
static bool is_named(const view *image, const Elf64_Shdr *strings, uint32_t offset, const char *name)
{
    size_t length = strlen(name) + 1;
    if (offset > strings->sh_size || length > strings->sh_size - offset) return false;
    if (strings->sh_offset > image->size || strings->sh_size > image->size - strings->sh_offset) return false;
    return memcmp(image->data + strings->sh_offset + offset, name, length) == 0;
}

static bool find_symbol(Elf64_Sym *found, const view *image, const Elf64_Shdr *table, const char *name)
{
    Elf64_Shdr strings;
    if (!read_section(&strings, image, table->sh_link)) return false;
    for (uint64_t i = 0; i < table->sh_size / sizeof *found; i++)
        if (read_at(found, image, table->sh_offset + i * sizeof *found, sizeof *found) &&
            is_named(image, &strings, found->st_name, name))
            return true;
    return false;
}

const void *cuda_image_variable(const void *image, size_t size, const char *name, size_t bytes)
{
    view file;
    Elf64_Shdr section;
    Elf64_Sym symbol;
    bool found = false;
    if (!open_view(&file, image, size)) return NULL;
    for (uint64_t i = 0; i < file.head.e_shnum && !found; i++)
        found = read_section(&section, &file, i) && section.sh_type == SHT_SYMTAB &&
                find_symbol(&symbol, &file, &section, name);
    if (!found || !read_section(&section, &file, symbol.st_shndx) || section.sh_type == SHT_NOBITS) return NULL;
    if (symbol.st_value > section.sh_size || bytes > section.sh_size - symbol.st_value) return NULL;
    if (section.sh_offset > size || section.sh_size > size - section.sh_offset) return NULL;
    return (const unsigned char *)image + section.sh_offset + symbol.st_value;
}
