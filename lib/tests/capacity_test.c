/* The cores and memory that the process may use: of the limits of its control groups, the smallest counts. */
#include "cpu/engine/capacity.h"
#include "test.h"
#include "test_folder.h"

#include <stdint.h>
#include <sys/stat.h>

Test(capacity, is_at_least_a_core_and_some_memory)
{
    cr_assert_geq(cpu_usable_cores(), 1);
    cr_assert_gt(cpu_usable_memory(), (size_t)1 << 20);
}

static void write_limit(const char *folder, const char *group, const char *limit)
{
    char path[700];
    snprintf(path, sizeof path, "%s%s/memory.max", folder, group);
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file, "%s", path);
    fputs(limit, file);
    fclose(file);
}

Test(capacity, the_smallest_limit_of_the_group_and_those_above_counts)
{
    test_folder root = test_folder_make("memory.max");
    char outer[600], inner[700];
    snprintf(outer, sizeof outer, "%s/outer", root.path);
    snprintf(inner, sizeof inner, "%s/inner", outer);
    cr_assert_eq(mkdir(outer, 0700), 0);
    cr_assert_eq(mkdir(inner, 0700), 0);
    cr_assert_eq(cpu_group_memory_limit(root.path, "/outer/inner", "memory.max"), SIZE_MAX);
    write_limit(root.path, "/outer/inner", "max\n");
    cr_assert_eq(cpu_group_memory_limit(root.path, "/outer/inner", "memory.max"), SIZE_MAX);
    write_limit(root.path, "/outer", "1048576\n");
    cr_assert_eq(cpu_group_memory_limit(root.path, "/outer/inner", "memory.max"), (size_t)1048576);
    write_limit(root.path, "/outer/inner", "4096\n");
    cr_assert_eq(cpu_group_memory_limit(root.path, "/outer/inner", "memory.max"), (size_t)4096);
    write_limit(root.path, "", "512\n");
    cr_assert_eq(cpu_group_memory_limit(root.path, "/outer/inner", "memory.max"), (size_t)512);
    cr_assert_eq(cpu_group_memory_limit(root.path, "/", "memory.max"), (size_t)512);
    snprintf(inner, sizeof inner, "%s/inner/memory.max", outer);
    remove(inner);
    snprintf(inner, sizeof inner, "%s/inner", outer);
    rmdir(inner);
    snprintf(inner, sizeof inner, "%s/memory.max", outer);
    remove(inner);
    rmdir(outer);
    test_folder_remove(&root);
}

Test(capacity, a_limit_that_is_not_a_number_is_ignored)
{
    test_folder root = test_folder_make("memory.max");
    write_limit(root.path, "", "99999999999999999999999\n");
    cr_assert_eq(cpu_group_memory_limit(root.path, "/", "memory.max"), SIZE_MAX);
    write_limit(root.path, "", "");
    cr_assert_eq(cpu_group_memory_limit(root.path, "/", "memory.max"), SIZE_MAX);
    test_folder_remove(&root);
}
