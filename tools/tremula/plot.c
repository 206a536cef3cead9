/* SPDX-License-Identifier: Apache-2.0 */
#include "plot.h"

#include <poplar/text.h>
#include <stdio.h>
#include <unistd.h>

enum { WIDTH = 900, LEFT = 280, RIGHT = 150, ROW = 26, TOP = 56 };

static const struct {
    const char *name, *colour;
} parts[] = { { "compute", "#2b6cb0" }, { "exchange", "#dd8a2f" }, { "wait", "#b9bec6" } };

static void put_text(FILE *file, double x, double y, const char *anchor, const char *text)
{
    char line[200];
    pop_text_format(line, sizeof(line), "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    fputs(line, file);
    for (; *text; ++text)
        switch (*text) {
        case '<':
            fputs("&lt;", file);
            break;
        case '>':
            fputs("&gt;", file);
            break;
        case '&':
            fputs("&amp;", file);
            break;
        default:
            fputc(*text, file);
        }
    fputs("</text>\n", file);
}

static void put_bar(FILE *file, double x, double y, double width, const char *colour)
{
    char line[200];
    pop_text_format(line, sizeof(line), "<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%d\" fill=\"%s\"/>\n", x,
                    y, width, ROW - 8, colour);
    fputs(line, file);
}

static void put_row(FILE *file, const struct measurement *m, double y, double unit)
{
    const double shares[] = { m->compute, m->exchange, m->sync };
    double x = LEFT;
    char text[360];
    for (size_t i = 0; i < 3; ++i) {
        put_bar(file, x, y, shares[i] * m->cycles * unit, parts[i].colour);
        x += shares[i] * m->cycles * unit;
    }
    pop_text_format(text, sizeof(text), "%.0f%s", m->cycles, m->fits ? "" : " (does not fit)");
    put_text(file, (x > LEFT ? x : LEFT) + 6, y + ROW - 13, "start", m->done ? text : "no result");
}

bool plot_write(const char *path, const char *title, const char *const *labels, const struct measurement *list,
                size_t count)
{
    char partial[4096], line[400];
    double most = 1;
    pop_text_format(partial, sizeof(partial), "%s.part", path);
    FILE *file = fopen(partial, "w");
    if (!file)
        return false;
    for (size_t i = 0; i < count; ++i)
        most = list[i].cycles > most ? list[i].cycles : most;
    pop_text_format(line, sizeof(line),
                    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%zu\" font-family=\"sans-serif\" "
                    "font-size=\"12\">\n"
                    "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
                    WIDTH, TOP + count * ROW + 16);
    fputs(line, file);
    put_text(file, 12, 20, "start", title);
    for (size_t i = 0; i < 3; ++i) {
        put_bar(file, LEFT + 110.0 * (double)i, 28, 14, parts[i].colour);
        put_text(file, LEFT + 20 + 110.0 * (double)i, 41, "start", parts[i].name);
    }
    put_text(file, 12, 41, "start", "cycles by machine");
    for (size_t i = 0; i < count; ++i) {
        double y = TOP + (double)i * ROW;
        put_text(file, LEFT - 8, y + ROW - 13, "end", labels[i]);
        put_row(file, &list[i], y, (WIDTH - LEFT - RIGHT) / most);
    }
    fputs("</svg>\n", file);
    bool good = !ferror(file);
    good = fclose(file) == 0 && good && rename(partial, path) == 0;
    if (!good)
        unlink(partial);
    return good;
}
