/* SPDX-License-Identifier: Apache-2.0 */
/* Custom floats: a sign, e bits of exponent and m of mantissa, with a bias, with or without denormals and infinities.
 * Their values are emulated in FLOAT or HALF, or packed into integers.
 *
 *     popfloat_format format = { 3, 4, 8, true, false };
 *     popfloat_cast cast;
 *     popfloat_choose_cast(&format, POPFLOAT_SPEC_AUTO, POPFLOAT_SPEC_AUTO, &cast);
 *     cast.rounding = (popfloat_rounding){ .mode = POPFLOAT_ROUND_RN };
 *     pop_tensor params = popfloat_create_params(graph, cast.calculation, popfloat_pack_format(&format), sequence,
 * NULL); pop_tensor q = popfloat_cast_native_to_gfloat(graph, t, params, &cast, sequence, NULL);
 *
 * Values: exponents are from 1 - bias to 2^e - 1 - bias, one less with infinities; with e = 0 there are only
 * denormals.  |x| is rounded to a multiple of its exponent's step, which with denormals is at least that of the least
 * exponent; without them, what is below the least normal value is 0.  What is then beyond the largest value is NaN with
 * nanoo, otherwise the largest value; so is an infinity without nanoo.  NaN stays NaN.  (The rules are those of
 * popfloat's public headers and codelets, release 3.4, which run on hardware only.)
 *
 * Packed: sign, exponent and mantissa in the low bits of SIGNED_CHAR or SHORT.  With infinities, an exponent of ones is
 * infinity or NaN; without them NaN is the code of minus zero, and there is no minus zero. */
#ifndef POPFLOAT_GFLOAT_H
#define POPFLOAT_GFLOAT_H

#include <poplar/graph.h>
#include <poplar/program.h>

/* Rounding: not set; to zero; to nearest, ties to even; to nearest, ties away from zero; up; down; stochastic with
 * uniform noise in the bits that are dropped; stochastic with noise of a density. */
typedef enum popfloat_round {
    POPFLOAT_ROUND_INV,
    POPFLOAT_ROUND_RZ,
    POPFLOAT_ROUND_RN,
    POPFLOAT_ROUND_RA,
    POPFLOAT_ROUND_RU,
    POPFLOAT_ROUND_RD,
    POPFLOAT_ROUND_SR,
    POPFLOAT_ROUND_SX,
    POPFLOAT_ROUNDS
} popfloat_round;

/* How a format is represented. */
typedef enum popfloat_format_type {
    POPFLOAT_INVALID_FORMAT,
    POPFLOAT_IEEE_FP16,
    POPFLOAT_QUANTISED_FP32,
    POPFLOAT_QUANTISED_FP16,
    POPFLOAT_MIN_NORM_ALIGN_GF8,
    POPFLOAT_ONE_FIVE_TWO_GF8,
    POPFLOAT_MAX_NORM_ALIGN_GF8,
    POPFLOAT_BFLOAT16,
    POPFLOAT_NO_DENORM_GF16,
    POPFLOAT_ENABLE_DENORM_GF16,
    POPFLOAT_FORMAT_TYPES
} popfloat_format_type;

/* Densities of the noise of POPFLOAT_ROUND_SX, in units of the step. */
typedef enum popfloat_density {
    POPFLOAT_DENSITY_INVALID,
    POPFLOAT_UNIFORM,
    POPFLOAT_NORMAL,
    POPFLOAT_TRUNCATED_NORMAL,
    POPFLOAT_BERNOULLI,
    POPFLOAT_LOGISTIC,
    POPFLOAT_TRUNCATED_LOGISTIC,
    POPFLOAT_LAPLACE,
    POPFLOAT_TRUNCATED_LAPLACE,
    POPFLOAT_LOGIT_NORMAL,
    POPFLOAT_TRUNCATED_LOGIT_NORMAL,
    POPFLOAT_DENSITIES
} popfloat_density;

/* Types that a caller may ask for. */
typedef enum popfloat_spec {
    POPFLOAT_SPEC_FP32,
    POPFLOAT_SPEC_BF16,
    POPFLOAT_SPEC_FP16,
    POPFLOAT_SPEC_INT8,
    POPFLOAT_SPEC_INT16,
    POPFLOAT_SPEC_INT32,
    POPFLOAT_SPEC_AUTO,
    POPFLOAT_SPECS
} popfloat_spec;

/* A format: at most 23 bits of mantissa and 8 of exponent. */
typedef struct popfloat_format {
    unsigned mantissa_bits, exponent_bits; /* bits of the mantissa without the leading 1; bits of the exponent */
    int bias;                              /* of the exponent: 0 to 255 */
    bool denormals, infinities; /* whether there are subnormal numbers; whether there are infinities and NaN */
} popfloat_format;

/* How values are rounded. */
typedef struct popfloat_rounding {
    popfloat_round mode;           /* how a value between two numbers of the format is rounded */
    bool nanoo;                    /* overflow is NaN */
    unsigned sr_bits;              /* random bits from the first below the unit of the calculation type's mantissa on */
    popfloat_density density;      /* of SX: noise is a sample x scale + offset, in [min, max] */
    float offset, scale, max, min; /* of SX */
    float bernoulli;               /* of SX and POPFLOAT_BERNOULLI: the probability that rounding is away from zero */
} popfloat_rounding;

/* The types of a cast, and how it rounds. */
typedef struct popfloat_cast {
    popfloat_format_type type;  /* which vertices cast */
    pop_type calculation;       /* HALF or FLOAT */
    pop_type native;            /* of values outside of the format: HALF or FLOAT */
    pop_type storage;           /* of values in the format: HALF, FLOAT, SIGNED_CHAR or SHORT */
    popfloat_rounding rounding; /* of the cast to the format */
} popfloat_cast;

