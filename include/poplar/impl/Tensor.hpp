// SPDX-License-Identifier: Apache-2.0
// Tensors.
#ifndef POPLAR_IMPL_TENSOR_HPP
#define POPLAR_IMPL_TENSOR_HPP

#include <poplar/Tensor.hpp>

namespace poplar
{

// The C call has written its results into the list.
POPLAR_IMPL std::vector<Tensor> Tensor::give(bool done, std::vector<Tensor> &&results, const Where &where) const
{
    for (const Tensor &result : results)
        result.retain();
    if (!done)
        detail::raiseFrom(pop_store_graph(tensor.store), where);
    return std::move(results);
}
namespace detail
{
inline pop_tensor *array(std::vector<Tensor> &list)
{
    return reinterpret_cast<pop_tensor *>(list.data());
}
} // namespace detail

POPLAR_IMPL Tensor::Tensor(const pop_tensor &from) : tensor(from)
{
    retain();
}
POPLAR_IMPL Tensor::Tensor(const Tensor &other) : tensor(other.tensor)
{
    retain();
}
POPLAR_IMPL Tensor &Tensor::operator=(const Tensor &other)
{
    other.retain();
    release();
    tensor = other.tensor;
    return *this;
}
POPLAR_IMPL Type Tensor::elementType() const
{
    return Type(pop_tensor_type(tensor));
}
POPLAR_IMPL std::size_t Tensor::numElements() const
{
    return pop_tensor_num_elements(tensor);
}
POPLAR_IMPL unsigned Tensor::rank() const
{
    return static_cast<unsigned>(pop_tensor_rank(tensor));
}
POPLAR_IMPL std::vector<std::size_t> Tensor::shape() const
{
    std::vector<std::size_t> dims(pop_tensor_rank(tensor));
    pop_tensor_shape(tensor, dims.data(), dims.size());
    return dims;
}
POPLAR_IMPL std::size_t Tensor::dim(unsigned i, Where where) const
{
    if (i >= rank())
        detail::raise(POP_INDEX_ERROR, where, "pop_tensor_dim", "there is no dimension %u: the tensor's rank is %u", i,
                      rank());
    return pop_tensor_dim(tensor, i);
}
POPLAR_IMPL Tensor Tensor::index(ArrayRef<std::size_t> indices, Where where) const
{
    return view(pop_tensor_index_at, where, tensor, detail::shape(indices));
}
POPLAR_IMPL Tensor Tensor::slice(std::size_t begin, std::size_t end, unsigned dimension, Where where) const
{
    return view(pop_tensor_slice_at, where, tensor, begin, end, dimension);
}
POPLAR_IMPL Tensor Tensor::slice(const Interval &region, unsigned dimension, Where where) const
{
    return slice(region.begin(), region.end(), dimension, where);
}
POPLAR_IMPL Tensor Tensor::slice(ArrayRef<std::size_t> begin, ArrayRef<std::size_t> end, Where where) const
{
    return view(pop_tensor_slice_nd_at, where, tensor, detail::shape(begin), detail::shape(end));
}
POPLAR_IMPL std::vector<Tensor> Tensor::slices(ArrayRef<Interval> intervals, unsigned dimension, Where where) const
{
    std::vector<Tensor> parts;
    parts.reserve(intervals.size());
    for (const Interval &interval : intervals)
        parts.push_back(slice(interval, dimension, where));
    return parts;
}
POPLAR_IMPL std::vector<Tensor> Tensor::slices(std::initializer_list<Interval> intervals, unsigned dimension,
                                               Where where) const
{
    return slices(ArrayRef<Interval>(intervals.begin(), intervals.size()), dimension, where);
}
POPLAR_IMPL std::vector<Tensor> Tensor::slices(const std::vector<std::vector<Interval>> &lists, unsigned dimension,
                                               Where where) const
{
    std::vector<Tensor> parts(lists.size());
    detail::IntervalLists c(lists);
    pop_interval_lists borrowed = c.c();
    return give(pop_tensor_slices_nested_at(where, tensor, &borrowed, dimension, detail::array(parts)),
                std::move(parts), where);
}
POPLAR_IMPL std::vector<Tensor> Tensor::slices(std::initializer_list<std::vector<Interval>> lists, unsigned dimension,
                                               Where where) const
{
    return slices(std::vector<std::vector<Interval>>(lists), dimension, where);
}
POPLAR_IMPL std::vector<Tensor> Tensor::slices(ArrayRef<unsigned> indices, unsigned dimension, Where where) const
{
    std::vector<Tensor> parts(indices.size());
    return give(pop_tensor_slices_indices_at(where, tensor, detail::dims(indices), dimension, detail::array(parts)),
                std::move(parts), where);
}
POPLAR_IMPL Tensor Tensor::flatten(Where where) const
{
    return view(pop_tensor_flatten_at, where, tensor);
}
POPLAR_IMPL Tensor Tensor::flatten(unsigned dimBegin, unsigned dimEnd, Where where) const
{
    return view(pop_tensor_flatten_dims_at, where, tensor, dimBegin, dimEnd);
}
POPLAR_IMPL Tensor Tensor::reshape(ArrayRef<std::size_t> shape, Where where) const
{
    return view(pop_tensor_reshape_at, where, tensor, detail::shape(shape));
}
POPLAR_IMPL Tensor Tensor::reshapePartial(unsigned beginIndex, unsigned endIndex, ArrayRef<std::size_t> newDims,
                                          Where where) const
{
    return view(pop_tensor_reshape_partial_at, where, tensor, beginIndex, endIndex, detail::shape(newDims));
}
POPLAR_IMPL Tensor Tensor::dimShuffle(ArrayRef<unsigned> permutation, Where where) const
{
    return view(pop_tensor_dim_shuffle_at, where, tensor, detail::dims(permutation));
}
POPLAR_IMPL Tensor Tensor::dimShufflePartial(ArrayRef<unsigned> source, ArrayRef<unsigned> destination,
                                             Where where) const
{
    return view(pop_tensor_dim_shuffle_partial_at, where, tensor, detail::dims(source), detail::dims(destination));
}
POPLAR_IMPL Tensor Tensor::dimRoll(unsigned dimIdx, unsigned newIdx, Where where) const
{
    return view(pop_tensor_dim_roll_at, where, tensor, dimIdx, newIdx);
}
POPLAR_IMPL Tensor Tensor::transpose(Where where) const
{
    return view(pop_tensor_transpose_at, where, tensor);
}
POPLAR_IMPL Tensor Tensor::expand(ArrayRef<std::size_t> indices, Where where) const
{
    return view(pop_tensor_expand_at, where, tensor, detail::Dims(indices).c());
}
POPLAR_IMPL Tensor Tensor::squeeze(ArrayRef<std::size_t> indices, Where where) const
{
    return view(pop_tensor_squeeze_at, where, tensor, detail::Dims(indices).c());
}
POPLAR_IMPL Tensor Tensor::broadcast(unsigned times, unsigned dimension, Where where) const
{
    return view(pop_tensor_broadcast_at, where, tensor, times, dimension);
}
POPLAR_IMPL Tensor Tensor::upsample(unsigned scale, unsigned dimension, UpsampleMethod, Where where) const
{
    return view(pop_tensor_upsample_at, where, tensor, scale, dimension, POP_UPSAMPLE_REPEAT);
}
POPLAR_IMPL Tensor Tensor::subSample(unsigned stride, unsigned dimension, Where where) const
{
    return view(pop_tensor_sub_sample_at, where, tensor, stride, dimension);
}
POPLAR_IMPL Tensor Tensor::reverse(unsigned dimension, Where where) const
{
    return view(pop_tensor_reverse_at, where, tensor, dimension);
}
POPLAR_IMPL Tensor Tensor::reinterpret(const Type &type, Where where) const
{
    return view(pop_tensor_reinterpret_at, where, tensor, type.c());
}
POPLAR_IMPL std::vector<Interval> Tensor::getContiguousRegions() const
{
    pop_interval *list = nullptr;
    std::size_t count = pop_tensor_contiguous_regions(tensor, &list);
    const detail::Memory owned(list);
    std::vector<Interval> regions;
    regions.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
        regions.emplace_back(list[i].begin, list[i].end);
    return regions;
}
POPLAR_IMPL std::vector<VariableInterval> Tensor::getVarRegions() const
{
    pop_variable_interval *list = nullptr;
    std::size_t count = pop_tensor_var_regions(tensor, &list);
    const detail::Memory owned(list);
    std::vector<VariableInterval> regions;
    const pop_graph *graph = pop_store_graph(tensor.store);
    regions.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
        regions.emplace_back(
            VariableRef(list[i].variable, pop_graph_variable_replication_factor(graph, list[i].variable)),
            Interval(list[i].interval.begin, list[i].interval.end));
    return regions;
}
POPLAR_IMPL bool Tensor::isContiguous() const
{
    return pop_tensor_is_contiguous(tensor);
}
POPLAR_IMPL bool Tensor::containsAliases() const
{
    return pop_tensor_contains_aliases(tensor);
}
POPLAR_IMPL bool Tensor::containsConstant() const
{
    return pop_tensor_contains_constant(tensor);
}
POPLAR_IMPL bool Tensor::isParallelWriteable() const
{
    return pop_tensor_is_parallel_writeable(tensor);
}
POPLAR_IMPL bool Tensor::intersectsWith(const Tensor &other) const
{
    return pop_tensor_intersects(tensor, other.tensor);
}
POPLAR_IMPL std::string Tensor::shapeToString() const
{
    return text(pop_tensor_shape_to_string);
}
POPLAR_IMPL std::string Tensor::getDebugStr() const
{
    return text(pop_tensor_to_string);
}
POPLAR_IMPL std::string Tensor::getVarStr() const // the regions alone
{
    std::string all = getDebugStr();
    std::size_t shapeEnd = all.find("} ");
    return shapeEnd == std::string::npos ? std::string() : all.substr(shapeEnd + 2);
}
POPLAR_IMPL void Tensor::dump() const
{
    std::fprintf(stderr, "%s\n", getDebugStr().c_str());
}
POPLAR_IMPL void Tensor::dumpRegions() const
{
    std::fprintf(stderr, "%s\n", getVarStr().c_str());
}
POPLAR_IMPL void Tensor::output(std::ostream &out) const
{
    out << getDebugStr();
}
POPLAR_IMPL void Tensor::outputRegions(std::ostream &out) const
{
    out << getVarStr();
}
POPLAR_IMPL bool operator==(const Tensor &a, const Tensor &b)
{
    return pop_tensor_equal(a.tensor, b.tensor);
}
POPLAR_IMPL std::ostream &operator<<(std::ostream &out, const Tensor &t)
{
    t.output(out);
    return out;
}
POPLAR_IMPL std::string Tensor::text(std::size_t (*write)(pop_tensor, char *, std::size_t)) const
{
    char buffer[512];
    std::size_t length = write(tensor, buffer, sizeof(buffer));
    if (length < sizeof(buffer))
        return buffer;
    std::string longer(length, ' ');
    write(tensor, &longer[0], length + 1);
    return longer;
}

POPLAR_IMPL Tensor concat(ArrayRef<Tensor> tensors, unsigned dimension, detail::Where where)
{
    if (tensors.empty())
        detail::raise(POP_POPLAR_ERROR, where, "pop_tensor_concat",
                      "no tensors to join: an empty list does not say the type");
    Tensor joined(pop_tensor_concat_at(where, detail::tensors(tensors), dimension));
    for (std::size_t i = 0; i < tensors.size() && !joined.valid(); ++i)
        if (tensors[i].valid() || i + 1 == tensors.size())
            detail::raiseFrom(pop_store_graph(tensors[i].c().store), where);
    return joined;
}
POPLAR_IMPL Tensor concat(const Tensor &first, const Tensor &second, unsigned dimension, detail::Where where)
{
    const Tensor both[] = { first, second };
    return concat(ArrayRef<Tensor>(both), dimension, where);
}
POPLAR_IMPL Tensor append(const Tensor &first, const Tensor &second, unsigned dimension, detail::Where where)
{
    Tensor joined(pop_tensor_append_at(where, first.c(), second.c(), dimension));
    if (!joined.valid())
        detail::raiseFrom(pop_store_graph(first.c().store), where);
    return joined;
}
POPLAR_IMPL Tensor append(const Tensor &first, const Tensor &second, detail::Where where)
{
    return append(first, second, 0, where);
}

} // namespace poplar
#endif
