/* SPDX-License-Identifier: Apache-2.0 */
#include "base/fit.h"
#include "base/log.h"
#include "base/mix.h"
#include "graph/store/store.h"
#include "graph/variable/variable.h"

#include <poplar/text.h>

/* Whether what the key stands for has not been reported yet; it counts as reported from now on. */
static bool is_new(struct misfits *misfits, uint64_t key)
{
    for (uint32_t i = 0; i < misfits->count && i < MISFITS_KEPT; ++i)
        if (misfits->keys[i] == key)
            return false;
    if (misfits->count < MISFITS_KEPT)
        misfits->keys[misfits->count] = key;
    ++misfits->count;
    return true;
}

/* After MISFITS_KEPT warnings, one line says that there are more. */
static void report(pop_store *store, pop_where where, const char *text)
{
    struct misfits *misfits = &store->misfits;
    char place[300] = "";
    if (misfits->count == 1) {
        misfits->where = store_where(store, where);
        snprintf(misfits->first, sizeof(misfits->first), "%s", text);
    }
    if (where.file)
        snprintf(place, sizeof(place), " (%s:%d)", where.file, where.line);
    if (misfits->count <= MISFITS_KEPT)
        LOG(GRAPH, WARN, "%s%s", text, place);
    else if (misfits->count == MISFITS_KEPT + 1)
        LOG(GRAPH, WARN, "more values do not fit their types: they are not listed");
}

/* "70000 for field 'n' of vertex type 'Sum' is beyond unsigned short, 0 to 65535: it becomes 4464" */
static void describe(char *text, size_t size, const char *what, pop_type value_type, const void *value, pop_type type)
{
    char given[FIT_TEXT], becomes[FIT_TEXT], range[2 * FIT_TEXT + 8];
    uint64_t bits = 0;
    pop_convert(value_type, value, type, &bits, 1);
    fit_value_text(given, value_type, value);
    fit_value_text(becomes, type, &bits);
    fit_range_text(range, sizeof(range), type);
    snprintf(text, size, "%s for %s is beyond %s, %s: it becomes %s", given, what, pop_type_name(type), range, becomes);
}

void misfit_report(pop_store *store, pop_where where, uint64_t key, const char *what, pop_type value_type,
                   const void *value, pop_type type)
{
    if (!is_new(&store->misfits, key))
        return;
    char text[sizeof(store->misfits.first)];
    describe(text, sizeof(text), what, value_type, value, type);
    report(store, where, text);
}

void misfit_tensor(pop_store *store, pop_where where, const char *name, pop_type value_type, const void *values,
                   pop_type type, size_t count)
{
    size_t first = fit_first_beyond(value_type, values, type, count);
    if (first == count)
        return;
    uint64_t key = mix((uint64_t)where.line);
    for (const char *at = name ? name : ""; *at; ++at)
        key = mix(key + (unsigned char)*at);
    char what[200];
    snprintf(what, sizeof(what), "element %zu of '%s'", first, name ? name : "<const>");
    misfit_report(store, where, key, what, value_type, (const char *)values + first * pop_type_size(value_type), type);
}
