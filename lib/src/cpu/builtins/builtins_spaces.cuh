// In which memory an address lies, for a kernel that asks. What is neither shared, constant nor local is global, as PTX
// has it. A pass writes the functions that know the module's variables (passes/spaces.h), and finds those of __constant__
// by their section.

LAB_LIBM size_t lab_number_of(const void *address) noexcept(true);
LAB_LIBM unsigned lab_in_shared(size_t address) noexcept(true);
LAB_LIBM unsigned lab_in_constant(size_t address) noexcept(true);

// Not inlined: what it reads of the launch would count as the kernel's accesses.
LAB_LIBM inline __attribute__((noinline)) unsigned lab_in_local(size_t address) noexcept(true)
{
    return lab_launch->is_local(lab_launch, address);
}

LAB_BUILTIN unsigned __isShared(const void *address) { return lab_in_shared(lab_number_of(address)); }
LAB_BUILTIN unsigned __isConstant(const void *address) { return lab_in_constant(lab_number_of(address)); }
LAB_BUILTIN unsigned __isLocal(const void *address) { return lab_in_local(lab_number_of(address)); }
LAB_BUILTIN unsigned __isGlobal(const void *address)
{
    return !__isShared(address) && !__isConstant(address) && !__isLocal(address);
}

#ifndef __CUDA__ // there clang has the word, and the retargeting pass names the section
// Each variable has a section of its own: a section has only constants of C++, or none.
#define LAB_TEXT_OF(number) #number
#define LAB_CONSTANT_SECTION(number) __attribute__((section("lab.constant" LAB_TEXT_OF(number))))
#undef __constant__
#define __constant__ LAB_CONSTANT_SECTION(__COUNTER__)
#endif
