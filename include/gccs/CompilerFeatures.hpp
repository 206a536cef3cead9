// SPDX-License-Identifier: Apache-2.0
// Attributes by macros.
#ifndef GCCS_COMPILER_FEATURES_HPP
#define GCCS_COMPILER_FEATURES_HPP

// Marks a declaration as deprecated, with advice.
#define GC_DEPRECATED(advice) __attribute__((deprecated(advice)))

#endif
