// SPDX-License-Identifier: Apache-2.0
// The parameters of products of a sparse and a dense matrix (popsparse/mat_mul_params.h).
#ifndef POPSPARSE_MAT_MUL_PARAMS_HPP
#define POPSPARSE_MAT_MUL_PARAMS_HPP

#include <popsparse/SparsityParams.hpp>
#include <popsparse/mat_mul_params.h>
#include <poputil/detail/call.hpp>

namespace popsparse
{
namespace dynamic
{

// sparse {groups, m, k} times dense {groups, k, n}.
class MatMulParams
{
    typedef poputil::detail::Where Where;

  public:
    MatMulParams() : params()
    {
    }
    // A sparse matrix that stores a share of its elements, 0 to 1.
    static MatMulParams createWithNzRatio(const SparsityParams &sparsityParams, double nzRatio, std::size_t numGroups,
                                          std::size_t m, std::size_t k, std::size_t n, Where where = Where::here())
    {
        return MatMulParams(
            sparsityParams,
            popsparse_dynamic_mat_mul_params_create_with_nz_ratio(sparsityParams.c(), nzRatio, numGroups, m, k, n),
            where);
    }
    // A sparse matrix that stores a number of elements, of all groups.
    static MatMulParams createWithNumNonZeroValues(const SparsityParams &sparsityParams, std::size_t numNonZeroElems,
                                                   std::size_t numGroups, std::size_t m, std::size_t k, std::size_t n,
                                                   Where where = Where::here())
    {
        return MatMulParams(sparsityParams,
                            popsparse_dynamic_mat_mul_params_create_with_num_non_zero_values(
                                sparsityParams.c(), numNonZeroElems, numGroups, m, k, n),
                            where);
    }

    // The blocks of the sparse matrix.
    const SparsityParams &getSparsityParams() const
    {
        return sparsity;
    }
    // Groups: independent products.
    std::size_t getNumGroups() const
    {
        return params.num_groups;
    }
    // Rows of the sparse matrix and of the result, of one group.
    std::size_t getM() const
    {
        return params.m;
    }
    // Columns of the sparse matrix and rows of the dense one, of one group.
    std::size_t getK() const
    {
        return params.k;
    }
    // Columns of the dense matrix and of the result, of one group.
    std::size_t getN() const
    {
        return params.n;
    }
    // The share of the sparse matrix that is stored, 0 to 1; of a product made with a number of values, that number
    // divided by all elements.
    double getNzRatio() const
    {
        return params.nz_ratio;
    }
    // Elements that are stored, of all groups; of a product made with a share, that share of all elements, rounded up.
    std::size_t getNumNonZeroValues() const
    {
        return params.num_non_zero_values;
    }
    // The parameters of the C interface, which this object owns.
    const popsparse_dynamic_mat_mul_params &c() const
    {
        return params;
    }

  private:
    MatMulParams(const SparsityParams &sparsityParams, const popsparse_dynamic_mat_mul_params &made, Where where)
        : sparsity(sparsityParams), params(made)
    {
        pop_error error;
        if (popsparse_dynamic_mat_mul_params_validate_at(where, &params, &error) != POP_OK)
            poputil::detail::raise(error);
    }
    SparsityParams sparsity;
    popsparse_dynamic_mat_mul_params params;
};

inline bool operator<(const MatMulParams &a, const MatMulParams &b)
{
    const popsparse_dynamic_mat_mul_params &p = a.c(), &q = b.c();
    return std::tie(a.getSparsityParams(), p.nz_ratio, p.num_non_zero_values, p.num_groups, p.m, p.k, p.n) <
           std::tie(b.getSparsityParams(), q.nz_ratio, q.num_non_zero_values, q.num_groups, q.m, q.k, q.n);
}
inline bool operator==(const MatMulParams &a, const MatMulParams &b)
{
    return !(a < b) && !(b < a);
}
inline bool operator!=(const MatMulParams &a, const MatMulParams &b)
{
    return !(a == b);
}
inline std::ostream &operator<<(std::ostream &out, const MatMulParams &p)
{
    return out << "{ sparsityParams: " << p.getSparsityParams() << ", nzRatio: " << p.getNzRatio()
               << ", numGroups: " << p.getNumGroups() << ", m: " << p.getM() << ", k: " << p.getK()
               << ", n: " << p.getN() << " }";
}

} // namespace dynamic

namespace static_
{

// A product with a pattern that is known when the graph is built.
class MatMulParams
{
  public:
    MatMulParams() : params()
    {
    }
    // sparse {groups, m, k} times dense {groups, k, n}.
    static MatMulParams createForSparseDense(std::size_t numGroups, std::size_t m, std::size_t k, std::size_t n)
    {
        return MatMulParams(popsparse_static_mat_mul_params_create_for_sparse_dense(numGroups, m, k, n));
    }
    // dense {groups, n, k} times sparse {groups, k, m}.
    static MatMulParams createForDenseSparse(std::size_t numGroups, std::size_t n, std::size_t k, std::size_t m)
    {
        return MatMulParams(popsparse_static_mat_mul_params_create_for_dense_sparse(numGroups, n, k, m));
    }

    // Groups; the calls take 1 only (poplar_error).
    std::size_t getNumGroups() const
    {
        return params.num_groups;
    }
    // The sparse matrix's size that is not summed over: its rows in sparse x dense, its columns in dense x sparse.
    std::size_t getM() const
    {
        return params.m;
    }
    // The size that is summed over.
    std::size_t getK() const
    {
        return params.k;
    }
    // The dense matrix's size that is not summed over: its columns in sparse x dense, its rows in dense x sparse.
    std::size_t getN() const
    {
        return params.n;
    }
    // Whether the dense matrix is on the left: true for createForDenseSparse.
    bool isTransposed() const
    {
        return params.transposed;
    }
    // The parameters of the C interface, which this object owns.
    const popsparse_static_mat_mul_params &c() const
    {
        return params;
    }

  private:
    explicit MatMulParams(const popsparse_static_mat_mul_params &made) : params(made)
    {
    }
    popsparse_static_mat_mul_params params;
};

inline bool operator<(const MatMulParams &a, const MatMulParams &b)
{
    const popsparse_static_mat_mul_params &p = a.c(), &q = b.c();
    return std::tie(p.num_groups, p.m, p.k, p.n, p.transposed) < std::tie(q.num_groups, q.m, q.k, q.n, q.transposed);
}
inline bool operator==(const MatMulParams &a, const MatMulParams &b)
{
    return !(a < b) && !(b < a);
}
inline bool operator!=(const MatMulParams &a, const MatMulParams &b)
{
    return !(a == b);
}
inline std::ostream &operator<<(std::ostream &out, const MatMulParams &p)
{
    return out << "{ numGroups: " << p.getNumGroups() << ", m: " << p.getM() << ", k: " << p.getK()
               << ", n: " << p.getN() << ", transposed: " << (p.isTransposed() ? "true" : "false") << " }";
}

} // namespace static_
} // namespace popsparse
#endif
