// SPDX-License-Identifier: Apache-2.0
// Products with block-sparse matrices (popsparse/experimental/block_sparse_mat_mul.h).
#ifndef POPSPARSE_EXPERIMENTAL_BLOCK_SPARSE_MAT_MUL_HPP
#define POPSPARSE_EXPERIMENTAL_BLOCK_SPARSE_MAT_MUL_HPP

#include <poplar/OptionFlags.hpp>
#include <popsparse/experimental/BlockSparse.hpp>
#include <popsparse/experimental/block_sparse_mat_mul.h>

#include <utility>

namespace popsparse
{
namespace experimental
{

// A product {m, k} x {k, n} with a mask of blocks.  dim and blockSize are those of m, k and n.  Can be moved, not
// copied.
class BSMatMulParams
{
  public:
    // dense x sparse = dense; rhsNeedTranspose: the sparse matrix and its mask are given as {n, k}.
    BSMatMulParams(const std::array<int, 3> &dim, const std::array<int, 3> &blockSize,
                   const std::vector<unsigned char> &rhsSparsity, bool rhsNeedTranspose, poplar::Type inDataType,
                   poplar::Type outDataType, poplar::Type partialDataType, unsigned numGroupsIn = 1)
        : mask(rhsSparsity), params()
    {
        set(dim, blockSize, numGroupsIn);
        params.rhs_need_transpose = rhsNeedTranspose;
        setTypes(inDataType, outDataType, partialDataType);
    }
    // dense x dense = sparse.
    BSMatMulParams(const std::array<int, 3> &dim, const std::array<int, 3> &blockSize,
                   const std::vector<unsigned char> &resSparsity, poplar::Type inDataType, poplar::Type outDataType,
                   poplar::Type partialDataType, SubBlockMask subBlockMask = SubBlockMask::None,
                   unsigned numGroupsIn = 1)
        : mask(resSparsity), params()
    {
        set(dim, blockSize, numGroupsIn);
        params.sparse_result = true;
        params.sub_block_mask = static_cast<popsparse_experimental_sub_block_mask>(subBlockMask);
        setTypes(inDataType, outDataType, partialDataType);
    }
    BSMatMulParams(BSMatMulParams &&other) : mask(std::move(other.mask)), params(other.params)
    {
    }
    BSMatMulParams(const BSMatMulParams &) = delete;
    BSMatMulParams &operator=(const BSMatMulParams &) = delete;

    // The C interface's; it borrows the mask.
    popsparse_experimental_bs_mat_mul_params c() const
    {
        popsparse_experimental_bs_mat_mul_params made = params;
        made.mask = mask.data();
        made.mask_size = mask.size();
        return made;
    }

  private:
    void set(const std::array<int, 3> &dim, const std::array<int, 3> &blockSize, unsigned numGroups)
    {
        for (std::size_t i = 0; i < 3; ++i) {
            params.dim[i] = static_cast<std::size_t>(dim[i]);
            params.block_size[i] = static_cast<std::size_t>(blockSize[i]);
        }
        params.num_groups = numGroups;
    }
    void setTypes(const poplar::Type &in, const poplar::Type &out, const poplar::Type &partials)
    {
        params.in_type = in.c();
        params.out_type = out.c();
        params.partials_type = partials.c();
    }
    std::vector<unsigned char> mask;
    popsparse_experimental_bs_mat_mul_params params;
};

// A new left operand {groups x m, k}.
inline poplar::Tensor createBSMatMulInputLHS(poplar::Graph &graph, const BSMatMulParams &bsMatMul,
                                             const poplar::DebugContext &debugContext,
                                             const poplar::OptionFlags &options = {})
{
    const popsparse_experimental_bs_mat_mul_params params = bsMatMul.c();
    return poputil::detail::give(graph.c(), popsparse_experimental_create_bs_mat_mul_input_lhs_at(
                                                poplar::detail::where(debugContext), graph.c(), &params,
                                                poplar::detail::name(debugContext), poplar::detail::Options(options)));
}
// A new right operand: {groups x k, n}, or {present blocks, elements of a block}.
inline poplar::Tensor createBSMatMulInputRHS(poplar::Graph &graph, const BSMatMulParams &bsMatMul,
                                             const poplar::DebugContext &debugContext,
                                             const poplar::OptionFlags &options = {})
{
    const popsparse_experimental_bs_mat_mul_params params = bsMatMul.c();
    return poputil::detail::give(graph.c(), popsparse_experimental_create_bs_mat_mul_input_rhs_at(
                                                poplar::detail::where(debugContext), graph.c(), &params,
                                                poplar::detail::name(debugContext), poplar::detail::Options(options)));
}
// The product: {groups x m, n}, or {present blocks, elements of a block}.
inline poplar::Tensor bsMatMul(poplar::Graph &graph, const BSMatMulParams &bsMatMulParams,
                               poplar::program::Sequence &prog, const poplar::Tensor &lhsMatrix,
                               const poplar::Tensor &rhsMatrix, const poplar::OptionFlags &options = {},
                               const poplar::DebugContext &debugContext = {})
{
    const popsparse_experimental_bs_mat_mul_params params = bsMatMulParams.c();
    return poputil::detail::give(graph.c(), popsparse_experimental_bs_mat_mul_at(
                                                poplar::detail::where(debugContext), graph.c(), &params,
                                                prog.cToGrow(graph.c()), lhsMatrix.c(), rhsMatrix.c(),
                                                poplar::detail::Options(options), poplar::detail::name(debugContext)));
}

} // namespace experimental
} // namespace popsparse
#endif
