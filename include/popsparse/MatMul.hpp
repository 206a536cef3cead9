// SPDX-License-Identifier: Apache-2.0
// Products of a sparse and a dense matrix (popsparse/mat_mul.h, popsparse/static_mat_mul.h).
#ifndef POPSPARSE_MAT_MUL_HPP
#define POPSPARSE_MAT_MUL_HPP

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <popsparse/MatMulParams.hpp>
#include <popsparse/PlanningCache.hpp>
#include <popsparse/SparseStorageFormats.hpp>
#include <popsparse/SparseTensor.hpp>
#include <popsparse/detail/host_matrix.hpp>
#include <popsparse/mat_mul.h>
#include <popsparse/static_mat_mul.h>
#include <poputil/detail/call.hpp>

namespace popsparse
{
namespace dynamic
{

// New variables for the sparse matrix, without contents.
inline SparseTensor createSparseDenseMatMulLHS(poplar::Graph &graph, const poplar::Type &inputType,
                                               const MatMulParams &params,
                                               const poplar::DebugContext &debugContext = {},
                                               const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr)
{
    const popsparse_dynamic_sparse_tensor made = popsparse_dynamic_create_sparse_dense_mat_mul_lhs_at(
        poplar::detail::where(debugContext), graph.c(), inputType.c(), &params.c(), poplar::detail::name(debugContext),
        poplar::detail::Options(options), detail::cache(cache));
    poputil::detail::check(graph.c());
    return SparseTensor(made);
}
// A new dense {groups, k, n}.
inline poplar::Tensor createSparseDenseMatMulRHS(poplar::Graph &graph, const poplar::Type &inputType,
                                                 const MatMulParams &params,
                                                 const poplar::DebugContext &debugContext = {},
                                                 const poplar::OptionFlags &options = {},
                                                 PlanningCache *cache = nullptr)
{
    return poputil::detail::give(graph.c(), popsparse_dynamic_create_sparse_dense_mat_mul_rhs_at(
                                                poplar::detail::where(debugContext), graph.c(), inputType.c(),
                                                &params.c(), poplar::detail::name(debugContext),
                                                poplar::detail::Options(options), detail::cache(cache)));
}
// {groups, m, k} times {groups, k, n}; transposeLHS: the transposed sparse matrix times {groups, m, n}.
inline poplar::Tensor sparseDenseMatMul(poplar::Graph &graph, const SparseTensor &lhs, const poplar::Tensor &rhs,
                                        poplar::program::Sequence &prog, bool transposeLHS = false,
                                        bool transposeRHS = false, const poplar::DebugContext &debugContext = {},
                                        const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr)
{
    return poputil::detail::give(
        graph.c(), popsparse_dynamic_sparse_dense_mat_mul_at(poplar::detail::where(debugContext), graph.c(), lhs.c(),
                                                             rhs.c(), prog.cToGrow(graph.c()), transposeLHS,
                                                             transposeRHS, poplar::detail::name(debugContext),
                                                             poplar::detail::Options(options), detail::cache(cache)));
}

} // namespace dynamic

namespace static_
{

// A new sparse operand for sparse x dense. The matrix of another type than float or double is refused.
template <typename T>
SparseTensor createSparseDenseMatMulLHS(poplar::Graph &graph, const poplar::Type &inputType, const MatMulParams &params,
                                        const CSRMatrix<T> &csrMatrix, const poplar::DebugContext &debugContext = {},
                                        const poplar::OptionFlags &options = {},
                                        PlanningCache *cache = nullptr) = delete;
// The sparse {m, k} for sparse x dense, with the pattern of a matrix of float; its values are not read, and the
// operand's are undefined until the host writes them.
template <>
inline SparseTensor createSparseDenseMatMulLHS<float>(poplar::Graph &graph, const poplar::Type &inputType,
                                                      const MatMulParams &params, const CSRMatrix<float> &csrMatrix,
                                                      const poplar::DebugContext &debugContext,
                                                      const poplar::OptionFlags &options, PlanningCache *cache)
{
    const popsparse_static_sparse_tensor made = popsparse_static_create_sparse_dense_mat_mul_lhs_at(
        poplar::detail::where(debugContext), graph.c(), inputType.c(), &params.c(), detail::HostMatrix(csrMatrix).c(),
        poplar::detail::name(debugContext), poplar::detail::Options(options), detail::cache(cache));
    poputil::detail::check(graph.c());
    return SparseTensor(made);
}
// The sparse {m, k} for sparse x dense, with the pattern of a matrix of double; its values are not read, and the
// operand's are undefined until the host writes them.
template <>
inline SparseTensor createSparseDenseMatMulLHS<double>(poplar::Graph &graph, const poplar::Type &inputType,
                                                       const MatMulParams &params, const CSRMatrix<double> &csrMatrix,
                                                       const poplar::DebugContext &debugContext,
                                                       const poplar::OptionFlags &options, PlanningCache *cache)
{
    const popsparse_static_sparse_tensor made = popsparse_static_create_sparse_dense_mat_mul_lhs_at(
        poplar::detail::where(debugContext), graph.c(), inputType.c(), &params.c(), detail::HostMatrix(csrMatrix).c(),
        poplar::detail::name(debugContext), poplar::detail::Options(options), detail::cache(cache));
    poputil::detail::check(graph.c());
    return SparseTensor(made);
}

// A new sparse operand for dense x sparse. The matrix of another type than float or double is refused.
template <typename T>
SparseTensor createDenseSparseMatMulRHS(poplar::Graph &graph, const poplar::Type &inputType, const MatMulParams &params,
                                        const CSRMatrix<T> &csrMatrix, const poplar::DebugContext &debugContext = {},
                                        const poplar::OptionFlags &options = {},
                                        PlanningCache *cache = nullptr) = delete;
// The sparse {k, m} for dense x sparse, with the pattern of a matrix of float; its values are not read, and the
// operand's are undefined until the host writes them.
template <>
inline SparseTensor createDenseSparseMatMulRHS<float>(poplar::Graph &graph, const poplar::Type &inputType,
                                                      const MatMulParams &params, const CSRMatrix<float> &csrMatrix,
                                                      const poplar::DebugContext &debugContext,
                                                      const poplar::OptionFlags &options, PlanningCache *cache)
{
    const popsparse_static_sparse_tensor made = popsparse_static_create_dense_sparse_mat_mul_rhs_at(
        poplar::detail::where(debugContext), graph.c(), inputType.c(), &params.c(), detail::HostMatrix(csrMatrix).c(),
        poplar::detail::name(debugContext), poplar::detail::Options(options), detail::cache(cache));
    poputil::detail::check(graph.c());
    return SparseTensor(made);
}
// The sparse {k, m} for dense x sparse, with the pattern of a matrix of double; its values are not read, and the
// operand's are undefined until the host writes them.
template <>
inline SparseTensor createDenseSparseMatMulRHS<double>(poplar::Graph &graph, const poplar::Type &inputType,
                                                       const MatMulParams &params, const CSRMatrix<double> &csrMatrix,
                                                       const poplar::DebugContext &debugContext,
                                                       const poplar::OptionFlags &options, PlanningCache *cache)
{
    const popsparse_static_sparse_tensor made = popsparse_static_create_dense_sparse_mat_mul_rhs_at(
        poplar::detail::where(debugContext), graph.c(), inputType.c(), &params.c(), detail::HostMatrix(csrMatrix).c(),
        poplar::detail::name(debugContext), poplar::detail::Options(options), detail::cache(cache));
    poputil::detail::check(graph.c());
    return SparseTensor(made);
}

// A new dense {1, k, n} for sparse x dense. The matrix of another type than float or double is refused.
template <typename T>
poplar::Tensor
createSparseDenseMatMulRHS(poplar::Graph &graph, const poplar::Type &inputType, const MatMulParams &params,
                           const CSRMatrix<T> &csrMatrix, const poplar::DebugContext &debugContext = {},
                           const poplar::OptionFlags options = {}, PlanningCache *cache = nullptr) = delete;
// The dense {1, k, n} for sparse x dense, with the layout that the plan for the pattern of a matrix of float needs; its
// values are not read.
template <>
inline poplar::Tensor createSparseDenseMatMulRHS<float>(poplar::Graph &graph, const poplar::Type &inputType,
                                                        const MatMulParams &params, const CSRMatrix<float> &csrMatrix,
                                                        const poplar::DebugContext &debugContext,
                                                        const poplar::OptionFlags options, PlanningCache *cache)
{
    return poputil::detail::give(graph.c(),
                                 popsparse_static_create_sparse_dense_mat_mul_rhs_at(
                                     poplar::detail::where(debugContext), graph.c(), inputType.c(), &params.c(),
                                     detail::HostMatrix(csrMatrix).c(), poplar::detail::name(debugContext),
                                     poplar::detail::Options(options), detail::cache(cache)));
}
// The dense {1, k, n} for sparse x dense, with the layout that the plan for the pattern of a matrix of double needs;
// its values are not read.
template <>
inline poplar::Tensor createSparseDenseMatMulRHS<double>(poplar::Graph &graph, const poplar::Type &inputType,
                                                         const MatMulParams &params, const CSRMatrix<double> &csrMatrix,
                                                         const poplar::DebugContext &debugContext,
                                                         const poplar::OptionFlags options, PlanningCache *cache)
{
    return poputil::detail::give(graph.c(),
                                 popsparse_static_create_sparse_dense_mat_mul_rhs_at(
                                     poplar::detail::where(debugContext), graph.c(), inputType.c(), &params.c(),
                                     detail::HostMatrix(csrMatrix).c(), poplar::detail::name(debugContext),
                                     poplar::detail::Options(options), detail::cache(cache)));
}

// A new dense {1, n, k} for dense x sparse. The matrix of another type than float or double is refused.
template <typename T>
poplar::Tensor
createDenseSparseMatMulLHS(poplar::Graph &graph, const poplar::Type &inputType, const MatMulParams &params,
                           const CSRMatrix<T> &csrMatrix, const poplar::DebugContext &debugContext = {},
                           const poplar::OptionFlags options = {}, PlanningCache *cache = nullptr) = delete;
// The dense {1, n, k} for dense x sparse, with the layout that the plan for the pattern of a matrix of float needs; its
// values are not read.
template <>
inline poplar::Tensor createDenseSparseMatMulLHS<float>(poplar::Graph &graph, const poplar::Type &inputType,
                                                        const MatMulParams &params, const CSRMatrix<float> &csrMatrix,
                                                        const poplar::DebugContext &debugContext,
                                                        const poplar::OptionFlags options, PlanningCache *cache)
{
    return poputil::detail::give(graph.c(),
                                 popsparse_static_create_dense_sparse_mat_mul_lhs_at(
                                     poplar::detail::where(debugContext), graph.c(), inputType.c(), &params.c(),
                                     detail::HostMatrix(csrMatrix).c(), poplar::detail::name(debugContext),
                                     poplar::detail::Options(options), detail::cache(cache)));
}
// The dense {1, n, k} for dense x sparse, with the layout that the plan for the pattern of a matrix of double needs;
// its values are not read.
template <>
inline poplar::Tensor createDenseSparseMatMulLHS<double>(poplar::Graph &graph, const poplar::Type &inputType,
                                                         const MatMulParams &params, const CSRMatrix<double> &csrMatrix,
                                                         const poplar::DebugContext &debugContext,
                                                         const poplar::OptionFlags options, PlanningCache *cache)
{
    return poputil::detail::give(graph.c(),
                                 popsparse_static_create_dense_sparse_mat_mul_lhs_at(
                                     poplar::detail::where(debugContext), graph.c(), inputType.c(), &params.c(),
                                     detail::HostMatrix(csrMatrix).c(), poplar::detail::name(debugContext),
                                     poplar::detail::Options(options), detail::cache(cache)));
}

// sparse {m, k} times dense {1, k, n}.
inline poplar::Tensor sparseDenseMatMul(poplar::Graph &graph, const SparseTensor &lhs, const poplar::Tensor &rhs,
                                        poplar::program::Sequence &prog, bool transposeLHS = false,
                                        bool transposeRHS = false, const poplar::DebugContext &debugContext = {},
                                        const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr)
{
    return poputil::detail::give(
        graph.c(), popsparse_static_sparse_dense_mat_mul_at(poplar::detail::where(debugContext), graph.c(), lhs.c(),
                                                            rhs.c(), prog.cToGrow(graph.c()), transposeLHS,
                                                            transposeRHS, poplar::detail::name(debugContext),
                                                            poplar::detail::Options(options), detail::cache(cache)));
}
// dense {1, n, k} times sparse {k, m}.
inline poplar::Tensor denseSparseMatMul(poplar::Graph &graph, const poplar::Tensor &lhs, const SparseTensor &rhs,
                                        poplar::program::Sequence &prog, bool transposeLHS = false,
                                        bool transposeRHS = false, const poplar::DebugContext &debugContext = {},
                                        const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr)
{
    return poputil::detail::give(
        graph.c(), popsparse_static_dense_sparse_mat_mul_at(poplar::detail::where(debugContext), graph.c(), lhs.c(),
                                                            rhs.c(), prog.cToGrow(graph.c()), transposeLHS,
                                                            transposeRHS, poplar::detail::name(debugContext),
                                                            poplar::detail::Options(options), detail::cache(cache)));
}

} // namespace static_
} // namespace popsparse
#endif
