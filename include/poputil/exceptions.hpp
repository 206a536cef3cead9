// SPDX-License-Identifier: Apache-2.0
// Exceptions that the operation libraries throw for errors in the arguments of their calls, such as shapes that do not
// match.
#ifndef POPUTIL_EXCEPTIONS_HPP
#define POPUTIL_EXCEPTIONS_HPP

#include <poplar/detail/standard.hpp>

#include <stdexcept>
#include <string>

namespace poputil
{

// An error of a library's call.
struct poplibs_error : std::runtime_error {
    // With this text.
    explicit poplibs_error(const std::string &text) : std::runtime_error(text), type("poplibs_error")
    {
    }
    explicit poplibs_error(const char *text) : std::runtime_error(text), type("poplibs_error")
    {
    }

    std::string type; // name of the class
};

} // namespace poputil
#endif
