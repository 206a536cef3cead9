// SPDX-License-Identifier: Apache-2.0
/// libpva in C++: what report files and trace files hold, as objects whose properties are methods.  What each property
/// is stands in <pva/model.def>; how files are read, in <pva/pva.h>.
///
/// Objects are values; they keep their file open.  Lists are like vectors that are read as they are used: size(), [],
/// begin() and end().  What fails throws pva::Error.
#ifndef PVA_PVA_HPP
#define PVA_PVA_HPP

#include <pva/report.hpp>
#include <pva/trace.hpp>

// Programs rely on these.
#include <algorithm>
#include <iomanip>
#include <iostream>

namespace pva
{
/// The namespace of older versions.
namespace preview
{
using namespace pva;
}
} // namespace pva

#endif
