// SPDX-License-Identifier: Apache-2.0
// Standard headers that Poplar's headers include and programs therefore use without including them
// (docs/concepts/coming-from-poplar.md).
#ifndef POPLAR_DETAIL_STANDARD_HPP
#define POPLAR_DETAIL_STANDARD_HPP

#if __cplusplus < 201703L // <functional> has it from then on
#include <algorithm>
#endif
#include <array>
#include <cassert>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <iosfwd>
#ifndef __POPC__ // codelets have no streams
#include <iostream>
#endif
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#if __cplusplus >= 201703L
#include <optional>
#endif
#include <set>
#ifndef __POPC__
#include <sstream>
#endif
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#endif
