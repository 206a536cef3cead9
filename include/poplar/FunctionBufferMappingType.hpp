// SPDX-License-Identifier: Apache-2.0
// Where the code of a function is kept.
#ifndef POPLAR_FUNCTION_BUFFER_MAPPING_TYPE_HPP
#define POPLAR_FUNCTION_BUFFER_MAPPING_TYPE_HPP

namespace poplar
{

enum class FunctionBufferMappingType {
    REMOTE // in the host's memory
};

} // namespace poplar
#endif
