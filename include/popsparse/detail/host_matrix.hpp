// SPDX-License-Identifier: Apache-2.0
// Matrices of the host between C++ and C (popsparse/sparse_storage_formats.h).
#ifndef POPSPARSE_DETAIL_HOST_MATRIX_HPP
#define POPSPARSE_DETAIL_HOST_MATRIX_HPP

#include <popsparse/SparseStorageFormats.hpp>
#include <popsparse/sparse_partitioner.h>
#include <popsparse/sparse_storage_formats.h>

#include <cstddef>
#include <type_traits>
#include <vector>

namespace popsparse
{
namespace detail
{

template <typename T> popsparse_format formatOf(const COOMatrix<T> &)
{
    return POPSPARSE_COO;
}
template <typename T> popsparse_format formatOf(const CSRMatrix<T> &)
{
    return POPSPARSE_CSR;
}
template <typename T> popsparse_format formatOf(const CSCMatrix<T> &)
{
    return POPSPARSE_CSC;
}

// A matrix in C's form, which borrows from it; values are copied where they are not double.
class HostMatrix
{
  public:
    template <typename Matrix>
    explicit HostMatrix(const Matrix &from) : values(from.nzValues.begin(), from.nzValues.end()), matrix()
    {
        matrix.format = formatOf(from);
        matrix.num_rows = from.numRows;
        matrix.num_columns = from.numColumns;
        matrix.block_dimensions[0] = from.getNumRowsInBlock();
        matrix.block_dimensions[1] = from.getNumColumnsInBlock();
        matrix.num_nz_values = values.size();
        matrix.num_row_indices = from.rowIndices.size();
        matrix.num_column_indices = from.columnIndices.size();
        matrix.nz_values = values.data();
        matrix.row_indices = const_cast<std::size_t *>(from.rowIndices.data());
        matrix.column_indices = const_cast<std::size_t *>(from.columnIndices.data());
    }
    HostMatrix(const HostMatrix &) = delete;
    HostMatrix &operator=(const HostMatrix &) = delete;
    const popsparse_matrix *c() const
    {
        return &matrix;
    }

  private:
    std::vector<double> values;
    popsparse_matrix matrix;
};

// Takes a result of the C interface.
template <typename T, typename Matrix> Matrix takeMatrix(popsparse_matrix &from)
{
    const typename Matrix::BlockSize block = { { from.block_dimensions[0], from.block_dimensions[1] } };
    Matrix made(block);
    made.numRows = from.num_rows;
    made.numColumns = from.num_columns;
    for (std::size_t i = 0; i < from.num_nz_values; ++i)
        made.nzValues.push_back(static_cast<T>(from.nz_values[i]));
    made.rowIndices.assign(from.row_indices, from.row_indices + from.num_row_indices);
    made.columnIndices.assign(from.column_indices, from.column_indices + from.num_column_indices);
    popsparse_matrix_free(&from);
    return made;
}
template <typename T> std::vector<T> takeValues(const popsparse_sparsity_data &data)
{
    std::vector<T> values;
    values.reserve(data.num_nz_values);
    for (std::size_t i = 0; i < data.num_nz_values; ++i)
        values.push_back(static_cast<T>(data.nz_values[i]));
    return values;
}

} // namespace detail
} // namespace popsparse
#endif
