/* Names in nvcc's PTX. nvcc puts what is a file's own into namespaces, and with -rdc=true behind a prefix, whose names
 * have the file's name and a hash. */
#ifndef LAB_LABCC_PTX_PTX_NAMES_H
#define LAB_LABCC_PTX_PTX_NAMES_H

/* Gives these things clang's names, by which the host's code knows kernels and variables, in place. What had the prefix
 * gets a mark (PROGRAM_PTX_FILE). */
void labcc_rename_ptx(char *ptx);

#endif
