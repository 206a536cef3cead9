// SPDX-License-Identifier: Apache-2.0
// Tensors: immutable views of variables.  A tensor is a value: copying one copies no data, and a view never copies either.
#ifndef POPLAR_TENSOR_HPP
#define POPLAR_TENSOR_HPP

#include <poplar/ArrayRef.hpp>
#include <poplar/Interval.hpp>
#include <poplar/Type.hpp>
#include <poplar/UpsampleMethod.hpp>
#include <poplar/VariableRef.hpp>
#include <poplar/detail/error.hpp>
#include <poplar/detail/list.hpp>
#include <poplar/tensor.h>

#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace poplar {

// Views are templates, though nobody gives them parameters: so those who do not call them do not compile them.
class Tensor {
    typedef detail::Where Where; // the user's line, filled in by the compiler

public:
    Tensor() : tensor() {}
    explicit Tensor(const pop_tensor &from) : tensor(from) { retain(); }
    Tensor(const Tensor &other) : tensor(other.tensor) { retain(); }
    Tensor(Tensor &&other) noexcept : tensor(other.tensor) { other.tensor.store = nullptr, other.tensor.source = other.tensor.form = 0; }
    Tensor &operator=(const Tensor &other)
    {
        other.retain();
        release();
        tensor = other.tensor;
        return *this;
    }
    Tensor &operator=(Tensor &&other) noexcept
    {
        detail::exchange(tensor, other.tensor);
        return *this;
    }
    ~Tensor() { release(); }
    const pop_tensor &c() const { return tensor; } // the C interface's

    bool valid() const { return tensor.store != nullptr; }
    Type elementType() const { return Type(pop_tensor_type(tensor)); }
    std::size_t numElements() const { return pop_tensor_num_elements(tensor); }
    unsigned rank() const { return static_cast<unsigned>(pop_tensor_rank(tensor)); }
    template <typename Dims = std::vector<std::size_t>> Dims shape() const
    {
        Dims dims(pop_tensor_rank(tensor));
        pop_tensor_shape(tensor, dims.data(), dims.size());
        return dims;
    }
    std::size_t dim(unsigned i, Where where = Where::here()) const
    {
        if (i >= rank())
            detail::raise(POP_INDEX_ERROR, where, "pop_tensor_dim",
                          "there is no dimension %u: the tensor's rank is %u", i, rank());
        return pop_tensor_dim(tensor, i);
    }

