// SPDX-License-Identifier: Apache-2.0
// Numbers that encodings and losses share; macros, as programs use them.
#ifndef POPOPS_ENCODING_CONSTANTS_HPP
#define POPOPS_ENCODING_CONSTANTS_HPP

// A label of a row that is not to be counted.
#define MASKED_LABEL_CODE 0xFFFFFFFFU
// The smallest normal numbers: the least that losses take the logarithm of.
#define EPS_LOG_N_FLOAT (1.17549435e-38f)
#define EPS_LOG_N_HALF  (6.10351562e-05f)
// What scaled softmax multiplies with: nearly the largest half.
#define SOFTMAX_SCALING (62000.0f)

#endif
