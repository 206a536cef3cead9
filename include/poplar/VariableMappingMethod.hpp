// SPDX-License-Identifier: Apache-2.0
// How a new variable is mapped to tiles.
#ifndef POPLAR_VARIABLE_MAPPING_METHOD_HPP
#define POPLAR_VARIABLE_MAPPING_METHOD_HPP

namespace poplar
{

// Mapping of a new variable: on no tile, or evenly over all tiles.
enum class VariableMappingMethod {
    NONE,  // not at all
    LINEAR // evenly over all tiles, in the order of its elements
};

inline const char *toString(VariableMappingMethod value)
{
    switch (value) {
    case VariableMappingMethod::NONE:
        return "NONE";
    case VariableMappingMethod::LINEAR:
        return "LINEAR";
    }
    return "";
}

} // namespace poplar
#endif
