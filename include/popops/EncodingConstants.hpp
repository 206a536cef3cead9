// SPDX-License-Identifier: Apache-2.0
// Constants that encodings and losses share; macros, because programs use them as such.
#ifndef POPOPS_ENCODING_CONSTANTS_HPP
#define POPOPS_ENCODING_CONSTANTS_HPP

// The label of a row that losses ignore.
#define MASKED_LABEL_CODE 0xFFFFFFFFU
// The smallest normal numbers: losses take the logarithm of nothing smaller.
#define EPS_LOG_N_FLOAT (1.17549435e-38f)
#define EPS_LOG_N_HALF  (6.10351562e-05f)
// The factor of scaled softmax: nearly the largest half.
#define SOFTMAX_SCALING (62000.0f)

#endif
