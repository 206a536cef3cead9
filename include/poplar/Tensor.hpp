// SPDX-License-Identifier: Apache-2.0
// Tensors: immutable views of variables.  Copying a tensor or taking a view copies no data.
#ifndef POPLAR_TENSOR_HPP
#define POPLAR_TENSOR_HPP

#include <poplar/ArrayRef.hpp>
#include <poplar/Interval.hpp>
#include <poplar/Type.hpp>
#include <poplar/UpsampleMethod.hpp>
#include <poplar/VariableRef.hpp>
#include <poplar/detail/compiled.hpp>
#include <poplar/detail/error.hpp>
#include <poplar/detail/list.hpp>
#include <poplar/tensor.h>

#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <ostream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace poplar
{

// A view of elements of variables. A value: the graph owns the variables.
class POP_API Tensor
{
    typedef detail::Where Where; // the line of the call, filled in by the compiler

  public:
    Tensor() : tensor()
    {
    }
    // A tensor of the C interface.
    explicit Tensor(const pop_tensor &from);
    Tensor(const Tensor &other);
    Tensor(Tensor &&other) noexcept : tensor(other.tensor)
    {
        other.tensor.store = nullptr, other.tensor.source = other.tensor.form = 0;
    }
    Tensor &operator=(const Tensor &other);
    Tensor &operator=(Tensor &&other) noexcept
    {
        detail::exchange(tensor, other.tensor);
        return *this;
    }
    ~Tensor()
    {
        release();
    }
    const pop_tensor &c() const
    {
        return tensor;
    } // the C interface's

    bool valid() const
    {
        return tensor.store != nullptr;
    }
    // Type of the elements.
    Type elementType() const;
    std::size_t numElements() const;
    unsigned rank() const;
    std::vector<std::size_t> shape() const;
    std::size_t dim(unsigned i, Where where = Where::here()) const;

    // Views.
    Tensor operator[](const detail::Index &i) const
    {
        return view(pop_tensor_at_at, i.where, tensor, i.value);
    }
    Tensor index(ArrayRef<std::size_t> indices, Where where = Where::here()) const;
    Tensor slice(std::size_t begin, std::size_t end, unsigned dimension = 0, Where where = Where::here()) const;
    Tensor slice(const Interval &region, unsigned dimension = 0, Where where = Where::here()) const;
    Tensor slice(ArrayRef<std::size_t> begin, ArrayRef<std::size_t> end, Where where = Where::here()) const;
    std::vector<Tensor> slices(ArrayRef<Interval> intervals, unsigned dimension = 0, Where where = Where::here()) const;
    std::vector<Tensor> slices(std::initializer_list<Interval> intervals, unsigned dimension = 0,
                               Where where = Where::here()) const;
    // One tensor for each inner list: the concatenation of its slices.
    std::vector<Tensor> slices(const std::vector<std::vector<Interval>> &lists, unsigned dimension = 0,
                               Where where = Where::here()) const;
    std::vector<Tensor> slices(std::initializer_list<std::vector<Interval>> lists, unsigned dimension = 0,
                               Where where = Where::here()) const;
    // One slice of extent 1 for each index.
    std::vector<Tensor> slices(ArrayRef<unsigned> indices, unsigned dimension = 0, Where where = Where::here()) const;
    Tensor flatten(Where where = Where::here()) const;
    Tensor flatten(unsigned dimBegin, unsigned dimEnd, Where where = Where::here()) const;
    Tensor reshape(ArrayRef<std::size_t> shape, Where where = Where::here()) const;
    Tensor reshapePartial(unsigned beginIndex, unsigned endIndex, ArrayRef<std::size_t> newDims,
                          Where where = Where::here()) const;
    Tensor dimShuffle(ArrayRef<unsigned> permutation, Where where = Where::here()) const;
    Tensor dimShufflePartial(ArrayRef<unsigned> source, ArrayRef<unsigned> destination,
                             Where where = Where::here()) const;
    Tensor dimRoll(unsigned dimIdx, unsigned newIdx = 0, Where where = Where::here()) const;
    Tensor transpose(Where where = Where::here()) const;
    Tensor expand(ArrayRef<std::size_t> indices, Where where = Where::here()) const;
    Tensor squeeze(ArrayRef<std::size_t> indices, Where where = Where::here()) const;
    Tensor broadcast(unsigned times, unsigned dimension, Where where = Where::here()) const;
    Tensor upsample(unsigned scale, unsigned dimension, UpsampleMethod = UpsampleMethod::REPEAT,
                    Where where = Where::here()) const;
    Tensor subSample(unsigned stride, unsigned dimension, Where where = Where::here()) const;
    Tensor reverse(unsigned dimension, Where where = Where::here()) const;
    Tensor reinterpret(const Type &type, Where where = Where::here()) const;

    // Coverage and aliases.
    std::vector<Interval> getContiguousRegions() const;
    std::vector<VariableInterval> getVarRegions() const;
    bool isContiguous() const;
    bool containsAliases() const;
    bool containsConstant() const;
    bool isParallelWriteable() const;
    // Whether the tensors share an element.
    bool intersectsWith(const Tensor &other) const;
    // The value of a constant whose elements are equal, converted to T; returns false for other tensors.
    template <typename T> bool getConstantValue(T *value) const
    {
        double real = 0;
        int64_t whole = 0;
        if (std::is_floating_point<T>::value ? !pop_tensor_constant_double(tensor, &real)
                                             : !pop_tensor_constant_int64(tensor, &whole))
            return false;
        *value = std::is_floating_point<T>::value ? static_cast<T>(real) : static_cast<T>(whole);
        return true;
    }

    // Whether the tensor has metadata, the format and scale of 8-bit floats: QUARTER tensors have.
    bool hasMetadata() const
    {
        return pop_tensor_has_metadata(tensor);
    }
    // The metadata, one element of shape {}; tensor_metadata_error for other types.
    Tensor getMetadata(Where where = Where::here()) const
    {
        return view(pop_tensor_get_metadata_at, where, tensor);
    }
    // Makes the tensor's variables share another metadata element, for all of their views; returns the tensor.
    Tensor associateMetadata(const Tensor &metadata, Where where = Where::here()) const
    {
        return view(pop_tensor_associate_metadata_at, where, tensor, metadata.c());
    }

    // Text.
    std::string shapeToString() const;
    std::string getDebugStr() const;
    std::string getVarStr() const; // the regions only
    // Prints what getDebugStr returns to standard error.
    void dump() const;
    // Prints what getVarStr returns to standard error.
    void dumpRegions() const;
    // Writes what getDebugStr returns.
    void output(std::ostream &out) const;
    // Writes what getVarStr returns.
    void outputRegions(std::ostream &out) const;

    friend POP_API bool operator==(const Tensor &a, const Tensor &b);
    friend bool operator!=(const Tensor &a, const Tensor &b)
    {
        return !(a == b);
    }
    friend POP_API std::ostream &operator<<(std::ostream &out, const Tensor &t);

  private:
    // The result of a C call, constructed in place; an error is in the graph.  The location is assembled here: a copy
    // of the whole struct would stall on store forwarding.
    template <typename... Parameters, typename... Arguments>
    Tensor(pop_store *store, pop_tensor (*call)(Parameters...), const char *file, int line,
           const Arguments &...arguments)
        : tensor(call(pop_where{ file, line, 0 }, arguments...))
    {
        if (!tensor.store)
            detail::raiseFrom(pop_store_graph(store), pop_where{ file, line, 0 });
        retain();
    }
    // Most views have no reference-counted node.
    void retain() const
    {
        if (pop_tensor_has_node(&tensor))
            pop_tensor_retain(&tensor);
    }
    void release() const
    {
        if (pop_tensor_has_node(&tensor))
            pop_tensor_release(&tensor);
    }
    template <typename Call, typename... Arguments>
    [[gnu::always_inline]] Tensor view(Call *call, const Where &where, const Arguments &...arguments) const
    {
        return Tensor(tensor.store, call, where.file, where.line, arguments...);
    }
    std::vector<Tensor> give(bool done, std::vector<Tensor> &&results, const Where &where) const;
    std::string text(std::size_t (*write)(pop_tensor, char *, std::size_t)) const;

    pop_tensor tensor;
};

namespace detail
{

// A list of tensors has the layout of a C array.
static_assert(sizeof(Tensor) == sizeof(pop_tensor) && std::is_standard_layout<Tensor>::value,
              "a Tensor is a pop_tensor");
inline pop_tensors tensors(ArrayRef<Tensor> list)
{
    pop_tensors c = { list.size(), reinterpret_cast<const pop_tensor *>(list.data()) };
    return c;
}

} // namespace detail

// Concatenates tensors along a dimension.
POP_API Tensor concat(ArrayRef<Tensor> tensors, unsigned dimension = 0, detail::Where where = detail::Where::here());
POP_API Tensor concat(const Tensor &first, const Tensor &second, unsigned dimension = 0,
                      detail::Where where = detail::Where::here());
// Appends second as one more element of a dimension of first.
POP_API Tensor append(const Tensor &first, const Tensor &second, unsigned dimension,
                      detail::Where where = detail::Where::here());
POP_API Tensor append(const Tensor &first, const Tensor &second, detail::Where where = detail::Where::here());

} // namespace poplar

#ifdef TREMULA_HEADER_ONLY
#include <poplar/impl/Tensor.hpp>
#endif
#endif
