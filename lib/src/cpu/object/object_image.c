/* The part of ELF that a linker uses for kernels. The image begins with the headers of the file. */
#include "object_image.h"

#include <elf.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, MOST_HEADERS = 32 };
static const uint64_t MOST_BYTES = UINT64_C(1) << 30;

/* Another processor's code finds thread-local variables in another way (base/system/kernels_apart.h). */
enum {
    MACHINE = EM_X86_64,
    RELATIVE = R_X86_64_RELATIVE,
    ABSOLUTE = R_X86_64_64,
    DATA = R_X86_64_GLOB_DAT,
    FUNCTION = R_X86_64_JUMP_SLOT,
    STORAGE = R_X86_64_DTPMOD64,
    OFFSET = R_X86_64_DTPOFF64
};

static bool lies_in(uint64_t at, uint64_t bytes, uint64_t whole) { return at <= whole && bytes <= whole - at; }

static const char not_kernels[] = "it is not an object of compiled kernels";

/* ---- The file ---- */

static const char *check_segment(const Elf64_Phdr *segment, size_t size)
{
    if (!lies_in(segment->p_offset, segment->p_filesz, size) || segment->p_filesz > segment->p_memsz ||
        !lies_in(segment->p_vaddr, segment->p_memsz, MOST_BYTES))
        return "a segment does not lie in the object";
    if (segment->p_type == PT_INTERP) return "it is a program";
    if ((segment->p_flags & PF_W) && (segment->p_flags & PF_X)) return "its code could be changed";
    if (segment->p_type == PT_TLS && segment->p_align > PAGE) return "its thread-local variables are aligned too much";
    return NULL;
}

uint64_t object_image_bytes(const char **fault, const void *object, size_t size)
{
    const Elf64_Ehdr *head = object;
    *fault = not_kernels;
    if (size < sizeof *head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 || head->e_ident[EI_CLASS] != ELFCLASS64 ||
        head->e_type != ET_DYN || head->e_phoff != sizeof *head || head->e_phentsize != sizeof(Elf64_Phdr) ||
        head->e_phnum == 0 || head->e_phnum > MOST_HEADERS ||
        !lies_in(head->e_phoff, head->e_phnum * sizeof(Elf64_Phdr), size))
        return 0;
    *fault = "its code is for another processor than x86-64";
    if (head->e_machine != MACHINE) return 0;
    *fault = not_kernels;
    const Elf64_Phdr *segment = (const void *)(head + 1);
    uint64_t end = 0;
    if (segment->p_type != PT_LOAD || segment->p_offset != 0 || segment->p_vaddr != 0 || segment->p_flags != PF_R ||
        segment->p_filesz < sizeof *head + head->e_phnum * sizeof *segment)
        return 0;
    for (int i = 0; i < head->e_phnum; i++, segment++) {
        if ((*fault = check_segment(segment, size))) return 0;
        if (segment->p_type != PT_LOAD) continue;
        *fault = "its segments are out of order";
        if (segment->p_vaddr / PAGE * PAGE < end) return 0;
        end = (segment->p_vaddr + segment->p_memsz + PAGE - 1) / PAGE * PAGE;
    }
    *fault = NULL;
    return end;
}

void object_image_copy(object_image *image, const void *object)
{
    const Elf64_Ehdr *head = object;
    const Elf64_Phdr *segment = (const void *)(head + 1);
    for (int i = 0; i < head->e_phnum; i++, segment++)
        if (segment->p_type == PT_LOAD)
            memcpy(image->memory + segment->p_vaddr, (const char *)object + segment->p_offset, segment->p_filesz);
}

/* ---- The image ---- */

static const Elf64_Phdr *find_segment(const object_image *image, uint32_t type, uint32_t flag)
{
    const Elf64_Ehdr *head = (const void *)image->memory;
    const Elf64_Phdr *segment = (const void *)(head + 1);
    for (int i = 0; i < head->e_phnum; i++)
        if (segment[i].p_type == type && (segment[i].p_flags & flag) == flag) return &segment[i];
    return NULL;
}

/* Whether the bytes lie in a segment that the object may write to. */
static bool is_data(const object_image *image, uint64_t at, uint64_t bytes)
{
    const Elf64_Ehdr *head = (const void *)image->memory;
    const Elf64_Phdr *segment = (const void *)(head + 1);
    for (int i = 0; i < head->e_phnum; i++)
        if (segment[i].p_type == PT_LOAD && (segment[i].p_flags & PF_W) && at >= segment[i].p_vaddr &&
            lies_in(at - segment[i].p_vaddr, bytes, segment[i].p_memsz))
            return true;
    return false;
}

