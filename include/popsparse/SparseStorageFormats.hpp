// SPDX-License-Identifier: Apache-2.0
// Sparse matrices of the host (popsparse/sparse_storage_formats.h describes positions, offsets and the order of
// values).
#ifndef POPSPARSE_SPARSE_STORAGE_FORMATS_HPP
#define POPSPARSE_SPARSE_STORAGE_FORMATS_HPP

#include <poplar/detail/standard.hpp>

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace popsparse
{

// The size of the blocks of a matrix.
class Block
{
  public:
    // Rows of a block, in elements.
    std::size_t getNumRowsInBlock() const
    {
        return blockDimensions[0];
    }
    // Columns of a block, in elements.
    std::size_t getNumColumnsInBlock() const
    {
        return blockDimensions[1];
    }
    // Elements of a block: rows times columns.
    std::size_t getBlockSize() const
    {
        return blockDimensions[0] * blockDimensions[1];
    }
    // Rows and columns.
    std::array<std::size_t, 2> getBlockDimensions() const
    {
        return blockDimensions;
    }

  protected:
    explicit Block(const std::array<std::size_t, 2> &dimensions) : blockDimensions(dimensions)
    {
    }

  private:
    std::array<std::size_t, 2> blockDimensions;
};

// Coordinates: the row and the column of each block.
template <typename T> struct COOMatrix : public Block {
    typedef std::array<std::size_t, 2> BlockSize; // rows and columns of a block
    std::size_t numRows = 0;                      // 0: not known
    std::size_t numColumns = 0;                   // 0: not known
    std::vector<T> nzValues;                      // block after block; a block's row by row
    std::vector<std::size_t> columnIndices;       // the first column of each block
    std::vector<std::size_t> rowIndices;          // the first row of each block

    // A copy of these arrays, of a matrix whose size is that of the operation. Nothing is checked here: a partitioner
    // does (poplar_error).
    COOMatrix(const std::vector<T> &values, const std::vector<std::size_t> &columns,
              const std::vector<std::size_t> &rows, const BlockSize &block = { { 1, 1 } })
        : Block(block), nzValues(values), columnIndices(columns), rowIndices(rows)
    {
    }
    // A copy of these arrays, of a matrix of this size in elements.
    COOMatrix(std::size_t numRows_, std::size_t numColumns_, const std::vector<T> &values,
              const std::vector<std::size_t> &columns, const std::vector<std::size_t> &rows,
              const BlockSize &block = { { 1, 1 } })
        : Block(block), numRows(numRows_), numColumns(numColumns_), nzValues(values), columnIndices(columns),
          rowIndices(rows)
    {
    }
    // Takes these arrays, which are empty afterwards; the size is that of the operation.
    COOMatrix(std::vector<T> &&values, std::vector<std::size_t> &&columns, std::vector<std::size_t> &&rows,
              const BlockSize &block = { { 1, 1 } })
        : Block(block), nzValues(std::move(values)), columnIndices(std::move(columns)), rowIndices(std::move(rows))
    {
    }
    // Takes these arrays, which are empty afterwards, of a matrix of this size in elements.
    COOMatrix(std::size_t numRows_, std::size_t numColumns_, std::vector<T> &&values,
              std::vector<std::size_t> &&columns, std::vector<std::size_t> &&rows,
              const BlockSize &block = { { 1, 1 } })
        : Block(block), numRows(numRows_), numColumns(numColumns_), nzValues(std::move(values)),
          columnIndices(std::move(columns)), rowIndices(std::move(rows))
    {
    }
    // Room for so many values.
    COOMatrix(std::size_t numNZ, const BlockSize &block = { { 1, 1 } })
        : Block(block), nzValues(numNZ), columnIndices(numNZ / (block[0] * block[1])),
          rowIndices(numNZ / (block[0] * block[1]))
    {
    }
    // No arrays and no size yet: a matrix to fill.
    COOMatrix(const BlockSize &block = { { 1, 1 } }) : Block(block)
    {
    }
    COOMatrix(const COOMatrix &other) = default;
    COOMatrix &operator=(const COOMatrix &other) = default;
};

// Compressed columns: the row of each block, and offsets of columns.
template <typename T> struct CSCMatrix : public Block {
    typedef std::array<std::size_t, 2> BlockSize; // rows and columns of a block
    std::size_t numRows = 0;                      // 0: not known
    std::size_t numColumns = 0;                   // 0: not known
    std::vector<T> nzValues;                      // block after block; a block's row by row
    std::vector<std::size_t> columnIndices;       // columns / block columns + 1 offsets into nzValues
    std::vector<std::size_t> rowIndices;          // the first row of each block

    // A copy of these arrays, of a matrix whose size is that of the operation. Nothing is checked here: a partitioner
    // does (poplar_error).
    CSCMatrix(const std::vector<T> &values, const std::vector<std::size_t> &columns,
              const std::vector<std::size_t> &rows, const BlockSize &block = { { 1, 1 } })
        : Block(block), nzValues(values), columnIndices(columns), rowIndices(rows)
    {
    }
    // A copy of these arrays, of a matrix of this size in elements.
    CSCMatrix(std::size_t numRows_, std::size_t numColumns_, const std::vector<T> &values,
              const std::vector<std::size_t> &columns, const std::vector<std::size_t> &rows,
              const BlockSize &block = { { 1, 1 } })
        : Block(block), numRows(numRows_), numColumns(numColumns_), nzValues(values), columnIndices(columns),
          rowIndices(rows)
    {
    }
    // Takes these arrays, which are empty afterwards; the size is that of the operation.
    CSCMatrix(std::vector<T> &&values, std::vector<std::size_t> &&columns, std::vector<std::size_t> &&rows,
              const BlockSize &block = { { 1, 1 } })
        : Block(block), nzValues(std::move(values)), columnIndices(std::move(columns)), rowIndices(std::move(rows))
    {
    }
    // Takes these arrays, which are empty afterwards, of a matrix of this size in elements.
    CSCMatrix(std::size_t numRows_, std::size_t numColumns_, std::vector<T> &&values,
              std::vector<std::size_t> &&columns, std::vector<std::size_t> &&rows,
              const BlockSize &block = { { 1, 1 } })
        : Block(block), numRows(numRows_), numColumns(numColumns_), nzValues(std::move(values)),
          columnIndices(std::move(columns)), rowIndices(std::move(rows))
    {
    }
    // Room for so many values, of a matrix with so many columns.
    CSCMatrix(std::size_t numNZ, std::size_t numColumns_, const BlockSize &block = { { 1, 1 } })
        : Block(block), numColumns(numColumns_), nzValues(numNZ), columnIndices(numColumns_ / block[1] + 1),
          rowIndices(numNZ / (block[0] * block[1]))
    {
    }
    // No arrays and no size yet: a matrix to fill.
    CSCMatrix(const BlockSize &block = { { 1, 1 } }) : Block(block)
    {
    }
    CSCMatrix(const CSCMatrix &other) = default;
    CSCMatrix &operator=(const CSCMatrix &other) = default;
};

// Compressed rows: the column of each block, and offsets of rows.
template <typename T> struct CSRMatrix : public Block {
    typedef std::array<std::size_t, 2> BlockSize; // rows and columns of a block
    std::size_t numRows = 0;                      // 0: not known
    std::size_t numColumns = 0;                   // 0: not known
    std::vector<T> nzValues;                      // block after block; a block's row by row
    std::vector<std::size_t> columnIndices;       // the first column of each block
    std::vector<std::size_t> rowIndices;          // rows / block rows + 1 offsets into nzValues

    // A copy of these arrays, of a matrix whose size is that of the operation. Nothing is checked here: a partitioner
    // does (poplar_error).
    CSRMatrix(const std::vector<T> &values, const std::vector<std::size_t> &columns,
              const std::vector<std::size_t> &rows, const BlockSize &block = { { 1, 1 } })
        : Block(block), nzValues(values), columnIndices(columns), rowIndices(rows)
    {
    }
    // A copy of these arrays, of a matrix of this size in elements.
    CSRMatrix(std::size_t numRows_, std::size_t numColumns_, const std::vector<T> &values,
              const std::vector<std::size_t> &columns, const std::vector<std::size_t> &rows,
              const BlockSize &block = { { 1, 1 } })
        : Block(block), numRows(numRows_), numColumns(numColumns_), nzValues(values), columnIndices(columns),
          rowIndices(rows)
    {
    }
    // Takes these arrays, which are empty afterwards; the size is that of the operation.
    CSRMatrix(std::vector<T> &&values, std::vector<std::size_t> &&columns, std::vector<std::size_t> &&rows,
              const BlockSize &block = { { 1, 1 } })
        : Block(block), nzValues(std::move(values)), columnIndices(std::move(columns)), rowIndices(std::move(rows))
    {
    }
    // Takes these arrays, which are empty afterwards, of a matrix of this size in elements.
    CSRMatrix(std::size_t numRows_, std::size_t numColumns_, std::vector<T> &&values,
              std::vector<std::size_t> &&columns, std::vector<std::size_t> &&rows,
              const BlockSize &block = { { 1, 1 } })
        : Block(block), numRows(numRows_), numColumns(numColumns_), nzValues(std::move(values)),
          columnIndices(std::move(columns)), rowIndices(std::move(rows))
    {
    }
    // Room for so many values, of a matrix with so many rows.
    CSRMatrix(std::size_t numNZ, std::size_t numRows_, const BlockSize &block = { { 1, 1 } })
        : Block(block), numRows(numRows_), nzValues(numNZ), columnIndices(numNZ / (block[0] * block[1])),
          rowIndices(numRows_ / block[0] + 1)
    {
    }
    // No arrays and no size yet: a matrix to fill.
    CSRMatrix(const BlockSize &block = { { 1, 1 } }) : Block(block)
    {
    }
    CSRMatrix(const CSRMatrix &other) = default;
    CSRMatrix &operator=(const CSRMatrix &other) = default;
};

} // namespace popsparse
#endif
