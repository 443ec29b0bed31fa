/* The text that is compiled: CUDA's built-ins, a kernel source, and the table of its kernels. */
#ifndef LAB_CPU_COMPILER_TRANSLATION_UNIT_H
#define LAB_CPU_COMPILER_TRANSLATION_UNIT_H

#include "cpu/ir/text.h"
#include "lab.h"
#include "seam/kernel_scan.h"
#include "seam/program/program_image.h"

typedef struct cpu_unit {
    cpu_text text;
    size_t source_begin; /* where the built-ins and headers end, which cpu_compiler_version stands for */
    size_t source_end;   /* where the table begins */
    const kernel_scan *scan;
    const char *name; /* the name of the source in messages */
    bool checked;     /* compiled to check its accesses to memory (memcheck.h) */
    unsigned checks;  /* for what besides: a sum of check_forms */
    bool in_turn;     /* a thread runs from wait to wait before the next one does, since a check depends on that */
    bool is_code;     /* the text is code already, from a program's image (seam/program/program_image.h) */
    bool debugged;    /* that code was made for a debugger: it stays as the source says, with its variables */
} cpu_unit;

/* Borrows the scan and the name. The caller frees unit->text.data. */
lab_status cpu_unit_write(cpu_unit *unit, const kernel_scan *scan, const char *name, bool checked);

/* Makes the unit and the list of kernels of a program's image, whose text the unit copies. */
lab_status cpu_unit_take_code(cpu_unit *unit, kernel_scan *scan, const program_image *image, const char *name,
                              bool checked);

#endif
