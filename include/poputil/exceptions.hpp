// SPDX-License-Identifier: Apache-2.0
// What the operation libraries throw for mistakes of their own calls: shapes that do not match, arguments that cannot
// be.
#ifndef POPUTIL_EXCEPTIONS_HPP
#define POPUTIL_EXCEPTIONS_HPP

#include <poplar/detail/standard.hpp>

#include <stdexcept>
#include <string>

namespace poputil
{

struct poplibs_error : std::runtime_error {
    explicit poplibs_error(const std::string &text) : std::runtime_error(text), type("poplibs_error")
    {
    }
    explicit poplibs_error(const char *text) : std::runtime_error(text), type("poplibs_error")
    {
    }

    std::string type; // the name of the class
};

} // namespace poputil
#endif
