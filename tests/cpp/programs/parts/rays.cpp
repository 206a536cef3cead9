// SPDX-License-Identifier: Apache-2.0
#include "ray.hpp"
#include <algorithm>
#include <array>
#include <cmath>
#include <poplar/Vertex.hpp>
#include <print.h>
template <typename T> class ConstArrayRef
{
    const T *p;
    unsigned n;

  public:
    ConstArrayRef(const T *p, unsigned n) : p(p), n(n)
    {
    }
    const T &operator[](unsigned i) const
    {
        return p[i];
    }
    unsigned size() const
    {
        return n;
    }
};
class HitDisc : public poplar::Vertex
{
  public:
    poplar::InOut<poplar::Vector<unsigned char, poplar::VectorLayout::SPAN, 16>> rayBuffer;
    const float radius;
    bool compute()
    {
        auto *begin = reinterpret_cast<Record *>(&rayBuffer[0]);
        auto *end = begin + rayBuffer.size() / sizeof(Record);
        std::for_each(begin, end, [this](Record &t) { t.hit = std::sqrt(t.x * t.x + t.y * t.y) < radius; });
        return true;
    }
};