    // Views.
    template <int = 0> Tensor operator[](detail::Index i) const { return view(pop_tensor_at_at, i.where, tensor, i.value); }
    template <int = 0> Tensor index(ArrayRef<std::size_t> indices, Where where = Where::here()) const
    {
        return view(pop_tensor_index_at, where, tensor, detail::shape(indices));
    }
    template <int = 0> Tensor slice(std::size_t begin, std::size_t end, unsigned dimension = 0, Where where = Where::here()) const
    {
        return view(pop_tensor_slice_at, where, tensor, begin, end, dimension);
    }
    template <int = 0> Tensor slice(const Interval &region, unsigned dimension = 0, Where where = Where::here()) const
    {
        return slice(region.begin(), region.end(), dimension, where);
    }
    template <int = 0> Tensor slice(ArrayRef<std::size_t> begin, ArrayRef<std::size_t> end, Where where = Where::here()) const
    {
        return view(pop_tensor_slice_nd_at, where, tensor, detail::shape(begin), detail::shape(end));
    }
    template <typename List = std::vector<Tensor>>
    List slices(ArrayRef<Interval> intervals, unsigned dimension = 0, Where where = Where::here()) const
    {
        List parts;
        parts.reserve(intervals.size());
        for (const Interval &interval : intervals)
            parts.push_back(slice(interval, dimension, where));
        return parts;
    }
    template <typename List = std::vector<Tensor>>
    List slices(std::initializer_list<Interval> intervals, unsigned dimension = 0, Where where = Where::here()) const
    {
        return slices<List>(ArrayRef<Interval>(intervals.begin(), intervals.size()), dimension, where);
    }
    // One tensor for each inner list: its slices, joined.
    template <typename List = std::vector<Tensor>, typename Lists = std::vector<std::vector<Interval>>>
    List slices(const typename detail::Same<Lists>::type &lists, unsigned dimension = 0, Where where = Where::here()) const
    {
        List parts(lists.size());
        detail::IntervalLists c(lists);
        pop_interval_lists borrowed = c.c();
        return give(pop_tensor_slices_nested_at(where, tensor, &borrowed, dimension, array(parts)), std::move(parts), where);
    }
    template <typename List = std::vector<Tensor>, typename Lists = std::vector<std::vector<Interval>>>
    List slices(std::initializer_list<typename Lists::value_type> lists, unsigned dimension = 0, Where where = Where::here()) const
    {
        return slices<List, Lists>(Lists(lists), dimension, where);
    }
    // One slice of extent 1 for each index.
    template <typename List = std::vector<Tensor>>
    List slices(ArrayRef<unsigned> indices, unsigned dimension = 0, Where where = Where::here()) const
    {
        List parts(indices.size());
        return give(pop_tensor_slices_indices_at(where, tensor, detail::dims(indices), dimension, array(parts)), std::move(parts), where);
    }
    template <int = 0> Tensor flatten(Where where = Where::here()) const { return view(pop_tensor_flatten_at, where, tensor); }
    template <int = 0> Tensor flatten(unsigned dimBegin, unsigned dimEnd, Where where = Where::here()) const
    {
        return view(pop_tensor_flatten_dims_at, where, tensor, dimBegin, dimEnd);
    }
    template <int = 0> Tensor reshape(ArrayRef<std::size_t> shape, Where where = Where::here()) const
    {
        return view(pop_tensor_reshape_at, where, tensor, detail::shape(shape));
    }
    template <int = 0> Tensor reshapePartial(unsigned beginIndex, unsigned endIndex, ArrayRef<std::size_t> newDims, Where where = Where::here()) const
    {
        return view(pop_tensor_reshape_partial_at, where, tensor, beginIndex, endIndex, detail::shape(newDims));
    }
    template <int = 0> Tensor dimShuffle(ArrayRef<unsigned> permutation, Where where = Where::here()) const
    {
        return view(pop_tensor_dim_shuffle_at, where, tensor, detail::dims(permutation));
    }
    template <int = 0> Tensor dimShufflePartial(ArrayRef<unsigned> source, ArrayRef<unsigned> destination, Where where = Where::here()) const
    {
        return view(pop_tensor_dim_shuffle_partial_at, where, tensor, detail::dims(source), detail::dims(destination));
    }
    template <int = 0> Tensor dimRoll(unsigned dimIdx, unsigned newIdx = 0, Where where = Where::here()) const
    {
        return view(pop_tensor_dim_roll_at, where, tensor, dimIdx, newIdx);
    }
    template <int = 0> Tensor transpose(Where where = Where::here()) const { return view(pop_tensor_transpose_at, where, tensor); }
    template <int = 0> Tensor expand(ArrayRef<std::size_t> indices, Where where = Where::here()) const
    {
        return view(pop_tensor_expand_at, where, tensor, detail::Dims(indices).c());
    }
    template <int = 0> Tensor squeeze(ArrayRef<std::size_t> indices, Where where = Where::here()) const
    {
        return view(pop_tensor_squeeze_at, where, tensor, detail::Dims(indices).c());
    }
    template <int = 0> Tensor broadcast(unsigned times, unsigned dimension, Where where = Where::here()) const
    {
        return view(pop_tensor_broadcast_at, where, tensor, times, dimension);
    }
    template <int = 0> Tensor upsample(unsigned scale, unsigned dimension, UpsampleMethod = UpsampleMethod::REPEAT, Where where = Where::here()) const
    {
        return view(pop_tensor_upsample_at, where, tensor, scale, dimension, POP_UPSAMPLE_REPEAT);
    }
    template <int = 0> Tensor subSample(unsigned stride, unsigned dimension, Where where = Where::here()) const
    {
        return view(pop_tensor_sub_sample_at, where, tensor, stride, dimension);
    }
    template <int = 0> Tensor reverse(unsigned dimension, Where where = Where::here()) const
    {
        return view(pop_tensor_reverse_at, where, tensor, dimension);
    }
    template <int = 0> Tensor reinterpret(const Type &type, Where where = Where::here()) const
    {
        return view(pop_tensor_reinterpret_at, where, tensor, type.c());
    }

    // What a tensor covers.
    template <typename Regions = std::vector<Interval>> Regions getContiguousRegions() const
    {
        pop_interval *list = nullptr;
        std::size_t count = pop_tensor_contiguous_regions(tensor, &list);
        const detail::Memory owned(list);
        Regions regions;
        regions.reserve(count);
        for (std::size_t i = 0; i < count; ++i)
            regions.emplace_back(list[i].begin, list[i].end);
        return regions;
    }
    template <typename Regions = std::vector<VariableInterval>> Regions getVarRegions() const
    {
        pop_variable_interval *list = nullptr;
        std::size_t count = pop_tensor_var_regions(tensor, &list);
        const detail::Memory owned(list);
        Regions regions;
        regions.reserve(count);
        for (std::size_t i = 0; i < count; ++i)
            regions.emplace_back(VariableRef(list[i].variable, 1), Interval(list[i].interval.begin, list[i].interval.end));
        return regions;
    }
    bool isContiguous() const { return pop_tensor_is_contiguous(tensor); }
    bool containsAliases() const { return pop_tensor_contains_aliases(tensor); }
    bool containsConstant() const { return pop_tensor_contains_constant(tensor); }
    bool isParallelWriteable() const { return pop_tensor_is_parallel_writeable(tensor); }
    bool intersectsWith(const Tensor &other) const { return pop_tensor_intersects(tensor, other.tensor); }
    // The value of a constant of one element (or of equal ones), converted to T; false when the tensor is not one.
    template <typename T> bool getConstantValue(T *value) const
    {
        double real = 0;
        int64_t whole = 0;
        if (std::is_floating_point<T>::value ? !pop_tensor_constant_double(tensor, &real) : !pop_tensor_constant_int64(tensor, &whole))
            return false;
        *value = std::is_floating_point<T>::value ? static_cast<T>(real) : static_cast<T>(whole);
        return true;
    }

