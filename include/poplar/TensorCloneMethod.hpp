// SPDX-License-Identifier: Apache-2.0
// The properties that a clone keeps: memory order of elements, and aliases.
#ifndef POPLAR_TENSOR_CLONE_METHOD_HPP
#define POPLAR_TENSOR_CLONE_METHOD_HPP

namespace poplar
{

// What a clone keeps of a tensor's layout.
enum class TensorCloneMethod {
    PRESERVE_ORDER_AND_ALIASES,
    CREATE_NEW_ORDER,
    PRESERVE_ORDER_UNLESS_ALIASES,
    GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES
};

// The layout of cloneN's clones: one after another, or interleaved by contiguous region of a tile.
enum class TensorCloneDuplicationMethod { DUPLICATE_BY_OUTER_DIMENSION, DUPLICATE_BY_TILE_CONTIGUOUS_REGION };

inline const char *toString(TensorCloneMethod value)
{
    switch (value) {
    case TensorCloneMethod::PRESERVE_ORDER_AND_ALIASES:
        return "PRESERVE_ORDER_AND_ALIASES";
    case TensorCloneMethod::CREATE_NEW_ORDER:
        return "CREATE_NEW_ORDER";
    case TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES:
        return "PRESERVE_ORDER_UNLESS_ALIASES";
    case TensorCloneMethod::GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES:
        return "GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES";
    }
    return "";
}
inline const char *toString(TensorCloneDuplicationMethod value)
{
    switch (value) {
    case TensorCloneDuplicationMethod::DUPLICATE_BY_OUTER_DIMENSION:
        return "DUPLICATE_BY_OUTER_DIMENSION";
    case TensorCloneDuplicationMethod::DUPLICATE_BY_TILE_CONTIGUOUS_REGION:
        return "DUPLICATE_BY_TILE_CONTIGUOUS_REGION";
    }
    return "";
}

} // namespace poplar
#endif
