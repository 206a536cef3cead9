// SPDX-License-Identifier: Apache-2.0
/// Objects of a file, lists of them, and errors.
#ifndef PVA_OBJECT_HPP
#define PVA_OBJECT_HPP

#include <pva/pva.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

namespace pva
{

/// An error: its text and its kind.
class Error : public std::runtime_error
{
  public:
    // The C interface's error.
    explicit Error(const pop_error &error) : std::runtime_error(error.text), kind(error.status)
    {
    }
    // A status with a text.
    Error(pop_status status, const std::string &text) : std::runtime_error(text), kind(status)
    {
    }
    // The kind of the error.
    pop_status status() const
    {
        return kind;
    }

  private:
    pop_status kind;
};

namespace detail
{

/// An open file, shared by its objects.
struct File {
    explicit File(pva_file *opened) : file(opened)
    {
    }
    ~File()
    {
        pva_close(file);
    }
    File(const File &) = delete;
    File &operator=(const File &) = delete;
    pva_file *file;
};
using FileRef = std::shared_ptr<File>;

inline void check(const FileRef &file)
{
    if (file && pva_failed(file->file)) {
        pop_error error;
        pva_take_error(file->file, &error);
        throw Error(error);
    }
}

inline FileRef opened(pva_file *file, const pop_error &error)
{
    if (!file)
        throw Error(error);
    return std::make_shared<File>(file);
}

} // namespace detail

/// An object of a file: the base of all classes.
class Object
{
  public:
    Object() : object()
    {
    }
    // An object of a file.
    Object(const detail::FileRef &file_, const pva_object &object_) : file(file_), object(object_)
    {
    }
    /// False for the null object.
    explicit operator bool() const
    {
        return !pva_is_null(object);
    }
    // The C interface's object.
    const pva_object &handle() const
    {
        return object;
    }
    // The file that it is in.
    const detail::FileRef &source() const
    {
        return file;
    }
    friend bool operator==(const Object &a, const Object &b)
    {
        return pva_same(a.object, b.object) != 0;
    }
    friend bool operator!=(const Object &a, const Object &b)
    {
        return !(a == b);
    }

  protected:
    std::uint64_t natural(pva_property property) const
    {
        const std::uint64_t value = pva_uint(object, property);
        detail::check(file);
        return value;
    }
    bool boolean(pva_property property) const
    {
        return natural(property) != 0;
    }
    double real(pva_property property) const
    {
        const double value = pva_real(object, property);
        detail::check(file);
        return value;
    }
    std::string text(pva_property property) const
    {
        const std::unique_ptr<char, void (*)(void *)> copy(pva_text_copy(object, property), std::free);
        detail::check(file);
        return copy ? copy.get() : std::string(); // a damaged report may have objects without a name
    }
    std::vector<std::uint64_t> numbers(pva_property property) const
    {
        std::vector<std::uint64_t> values(static_cast<std::size_t>(pva_count(object, property)));
        if (!values.empty())
            pva_numbers(object, property, 0, values.size(), values.data());
        detail::check(file);
        return values;
    }
    template <typename T> T get(pva_property property) const
    {
        const pva_object found = pva_get(object, property);
        detail::check(file);
        return T(file, found);
    }
    template <typename T> T ask(pva_query query, std::uint64_t number) const
    {
        const pva_object found = pva_ask(object, query, number);
        detail::check(file);
        return T(file, found);
    }