enum { POPFLOAT_PARAMS = 29 }; /* elements of a parameter tensor */

POP_BEGIN_DECLS

/* Names: "RN", "QUANTISED_FP16", "TRUNCATED_NORMAL", "FP16"; "" for other numbers. */
POP_API const char *popfloat_round_name(popfloat_round round);
POP_API const char *popfloat_format_type_name(popfloat_format_type type);
POP_API const char *popfloat_density_name(popfloat_density density);
POP_API const char *popfloat_spec_name(popfloat_spec spec);
/* The element type of a spec; POP_TYPE_NULL for POPFLOAT_SPEC_AUTO, which has none. */
POP_API pop_type popfloat_spec_type(popfloat_spec spec);

/* Mantissa, exponent, bias, and flags (1 denormals, 2 infinities): a byte each, the first lowest; and the inverse. */
POP_API uint32_t popfloat_pack_format(const popfloat_format *format);
POP_API popfloat_format popfloat_unpack_format(uint32_t packed);
/* Chooses a cast's types; storage and native are what the caller asks for.  The rounding is not changed.  False when
 * the format has too many bits: "Invalid Gfloat format". */
POP_API bool popfloat_choose_cast(const popfloat_format *format, popfloat_spec storage, popfloat_spec native,
                                  popfloat_cast *cast);
/* The format with infinities off when it has no exponent. */
POP_API popfloat_format popfloat_effective_format(const popfloat_format *format);

/* A half's bits: nearest even, but 2^-25 becomes the least subnormal, and beyond the largest half a value becomes that
 * (0x7bff) with nanoo, otherwise the NaN 0xffe0, as popfloat's function of this name gives; a NaN stays one. */
POP_API uint16_t popfloat_single_to_half(float value, bool nanoo);
/* The value of a half's bits; NaN becomes 0x7fc00000, a signalling one 0x7f800001. */
POP_API float popfloat_half_to_single(uint16_t bits);

/* ---- devices: FLOAT and HALF tensors; type_error for others ---- */

/* Adds to a sequence, or a compute set: a new tensor of 29 INT on tile 0 with a format's parameters, from a number or
 * from one INT that the program computes. */
#define popfloat_create_params(...) popfloat_create_params_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor popfloat_create_params_at(pop_where where, pop_graph *graph, pop_type calculation, uint32_t packed,
                                             pop_program sequence, const char *name);
#define popfloat_create_params_in(...) popfloat_create_params_in_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor popfloat_create_params_in_at(pop_where where, pop_graph *graph, pop_type calculation,
                                                uint32_t packed, pop_compute_set set, const char *name);
#define popfloat_create_params_of(...) popfloat_create_params_of_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor popfloat_create_params_of_at(pop_where where, pop_graph *graph, pop_type calculation,
                                                pop_tensor packed, pop_program sequence, const char *name);
#define popfloat_create_params_of_in(...) popfloat_create_params_of_in_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor popfloat_create_params_of_in_at(pop_where where, pop_graph *graph, pop_type calculation,
                                                   pop_tensor packed, pop_compute_set set, const char *name);

/* Rounds a tensor to the format of params: a new tensor of the cast's storage type, mapped like in. */
#define popfloat_cast_native_to_gfloat(...) popfloat_cast_native_to_gfloat_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor popfloat_cast_native_to_gfloat_at(pop_where where, pop_graph *graph, pop_tensor in,
                                                     pop_tensor params, const popfloat_cast *cast, pop_program sequence,
                                                     const char *name);
#define popfloat_cast_native_to_gfloat_in(...) popfloat_cast_native_to_gfloat_in_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor popfloat_cast_native_to_gfloat_in_at(pop_where where, pop_graph *graph, pop_tensor in,
                                                        pop_tensor params, const popfloat_cast *cast,
                                                        pop_compute_set set, const char *name);
/* The cast to a format in place, whatever the storage type is. */
#define popfloat_cast_native_to_gfloat_in_place(...) popfloat_cast_native_to_gfloat_in_place_at(POP_HERE, __VA_ARGS__)
POP_API void popfloat_cast_native_to_gfloat_in_place_at(pop_where where, pop_graph *graph, pop_tensor in,
                                                        pop_tensor params, const popfloat_cast *cast,
                                                        pop_program sequence, const char *name);
#define popfloat_cast_native_to_gfloat_in_place_in(...)                                                                \
    popfloat_cast_native_to_gfloat_in_place_in_at(POP_HERE, __VA_ARGS__)
POP_API void popfloat_cast_native_to_gfloat_in_place_in_at(pop_where where, pop_graph *graph, pop_tensor in,
                                                           pop_tensor params, const popfloat_cast *cast,
                                                           pop_compute_set set, const char *name);
/* Values of the format as a new tensor of the native type: unpacks SIGNED_CHAR and SHORT, casts others. */
#define popfloat_cast_gfloat_to_native(...) popfloat_cast_gfloat_to_native_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor popfloat_cast_gfloat_to_native_at(pop_where where, pop_graph *graph, pop_tensor in,
                                                     pop_tensor params, const popfloat_cast *cast, pop_program sequence,
                                                     const char *name);
#define popfloat_cast_gfloat_to_native_in(...) popfloat_cast_gfloat_to_native_in_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor popfloat_cast_gfloat_to_native_in_at(pop_where where, pop_graph *graph, pop_tensor in,
                                                        pop_tensor params, const popfloat_cast *cast,
                                                        pop_compute_set set, const char *name);

POP_END_DECLS
#endif
