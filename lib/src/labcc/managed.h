/*
 * __managed__ variables, which clang does not have for CUDA. They are device variables in a section of their own
 * (builtins.cuh), so that clang puts a stand-in without a value into the host's code and registers it. Here the
 * stand-in becomes a variable with the value and the linkage that the device's code tells. The device then takes its
 * memory (cudart/register.c):
 *
 *     @count = internal global i32 undef, section "lab.managed", align 4        @count = global i32 5, align 4
 *
 * With -rdc=true other files may name any variable that is not static, as in cudaMemcpyToSymbol. clang's stand-ins are
 * the file's own. Here they become the program's, and the files that only declare the variable find them:
 *
 *     @table = internal global i32 undef, align 4                               @table = weak global i32 undef, align 4
 */
#ifndef LAB_LABCC_MANAGED_H
#define LAB_LABCC_MANAGED_H

#include <stdbool.h>

/* Whether a file of device code defines or declares managed variables. */
bool labcc_has_managed(const char *device_code);

/* Rewrites a file of host code. With `of_pages` each managed variable begins a page of memory, since a GPU's driver
 * pins whole pages. False if a file cannot be read or written. */
bool labcc_share_variables(const char *host_code, const char *device_code, bool is_linked, bool of_pages);

#endif
