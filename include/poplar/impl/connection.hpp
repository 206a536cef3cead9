// SPDX-License-Identifier: Apache-2.0
// Parameters of Graph's calls.
#ifndef POPLAR_IMPL_CONNECTION_HPP
#define POPLAR_IMPL_CONNECTION_HPP

#include <poplar/detail/connection.hpp>

namespace poplar
{

namespace detail
{

// A copy of a list of tensors.
struct TensorList : Counted {
    explicit TensorList(ArrayRef<Tensor> from) : Counted(end), list(new Tensor[from.size()]), count(from.size())
    {
        for (std::size_t i = 0; i < count; ++i)
            list[i] = from[i];
    }
    static void end(Counted *self)
    {
        delete[] static_cast<TensorList *>(self)->list;
        delete static_cast<TensorList *>(self);
    }
    pop_tensors c() const
    {
        return tensors(ArrayRef<Tensor>(list, count));
    }

    Tensor *list;
    std::size_t count;
};

} // namespace detail

POPLAR_IMPL ConnectionDesc::ConnectionDesc(StringRef fieldName, const Tensor &t)
    : field(fieldName.cloneAsString()), form(ONE), tensor(t), type(), value()
{
}
POPLAR_IMPL ConnectionDesc::ConnectionDesc(StringRef fieldName, ArrayRef<Tensor> tensors)
    : field(fieldName.cloneAsString()), form(LIST), list(new detail::TensorList(tensors)), type(), value()
{
}
POPLAR_IMPL ConnectionDesc::ConnectionDesc(StringRef fieldName, pop_type of, const void *constant, std::size_t bytes)
    : field(fieldName.cloneAsString()), form(CONSTANT), type(of), value()
{
    std::memcpy(value, constant, bytes);
}
POPLAR_IMPL ConnectionDesc::ConnectionDesc(const ConnectionDesc &from) = default;
POPLAR_IMPL ConnectionDesc &ConnectionDesc::operator=(const ConnectionDesc &from) = default;
POPLAR_IMPL ConnectionDesc::~ConnectionDesc()
{
}
POPLAR_IMPL void ConnectionDesc::connect(pop_graph *graph, pop_vertex vertex, pop_where where) const
{
    switch (form) {
    case ONE:
        pop_graph_connect_at(where, graph, vertex, field.c_str(), tensor.c());
        break;
    case LIST:
        pop_graph_connect_list_at(where, graph, vertex, field.c_str(),
                                  static_cast<detail::TensorList *>(list.get())->c());
        break;
    case CONSTANT:
        pop_graph_connect_constant_at(where, graph, vertex, field.c_str(), type, value);
    }
}

namespace detail
{

inline std::size_t count(ArrayRef<std::size_t> shape)
{
    std::size_t elements = 1;
    for (std::size_t dim : shape)
        elements *= dim;
    return elements;
}
inline void checkCount(pop_where where, const char *api, std::size_t elements, std::size_t values, const char *what)
{
    if (elements != values)
        raise(POP_POPLAR_ERROR, where, api, "%zu values: %s %zu elements", values, what, elements);
}

// Tensors that one call changes.
class Reordered
{
  public:
    Reordered(Tensor *first, ArrayRef<Tensor *> others)
        : count(others.size() + 1), tensors(count, sizeof(Tensor *)), values(count, sizeof(pop_tensor)),
          pointers(count, sizeof(pop_tensor *))
    {
        for (std::size_t i = 0; i < count; ++i) {
            Tensor *t = i ? others[i - 1] : first;
            if (!t)
                raise(POP_POPLAR_ERROR, "reorderToSimplify: the pointer to a tensor is null");
            static_cast<Tensor **>(tensors.at)[i] = t;
            value()[i] = t->c();
            all()[i] = value() + i;
        }
    }
    pop_tensor *first()
    {
        return value();
    }
    pop_tensor **others()
    {
        return all() + 1;
    }
    void give() const
    {
        for (std::size_t i = 0; i < count; ++i)
            *static_cast<Tensor **>(tensors.at)[i] = Tensor(value()[i]);
    }

  private:
    pop_tensor *value() const
    {
        return static_cast<pop_tensor *>(values.at);
    }
    pop_tensor **all() const
    {
        return static_cast<pop_tensor **>(pointers.at);
    }
    std::size_t count;
    Memory tensors, values, pointers;
};

} // namespace detail

} // namespace poplar
#endif
