// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
struct Record {
    float x, y;
    std::uint16_t u, v;
    std::uint32_t hit;
    Record()
    {
    }
    Record(unsigned i, unsigned j, unsigned w, unsigned h) : x(2.f * i / w - 1), y(2.f * j / h - 1), u(i), v(j), hit(0)
    {
    }
};
static_assert(sizeof(Record) == 16, "size");
