/* SPDX-License-Identifier: Apache-2.0 */
/* tremula-anchors: figure, the expected one, ours, deviation, and reason.  Exits with 1 if a row deviates more than it
 * may. */
#include "anchors.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static struct {
    enum anchor_basis basis;
    unsigned rows, apart, exact, of[ANCHOR_BASES];
} seen;

void anchor_part(const char *title, enum anchor_basis basis)
{
    static const char *const columns[] = { "published", "implied", "our other" };
    seen.basis = basis;
    printf("\n%s\n  %-62s %14s %14s %9s %7s\n", title, "figure", columns[basis], "ours", "off by", "at most");
}

static void print_number(double value)
{
    if (value == floor(value))
        printf(" %14.0f", value);
    else
        printf(" %14.2f", value);
}

void anchor(const char *figure, double expected, double ours, double percent, const char *why)
{
    double off = expected ? 100 * (ours - expected) / expected : ours ? 100 : 0;
    bool apart = !(fabs(off) <= percent);
    ++seen.rows;
    ++seen.of[seen.basis];
    seen.apart += apart;
    seen.exact += ours == expected;
    printf("%c %-62s", apart ? '!' : ' ', figure);
    print_number(expected);
    print_number(ours);
    if (ours == expected)
        printf(" %9s", "-");
    else
        printf(" %+8.2f%%", off);
    if (percent)
        printf(" %6.1f%%\n", percent);
    else
        printf(" %7s\n", "exact");
    if (why && ours != expected)
        printf("      %s\n", why);
    fflush(stdout);
}

void anchor_tenth(const char *figure, double expected, double ours)
{
    anchor(figure, expected, floor(ours * 10 + 0.5) / 10, 0, NULL);
}

void anchor_must(pop_status status, const pop_error *error)
{
    if (status == POP_OK)
        return;
    pop_error_print(error);
    exit(2);
}

int main(void)
{
    anchors_listing();
    anchors_exchange();
    anchors_compute();
    anchors_host();
    anchors_empty_exchange();
    anchors_tutorial();
    anchors_memory();
    anchors_stencils();
    anchors_scaling();
    printf("\n%u figures: %u exact, %u within what is allowed, %u not.\n", seen.rows, seen.exact,
           seen.rows - seen.exact - seen.apart, seen.apart);
    printf("%u of them were published, %u follow from what was published, %u compare two figures of ours.\n",
           seen.of[ANCHOR_PUBLISHED], seen.of[ANCHOR_IMPLIED], seen.of[ANCHOR_OWN]);
    return seen.apart ? 1 : 0;
}
