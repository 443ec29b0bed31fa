/* GCC 13's header of std::string has an attribute of the name __noinline__, which is a word of CUDA: the macro is away
 * while the header is read. */
#pragma GCC system_header
#pragma push_macro("__noinline__")
#undef __noinline__
#include_next <bits/basic_string.tcc>
#pragma pop_macro("__noinline__")
