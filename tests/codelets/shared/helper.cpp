// SPDX-License-Identifier: Apache-2.0
// Functions for user.cpp: a file without a vertex.
#include <cassert>

namespace helper
{
float half_of(float x)
{
    assert(x < 1e6f);
    return x / 2;
}
struct Offset {
    Offset();
    float apply(float x) const;
    float by;
};
Offset::Offset() : by(1000)
{
}
float Offset::apply(float x) const
{
    return x + by;
}
} // namespace helper

int shared_up(int n);
int shared_down(int n)
{
    return n <= 0 ? 0 : 1 + shared_up(n - 1);
}
