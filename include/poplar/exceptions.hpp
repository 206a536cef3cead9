// SPDX-License-Identifier: Apache-2.0
// The exceptions that calls throw, one class for each kind of poplar/errors.def; what() is the C error's text.
#ifndef POPLAR_EXCEPTIONS_HPP
#define POPLAR_EXCEPTIONS_HPP

#include <poplar/error.h>

#include <stdexcept>
#include <string>

namespace poplar {

class DebugContext;

typedef std::runtime_error std_runtime_error; // the name that errors.def has for the base of all

#define POP_ERROR_KIND(constant, spelling, base)                                                                       \
    class spelling : public base {                                                                                     \
    public:                                                                                                            \
        explicit spelling(const std::string &text) : base(text) {}                                                     \
        explicit spelling(const char *text) : base(text) {}                                                            \
    };
#include <poplar/errors.def>
#undef POP_ERROR_KIND

} // namespace poplar
#endif
