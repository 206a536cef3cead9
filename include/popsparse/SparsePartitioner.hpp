// SPDX-License-Identifier: Apache-2.0
// Converts sparse matrices of the host to the contents of sparse operands, and back (popsparse/sparse_partitioner.h,
// popsparse/static_mat_mul.h).
#ifndef POPSPARSE_SPARSE_PARTITIONER_HPP
#define POPSPARSE_SPARSE_PARTITIONER_HPP

#include <poplar/OptionFlags.hpp>
#include <poplar/Target.hpp>
#include <poplar/Type.hpp>
#include <popsparse/FullyConnectedParams.hpp>
#include <popsparse/MatMulParams.hpp>
#include <popsparse/PlanningCache.hpp>
#include <popsparse/SparseStorageFormats.hpp>
#include <popsparse/detail/host_matrix.hpp>
#include <popsparse/sparse_partitioner.h>
#include <popsparse/static_mat_mul.h>
#include <poputil/detail/call.hpp>

#include <array>
#include <string>
#include <vector>

namespace popsparse
{
namespace dynamic
{

// What is written to the tensors of an operand: the pattern, whose numbers have 16 bits, and the values.
template <typename T> struct SparsityDataImpl {
    std::vector<std::size_t> metaInfo; // the pattern; each number fits into 16 bits
    std::vector<T> nzValues;           // the values, with zeros where buckets are not full
};

// A partitioner for operations with the same parameters and options. T: float or double. Not copyable.
template <typename T> class Partitioner
{
    typedef poputil::detail::Where Where;

  public:
    // A partitioner for a fully connected layer. dataType, HALF or FLOAT, and the options are those of the layer, whose
    // plan it makes again, or finds in the cache. Errors: poplar_error, type_error, invalid_option.
    Partitioner(const FullyConnectedParams &params, const poplar::Type &dataType, const poplar::Target &target,
                const poplar::OptionFlags &options, PlanningCache *cache = {}, std::string name = "",
                Where where = Where::here())
    {
        pop_error error;
        partitioner = popsparse_dynamic_partitioner_create_at(where, &params.c(), dataType.c(), &target.c(),
                                                              poplar::detail::Options(options), detail::cache(cache),
                                                              name.c_str(), &error);
        if (!partitioner)
            poputil::detail::raise(error);
    }
    // A partitioner for a product of matrices, with the type and options of the product.
    Partitioner(const MatMulParams &params, const poplar::Type &dataType, const poplar::Target &target,
                const poplar::OptionFlags &options, PlanningCache *cache = {}, std::string name = "",
                Where where = Where::here())
    {
        pop_error error;
        partitioner = popsparse_dynamic_partitioner_create_mat_mul_at(where, &params.c(), dataType.c(), &target.c(),
                                                                      poplar::detail::Options(options),
                                                                      detail::cache(cache), name.c_str(), &error);
        if (!partitioner)
            poputil::detail::raise(error);
    }
    Partitioner(const Partitioner &) = delete;
    Partitioner &operator=(const Partitioner &) = delete;
    ~Partitioner()
    {
        popsparse_dynamic_partitioner_destroy(partitioner);
    }

    // Entries can be in any order; two at one place are an error, and more than there is place for ("Overflow in
    // buckets").
    SparsityDataImpl<T> createSparsityDataImpl(const CSCMatrix<T> &matrix, Where where = Where::here()) const
    {
        return create(matrix, where);
    }
    SparsityDataImpl<T> createSparsityDataImpl(const CSRMatrix<T> &matrix, Where where = Where::here()) const
    {
        return create(matrix, where);
    }
    SparsityDataImpl<T> createSparsityDataImpl(const COOMatrix<T> &matrix, Where where = Where::here()) const
    {
        return create(matrix, where);
    }
    // The matrix of an operand's contents, sorted.
    COOMatrix<T> sparsityDataImplToCOOMatrix(const SparsityDataImpl<T> &data, Where where = Where::here()) const
    {
        return back<COOMatrix<T>>(data, POPSPARSE_COO, where);
    }
    // The matrix of an operand's contents, sorted by rows, with the size {groups x rows, columns}.
    CSRMatrix<T> sparsityDataImplToCSRMatrix(const SparsityDataImpl<T> &data, Where where = Where::here()) const
    {
        return back<CSRMatrix<T>>(data, POPSPARSE_CSR, where);
    }
    // The matrix of an operand's contents, sorted by columns, with the size {groups x rows, columns}.
    CSCMatrix<T> sparsityDataImplToCSCMatrix(const SparsityDataImpl<T> &data, Where where = Where::here()) const
    {
        return back<CSCMatrix<T>>(data, POPSPARSE_CSC, where);
    }

    // The first row, column and batch element of each of the plan's partitions.
    std::array<std::vector<std::size_t>, 3> getPlanPartitions() const
    {
        std::array<std::vector<std::size_t>, 3> partitions;
        for (unsigned i = 0; i < 3; ++i) {
            partitions[i].resize(popsparse_dynamic_partitioner_get_plan_partitions(partitioner, i, nullptr, 0));
            popsparse_dynamic_partitioner_get_plan_partitions(partitioner, i, partitions[i].data(),
                                                              partitions[i].size());
        }
        return partitions;
    }
    // Elements of a bucket's pattern.
    std::size_t getmetaInfoBucketElements() const
    {
        return popsparse_dynamic_partitioner_get_meta_info_bucket_elements(partitioner);
    }

  private:
    template <typename Matrix> SparsityDataImpl<T> create(const Matrix &matrix, Where where) const
    {
        popsparse_sparsity_data data;
        pop_error error;
        if (popsparse_dynamic_partitioner_create_sparsity_data_at(where, partitioner, detail::HostMatrix(matrix).c(),
                                                                  &data, &error) != POP_OK)
            poputil::detail::raise(error);
        SparsityDataImpl<T> made = { std::vector<std::size_t>(data.meta_info, data.meta_info + data.num_meta_info),
                                     detail::takeValues<T>(data) };
        popsparse_sparsity_data_free(&data);
        return made;
    }
    template <typename Matrix> Matrix back(const SparsityDataImpl<T> &data, popsparse_format format, Where where) const
    {
        std::vector<double> values(data.nzValues.begin(), data.nzValues.end());
        const popsparse_sparsity_data given = { data.metaInfo.size(), values.size(),
                                                const_cast<std::size_t *>(data.metaInfo.data()), values.data() };
        popsparse_matrix matrix;
        pop_error error;
        if (popsparse_dynamic_partitioner_sparsity_data_to_matrix_at(where, partitioner, &given, format, &matrix,
                                                                     &error) != POP_OK)
            poputil::detail::raise(error);
        return detail::takeMatrix<T, Matrix>(matrix);
    }
    popsparse_dynamic_partitioner *partitioner;
};

} // namespace dynamic

namespace static_
{

// What is written to the tensor of an operand.
template <typename T> struct SparsityDataImpl {
    // Of the values in the operand's order, one for each element that it stores.
    explicit SparsityDataImpl(std::vector<T> values) : nzValues(std::move(values))
    {
    }
    std::vector<T> nzValues; // the values, in the operand's order
};

// A partitioner for a product's values. T: float or double. It keeps the last pattern. Not copyable.
template <typename T> class Partitioner
{
    typedef poputil::detail::Where Where;

  public:
    // A partitioner for a product, with its type, HALF or FLOAT, and its options. Errors: poplar_error,
    // type_error, invalid_option.
    Partitioner(const MatMulParams &params, const poplar::Type &dataType, const poplar::Target &target,
                const poplar::OptionFlags &options, PlanningCache *cache = {}, std::string name = "",
                Where where = Where::here())
    {
        pop_error error;
        partitioner = popsparse_static_partitioner_create_at(where, &params.c(), dataType.c(), &target.c(),
                                                             poplar::detail::Options(options), detail::cache(cache),
                                                             name.c_str(), &error);
        if (!partitioner)
            poputil::detail::raise(error);
    }
    Partitioner(const Partitioner &) = delete;
    Partitioner &operator=(const Partitioner &) = delete;
    ~Partitioner()
    {
        popsparse_static_partitioner_destroy(partitioner);
    }

    // The values of a matrix in the operand's order. The pattern is kept for the way back, and has to be that of the
    // matrix that created the operand. Entries can be in any order; two at one place are an error (poplar_error).
    SparsityDataImpl<T> createSparsityDataImpl(const CSCMatrix<T> &matrix, Where where = Where::here()) const
    {
        return create(matrix, where);
    }
    SparsityDataImpl<T> createSparsityDataImpl(const CSRMatrix<T> &matrix, Where where = Where::here()) const
    {
        return create(matrix, where);
    }
    SparsityDataImpl<T> createSparsityDataImpl(const COOMatrix<T> &matrix, Where where = Where::here()) const
    {
        return create(matrix, where);
    }
    // The matrix of these values with the last pattern, sorted.
    COOMatrix<T> sparsityDataImplToCOOMatrix(const SparsityDataImpl<T> &data, Where where = Where::here()) const
    {
        return back<COOMatrix<T>>(data, POPSPARSE_COO, where);
    }
    // The matrix of these values with the last pattern, sorted by rows, with its size. Error, poplar_error: another
    // number of values than the pattern has.
    CSRMatrix<T> sparsityDataImplToCSRMatrix(const SparsityDataImpl<T> &data, Where where = Where::here()) const
    {
        return back<CSRMatrix<T>>(data, POPSPARSE_CSR, where);
    }
    // The matrix of these values with the last pattern, sorted by columns, with its size. Error, poplar_error: another
    // number of values than the pattern has.
    CSCMatrix<T> sparsityDataImplToCSCMatrix(const SparsityDataImpl<T> &data, Where where = Where::here()) const
    {
        return back<CSCMatrix<T>>(data, POPSPARSE_CSC, where);
    }

  private:
    template <typename Matrix> SparsityDataImpl<T> create(const Matrix &matrix, Where where) const
    {
        popsparse_sparsity_data data;
        pop_error error;
        if (popsparse_static_partitioner_create_sparsity_data_at(where, partitioner, detail::HostMatrix(matrix).c(),
                                                                 &data, &error) != POP_OK)
            poputil::detail::raise(error);
        SparsityDataImpl<T> made(detail::takeValues<T>(data));
        popsparse_sparsity_data_free(&data);
        return made;
    }
    template <typename Matrix> Matrix back(const SparsityDataImpl<T> &data, popsparse_format format, Where where) const
    {
        std::vector<double> values(data.nzValues.begin(), data.nzValues.end());
        const popsparse_sparsity_data given = { 0, values.size(), nullptr, values.data() };
        popsparse_matrix matrix;
        pop_error error;
        if (popsparse_static_partitioner_sparsity_data_to_matrix_at(where, partitioner, &given, format, &matrix,
                                                                    &error) != POP_OK)
            poputil::detail::raise(error);
        return detail::takeMatrix<T, Matrix>(matrix);
    }
    popsparse_static_partitioner *partitioner;
};

} // namespace static_
} // namespace popsparse
#endif