/* What the dynamic section says, by tag. */
typedef struct dynamic {
    uint64_t value[DT_JMPREL + 1];
    const char *fault;
} dynamic;

static const char *refuse_tag(const Elf64_Dyn *entry)
{
    switch (entry->d_tag) {
    case DT_INIT:
    case DT_FINI:
    case DT_INIT_ARRAY:
    case DT_FINI_ARRAY:
    case DT_PREINIT_ARRAY: return "it would run code when it is loaded or unloaded";
    case DT_TEXTREL:
    case DT_REL: return "its code would have to be changed";
    case DT_FLAGS: return entry->d_un.d_val & ~(uint64_t)(DF_BIND_NOW | DF_SYMBOLIC) ? "it has unknown flags" : NULL;
    }
    return NULL;
}

static dynamic read_dynamic(const object_image *image)
{
    dynamic found = {.fault = not_kernels};
    const Elf64_Phdr *segment = find_segment(image, PT_DYNAMIC, 0);
    if (!segment || segment->p_vaddr % 8 != 0 || !lies_in(segment->p_vaddr, segment->p_memsz, image->bytes))
        return found;
    const Elf64_Dyn *entry = (const void *)(image->memory + segment->p_vaddr);
    for (uint64_t i = 0; i < segment->p_memsz / sizeof *entry && entry[i].d_tag != DT_NULL; i++) {
        if ((found.fault = refuse_tag(&entry[i]))) return found;
        if (entry[i].d_tag > 0 && entry[i].d_tag <= DT_JMPREL) found.value[entry[i].d_tag] = entry[i].d_un.d_val;
    }
    /* The old table of hashes tells how many symbols there are. */
    const uint64_t hash = found.value[DT_HASH], strings = found.value[DT_STRTAB], letters = found.value[DT_STRSZ];
    found.fault = "its tables do not lie in the object";
    if (hash % 4 != 0 || !lies_in(hash, 8, image->bytes) || !lies_in(strings, letters, image->bytes) || letters == 0 ||
        image->memory[strings + letters - 1] != '\0' || found.value[DT_SYMTAB] % 8 != 0)
        return found;
    uint32_t symbols;
    memcpy(&symbols, image->memory + hash + 4, sizeof symbols);
    found.value[DT_HASH] = symbols;
    if (lies_in(found.value[DT_SYMTAB], (uint64_t)symbols * sizeof(Elf64_Sym), image->bytes)) found.fault = NULL;
    return found;
}

static const Elf64_Sym *symbol_at(const object_image *image, const dynamic *tables, uint64_t number)
{
    return (const Elf64_Sym *)(const void *)(image->memory + tables->value[DT_SYMTAB]) + number;
}

static const char *symbol_name(const object_image *image, const dynamic *tables, const Elf64_Sym *symbol)
{
    return symbol->st_name < tables->value[DT_STRSZ]
               ? (const char *)image->memory + tables->value[DT_STRTAB] + symbol->st_name
               : "";
}

void *object_image_symbol(const object_image *image, const char *name)
{
    const dynamic tables = read_dynamic(image);
    for (uint64_t i = 0; !tables.fault && i < tables.value[DT_HASH]; i++) {
        const Elf64_Sym *symbol = symbol_at(image, &tables, i);
        if (symbol->st_shndx != SHN_UNDEF && strcmp(symbol_name(image, &tables, symbol), name) == 0 &&
            ELF64_ST_TYPE(symbol->st_info) != STT_TLS && lies_in(symbol->st_value, symbol->st_size, image->bytes))
            return image->memory + symbol->st_value;
    }
    return NULL;
}

/* ---- Relocation ---- */

/* The address of the symbol for the object's code, in *value. */
static const char *find_value(uint64_t *value, const object_image *image, const dynamic *tables, uint64_t number,
                              object_resolve resolve)
{
    if (number >= tables->value[DT_HASH]) return "an address is that of an unknown symbol";
    const Elf64_Sym *symbol = symbol_at(image, tables, number);
    const unsigned type = ELF64_ST_TYPE(symbol->st_info);
    *value = 0;
    if (type == STT_GNU_IFUNC) return "a function would choose another when it is loaded";
    if (type == STT_TLS)
        *value = symbol->st_value;
    else if (symbol->st_shndx != SHN_UNDEF)
        *value = (uintptr_t)image->memory + symbol->st_value;
    else if (resolve)
        *value = (uintptr_t)resolve(symbol_name(image, tables, symbol));
    return *value == 0 && resolve && type != STT_TLS && symbol->st_shndx == SHN_UNDEF
               ? "it needs a function that is not there"
               : NULL;
}