    detail::FileRef file;
    pva_object object;
};

/// Converts an object to an element of a list; programs become pointers.
template <typename T> struct Element {
    /// An element of the C interface's object.
    static T make(const detail::FileRef &file, const pva_object &object)
    {
        return T(file, object);
    }
};

/// A list whose elements are read on access.  What an iterator refers to lives as long as the iterator stands there,
/// and what list[i] refers to as long as the list; a list that ends with its statement gives copies.
template <typename T> class List
{
  public:
    // Class of the elements.
    using value_type = T;
    // Type of sizes.
    using size_type = std::size_t;

    // A place in the list.
    class const_iterator
    {
      public:
        // As in containers of the standard library.
        using iterator_category = std::input_iterator_tag;
        // As in containers of the standard library.
        using value_type = T;
        // As in containers of the standard library.
        using difference_type = std::ptrdiff_t;
        // As in containers of the standard library.
        using pointer = const T *;
        // As in containers of the standard library.
        using reference = const T &;
        const_iterator() : list(nullptr), index(0)
        {
        }
        // A place in a list.
        const_iterator(const List *list_, std::size_t index_) : list(list_), index(index_)
        {
        }
        const T &operator*() const
        {
            if (made != index) {
                value = list->make(index);
                made = index;
            }
            return value;
        }
        const T *operator->() const
        {
            return &**this;
        }
        // The element n places further on.
        T operator[](difference_type n) const
        {
            return list->make(index + static_cast<std::size_t>(n));
        }
        const_iterator &operator++()
        {
            return ++index, *this;
        }
        const_iterator operator++(int)
        {
            return const_iterator(list, index++);
        }
        const_iterator &operator--()
        {
            return --index, *this;
        }
        // Goes n places on.
        const_iterator &operator+=(difference_type n)
        {
            return index += static_cast<std::size_t>(n), *this;
        }
        // Goes n places back.
        const_iterator &operator-=(difference_type n)
        {
            return index -= static_cast<std::size_t>(n), *this;
        }
        // The place n places further on.
        friend const_iterator operator+(const_iterator i, difference_type n)
        {
            return i += n;
        }
        // The place n places back.
        friend const_iterator operator-(const_iterator i, difference_type n)
        {
            return i -= n;
        }
        // Distance of two places.
        friend difference_type operator-(const const_iterator &a, const const_iterator &b)
        {
            return static_cast<difference_type>(a.index) - static_cast<difference_type>(b.index);
        }
        friend bool operator==(const const_iterator &a, const const_iterator &b)
        {
            return a.index == b.index;
        }
        friend bool operator!=(const const_iterator &a, const const_iterator &b)
        {
            return a.index != b.index;
        }
        friend bool operator<(const const_iterator &a, const const_iterator &b)
        {
            return a.index < b.index;
        }

      private:
        const List *list;
        std::size_t index;
        mutable T value{};
        mutable std::size_t made = static_cast<std::size_t>(-1); // the element that value is
    };
    // As in containers of the standard library.
    using iterator = const_iterator;

    List() : object(), property(PVA_PROPERTY_COUNT), count(0)
    {
    }
    // The list that is a property of an object.
    List(const detail::FileRef &file_, const pva_object &object_, pva_property property_)
        : file(file_), object(object_), property(property_),
          count(static_cast<std::size_t>(pva_count(object_, property_)))
    {
        detail::check(file);
    }
    std::size_t size() const
    {
        return count;
    }
    bool empty() const
    {
        return count == 0;
    }
    const T &operator[](std::size_t index) const &
    {
        const std::lock_guard<std::mutex> lock(kept->mutex);
        typename std::map<std::size_t, T>::iterator known = kept->elements.find(index);
        if (known == kept->elements.end())
            known = kept->elements.emplace(index, make(index)).first;
        return known->second;
    }
    T operator[](std::size_t index) const &&
    {
        return make(index);
    }
    const T &at(std::size_t index) const &
    {
        return (*this)[index];
    }
    T at(std::size_t index) const &&
    {
        return make(index);
    }
    const T &front() const &
    {
        return (*this)[0];
    }
    T front() const &&
    {
        return make(0);
    }
    const T &back() const &
    {
        return (*this)[count - 1];
    }
    T back() const &&
    {
        return make(count - 1);
    }
    const_iterator begin() const
    {
        return const_iterator(this, 0);
    }
    const_iterator end() const
    {
        return const_iterator(this, count);
    }
    const_iterator cbegin() const
    {
        return begin();
    }
    const_iterator cend() const
    {
        return end();
    }
    operator std::vector<T>() const
    {
        return std::vector<T>(begin(), end());
    }

  private:
    T make(std::size_t index) const
    {
        if (index >= count)
            throw Error(POP_INDEX_ERROR, "a list has " + std::to_string(count) + " elements, and number " +
                                             std::to_string(index) + " was asked for");
        const pva_object found = pva_at(object, property, index);
        detail::check(file);
        return Element<T>::make(file, found);
    }

    detail::FileRef file;
    pva_object object;
    pva_property property;
    std::size_t count;
    struct Kept { // elements that list[i] refers to
        std::mutex mutex;
        std::map<std::size_t, T> elements; // by index
    };
    std::shared_ptr<Kept> kept = std::make_shared<Kept>();
};

// An array of numbers, by tile in most properties.
using Numbers = std::vector<std::uint64_t>;

} // namespace pva

#endif
