// SPDX-License-Identifier: Apache-2.0
// How the non-zero values of a sparse matrix are grouped (popsparse/sparsity_params.h).
#ifndef POPSPARSE_SPARSITY_PARAMS_HPP
#define POPSPARSE_SPARSITY_PARAMS_HPP

#include <poplar/detail/standard.hpp>
#include <popsparse/sparsity_params.h>

#include <array>
#include <cstddef>
#include <ostream>
#include <tuple>

namespace popsparse
{
namespace dynamic
{

// Single elements, or blocks that are absent or present as a whole.
enum class SparsityType { Element = POPSPARSE_SPARSITY_ELEMENT, Block = POPSPARSE_SPARSITY_BLOCK };
// Where non-zero values can be: anywhere.
enum class SparsityStructure { Unstructured = POPSPARSE_SPARSITY_UNSTRUCTURED };

inline std::ostream &operator<<(std::ostream &out, const SparsityType &type)
{
    return out << (type == SparsityType::Element ? "Element" : "Block");
}
inline std::ostream &operator<<(std::ostream &out, const SparsityStructure &)
{
    return out << "Unstructured";
}

// The kind of a sparse matrix. The type follows from the block: it is Element exactly for blocks of one element.
struct SparsityParams {
    SparsityType type;
    SparsityStructure structure;
    std::array<std::size_t, 2> blockDimensions; // rows and columns

    // Blocks of block[0] rows and block[1] columns. The type that is given is not read: it follows from the block.
    SparsityParams(SparsityType /*type*/ = SparsityType::Element,
                   SparsityStructure structure_ = SparsityStructure::Unstructured,
                   std::array<std::size_t, 2> block = { { 1, 1 } })
        : type(block[0] * block[1] == 1 ? SparsityType::Element : SparsityType::Block), structure(structure_),
          blockDimensions(block)
    {
    }
    SparsityParams(const SparsityParams &other) = default;
    SparsityParams &operator=(const SparsityParams &other) = default;

    popsparse_sparsity_params c() const
    {
        return popsparse_sparsity_params_make(blockDimensions[0], blockDimensions[1]);
    }
};

inline bool operator<(const SparsityParams &a, const SparsityParams &b)
{
    return std::tie(a.type, a.structure, a.blockDimensions) < std::tie(b.type, b.structure, b.blockDimensions);
}
inline bool operator==(const SparsityParams &a, const SparsityParams &b)
{
    return a.type == b.type && a.structure == b.structure && a.blockDimensions == b.blockDimensions;
}
inline bool operator!=(const SparsityParams &a, const SparsityParams &b)
{
    return !(a == b);
}
inline std::ostream &operator<<(std::ostream &out, const SparsityParams &p)
{
    return out << "{ type: " << p.type << ", structure: " << p.structure << ", block: " << p.blockDimensions[0] << "x"
               << p.blockDimensions[1] << " }";
}

} // namespace dynamic
} // namespace popsparse
#endif
