// SPDX-License-Identifier: Apache-2.0
// Another name of the exceptions' header.
#ifndef POPLAR_ERROR_HPP
#define POPLAR_ERROR_HPP

#include <poplar/exceptions.hpp>

#endif
