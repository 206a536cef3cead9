// SPDX-License-Identifier: Apache-2.0
// A vertex whose functions, class and tables other files define: helper.cpp and table.c.
#include <cassert>
#include <poplar/Vertex.hpp>

extern "C" {
extern const float shared_table[4];
float shared_scale(float x);
int shared_count(int n);
}

namespace helper
{
float half_of(float x);
struct Offset {
    Offset();
    float apply(float x) const;
    float by;
};
} // namespace helper

int shared_down(int n); // helper.cpp calls shared_up of this file, which calls it again

int shared_up(int n)
{
    return n <= 0 ? 0 : 1 + shared_down(n - 1);
}

class Shared : public poplar::Vertex
{
  public:
    poplar::InOut<float> value;
    poplar::Output<int> steps;
    float start = 2;

    bool compute()
    {
        helper::Offset offset;
        float (*scale)(float) = &shared_scale;
        *value = offset.apply(helper::half_of(*value)) + scale(start) + shared_table[3];
        *steps = shared_up(7) + shared_count(3);
        return true;
    }
};
