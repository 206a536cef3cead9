// SPDX-License-Identifier: Apache-2.0
// Edges: fields of a vertex that are connected to tensors.
//
//     Input<float> x;                       *x, or x itself
//     Output<float> y;                      *y = 1, or y = 1
//     Input<Vector<float>> v;               v[i], v.size(), v->size(), for (float f : v)
//     Vector<Input<Vector<float>>> rows;    rows[i][j], rows[i].size(), rows.size()
//     Input<VectorList<float>> lists;       the same
#ifndef POPLAR_IN_OUT_TYPES_HPP
#define POPLAR_IN_OUT_TYPES_HPP

#include <poplar/HalfFloat.hpp>
#include <poplar/VectorListTypes.hpp>

namespace poplar
{
namespace detail
{

// An edge to a scalar: a pointer.  T is const for inputs.
template <class T> class Edge
{
  public:
    operator T &() const
    {
        return *pointer;
    }
    T &operator*() const
    {
        return *pointer;
    }
    T *operator->() const
    {
        return pointer;
    }
    explicit operator half() const
    {
        return half(*pointer);
    }

  private:
    T *pointer;
};

// An edge to a half also converts to float: float f = x; x + 1.0f.  Operations of two edges then need overloads.
class HalfEdge
{
  public:
    operator float() const
    {
        return *pointer;
    }

