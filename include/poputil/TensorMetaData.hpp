// SPDX-License-Identifier: Apache-2.0
// What the call that created a tensor notes about it for later calls that take it.
#ifndef POPUTIL_TENSOR_META_DATA_HPP
#define POPUTIL_TENSOR_META_DATA_HPP

#include <poplar/detail/standard.hpp>

#include <memory>
#include <utility>

namespace poputil
{

// Base of the notes of a library.
class TensorMetaDataBase
{
  public:
    virtual ~TensorMetaDataBase() = default;
};

// Notes of any library, or none; copies share them.
class TensorMetaData
{
  public:
    TensorMetaData() = default;
    TensorMetaData(const TensorMetaData &) = default;
    TensorMetaData(TensorMetaData &&) = default;
    TensorMetaData &operator=(const TensorMetaData &) = default;
    TensorMetaData &operator=(TensorMetaData &&) = default;
    // Takes the notes of a library.
    explicit TensorMetaData(std::unique_ptr<TensorMetaDataBase> notes) : data(std::move(notes))
    {
    }
    // The notes; null when there are none.
    const TensorMetaDataBase *getData() const
    {
        return data.get();
    }

  private:
    std::shared_ptr<const TensorMetaDataBase> data;
};

} // namespace poputil
#endif
