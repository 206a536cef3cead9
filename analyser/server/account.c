/* SPDX-License-Identifier: Apache-2.0 */
#include "account.h"

#include "base/mem.h"

#include <poplar/text.h>

#include <stdlib.h>
#include <string.h>

const char *const activity_ids[ACTIVITIES] = {
    [ACTIVITY_COMPUTE] = "compute", [ACTIVITY_EXCHANGE] = "exchange", [ACTIVITY_GLOBAL_EXCHANGE] = "globalExchange",
    [ACTIVITY_HOST] = "host",       [ACTIVITY_SYNC] = "sync",         [ACTIVITY_OTHER] = "other",
};
const char *const activity_names[ACTIVITIES] = {
    [ACTIVITY_COMPUTE] = "compute",
    [ACTIVITY_EXCHANGE] = "exchange",
    [ACTIVITY_GLOBAL_EXCHANGE] = "exchange between IPUs",
    [ACTIVITY_HOST] = "host",
    [ACTIVITY_SYNC] = "sync",
    [ACTIVITY_OTHER] = "other",
};

/* Programs, and numbers of enum activity. */
static const char activities_sql[] =
    "SELECT id, CASE WHEN type = 'OnTileExecute' THEN 0 WHEN type = 'DoExchange' THEN 1 WHEN type = "
    "'GlobalExchange' THEN 2 WHEN type LIKE 'StreamCopy%' THEN 3 WHEN type IN ('Sync', 'Sans', 'SyncAns') THEN 4 "
    "ELSE 5 END FROM programs ORDER BY id";

static bool on_run(void *context, size_t columns, const char *const *names, const pva_value *values)
{
    struct account *account = context;
    (void)columns, (void)names;
    if (values && values[0].text && values[2].text)
        *vec_push(&account->runs) = (struct account_run){ .id = strtoull(values[0].text, NULL, 10),
                                                          .name = mem_string(values[1].text ? values[1].text : ""),
                                                          .total = pop_text_to_double(values[2].text, NULL) };
    return true;
}

static int by_id(const void *left, const void *right)
{
    uint64_t a = ((const struct account_run *)left)->id, b = ((const struct account_run *)right)->id;
    return (a > b) - (a < b);
}

/* Activities by the id of a program. */
typedef VEC(unsigned char) activity_list;

static bool on_activity(void *context, size_t columns, const int64_t *values)
{
    activity_list *list = context;
    (void)columns;
    if (values[0] == (int64_t)list->count)
        *vec_push(list) = (unsigned char)values[1];
    return true;
}

static pop_status add_cycles(struct account *account, const struct elapsed *elapsed, pva_file *file, pop_error *error)
{
    activity_list of = { 0 };
    pop_status status = pva_sql_integers(file, activities_sql, on_activity, &of, error);
    for (size_t i = 0; i < elapsed->rows.count && account->runs.count; ++i) {
        const struct elapsed_row *row = &elapsed->rows.data[i];
        struct account_run wanted = { .id = row->run };
        struct account_run *run = bsearch(&wanted, account->runs.data, account->runs.count, sizeof(wanted), by_id);
        if (run && row->program < of.count)
            run->cycles[of.data[row->program]] += row->cycles;
    }
    vec_free(&of);
    return status;
}

static bool on_numbers(void *context, size_t columns, const char *const *names, const pva_value *values)
{
    (void)names;
    for (size_t i = 0; values && i < columns; ++i)
        if (values[i].text)
            ((double *)context)[i] = pop_text_to_double(values[i].text, NULL);
    return true;
}

/* What no step accounts for is other; all runs are summed. */
static void complete(struct account *account)
{
    for (size_t r = 0; r < account->runs.count; ++r) {
        struct account_run *run = &account->runs.data[r];
        double known = 0;
        for (size_t i = 0; i < ACTIVITIES; ++i)
            known += run->cycles[i];
        if (run->total > known)
            run->cycles[ACTIVITY_OTHER] += run->total - known;
        else
            run->total = known;
        account->total += run->total;
        for (size_t i = 0; i < ACTIVITIES; ++i)
            account->cycles[i] += run->cycles[i];
    }
}

pop_status account_read(struct account *account, const struct elapsed *elapsed, pva_file *file, pop_error *error)
{
    double use[2] = { 0 }; /* compute cycles of all tiles, cycles of all tiles */
    pop_status status = pva_sql(file,
                                "SELECT id, name, cycles_to - cycles_from FROM runs WHERE steps > 0 OR NOT EXISTS("
                                "SELECT 1 FROM executed) ORDER BY id",
                                on_run, account, error);
    if (status == POP_OK)
        status = add_cycles(account, elapsed, file, error);
    if (status == POP_OK)
        status = pva_sql(file, "SELECT compute, total * tiles_per_replica FROM execution_cycle_totals, target",
                         on_numbers, use, error);
    complete(account);
    account->utilisation = use[1] > 0 ? use[0] / use[1] : 0;
    return status;
}

void account_free(struct account *account)
{
    for (size_t i = 0; i < account->runs.count; ++i)
        free(account->runs.data[i].name);
    vec_free(&account->runs);
    *account = (struct account){ 0 };
}
