// SPDX-License-Identifier: Apache-2.0
// What reports say of an operator: everything that its lowering creates is below its record in debug.cbor.
#ifndef FRAMEWORK_DEBUG_INFO_HPP
#define FRAMEWORK_DEBUG_INFO_HPP

#include "ir.hpp"

#include <poplar/DebugContext.hpp>

namespace framework
{

// Keep it until the engine has ended: its end writes the record.
class OpDebugInfo : public poplar::DebugInfo
{
  public:
    OpDebugInfo(const Ir &ir, const Op &op);
};

} // namespace framework
#endif
