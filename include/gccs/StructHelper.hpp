// SPDX-License-Identifier: Apache-2.0
// Comparison of structures member by member:
//
//     static const auto helper = gccs::makeStructHelper(&Size::rows, &Size::columns);
//     bool operator<(const Size &a, const Size &b) { return helper.lt(a, b); }
#ifndef GCCS_STRUCT_HELPER_HPP
#define GCCS_STRUCT_HELPER_HPP

namespace gccs
{

// Some members of a structure S, of types M.
template <class S, class... M> class StructHelper;
template <class S> class StructHelper<S>
{
  public:
    // Of no members: all structures are equal.
    constexpr bool eq(const S &, const S &) const
    {
        return true;
    }
    constexpr bool lt(const S &, const S &) const
    {
        return false;
    }
};
template <class S, class First, class... Rest> class StructHelper<S, First, Rest...>
{
  public:
    constexpr explicit StructHelper(First S::*one, Rest S::*...others) : first(one), rest(others...)
    {
    }
    // Whether all members are equal.
    constexpr bool eq(const S &a, const S &b) const
    {
        return a.*first == b.*first && rest.eq(a, b);
    }
    // Whether a is before b by the first member that differs.
    constexpr bool lt(const S &a, const S &b) const
    {
        return a.*first < b.*first || (!(b.*first < a.*first) && rest.lt(a, b));
    }

  private:
    First S::*first;
    StructHelper<S, Rest...> rest;
};

// The helper for these members.
template <class S, class... M> constexpr StructHelper<S, M...> makeStructHelper(M S::*...members)
{
    return StructHelper<S, M...>(members...);
}

} // namespace gccs
#endif