    // 8-bit floats carry their format and scale in a tensor of their own; no device of this library has them.
    bool hasMetadata() const { return false; }
    const Tensor &getMetadata(Where where = Where::here()) const { noMetadata(where, "Tensor::getMetadata"); }
    Tensor associateMetadata(const Tensor &, Where where = Where::here()) const { noMetadata(where, "Tensor::associateMetadata"); }

    // Text.
    std::string shapeToString() const { return text(pop_tensor_shape_to_string); }
    std::string getDebugStr() const { return text(pop_tensor_to_string); }
    std::string getVarStr() const // the regions alone
    {
        std::string all = getDebugStr();
        std::size_t shapeEnd = all.find("} ");
        return shapeEnd == std::string::npos ? std::string() : all.substr(shapeEnd + 2);
    }
    void dump() const { std::fprintf(stderr, "%s\n", getDebugStr().c_str()); }
    void dumpRegions() const { std::fprintf(stderr, "%s\n", getVarStr().c_str()); }
    void output(std::ostream &out) const { out << getDebugStr(); }
    void outputRegions(std::ostream &out) const { out << getVarStr(); }

    friend bool operator==(const Tensor &a, const Tensor &b) { return pop_tensor_equal(a.tensor, b.tensor); }
    friend bool operator!=(const Tensor &a, const Tensor &b) { return !(a == b); }
    friend std::ostream &operator<<(std::ostream &out, const Tensor &t)
    {
        t.output(out);
        return out;
    }

private:
    // The result of a call of C, made in its place; what went wrong is in the graph.  The line is put together here: copied as a whole,
    // it would wait for its parts to reach memory.
    template <typename... Parameters, typename... Arguments>
    Tensor(pop_store *store, pop_tensor (*call)(Parameters...), const char *file, int line, const Arguments &...arguments)
        : tensor(call(pop_where{ file, line }, arguments...))
    {
        if (!tensor.store)
            detail::raiseFrom(pop_store_graph(store), pop_where{ file, line });
        retain();
    }
    // Most views have no node to count.
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
    template <typename List> List give(bool done, List &&results, const Where &where) const
    {
        for (const Tensor &result : results)
            result.retain();
        if (!done)
            detail::raiseFrom(pop_store_graph(tensor.store), where);
        return static_cast<List &&>(results);
    }
    template <typename List> static pop_tensor *array(List &list) { return reinterpret_cast<pop_tensor *>(list.data()); }
    std::string text(std::size_t (*write)(pop_tensor, char *, std::size_t)) const
    {
        char buffer[512];
        std::size_t length = write(tensor, buffer, sizeof(buffer));
        if (length < sizeof(buffer))
            return buffer;
        std::string longer(length, ' ');
        write(tensor, &longer[0], length + 1);
        return longer;
    }
    [[noreturn]] static void noMetadata(pop_where where, const char *api)
    {
        detail::raise(POP_TENSOR_METADATA_ERROR, where, api, "no tensor has metadata: 8-bit floats are not supported");
    }

    pop_tensor tensor;
};

namespace detail {

// A list of tensors is a list of C's.
static_assert(sizeof(Tensor) == sizeof(pop_tensor) && std::is_standard_layout<Tensor>::value, "a Tensor is a pop_tensor");
inline pop_tensors tensors(ArrayRef<Tensor> list)
{
    pop_tensors c = { list.size(), reinterpret_cast<const pop_tensor *>(list.data()) };
    return c;
}

} // namespace detail

// All along one dimension.
inline Tensor concat(ArrayRef<Tensor> tensors, unsigned dimension = 0, detail::Where where = detail::Where::here())
{
    if (tensors.empty())
        detail::raise(POP_POPLAR_ERROR, where, "pop_tensor_concat", "no tensors to join: an empty list does not say the type");
    Tensor joined(pop_tensor_concat_at(where, detail::tensors(tensors), dimension));
    for (std::size_t i = 0; i < tensors.size() && !joined.valid(); ++i)
        if (tensors[i].valid() || i + 1 == tensors.size())
            detail::raiseFrom(pop_store_graph(tensors[i].c().store), where);
    return joined;
}
inline Tensor concat(const Tensor &first, const Tensor &second, unsigned dimension = 0, detail::Where where = detail::Where::here())
{
    const Tensor both[] = { first, second };
    return concat(ArrayRef<Tensor>(both), dimension, where);
}
// second as one more element of a dimension of first.
inline Tensor append(const Tensor &first, const Tensor &second, unsigned dimension, detail::Where where = detail::Where::here())
{
    Tensor joined(pop_tensor_append_at(where, first.c(), second.c(), dimension));
    if (!joined.valid())
        detail::raiseFrom(pop_store_graph(first.c().store), where);
    return joined;
}
inline Tensor append(const Tensor &first, const Tensor &second, detail::Where where = detail::Where::here())
{
    return append(first, second, 0, where);
}

} // namespace poplar
#endif
