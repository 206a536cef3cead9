// SPDX-License-Identifier: Apache-2.0
// A borrowed view of text.
#ifndef POPLAR_STRING_REF_HPP
#define POPLAR_STRING_REF_HPP

#include <poplar/ArrayRef.hpp>
#include <poplar/detail/compiled.hpp>
#include <poplar/visibility.h>

#include <cstring>
#include <ostream>
#include <string>

namespace poplar
{

// A text that belongs to somebody else: borrowed, for the time of a call.
class StringRef : public ArrayRef<char>
{
  public:
    StringRef()
    {
    }
    // A text that ends with a zero byte; NULL is "".
    StringRef(const char *text) : ArrayRef<char>(text, text ? std::strlen(text) : 0)
    {
    }
    // `length` bytes from text on.
    StringRef(const char *text, std::size_t length) : ArrayRef<char>(text, length)
    {
    }
    StringRef(const std::string &text) : ArrayRef<char>(text.data(), text.size())
    {
    }

    operator std::string() const
    {
        return cloneAsString();
    }
    // A copy of the text.
    std::string cloneAsString() const
    {
        return std::string(data() ? data() : "", size());
    }
};

inline bool operator==(const StringRef &a, const StringRef &b)
{
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}
inline bool operator!=(const StringRef &a, const StringRef &b)
{
    return !(a == b);
}
inline bool operator<(const StringRef &a, const StringRef &b)
{
    std::size_t shorter = a.size() < b.size() ? a.size() : b.size();
    int order = shorter ? std::memcmp(a.data(), b.data(), shorter) : 0;
    return order ? order < 0 : a.size() < b.size();
}
inline bool operator>(const StringRef &a, const StringRef &b)
{
    return b < a;
}
inline bool operator<=(const StringRef &a, const StringRef &b)
{
    return !(b < a);
}
inline bool operator>=(const StringRef &a, const StringRef &b)
{
    return !(a < b);
}
// Both texts, one after the other.
inline std::string operator+(const StringRef &a, const StringRef &b)
{
    return a.cloneAsString().append(b.data() ? b.data() : "", b.size());
}
inline std::ostream &operator<<(std::ostream &out, const StringRef &text)
{
    return out.write(text.data(), static_cast<std::streamsize>(text.size()));
}

namespace detail
{

// A copy of the text with a terminating NUL; short texts need no allocation.
class POP_API CString
{
  public:
    CString(StringRef text);
    CString(const CString &) = delete;
    CString &operator=(const CString &) = delete;
    operator const char *() const
    {
        return pointer;
    }

  private:
    const char *pointer;
    char shortText[120];
    std::string longText;
};

} // namespace detail
// Equal texts have equal hashes, those of std::string.
inline std::size_t hash_value(const StringRef &text)
{
    return std::hash<std::string>()(text.cloneAsString());
}

} // namespace poplar

namespace gccs
{
using poplar::StringRef;
} // namespace gccs

namespace std
{
template <> struct hash<poplar::StringRef> {
    size_t operator()(const poplar::StringRef &text) const
    {
        return hash_value(text);
    }
};
} // namespace std

#ifdef TREMULA_HEADER_ONLY
#include <poplar/impl/StringRef.hpp>
#endif
#endif
