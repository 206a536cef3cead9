// SPDX-License-Identifier: Apache-2.0
// The user's line: a last default argument, which the compiler fills with the location of the call.
#ifndef POPLAR_DETAIL_WHERE_HPP
#define POPLAR_DETAIL_WHERE_HPP

#include <poplar/error.h>

namespace poplar
{
namespace detail
{

struct Where : pop_where {
    static Where here(const char *source = __builtin_FILE(), int number = __builtin_LINE())
    {
        return Where(source, number);
    }
    Where(const char *source, int number)
    {
        file = source;
        line = number;
        context = 0;
    }
};

} // namespace detail
} // namespace poplar
#endif
