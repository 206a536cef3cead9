// SPDX-License-Identifier: Apache-2.0
// Codelets in the style of programs of 1.x and 2.x.
#include <poplar/Vertex.hpp>
using namespace poplar;

// Vertex.hpp also includes what the standard headers are needed for.
static_assert(std::is_same<std::uint32_t, unsigned>::value, "cstdint and type_traits");

struct Point {
    float x, y;
};

class Pointers : public Vertex
{
  public:
    Input<Vector<float>> in;
    Input<Vector<float, VectorLayout::ONE_PTR, 8>> points;
    Vector<Input<Vector<float>>> rows;
    Input<VectorList<float, VectorListLayout::DELTANELEMENTS>> lists;
    Output<Vector<float>> out;

    bool compute()
    {
        float *p = &in[0];
        Point *point = reinterpret_cast<Point *>(&points[0]);
        auto *row = const_cast<float *>(&rows[1][0]);
        float *list = &lists[1][0];
        const float *still = &in[1];
        float &last = in[in.size() - 1];
        out[0] = p[0] + *still + last;
        out[1] = point[1].x - point[1].y;
        out[2] = *row;
        out[3] = *list;
        float sum = 0;
        for (auto &value : in)
            sum += value;
        std::memcpy(&out[4], &sum, sizeof(sum));
        return true;
    }
};

class Values : public Vertex
{
  public:
    Vector<InOut<float>> keep;
    Output<float> out;
    Output<half> rounded;
    InOut<int> count;
    Input<float> x;
    Input<half> h;

    void compute()
    {
        for (unsigned i = 0; i < keep.size(); ++i)
            keep[i] = 1.0f;
        keep[1] = keep[0];
        keep[1] += 2;
        keep[2] = x;
        out = 2.0f;
        out += x;
        out *= 2;
        rounded = 0.5f;
        rounded = h;
        count++;
        count |= 8;
    }
};

// Writes to its input: an error of checked execution.
class Careless : public Vertex
{
  public:
    Input<Vector<float>> in;
    Output<float> out;
    void compute()
    {
        in[0] = 5;
        *out = in[0];
    }
};
