// SPDX-License-Identifier: Apache-2.0
// The distribution of a CTC loss or a beam search over tiles (popnn/ctc_plan.h).
#ifndef POPNN_CTC_PLAN_HPP
#define POPNN_CTC_PLAN_HPP

#include <poplar/OptionFlags.hpp>
#include <popnn/ctc_plan.h>

#include <ostream>

namespace popnn
{
namespace ctc
{

// Made by ctc::plan or ctc_infer::plan; a default-constructed object has no plan.
class Plan
{
  public:
    Plan() : made()
    {
    }
    // A plan of the C interface.
    explicit Plan(const popnn_ctc_plan &from) : made(from)
    {
    }

    const popnn_ctc_plan *c() const
    {
        return &made;
    }

    friend bool operator==(const Plan &a, const Plan &b)
    {
        return popnn_ctc_plan_compare(&a.made, &b.made) == 0;
    }
    friend bool operator!=(const Plan &a, const Plan &b)
    {
        return !(a == b);
    }
    friend bool operator<(const Plan &a, const Plan &b)
    {
        return popnn_ctc_plan_compare(&a.made, &b.made) < 0;
    }
    friend std::ostream &operator<<(std::ostream &out, const Plan &plan)
    {
        char text[256];
        popnn_ctc_plan_text(&plan.made, text, sizeof(text));
        return out << text;
    }

  private:
    popnn_ctc_plan made;
};

} // namespace ctc
} // namespace popnn
#endif
