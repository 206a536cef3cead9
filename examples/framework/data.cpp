// SPDX-License-Identifier: Apache-2.0
#include "data.hpp"

#include "digits/digits.h"

namespace framework
{

// The mean of four pixels.
static float coarse(const float *image, std::size_t row, std::size_t column)
{
    const float *at = image + 2 * row * DIGITS_SIDE + 2 * column;
    return (at[0] + at[1] + at[DIGITS_SIDE] + at[DIGITS_SIDE + 1]) / 2 - 1;
}

DataSet drawnDigits(std::size_t count, unsigned seed)
{
    digits drawn = digits_draw(count, seed);
    DataSet set;
    set.labels.assign(drawn.labels, drawn.labels + count);
    for (std::size_t i = 0; i < count; ++i)
        for (std::size_t row = 0; row < DataSet::side; ++row)
            for (std::size_t column = 0; column < DataSet::side; ++column)
                set.images.push_back(coarse(drawn.images + i * DIGITS_PIXELS, row, column));
    digits_free(&drawn);
    return set;
}

} // namespace framework
