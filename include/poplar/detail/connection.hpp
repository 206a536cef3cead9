// SPDX-License-Identifier: Apache-2.0
// Parameters of Graph's calls: connections of a vertex, values, tensors to reorder.
#ifndef POPLAR_DETAIL_CONNECTION_HPP
#define POPLAR_DETAIL_CONNECTION_HPP

#include <poplar/Tensor.hpp>
#include <poplar/detail/compiled.hpp>
#include <poplar/detail/host_type.hpp>

namespace poplar
{

// A field and what is connected to it: {"in", t}, {"rows", list of tensors}, {"scale", 1.0f}.
class POP_API ConnectionDesc
{
  public:
    ConnectionDesc(StringRef fieldName, const Tensor &t);
    ConnectionDesc(StringRef fieldName, ArrayRef<Tensor> tensors);
    template <typename T, typename = detail::IfValue<T>>
    ConnectionDesc(StringRef fieldName, T constant)
        : ConnectionDesc(fieldName, detail::HostType<T>::value, &constant, sizeof(T))
    {
        static_assert(sizeof(T) <= sizeof(value), "a value of an element type");
    }
    ConnectionDesc(const ConnectionDesc &from);
    ConnectionDesc &operator=(const ConnectionDesc &from);
    ~ConnectionDesc();

    // After a failure, the graph has the error and later calls do nothing.
    void connect(pop_graph *graph, pop_vertex vertex, pop_where where) const;

  private:
    ConnectionDesc(StringRef fieldName, pop_type of, const void *constant, std::size_t bytes);

    std::string field;
    enum { ONE, LIST, CONSTANT } form;
    Tensor tensor;
    detail::Handle list; // a TensorList
    pop_type type;
    alignas(8) unsigned char value[8];
};

namespace detail
{

// A parameter that accepts only a tensor, or {} for none.
struct Metadata {
    Metadata() : tensor(), given(false)
    {
    }
    Metadata(const Tensor &metadata) : tensor(metadata.c()), given(metadata.valid())
    {
    }
    pop_tensor tensor; // of an argument, which outlives it
    bool given;
};

template <typename P> using IfPointer = typename std::enable_if<std::is_pointer<P>::value>::type;

// A vector's values as an array; std::vector<bool> is packed, so it is copied.
template <typename T> class Values
{
  public:
    template <typename A> explicit Values(const std::vector<T, A> &values) : view(values)
    {
    }
    ArrayRef<T> list() const
    {
        return view;
    }

  private:
    ArrayRef<T> view;
};
template <> class Values<bool>
{
  public:
    template <typename A> explicit Values(const std::vector<bool, A> &values) : count(values.size()), copy(count, 1)
    {
        for (std::size_t i = 0; i < count; ++i)
            static_cast<unsigned char *>(copy.at)[i] = values[i];
    }
    ArrayRef<unsigned char> list() const
    {
        return ArrayRef<unsigned char>(static_cast<unsigned char *>(copy.at), count);
    }

  private:
    std::size_t count;
    Memory copy;
};

} // namespace detail
} // namespace poplar

#ifdef TREMULA_HEADER_ONLY
#include <poplar/impl/connection.hpp>
#endif
#endif
