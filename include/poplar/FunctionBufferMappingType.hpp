// SPDX-License-Identifier: Apache-2.0
// The location of a function's code.
#ifndef POPLAR_FUNCTION_BUFFER_MAPPING_TYPE_HPP
#define POPLAR_FUNCTION_BUFFER_MAPPING_TYPE_HPP

namespace poplar
{

// Where a function buffer's code is kept.
enum class FunctionBufferMappingType {
    REMOTE // in the host's memory
};

} // namespace poplar
#endif
