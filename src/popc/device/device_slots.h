/* SPDX-License-Identifier: Apache-2.0 */
/* Slots of a worker that the tile needs for an instruction of the counting machine (docs/reference/device-slots.md). */
#ifndef POPC_DEVICE_DEVICE_SLOTS_H
#define POPC_DEVICE_DEVICE_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

enum { DEVICE_REGISTERS = 32 };

/* What is known of an integer register: what the tile would not compute, because its loads and stores do. */
struct device_register {
    uint8_t shift;          /* it is another register, shifted left by so much */
    uint8_t spared;         /* slots of an address that is a sum: the addition, and the shift of an index */
    uint8_t scale;          /* bytes of an element if a shift is among them */
    uint8_t step;           /* bytes of an access at exactly this address, which can advance it */
    bool constant, product; /* of a known value; a product of two registers */
    bool wide;              /* shifted left by 32, to be extended */
};
struct device_slots {
    struct device_register of[DEVICE_REGISTERS];
    unsigned counted; /* a register that was decremented by one, and not used since; 0: none */
};

/* The slots of an instruction that is about to be executed on registers x, besides what a called function takes;
 * negative: it spares slots that were counted for those before. */
int device_slots(struct device_slots *slots, uint32_t word, const uint64_t *x);

#endif
