// SPDX-License-Identifier: Apache-2.0
// Sparse operands on the device (popsparse/sparse_tensor.h, popsparse/static_mat_mul.h).
#ifndef POPSPARSE_SPARSE_TENSOR_HPP
#define POPSPARSE_SPARSE_TENSOR_HPP

#include <poplar/Tensor.hpp>
#include <popsparse/sparse_tensor.h>
#include <popsparse/static_mat_mul.h>
#include <poputil/TensorMetaData.hpp>

#include <string>

namespace popsparse
{
namespace detail
{

// What a sparse operation notes about an operand: which operation it is, and the pattern of a static one.
class OpMetaData : public poputil::TensorMetaDataBase
{
  public:
    OpMetaData(const char *op_, const pop_tensor &pattern_) : op(op_), pattern(pattern_)
    {
    }
    // Null where there is none, or another library's.
    static const OpMetaData *of(const poputil::TensorMetaData &data)
    {
        return dynamic_cast<const OpMetaData *>(data.getData());
    }
    static poputil::TensorMetaData make(const char *op, const pop_tensor &pattern)
    {
        return op ? poputil::TensorMetaData(std::unique_ptr<poputil::TensorMetaDataBase>(new OpMetaData(op, pattern)))
                  : poputil::TensorMetaData();
    }
    std::string op;
    poplar::Tensor pattern;
};

} // namespace detail

namespace dynamic
{

// An operand whose pattern the host writes: both tensors have rank 1.  Made of plain tensors, it works for any
// fully connected layer that they fit; products want the meta-data of a created operand.
class SparseTensor
{
  public:
    SparseTensor() = default;
    SparseTensor(const SparseTensor &other) = default;
    SparseTensor &operator=(const SparseTensor &other) = default;
    // Of two tensors of rank 1: the pattern, UNSIGNED_SHORT, and the values. Products refuse an operand without meta-
    // data (poplar_error).
    SparseTensor(const poplar::Tensor &metaInfo, const poplar::Tensor &nzValues,
                 const poputil::TensorMetaData &opMetaData = {})
        : info(metaInfo), values(nzValues), data(opMetaData)
    {
    }
    // Of the C interface's operand; the name of its operation is copied.
    explicit SparseTensor(const popsparse_dynamic_sparse_tensor &from)
        : info(from.meta_info), values(from.nz_values), data(detail::OpMetaData::make(from.op, pop_tensor()))
    {
    }

    // The pattern: rank 1, written with a partitioner's metaInfo.
    const poplar::Tensor &getMetaInfoTensor() const
    {
        return info;
    }
    // The values: rank 1, HALF or FLOAT, written with a partitioner's nzValues.
    const poplar::Tensor &getNzValuesTensor() const
    {
        return values;
    }
    // The operation that the operand was created for; empty for one made of plain tensors.
    const poputil::TensorMetaData &getOpMetaData() const
    {
        return data;
    }
    // The C interface's; it borrows the text.
    popsparse_dynamic_sparse_tensor c() const
    {
        const detail::OpMetaData *notes = detail::OpMetaData::of(data);
        const popsparse_dynamic_sparse_tensor made = { info.c(), values.c(), notes ? notes->op.c_str() : nullptr };
        return made;
    }

  private:
    poplar::Tensor info, values;
    poputil::TensorMetaData data;
};

} // namespace dynamic

namespace static_
{

// An operand whose pattern is known when the graph is built: its values, of rank 1, and the meta-data of the call that
// created it, which has the pattern.
class SparseTensor
{
  public:
    SparseTensor() = default;
    SparseTensor(const SparseTensor &other) = default;
    SparseTensor &operator=(const SparseTensor &other) = default;
    // Of values of rank 1 and the meta-data of an operand that was created, which has the pattern. Products refuse an
    // operand without it (poplar_error).
    SparseTensor(const poplar::Tensor &nzValues, const poputil::TensorMetaData &opMetaData = {})
        : values(nzValues), data(opMetaData)
    {
    }
    // Of the C interface's operand; the name of its operation is copied.
    explicit SparseTensor(const popsparse_static_sparse_tensor &from)
        : values(from.nz_values), data(detail::OpMetaData::make(from.op, from.pattern))
    {
    }

    // The values: rank 1, HALF or FLOAT, written with a partitioner's nzValues.
    const poplar::Tensor &getNzValuesTensor() const
    {
        return values;
    }
    // The product that the operand was created for, and its pattern; empty for one made of a plain tensor.
    const poputil::TensorMetaData &getOpMetaData() const
    {
        return data;
    }
    // The C interface's; it borrows the text.
    popsparse_static_sparse_tensor c() const
    {
        const detail::OpMetaData *notes = detail::OpMetaData::of(data);
        const popsparse_static_sparse_tensor made = { values.c(), notes ? notes->pattern.c() : pop_tensor(),
                                                      notes ? notes->op.c_str() : nullptr };
        return made;
    }

  private:
    poplar::Tensor values;
    poputil::TensorMetaData data;
};

} // namespace static_
} // namespace popsparse
#endif
