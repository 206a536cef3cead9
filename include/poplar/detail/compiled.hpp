// SPDX-License-Identifier: Apache-2.0
// Selects where the functions of the C++ interface are compiled.  Functions that take long to compile are defined in
// poplar/impl and compiled into libpoplar, with gcc's standard library as C++11.  With TREMULA_HEADER_ONLY they are
// inline functions of the program.  It is defined below if the program's standard library has another ABI, and in
// codelets, which are linked without libraries.
#ifndef POPLAR_DETAIL_COMPILED_HPP
#define POPLAR_DETAIL_COMPILED_HPP

#include <cstddef> // identifies the standard library

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
