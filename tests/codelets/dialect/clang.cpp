// SPDX-License-Identifier: Apache-2.0
// What clang takes and g++ refuses: lanes by name, designators out of order.
#include <StackSizeDefs.hpp>
#include <Vertex.hpp>
#include <ipudef.h>

typedef float pair __attribute__((ext_vector_type(2)));
struct Limits {
    int low, high;
};
DEF_STACK_USAGE(64, __runCodelet_Turn);
DEF_FUNC_CALLS(Turn, f, g);
DEF_FUNC_CALL_PTRS(Turn, f);
class Turn : public poplar::Vertex
{
  public:
    poplar::InOut<poplar::Vector<float, poplar::VectorLayout::SPAN, 8>> values;
    poplar::Output<int> width;
    bool compute()
    {
        pair p = { values[0], values[1] };
        values[0] = p.y;
        values[1] = p.x;
        Limits limits{ .high = 5, .low = 2 };
        *width = limits.high - limits.low;
        for (rptsize_t i = 2; i < values.size(); ++i)
            values[i] = 0;
        return true;
    }
};
