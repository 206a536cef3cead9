// SPDX-License-Identifier: Apache-2.0
// The format of PrintTensor.
#ifndef POPLAR_PRINT_TENSOR_HPP
#define POPLAR_PRINT_TENSOR_HPP

#include <poplar/detail/standard.hpp>
#include <poplar/program.h>

namespace poplar
{

// Format of PrintTensor; the defaults are Poplar's.
struct PrintTensorFmt {
    // How real numbers are written.
    enum class FloatFormat {
        Auto = POP_FLOAT_FORMAT_AUTO,
        Fixed = POP_FLOAT_FORMAT_FIXED,
        Scientific = POP_FLOAT_FORMAT_SCIENTIFIC,
        None = POP_FLOAT_FORMAT_NONE
    };

    // All parts of the format.
    PrintTensorFmt(unsigned threshold = 1000, unsigned edge = 3, unsigned lineWidth = 75, unsigned digitsShown = 8,
                   FloatFormat format = FloatFormat::Auto, char separatorChar = ' ', char open = '[', char close = ']')
        : summariseThreshold(threshold), edgeItems(edge), maxLineWidth(lineWidth), digits(digitsShown),
          floatFormat(format), separator(separatorChar), openBracket(open), closeBracket(close)
    {
    }
    // The values only: no brackets, no line breaks, no abbreviation.
    static PrintTensorFmt disableFormatting()
    {
        const pop_print_format plain = pop_print_format_plain();
        return PrintTensorFmt(plain.summarise_threshold, plain.edge_items, plain.max_line_width, plain.digits,
                              FloatFormat::None, plain.separator, plain.open, plain.close);
    }

    pop_print_format c() const
    {
        pop_print_format format = pop_print_format_default();
        format.summarise_threshold = summariseThreshold;
        format.edge_items = edgeItems;
        format.max_line_width = maxLineWidth;
        format.digits = digits;
        format.float_format = static_cast<pop_float_format>(floatFormat);
        format.separator = separator;
        format.open = openBracket;
        format.close = closeBracket;
        return format;
    }

    // elements before a summary begins, elements at each end of it, columns, digits
    unsigned summariseThreshold, edgeItems, maxLineWidth, digits;
    FloatFormat floatFormat;                   // how real numbers are written
    char separator, openBracket, closeBracket; // between elements, and around a dimension
};

} // namespace poplar
#endif
