// SPDX-License-Identifier: Apache-2.0
// gccs::ArrayRef, a view of elements: poplar::ArrayRef by another name.
#ifndef GCCS_ARRAY_REF_HPP
#define GCCS_ARRAY_REF_HPP

#include <poplar/ArrayRef.hpp>

#endif
