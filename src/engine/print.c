/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a tensor: nested brackets, a row of innermost elements on a line (wrapped at max_line_width), elements
 * aligned to one width, long dimensions shortened to their edges once the whole has more elements than
 * summarise_threshold.  0 as the width or the threshold is no limit. */
#include "engine/engine.h"

#include "base/str.h"

#include <inttypes.h>
#include <math.h>
#include <poplar/text.h>
#include <string.h>

enum { ELEMENT_TEXT = 64 };

struct printer {
    struct str text;
    pop_type type;
    const unsigned char *data;
    size_t rank;
    const uint64_t *dims;
    pop_print_format format;
    bool summarise;
    bool scientific;   /* floating point: as 1.2345678e+10 */
    int fraction;      /* floating point: digits after the point, -1 for the shortest form */
    size_t width;      /* of an element */
    size_t line_start; /* of the current line, in text */
};

static double as_double(const struct printer *p, uint64_t element)
{
    double value = 0;
    pop_convert(p->type, p->data + element * pop_type_size(p->type), POP_DOUBLE, &value, 1);
    return value;
}

static size_t element_text(const struct printer *p, uint64_t element, char buffer[ELEMENT_TEXT])
{
    const unsigned char *at = p->data + element * pop_type_size(p->type);
    int length;
    if (pop_type_is_floating_point(p->type)) {
        double value = as_double(p, element);
        if (!isfinite(value))
            length = snprintf(buffer, ELEMENT_TEXT, "%s", isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
        else if (p->fraction < 0)
            length = pop_text_format(buffer, ELEMENT_TEXT, "%.*g", p->format.guide ? 6 : (int)p->format.digits, value);
        else
            length = pop_text_format(buffer, ELEMENT_TEXT, p->scientific ? "%.*e" : "%.*f", p->fraction, value);
    } else if (pop_type_is_signed(p->type)) {
        int64_t value = 0;
        pop_convert(p->type, at, POP_LONGLONG, &value, 1);
        length = snprintf(buffer, ELEMENT_TEXT, "%" PRId64, value);
    } else {
        uint64_t value = 0;
        pop_convert(p->type, at, POP_UNSIGNED_LONGLONG, &value, 1);
        length = snprintf(buffer, ELEMENT_TEXT, "%" PRIu64, value);
    }
    return length < 0 ? 0 : length >= ELEMENT_TEXT ? ELEMENT_TEXT - 1 : (size_t)length;
}

/* Whether index i of a dimension is omitted, replaced by "...". */
static bool is_elided(const struct printer *p, uint64_t extent, uint64_t i)
{
    return p->summarise && extent > 2 * (uint64_t)p->format.edge_items && i >= p->format.edge_items &&
           i < extent - p->format.edge_items;
}

/* Calls visit for each element that is printed. */
static void each_shown(struct printer *p, size_t dim, uint64_t first, void (*visit)(struct printer *, uint64_t))
{
    if (dim == p->rank) {
        visit(p, first);
        return;
    }
    uint64_t extent = p->dims[dim];
    for (uint64_t i = 0; i < extent; ++i) {
        if (is_elided(p, extent, i))
            i = extent - p->format.edge_items;
        if (i < extent)
            each_shown(p, dim + 1, first * extent + i, visit);
    }
}

/* Largest and smallest nonzero magnitudes, for choosing the floating-point format. */
struct magnitudes {
    struct printer printer; /* first member: each_shown passes it to the callback */
    double largest, smallest;
};

static void measure_magnitude(struct printer *p, uint64_t element)
{
    struct magnitudes *m = (struct magnitudes *)p;
    double value = fabs(as_double(p, element));
    if (!isfinite(value) || value == 0)
        return;
    if (value > m->largest)
        m->largest = value;
    if (m->smallest == 0 || value < m->smallest)
        m->smallest = value;
}

static void choose_float_format(struct printer *p)
{
    int digits = p->format.digits ? (int)p->format.digits : 1;
    if (digits > 40)
        digits = 40;
    p->fraction = -1;
    if (p->format.guide || p->format.float_format == POP_FLOAT_FORMAT_NONE)
        return;
    struct magnitudes m = { .printer = *p };
    each_shown(&m.printer, 0, 0, measure_magnitude);
    int before = m.largest >= 1 ? (int)floor(log10(m.largest)) + 1 : 1; /* digits before the point */
    p->scientific = p->format.float_format == POP_FLOAT_FORMAT_SCIENTIFIC;
    if (p->format.float_format == POP_FLOAT_FORMAT_AUTO && m.largest > 0)
        p->scientific = before > digits || m.smallest < 1e-4;
    p->fraction = p->scientific ? digits - 1 : digits > before ? digits - before : 0;
}

static void measure_width(struct printer *p, uint64_t element)
{
    char buffer[ELEMENT_TEXT];
    size_t length = element_text(p, element, buffer);
    if (length > p->width)
        p->width = length;
}

static void add_char(struct printer *p, char c)
{
    if (c)
        str_add_bytes(&p->text, &c, 1);
}

static void new_line(struct printer *p, size_t indent)
{
    add_char(p, '\n');
    p->line_start = p->text.length;
    for (size_t i = 0; i < indent; ++i)
        add_char(p, ' ');
}

/* Adds an item of an innermost row, on a new line if it would exceed the line width. */
static void add_item(struct printer *p, const char *item, size_t length, bool first, size_t indent)
{
    size_t padded = length < p->width ? p->width : length;
    if (!first) {
        add_char(p, p->format.separator);
        if (p->format.max_line_width && p->text.length - p->line_start + padded + 1 > p->format.max_line_width)
            new_line(p, indent + 1);
    }
    for (size_t i = length; i < padded; ++i)
        add_char(p, ' ');
    str_add_bytes(&p->text, item, length);
}

static void add_dimension(struct printer *p, size_t dim, uint64_t first, size_t indent)
{
    char buffer[ELEMENT_TEXT];
    if (dim == p->rank) {
        size_t length = element_text(p, first, buffer);
        add_item(p, buffer, length, true, indent);
        return;
    }
    uint64_t extent = p->dims[dim];
    bool rows = dim + 1 < p->rank && extent; /* each item is a row of its own */
    add_char(p, p->format.open);
    for (uint64_t i = 0; i < extent; ++i) {
        bool gap = is_elided(p, extent, i);
        if (rows) {
            if (i && p->format.separator != ' ')
                add_char(p, p->format.separator);
            new_line(p, indent + 1);
        }
        if (gap) {
            if (rows)
                str_add(&p->text, "...");
            else
                add_item(p, "...", 3, i == 0, indent);
            i = extent - p->format.edge_items - 1;
        } else if (rows) {
            add_dimension(p, dim + 1, first * extent + i, indent + 1);
        } else {
            add_item(p, buffer, element_text(p, first * extent + i, buffer), i == 0, indent);
        }
    }
    if (rows)
        new_line(p, indent);
    add_char(p, p->format.close);
}

void print_tensor(FILE *file, const char *title, pop_type type, const uint64_t *dims, size_t rank, const void *data,
                  const pop_print_format *format)
{
    struct printer p = { .type = type, .data = data, .rank = rank, .dims = dims, .format = *format };
    if (p.format.guide)
        p.format = (pop_print_format){ .summarise_threshold = UINT32_MAX,
                                       .edge_items = UINT32_MAX,
                                       .max_line_width = UINT32_MAX,
                                       .separator = ',',
                                       .open = '{',
                                       .close = '}',
                                       .guide = true };
    uint64_t elements = 1;
    for (size_t i = 0; i < rank; ++i)
        elements *= dims[i];
    p.summarise = p.format.summarise_threshold && elements > p.format.summarise_threshold && p.format.edge_items;
    if (elements && pop_type_is_floating_point(type))
        choose_float_format(&p);
    if (elements && !p.format.guide && p.format.float_format != POP_FLOAT_FORMAT_NONE)
        each_shown(&p, 0, 0, measure_width);
    if (title && *title)
        str_format(&p.text, "%s: ", title);
    if (!elements && rank)
        str_format(&p.text, "%.1s%.1s", &p.format.open, &p.format.close);
    else
        add_dimension(&p, 0, 0, 0);
    add_char(&p, '\n');
    fwrite(p.text.text, 1, p.text.length, file);
    fflush(file);
    str_free(&p.text);
}
