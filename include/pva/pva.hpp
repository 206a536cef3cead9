// SPDX-License-Identifier: Apache-2.0
/// libpva in C++: report files and trace files as objects whose properties are methods. <pva/model.def> describes the
/// properties, <pva/pva.h> how files are read.
///
/// Objects are values; they keep their file open. Lists are vector-like, and elements are read on access: size(), [],
/// begin() and end(). Failures throw pva::Error.
#ifndef PVA_PVA_HPP
#define PVA_PVA_HPP

#include <pva/report.hpp>
#include <pva/trace.hpp>

// Existing programs rely on these includes.
#include <algorithm>
#include <iomanip>
#include <iostream>

namespace pva
{
/// Namespace of older versions.
namespace preview
{
using namespace pva;
}
} // namespace pva

#endif
