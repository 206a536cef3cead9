// SPDX-License-Identifier: Apache-2.0
// Constants that encodings and losses share; macros, because programs use them as such.
#ifndef POPOPS_ENCODING_CONSTANTS_HPP
#define POPOPS_ENCODING_CONSTANTS_HPP

// The label of a row that losses ignore.
#define MASKED_LABEL_CODE 0xFFFFFFFFU
// Cross entropy is -log(p + EPS_LOG_N): the smallest normal float and the smallest (subnormal) half.
#define EPS_LOG_N_FLOAT (1.17549435e-38f)
// What is added to a probability of HALF before its logarithm.
#define EPS_LOG_N_HALF (5.96046448e-08f)
// The factor of scaled softmax: nearly the largest half.
#define SOFTMAX_SCALING (62000.0f)

#endif
