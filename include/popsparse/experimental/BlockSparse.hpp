// SPDX-License-Identifier: Apache-2.0
// Softmax over the rows of block-sparse matrices (popsparse/experimental/block_sparse.h).
#ifndef POPSPARSE_EXPERIMENTAL_BLOCK_SPARSE_HPP
#define POPSPARSE_EXPERIMENTAL_BLOCK_SPARSE_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <popsparse/experimental/block_sparse.h>
#include <poputil/detail/call.hpp>

#include <array>
#include <vector>

namespace popsparse
{
namespace experimental
{

// Elements of blocks on the diagonal that count as absent.
enum class SubBlockMask {
    None = POPSPARSE_SUB_BLOCK_MASK_NONE,
    ZeroUpperTriangle = POPSPARSE_SUB_BLOCK_MASK_ZERO_UPPER_TRIANGLE,
    ZeroLowerTriangle = POPSPARSE_SUB_BLOCK_MASK_ZERO_LOWER_TRIANGLE
};

namespace detail
{
inline popsparse_experimental_block_matrix blockMatrix(const std::array<int, 2> &dim,
                                                       const std::array<int, 2> &blockSize,
                                                       const std::vector<unsigned char> &sparsity,
                                                       std::size_t numGroups)
{
    const popsparse_experimental_block_matrix made = {
        { static_cast<std::size_t>(dim[0]), static_cast<std::size_t>(dim[1]) },
        { static_cast<std::size_t>(blockSize[0]), static_cast<std::size_t>(blockSize[1]) },
        sparsity.data(),
        sparsity.size(),
        numGroups
    };
    return made;
}
// As many groups as the mask has masks of one.
inline std::size_t groupsOf(const std::array<int, 2> &dim, const std::array<int, 2> &blockSize, std::size_t bytes)
{
    const std::size_t one = blockSize[0] > 0 && blockSize[1] > 0 ? static_cast<std::size_t>(dim[0] / blockSize[0]) *
                                                                       static_cast<std::size_t>(dim[1] / blockSize[1])
                                                                 : 0;
    return one && bytes >= one ? bytes / one : 1;
}
} // namespace detail

// Softmax of each row over the blocks that exist: a new tensor.
inline poplar::Tensor bsSoftmax(poplar::Graph &graph, poplar::Tensor sparseTensor, const std::array<int, 2> &dim,
                                const std::array<int, 2> &blockSize, const std::vector<unsigned char> &sparsity,
                                SubBlockMask subBlockMaskType, unsigned numGroups, poplar::program::Sequence &prog,
                                const poplar::DebugContext &debugContext = {})
{
    const popsparse_experimental_block_matrix matrix = detail::blockMatrix(dim, blockSize, sparsity, numGroups);
    return poputil::detail::give(
        graph.c(),
        popsparse_experimental_bs_softmax_at(poplar::detail::where(debugContext), graph.c(), sparseTensor.c(), &matrix,
                                             static_cast<popsparse_experimental_sub_block_mask>(subBlockMaskType),
                                             prog.cToGrow(graph.c()), poplar::detail::name(debugContext)));
}
// The form of release 1.2, for one group.
inline poplar::Tensor bsSoftmax(poplar::Graph &graph, poplar::Tensor sparseTensor, const std::array<int, 2> &dim,
                                const std::array<int, 2> &blockSize, const std::vector<unsigned char> &sparsity,
                                SubBlockMask subBlockMaskType, poplar::program::Sequence &prog,
                                const poplar::DebugContext &debugContext = {})
{
    return bsSoftmax(graph, sparseTensor, dim, blockSize, sparsity, subBlockMaskType, 1, prog, debugContext);
}
// Replaces the tensor by its softmax.
inline void bsSoftmaxInPlace(poplar::Graph &graph, poplar::Tensor sparseTensor, const std::array<int, 2> &dim,
                             const std::array<int, 2> &blockSize, const std::vector<unsigned char> &sparsity,
                             SubBlockMask subBlockMaskType, unsigned numGroups, poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {})
{
    const popsparse_experimental_block_matrix matrix = detail::blockMatrix(dim, blockSize, sparsity, numGroups);
    popsparse_experimental_bs_softmax_in_place_at(poplar::detail::where(debugContext), graph.c(), sparseTensor.c(),
                                                  &matrix,
                                                  static_cast<popsparse_experimental_sub_block_mask>(subBlockMaskType),
                                                  prog.cToGrow(graph.c()), poplar::detail::name(debugContext));
    poputil::detail::check(graph.c());
}
// The form of release 1.2, for one group.
inline void bsSoftmaxInPlace(poplar::Graph &graph, poplar::Tensor sparseTensor, const std::array<int, 2> &dim,
                             const std::array<int, 2> &blockSize, const std::vector<unsigned char> &sparsity,
                             SubBlockMask subBlockMaskType, poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {})
{
    bsSoftmaxInPlace(graph, sparseTensor, dim, blockSize, sparsity, subBlockMaskType, 1, prog, debugContext);
}
// The gradient of a softmax's input, from its result and the gradient of that.
inline poplar::Tensor bsSoftmaxGrad(poplar::Graph &graph, poplar::Tensor sparseOut, poplar::Tensor sparseOutGrad,
                                    const std::array<int, 2> &dim, const std::array<int, 2> &blockSize,
                                    const std::vector<unsigned char> &sparsity, poplar::program::Sequence &prog,
                                    const poplar::DebugContext &debugContext = {})
{
    const popsparse_experimental_block_matrix matrix =
        detail::blockMatrix(dim, blockSize, sparsity, detail::groupsOf(dim, blockSize, sparsity.size()));
    return poputil::detail::give(graph.c(),
                                 popsparse_experimental_bs_softmax_grad_at(
                                     poplar::detail::where(debugContext), graph.c(), sparseOut.c(), sparseOutGrad.c(),
                                     &matrix, prog.cToGrow(graph.c()), poplar::detail::name(debugContext)));
}

} // namespace experimental
} // namespace popsparse
#endif
