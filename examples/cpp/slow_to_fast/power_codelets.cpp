// SPDX-License-Identifier: Apache-2.0
#include <poplar/Vertex.hpp>

/// One element of a matrix times a vector.
class RowTimesVector : public poplar::Vertex
{
  public:
    poplar::Input<poplar::Vector<float>> row, vector;
    poplar::Output<float> out;

    void compute()
    {
        float sum = 0;
        for (unsigned i = 0; i < row.size(); ++i)
            sum += row[i] * vector[i];
        *out = sum;
    }
};

/// The largest element's magnitude.
class Largest : public poplar::Vertex
{
  public:
    poplar::Input<poplar::Vector<float>> values;
    poplar::Output<float> out;

    void compute()
    {
        float largest = 0;
        for (float value : values) {
            const float magnitude = value < 0 ? -value : value;
            largest = magnitude > largest ? magnitude : largest;
        }
        *out = largest;
    }
};

/// An element divided by another.
class Divide : public poplar::Vertex
{
  public:
    poplar::Input<float> value, by;
    poplar::Output<float> out;

    void compute()
    {
        *out = *value / *by;
    }
};
