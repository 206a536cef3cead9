// SPDX-License-Identifier: Apache-2.0
// Where the functions of the C++ interface are compiled.  Those that programs would pay for are defined in poplar/impl:
// libpoplar has them, compiled with gcc's standard library as C++11.  With TREMULA_HEADER_ONLY they are inline
// functions of the program instead.  It is defined here where the program's standard library has other strings, lists
// or names than that one, and in codelets, which are linked with nothing.
#ifndef POPLAR_DETAIL_COMPILED_HPP
#define POPLAR_DETAIL_COMPILED_HPP

#include <cstddef> // says which standard library this is

#if !defined(__GLIBCXX__) || !_GLIBCXX_USE_CXX11_ABI || defined(_GLIBCXX_DEBUG) || _GLIBCXX_INLINE_VERSION ||          \
    defined(__POPC__)
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
