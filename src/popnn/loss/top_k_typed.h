/* SPDX-License-Identifier: Apache-2.0 */
/* The best elements of one type with their indices: template of top_k_vertices.c. */
/* Order of a heap of the best elements, worst first. A NaN is larger than every number, as in popops' top k and sort.
 * Among equals the one with the lower index is better. */
static inline bool TYPED(less)(T a, T b)
{
    return a < b || (a == a && b != b);
}
static inline bool TYPED(worse)(T a, unsigned ia, T b, unsigned ib)
{
    return TYPED(less)(a, b) || (ia > ib && !TYPED(less)(b, a));
}
static void TYPED(sink)(T *values, unsigned *places, unsigned size, T value, unsigned place)
{
    unsigned at = 0;
    for (unsigned child = 1; child < size; child = 2 * at + 1) {
        if (child + 1 < size && TYPED(worse)(values[child + 1], places[child + 1], values[child], places[child]))
            ++child;
        if (!TYPED(worse)(values[child], places[child], value, place))
            break;
        values[at] = values[child], places[at] = places[child];
        at = child;
    }
    values[at] = value, places[at] = place;
}
static void TYPED(rise)(T *values, unsigned *places, unsigned at, T value, unsigned place)
{
    for (; at && TYPED(worse)(value, place, values[(at - 1) / 2], places[(at - 1) / 2]); at = (at - 1) / 2)
        values[at] = values[(at - 1) / 2], places[at] = places[(at - 1) / 2];
    values[at] = value, places[at] = place;
}
static inline void TYPED(offer)(T *values, unsigned *places, unsigned k, unsigned seen, T value, unsigned place)
{
    if (seen < k)
        TYPED(rise)(values, places, seen, value, place);
    else if (TYPED(worse)(values[0], places[0], value, place))
        TYPED(sink)(values, places, k, value, place);
}
static void TYPED(sort)(T *values, unsigned *places, unsigned k)
{
    while (k-- > 1) {
        T value = values[k];
        unsigned place = places[k];
        values[k] = values[0], places[k] = places[0];
        TYPED(sink)(values, places, k, value, place);
    }
}
#define SORTED      1
#define SORTED_NAME "true"
#include "popnn/loss/top_k_sorted.h"
#undef SORTED
#undef SORTED_NAME

#define SORTED      0
#define SORTED_NAME "false"
#include "popnn/loss/top_k_sorted.h"
#undef SORTED
#undef SORTED_NAME
