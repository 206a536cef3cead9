// SPDX-License-Identifier: Apache-2.0
// Enumerations of custom floats (popfloat/gfloat.h).
#ifndef POPFLOAT_EXPERIMENTAL_GFLOAT_EXPR_HPP
#define POPFLOAT_EXPERIMENTAL_GFLOAT_EXPR_HPP

namespace popfloat
{
namespace experimental
{

// Rounding modes (popfloat_round).
enum class RoundType { INV, RZ, RN, RA, RU, RD, SR, SX };

// How a format is represented (popfloat_format_type).
enum class FormatType {
    INVALID_FORMAT,
    IEEE_FP16,
    QUANTISED_FP32,
    QUANTISED_FP16,
    MIN_NORM_ALIGN_GF8,
    ONE_FIVE_TWO_GF8,
    MAX_NORM_ALIGN_GF8,
    BFLOAT16,
    NO_DENORM_GF16,
    ENABLE_DENORM_GF16
};

// Densities of noise (popfloat_density).
enum class SRDensityType {
    INVALID,
    UNIFORM,
    NORMAL,
    TRUNCATED_NORMAL,
    BERNOULLI,
    LOGISTIC,
    TRUNCATED_LOGISTIC,
    LAPLACE,
    TRUNCATED_LAPLACE,
    LOGIT_NORMAL,
    TRUNCATED_LOGIT_NORMAL
};

// Types that a caller may ask for (popfloat_spec).
enum class SpecType { FP32, BF16, FP16, INT8, INT16, INT32, AUTO };

} // namespace experimental
} // namespace popfloat
#endif
