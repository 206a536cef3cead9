/* SPDX-License-Identifier: Apache-2.0 */
/* The tile's instructions as tables, from which assembler, disassembler, interpreter and the table of the documentation
 * are made (docs/reference/tile-isa.md).  Words are little-endian; bit 31 says that a word belongs to a bundle. */
#ifndef TILE_ISA_H
#define TILE_ISA_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tile_arch { TILE_IPU1 = 0, TILE_IPU2, TILE_IPU21, TILE_ARCHS };
extern const char *const tile_arch_names[TILE_ARCHS];

/* Addresses of a tile's memory.  Region 0, below interleaved, holds code and data; region 1 data alone. */
struct tile_memory_map {
    uint32_t base, interleaved, end;
};
extern const struct tile_memory_map tile_maps[TILE_ARCHS];
enum { TILE_ELEMENT_BYTES = 0x4000, TILE_WORKERS = 6, TILE_ADDRESS_MASK = 0x1fffff };

enum tile_lane { TILE_MAIN = 0, TILE_AUX };
enum tile_flag {
    TILE_CONTROL = 1, /* not in the body of a repeat */
    TILE_SOLO = 2,    /* not in a bundle */
    TILE_SUPERVISOR = 4,
    TILE_WORKER = 8,
    TILE_FROM_IPU2 = 16,
    TILE_FROM_IPU21 = 32
};

/* A bit of a bundle's words. */
#define TILE_BUNDLED UINT32_C(0x80000000)

enum tile_kind {
    TILE_M = 0,
    TILE_M2,
    TILE_A,
    TILE_A2,
    TILE_A4,
    TILE_FIRST_IMMEDIATE,
    TILE_Z4 = TILE_FIRST_IMMEDIATE,
    TILE_Z6,
    TILE_Z8,
    TILE_Z12,
    TILE_Z16,
    TILE_Z19,
    TILE_Z20,
    TILE_S8,
    TILE_S16,
    TILE_IZ12,     /* value << 20 */
    TILE_TARGET19, /* address >> 2 */
    TILE_TARGET20,
    TILE_CSR,
    TILE_UCSR,
    TILE_KINDS
};
enum tile_access { TILE_READ = 1, TILE_WRITTEN = 2 };
enum tile_suffix { TILE_NO_SUFFIX = 0, TILE_STEP, TILE_INC, TILE_SHIFT, TILE_DELTA };
/* Bits of broadcasts that an operand may have, and their encoding in bits 19:18. */
enum tile_spread { TILE_SPREAD_NONE = 0, TILE_SPREAD_LOW = 2, TILE_SPREAD_HIGH = 3 };
enum { TILE_ALLOWS_LOW = 1, TILE_ALLOWS_HIGH = 2 };
/* Where the bits of an immediate stand, when not in one field. */
enum tile_split { TILE_WHOLE = 0, TILE_IN_PACE, TILE_IN_RUN, TILE_IN_STORE, TILE_IN_STORE_STEP };

struct tile_operand {
    uint8_t kind, access, suffix, spread, at, split;
};
enum { TILE_OPERANDS = 5 };
struct tile_form {
    const char *name;
    uint32_t word, mask; /* mask: the bits that no operand has */
    uint16_t mnemonic;   /* index into tile_mnemonics */
    uint8_t lane, flags, operands;
    struct tile_operand operand[TILE_OPERANDS];
};
extern const struct tile_form tile_forms[];
extern const size_t tile_form_count;

struct tile_mnemonic {
    const char *name, *section, *what;
    unsigned slots; /* issue slots; of data-dependent ones the most */
};
extern const struct tile_mnemonic tile_mnemonics[];
extern const size_t tile_mnemonic_count;

/* One instruction: a form and the values of its operands. A register is its number, a target its address in bytes. */
struct tile_instruction {
    const struct tile_form *form;
    int64_t value[TILE_OPERANDS];
    uint8_t spread; /* enum tile_spread of the operand that allows it */
};

/* The forms of a mnemonic; NULL when there is none. */
const struct tile_form *tile_forms_named(const char *name, size_t *count);
bool tile_arch_has(enum tile_arch arch, const struct tile_form *form);
/* The number of registers of an operand; 0 for immediates. */
unsigned tile_operand_registers(const struct tile_operand *operand);
/* Lowest and highest value of an immediate, and what it must be a multiple of. */
struct immediate_range {
    int64_t low, high, multiple;
};
struct immediate_range tile_immediate_range(enum tile_kind kind);
bool tile_fits(const struct tile_operand *operand, int64_t value);

uint32_t tile_encode(const struct tile_instruction *instruction);
/* False for a word that is no instruction; bit 31 is ignored. */
bool tile_decode(uint32_t word, struct tile_instruction *instruction);
/* Adds the instruction in assembly language. The names of control registers depend on the context. */
void tile_print(struct str *text, const struct tile_instruction *instruction, bool supervisor);

enum tile_space { TILE_SPACE_WORKER = 0, TILE_SPACE_SUPERVISOR, TILE_SPACE_UPPER };
struct tile_csr {
    const char *name;
    uint8_t space, number, access, from; /* enum tile_space, number, tile_access, tile_arch */
};
extern const struct tile_csr tile_csrs[];
extern const size_t tile_csr_count;
const struct tile_csr *tile_csr_named(const char *name, enum tile_space space);
const struct tile_csr *tile_csr_numbered(unsigned number, enum tile_space space);

#endif
