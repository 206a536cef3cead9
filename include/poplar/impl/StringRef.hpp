// SPDX-License-Identifier: Apache-2.0
// NUL-terminated text.
#ifndef POPLAR_IMPL_STRING_REF_HPP
#define POPLAR_IMPL_STRING_REF_HPP

#include <poplar/StringRef.hpp>

namespace poplar
{

namespace detail
{

POPLAR_IMPL CString::CString(StringRef text)
{
    if (text.size() < sizeof(shortText)) {
        if (!text.empty())
            std::memcpy(shortText, text.data(), text.size());
        shortText[text.size()] = 0;
        pointer = shortText;
    } else {
        longText.assign(text.data(), text.size());
        pointer = longText.c_str();
    }
}

} // namespace detail

} // namespace poplar
#endif