static const char *relocate(const object_image *image, const dynamic *tables, const Elf64_Rela *entry,
                            object_resolve resolve, uint64_t thread_storage)
{
    uint64_t value = 0;
    const char *fault = NULL;
    const int type = (int)ELF64_R_TYPE(entry->r_info);
    const uint64_t number = ELF64_R_SYM(entry->r_info);
    if (!is_data(image, entry->r_offset, sizeof value)) return "an address lies outside of its data";
    switch (type) {
    case RELATIVE: value = (uintptr_t)image->memory; break;
    case STORAGE: value = thread_storage; break;
    case ABSOLUTE:
    case DATA:
    case FUNCTION:
    case OFFSET: fault = find_value(&value, image, tables, number, resolve); break;
    default: return "it has an address of a kind that kernels do not need";
    }
    if (type != STORAGE) value += (uint64_t)entry->r_addend;
    memcpy(image->memory + entry->r_offset, &value, sizeof value);
    return fault;
}

static const char *relocate_all(const object_image *image, const dynamic *tables, uint64_t at, uint64_t bytes,
                                object_resolve resolve, uint64_t thread_storage)
{
    const char *fault = NULL;
    if (at % 8 != 0 || !lies_in(at, bytes, image->bytes)) return "its tables do not lie in the object";
    const Elf64_Rela *entry = (const void *)(image->memory + at);
    for (uint64_t i = 0; i < bytes / sizeof *entry && !fault; i++)
        fault = relocate(image, tables, &entry[i], resolve, thread_storage);
    return fault;
}

const char *object_image_relocate(const object_image *image, object_resolve resolve, uint64_t thread_storage)
{
    const dynamic tables = read_dynamic(image);
    const char *fault = tables.fault;
    if (!fault)
        fault = relocate_all(image, &tables, tables.value[DT_RELA], tables.value[DT_RELASZ], resolve, thread_storage);
    if (!fault)
        fault =
            relocate_all(image, &tables, tables.value[DT_JMPREL], tables.value[DT_PLTRELSZ], resolve, thread_storage);
    return fault;
}

/* ---- What else a loader needs ---- */

object_thread_storage object_image_thread_storage(const object_image *image)
{
    const Elf64_Phdr *segment = find_segment(image, PT_TLS, 0);
    if (!segment || !lies_in(segment->p_vaddr, segment->p_filesz, image->bytes))
        return (object_thread_storage){NULL, 0, 0, 1};
    return (object_thread_storage){image->memory + segment->p_vaddr, segment->p_filesz, segment->p_memsz,
                                   segment->p_align ? segment->p_align : 1};
}

bool object_image_protect(const object_image *image, bool (*protect)(void *memory, uint64_t bytes, int protection))
{
    const Elf64_Ehdr *head = (const void *)image->memory;
    const Elf64_Phdr *segment = (const void *)(head + 1);
    bool done = true;
    for (int i = 0; i < head->e_phnum && done; i++) {
        const bool constants = segment[i].p_type == PT_GNU_RELRO;
        if (segment[i].p_type != PT_LOAD && !constants) continue;
        const uint64_t first = segment[i].p_vaddr / PAGE * PAGE, end = segment[i].p_vaddr + segment[i].p_memsz;
        const uint64_t last = constants ? end / PAGE * PAGE : (end + PAGE - 1) / PAGE * PAGE;
        const int flags = PROT_READ | (segment[i].p_flags & PF_W && !constants ? PROT_WRITE : 0) |
                          (segment[i].p_flags & PF_X ? PROT_EXEC : 0);
        if (last > first && lies_in(first, last - first, image->bytes))
            done = protect(image->memory + first, last - first, flags);
    }
    return done;
}

const void *object_image_code(uint64_t *bytes, const object_image *image)
{
    const Elf64_Phdr *segment = find_segment(image, PT_LOAD, PF_X);
    *bytes = segment ? segment->p_memsz : 0;
    return segment ? image->memory + segment->p_vaddr : NULL;
}
