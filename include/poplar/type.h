/* SPDX-License-Identifier: Apache-2.0 */
/* Element types of device data, and conversion between them and host values. */
#ifndef POPLAR_TYPE_H
#define POPLAR_TYPE_H

#include <poplar/visibility.h>

/* Element types of tensors and of host data: those of types.def. */
typedef enum pop_type {
    POP_TYPE_NULL = 0,
#define POP_ELEMENT_TYPE(constant, spelling, bytes, kind) POP_##constant,
#include <poplar/types.def>
#undef POP_ELEMENT_TYPE
    POP_TYPE_COUNT
} pop_type;

/* Aliases. */
#define POP_SIGNED_SHORT POP_SHORT
/* Another name of POP_INT. */
#define POP_SIGNED_INT POP_INT
/* Another name of POP_INT. */
#define POP_SIGNED POP_INT
/* Another name of POP_UNSIGNED_INT. */
#define POP_UNSIGNED POP_UNSIGNED_INT

POP_BEGIN_DECLS

/* The C++ spelling: "unsigned int"; "null" for values that are not types. */
POP_API const char *pop_type_name(pop_type type);
/* The type of a spelling ("unsigned int", "unsigned", "float", ...) or POP_TYPE_NULL. */
POP_API pop_type pop_type_by_name(const char *name);
/* Bytes of one element on the device (and in host buffers); 0 for values that are not types. */
POP_API size_t pop_type_size(pop_type type);
POP_API bool pop_type_is_floating_point(pop_type type); /* Whether the type is float, half, double or quarter. */
POP_API bool pop_type_is_integral(pop_type type);       /* bool counts as integral */
POP_API bool pop_type_is_signed(pop_type type);         /* Whether the type has negative values. */
/* False for types that no device supports: long, unsigned long, double. */
POP_API bool pop_type_is_supported(pop_type type);

/* IEEE half (raw bits) and float; conversions round to nearest even. */
POP_API uint16_t pop_half_from_float(float value);
POP_API uint16_t pop_half_from_double(double value); /* one rounding */
POP_API float pop_half_to_float(uint16_t bits);      /* The value of half bits; exact. */
/* Converts count floats to half, rounding to nearest even; `to` receives 2 bytes for each. */
POP_API void pop_copy_float_to_device_half(const float *from, void *to, size_t count);
/* Converts count halves (2 bytes each) to float; exact. */
POP_API void pop_copy_device_half_to_float(const void *from, float *to, size_t count);

/* Convert count elements from one type to another, with C's conversion rules; bool is value != 0; half rounds to
 * nearest even. from_type and to_type may be any type, POP_DOUBLE included.  Buffers may be unaligned and must not
 * overlap.  QUARTER has no value without metadata: conversions to and from it give 0 (quarter.h has its own). */
POP_API void pop_convert(pop_type from_type, const void *from, pop_type to_type, void *to, size_t count);

POP_END_DECLS
#endif
