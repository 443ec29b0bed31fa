/* A careful reader of ELF objects; see object_scan.h. */
#include "object_scan.h"

#include <elf.h>
#include <stdint.h>
#include <string.h>

enum { MOST_NAME = 16384 };

/* The file, and what its header says once that is checked against the file. */
typedef struct object {
    const unsigned char *bytes;
    size_t count;
    uint64_t sections; /* offset of their headers */
    uint64_t section_count;
    Elf64_Shdr names; /* the section that holds the sections' names */
} object;

static bool is_inside(const object *o, uint64_t offset, uint64_t bytes)
{
    return offset <= o->count && bytes <= o->count - offset;
}

static bool read_section(const object *o, uint64_t index, Elf64_Shdr *out)
{
    if (index >= o->section_count) return false;
    memcpy(out, o->bytes + o->sections + index * sizeof *out, sizeof *out);
    return out->sh_type == SHT_NOBITS || is_inside(o, out->sh_offset, out->sh_size);
}

/* A string of a section of strings; NULL if it does not end inside the section, or is longer than any name: millions of
 * symbols could share a string of megabytes. */
static const char *string_at(const object *o, const Elf64_Shdr *strings, uint64_t offset)
{
    if (strings->sh_type != SHT_STRTAB || offset >= strings->sh_size) return NULL;
    const char *text = (const char *)o->bytes + strings->sh_offset + offset;
    const uint64_t left = strings->sh_size - offset;
    return memchr(text, '\0', left < MOST_NAME ? left : MOST_NAME) ? text : NULL;
}

static bool read_header(object *o)
{
    Elf64_Ehdr header;
    Elf64_Shdr first;
    const unsigned char order = (union {
                                    uint16_t number;
                                    unsigned char byte;
                                }){1}
                                        .byte
                                    ? ELFDATA2LSB
                                    : ELFDATA2MSB;
    if (o->count < sizeof header) return false;
    memcpy(&header, o->bytes, sizeof header);
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64) return false;
    if (header.e_ident[EI_DATA] != order || header.e_type != ET_REL) return false;
    if (header.e_shentsize != sizeof first || !is_inside(o, header.e_shoff, sizeof first)) return false;
    /* With very many sections their count and the index of their names stand in the first one. */
    memcpy(&first, o->bytes + header.e_shoff, sizeof first);
    o->sections = header.e_shoff;
    o->section_count = header.e_shnum ? header.e_shnum : first.sh_size;
    uint64_t names = header.e_shstrndx == SHN_XINDEX ? first.sh_link : header.e_shstrndx;
    if (o->section_count > o->count / sizeof first) return false;
    if (!is_inside(o, o->sections, o->section_count * sizeof first)) return false;
    return read_section(o, names, &o->names);
}

static bool starts_with(const char *text, const char *start) { return strncmp(text, start, strlen(start)) == 0; }

static bool runs_at_start(const Elf64_Shdr *section, const char *name)
{
    static const char *const names[] = {".init", ".fini", ".preinit", ".ctors", ".dtors", ".jcr"};
    uint32_t type = section->sh_type;
    if (type == SHT_INIT_ARRAY || type == SHT_FINI_ARRAY || type == SHT_PREINIT_ARRAY) return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (starts_with(name, names[i])) return true;
    }
    return false;
}

static bool scan_symbols(const object *o, const Elf64_Shdr *table, const object_visitor *visitor)
{
    Elf64_Shdr strings;
    if (table->sh_entsize != sizeof(Elf64_Sym) || !read_section(o, table->sh_link, &strings)) return false;
    for (uint64_t at = sizeof(Elf64_Sym); at + sizeof(Elf64_Sym) <= table->sh_size; at += sizeof(Elf64_Sym)) {
        Elf64_Sym symbol;
        memcpy(&symbol, o->bytes + table->sh_offset + at, sizeof symbol);
        const char *name = string_at(o, &strings, symbol.st_name);
        if (!name) return false;
        if (ELF64_ST_TYPE(symbol.st_info) == STT_GNU_IFUNC)
            visitor->symbol(visitor->user, OBJECT_INDIRECT, name);
        else if (ELF64_ST_BIND(symbol.st_info) == STB_LOCAL)
            continue;
        else
            visitor->symbol(visitor->user, symbol.st_shndx == SHN_UNDEF ? OBJECT_UNDEFINED : OBJECT_DEFINED, name);
    }
    return true;
}

bool object_scan(const void *bytes, size_t count, const object_visitor *visitor)
{
    object o = {.bytes = bytes, .count = count};
    if (!read_header(&o)) return false;
    for (uint64_t i = 1; i < o.section_count; i++) {
        Elf64_Shdr section;
        if (!read_section(&o, i, &section)) return false;
        const char *name = string_at(&o, &o.names, section.sh_name);
        if (!name) return false;
        visitor->section(visitor->user, name, runs_at_start(&section, name), section.sh_flags & SHF_EXECINSTR);
        if (section.sh_type == SHT_SYMTAB && !scan_symbols(&o, &section, visitor)) return false;
    }
    return true;
}