  protected:
    half *pointer;
};
#define POPLAR_HALF_EDGE(op, type)                                                                                     \
    inline type operator op(const HalfEdge &a, const HalfEdge &b)                                                      \
    {                                                                                                                  \
        return static_cast<type>(static_cast<float>(a) op static_cast<float>(b));                                      \
    }
POPLAR_HALF_EDGE(+, half)
POPLAR_HALF_EDGE(-, half)
POPLAR_HALF_EDGE(*, half)
POPLAR_HALF_EDGE(/, half)
POPLAR_HALF_EDGE(==, bool)
POPLAR_HALF_EDGE(!=, bool)
POPLAR_HALF_EDGE(<, bool)
POPLAR_HALF_EDGE(>, bool)
POPLAR_HALF_EDGE(<=, bool)
POPLAR_HALF_EDGE(>=, bool)
#undef POPLAR_HALF_EDGE
inline half operator-(const HalfEdge &a)
{
    return half(-static_cast<float>(a));
}
inline half operator+(const HalfEdge &a)
{
    return half(static_cast<float>(a));
}

template <> class Edge<half> : public HalfEdge
{
  public:
    operator half &() const
    {
        return *pointer;
    }
    half &operator*() const
    {
        return *pointer;
    }
    half *operator->() const
    {
        return pointer;
    }
};
template <> class Edge<const half> : public HalfEdge
{
  public:
    operator const half &() const
    {
        return *pointer;
    }
    const half &operator*() const
    {
        return *pointer;
    }
    const half *operator->() const
    {
        return pointer;
    }
};

// An edge that is written, as *out = 1 or as out = 1.  Assigning one edge to another assigns the value.  As with
// pointers, a const compute() can write elements of vectors.
template <class T> class WritableEdge : public Edge<T>
{
  public:
    WritableEdge() = default;
    WritableEdge(const WritableEdge &) = default;
    const WritableEdge &operator=(const WritableEdge &other) const
    {
        return *this = *other;
    }
    const WritableEdge &operator=(const T &value) const
    {
        **this = value;
        return *this;
    }
#define POPLAR_EDGE_ASSIGNMENT(op)                                                                                     \
    template <class V> const WritableEdge &operator op(const V &value) const                                           \
    {                                                                                                                  \
        **this op value;                                                                                               \
        return *this;                                                                                                  \
    }
    POPLAR_EDGE_ASSIGNMENT(+=)
    POPLAR_EDGE_ASSIGNMENT(-=)
    POPLAR_EDGE_ASSIGNMENT(*=)
    POPLAR_EDGE_ASSIGNMENT(/=)
    POPLAR_EDGE_ASSIGNMENT(%=)
    POPLAR_EDGE_ASSIGNMENT(&=)
    POPLAR_EDGE_ASSIGNMENT(|=)
    POPLAR_EDGE_ASSIGNMENT(^=)
    POPLAR_EDGE_ASSIGNMENT(<<=)
    POPLAR_EDGE_ASSIGNMENT(>>=)
#undef POPLAR_EDGE_ASSIGNMENT
    T &operator++() const
    {
        return ++**this;
    }
    T &operator--() const
    {
        return --**this;
    }
    T operator++(int) const
    {
        return (**this)++;
    }
    T operator--(int) const
    {
        return (**this)--;
    }
};

// Edges to the elements of a vector: its pointer and count.
template <class V, bool Sized> class ReadableElements
{
  protected:
    V vector;
};
template <class V> class ReadableElements<V, true>
{
  public:
    typedef typename V::iterator iterator;
    typedef typename V::const_iterator const_iterator;

    size_t size() const
    {
        return vector.size();
    }
    bool empty() const
    {
        return vector.empty();
    }
    iterator begin() const
    {
        return const_cast<V &>(vector).begin();
    }
    iterator end() const
    {
        return const_cast<V &>(vector).end();
    }
    const_iterator cbegin() const
    {
        return vector.begin();
    }
    const_iterator cend() const
    {
        return vector.end();
    }
    typename V::value_type &front() const
    {
        return *begin();
    }
    typename V::value_type &back() const
    {
        return end()[-1];
    }

  protected:
    V vector;
};
// Elements are plain T &, not const: programs take float *p = &in[0] and reinterpret_cast<Struct *>(&in[0]).  Writing
// to them is an error, which debug.checkedExecution reports.
template <class V, bool Sized> class ReadableVector : public ReadableElements<V, Sized>
{
  public:
    typedef typename V::value_type value_type;

    value_type &operator[](size_t index) const
    {
        return const_cast<V &>(this->vector)[index];
    }
    value_type *data() const
    {
        return const_cast<V &>(this->vector).data();
    }
    operator V &() const // a reference that is not const, too, is what helper functions take
    {
        return const_cast<V &>(this->vector);
    }
    const V &operator*() const
    {
        return this->vector;
    }
    const V *operator->() const
    {
        return &this->vector;
    }
    // The metadata byte of 8-bit floats (QuarterFloat.hpp); other elements have none.
    const unsigned char *getMetadata() const
    {
        return this->vector.getMetadata();
    }
};

// The vector itself is const; as with a pointer, a const compute() can write its elements.
template <class V> class WritableVector : public V
{
  public:
    typename V::value_type &operator[](size_t index) const
    {
        return this->pointer[index];
    }
    typename V::value_type *data() const
    {
        return this->pointer;
    }
    V &operator*()
    {
        return *this;
    }
    const V &operator*() const
    {
        return *this;
    }
    V *operator->()
    {
        return this;
    }
    const V *operator->() const
    {
        return this;
    }
};

// out = in for vectors copies as many elements as the vector that knows its size has.
template <class To, class From> inline auto sharedSize(const To &to, const From &, int) -> decltype(to.size())
{
    return to.size();
}
template <class To, class From> inline auto sharedSize(const To &, const From &from, long) -> decltype(from.size())
{
    return from.size();
}
template <class To, class From> inline void copyElements(const To &to, const From &from)
{
    for (size_t i = 0, n = sharedSize(to, from, 0); i < n; ++i)
        to[i] = from[i];
}

} // namespace detail

// Read, not written.
template <class T> class Input : public detail::Edge<const T>
{
};
// Written, not read.
template <class T> class Output : public detail::WritableEdge<T>
{
  public:
    using detail::WritableEdge<T>::operator=;
};
// Read and written.
template <class T> class InOut : public detail::WritableEdge<T>
{
  public:
    using detail::WritableEdge<T>::operator=;
};

// An input edge of a vector.
template <class T, VectorLayout L, unsigned A, bool I>
class Input<Vector<T, L, A, I>> : public detail::ReadableVector<Vector<T, L, A, I>, detail::layoutHasSize(L)>
{
};
// An output edge of a vector.
template <class T, VectorLayout L, unsigned A, bool I>
class Output<Vector<T, L, A, I>> : public detail::WritableVector<Vector<T, L, A, I>>
{
  public:
    Output() = default;
    Output(const Output &) = default;
    const Output &operator=(const Output &other) const
    {
        detail::copyElements(*this, other);
        return *this;
    }
    // Copies the elements of an edge of the same size.
    template <template <class> class Edge, class U, VectorLayout M, unsigned B, bool J>
    const Output &operator=(const Edge<Vector<U, M, B, J>> &other) const
    {
        detail::copyElements(*this, other);
        return *this;
    }
};
// An edge of a vector that is read and written.
template <class T, VectorLayout L, unsigned A, bool I>
class InOut<Vector<T, L, A, I>> : public detail::WritableVector<Vector<T, L, A, I>>
{
  public:
    InOut() = default;
    InOut(const InOut &) = default;
    const InOut &operator=(const InOut &other) const
    {
        detail::copyElements(*this, other);
        return *this;
    }
    // Copies the elements of an edge of the same size.
    template <template <class> class Edge, class U, VectorLayout M, unsigned B, bool J>
    const InOut &operator=(const Edge<Vector<U, M, B, J>> &other) const
    {
        detail::copyElements(*this, other);
        return *this;
    }
};

// An input edge of a list of vectors.
template <class T, VectorListLayout L, unsigned A, bool I>
class Input<VectorList<T, L, A, I>> : public detail::ReadableVector<VectorList<T, L, A, I>, true>
{
};
// An output edge of a list of vectors.
template <class T, VectorListLayout L, unsigned A, bool I>
class Output<VectorList<T, L, A, I>> : public detail::WritableVector<VectorList<T, L, A, I>>
{
};
// An edge of a list of vectors that is read and written.
template <class T, VectorListLayout L, unsigned A, bool I>
class InOut<VectorList<T, L, A, I>> : public detail::WritableVector<VectorList<T, L, A, I>>
{
};

// Any number of edges to scalars.
template <class T> using InputSet = Vector<Input<T>>;

} // namespace poplar

#endif
