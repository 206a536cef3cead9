// SPDX-License-Identifier: Apache-2.0
// Where the bodies of the C++ interface are compiled.  Those that programs would pay for stand in poplar/impl: libpoplar holds them compiled, as C++11
// for the standard library of gcc.  TREMULA_HEADER_ONLY makes them inline functions of the program instead.  It defines itself where a string, a list or
// a name of the program's standard library is not that one's, and in codelets, which are linked with nothing.
#ifndef POPLAR_DETAIL_COMPILED_HPP
#define POPLAR_DETAIL_COMPILED_HPP

#include <cstddef> // says which standard library this is

#if !defined(__GLIBCXX__) || !_GLIBCXX_USE_CXX11_ABI || defined(_GLIBCXX_DEBUG) || _GLIBCXX_INLINE_VERSION || defined(__POPC__)
#ifndef TREMULA_HEADER_ONLY
#define TREMULA_HEADER_ONLY
#endif
#endif

// Before each definition in poplar/impl.
#ifdef TREMULA_HEADER_ONLY
#define POPLAR_IMPL inline
#else
#define POPLAR_IMPL
#endif

#endif
