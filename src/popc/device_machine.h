/* SPDX-License-Identifier: Apache-2.0 */
/* Counting what a codelet executes: its code for a 64-bit RISC-V machine, whose structs and pointers are those of the
 * host, is interpreted on memory of the host (docs/decisions/0015-estimates-of-vertices.md).  Every access is checked,
 * and the number of instructions is limited, so that no codelet can do harm or run forever here. */
#ifndef POPC_DEVICE_MACHINE_H
#define POPC_DEVICE_MACHINE_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

/* An object in memory, ready to run: not shared between threads. */
struct device_image {
    unsigned char *memory; /* sections, then a word for each function that the object lacks */
    size_t bytes, code_bytes;
    VEC(char *) missing; /* names of those functions */
    VEC(struct device_entry {
        char *name;
        uint64_t address;
    })
    entries; /* functions, and what variables popc_use_N point to */
};

struct device_run {
    unsigned char *memory; /* what the codelet may read and write; its end is the stack */
    size_t bytes;
    uint64_t arguments[2];
    uint64_t max; /* instructions, of all workers where there are several */
    /* out */
    uint64_t instructions; /* executed, those of library functions by device_functions.c included */
    uint64_t executed;     /* by all workers (device_count.c) */
    uint64_t jumps;        /* of them: taken branches, jumps, calls and returns */
    char reason[120];      /* why it was not counted to the end */
};
/* False when the code did something that cannot be counted; run->reason says what. */
bool device_run(struct device_image *image, uint64_t entry, struct device_run *run);

/* ---- between device_machine.c and device_functions.c ---- */

struct device_machine {
    struct device_image *image;
    struct device_run *run;
    uint64_t x[32], pc;
    uint32_t f[32]; /* singles; halves have ones above */
};
/* A pointer to so many bytes that the codelet may access; NULL, with a reason, when it may not. */
void *device_memory(struct device_machine *machine, uint64_t address, uint64_t bytes, bool write);
bool device_trap(struct device_machine *machine, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
