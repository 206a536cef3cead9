// SPDX-License-Identifier: Apache-2.0
// All of popdist.
#ifndef POPDIST_BACKEND_HPP
#define POPDIST_BACKEND_HPP

#include <popdist/collectives.hpp>
#include <popdist/context.hpp>
#include <popdist/popdist_poplar.hpp>

#endif
