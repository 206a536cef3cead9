/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the instructions of a codelet by interpreting its code for a 64-bit RISC-V machine, whose structs and
 * pointers have the host's layout, on host memory (docs/decisions/0015-estimates-of-vertices.md). Each access is
 * checked and the number of instructions is limited, so that a codelet can neither do harm nor run forever. */
#ifndef POPC_DEVICE_DEVICE_MACHINE_H
#define POPC_DEVICE_DEVICE_MACHINE_H

#include "base/vec.h"
#include "popc/device/device_slots.h"

#include <stdbool.h>
#include <stdint.h>

/* A loaded object, ready to run. Not shared between threads. */
struct device_image {
    unsigned char *memory; /* sections, then a word for each function that the object lacks */
    size_t bytes, code_bytes;
    VEC(char *) missing; /* names of those functions, owned */
    VEC(struct device_entry {
        char *name;
        uint64_t address;
    })
    entries; /* functions, and targets of the variables popc_use_N */
};

struct device_run {
    unsigned char *memory; /* memory that the codelet may read and write; its end is the stack */
    size_t bytes;
    uint64_t arguments[2];
    uint64_t max; /* max. number of instructions, over all workers where there are several */
    /* results */
    uint64_t instructions; /* executed instructions, with those that device_functions.c charges */
    uint64_t slots;        /* that the tile needs for them (device_slots.h) */
    uint64_t executed;     /* by all workers (device_count.c) */
    uint64_t jumps;        /* included above: taken branches, jumps, calls and returns */
    char reason[120];      /* why counting stopped early */
};
/* Returns false when the code does something that cannot be counted, with the reason in run->reason. */
bool device_run(struct device_image *image, uint64_t entry, struct device_run *run);

/* ---- shared by device_machine.c and device_functions.c ---- */

struct device_machine {
    struct device_image *image;
    struct device_run *run;
    uint64_t x[32], pc;
    uint32_t f[32]; /* singles; halves have ones in the upper 16 bits */
    struct device_slots slots;
};
/* A host pointer to `bytes` bytes that the codelet may access; NULL, with a reason, when it may not. */
void *device_memory(struct device_machine *machine, uint64_t address, uint64_t bytes, bool write);
bool device_trap(struct device_machine *machine, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
