// SPDX-License-Identifier: Apache-2.0
// Tutorial 3: the skeleton of a codelet.  Add the fields `in` and `out`, and the computation.
#include <poplar/Vertex.hpp>

class SumVertex : public poplar::Vertex
{
  public:
    // Fields

    // Compute function
    bool compute()
    {
        return true;
    }
};
