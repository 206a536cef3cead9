/* SPDX-License-Identifier: Apache-2.0 */
#include "flops.h"
#include "query.h"

#include <string.h>

const char flops_by_set_sql[] = "SELECT compute_set, ifnull(sum(flops), 0) AS flops, sum(CASE WHEN flops IS NULL THEN "
                                "count ELSE 0 END) AS uncounted FROM compute_set_vertices GROUP BY 1";

/* Multiply-adds of a tile in a cycle (docs/reference/ipu-model.md, 1.2); of all machines a tile receives 4 bytes. */
static const struct {
    const char *architecture;
    double of_half, of_float;
} tiles[] = { { "ipu1", 32, 8 }, { "ipu2", 64, 16 }, { "ipu21", 64, 16 }, { "bow", 64, 16 } };
enum { EXCHANGE_BYTES = 4, OF_MULTIPLY_ADD = 2 };

/* Peak rates of a tile, as recorded for this machine, whose options may differ from the architecture's; 0: not
 * recorded. */
static struct machine_peak recorded_peak(pva_file *file, double tiles_of_replica)
{
    static const char *const queries[] = { "SELECT value FROM info WHERE name = 'tile_half_multiply_adds'",
                                           "SELECT value FROM info WHERE name = 'tile_float_multiply_adds'",
                                           "SELECT value FROM info WHERE name = 'tile_exchange_bytes'" };
    return (struct machine_peak){ OF_MULTIPLY_ADD * tiles_of_replica * query_number(file, queries[0], 0),
                                  OF_MULTIPLY_ADD * tiles_of_replica * query_number(file, queries[1], 0),
                                  tiles_of_replica * query_number(file, queries[2], 0) };
}

struct machine_peak flops_peak(pva_file *file)
{
    json_t *target = query_row(file, "SELECT architecture, tiles_per_replica AS tiles FROM target", NULL);
    const char *name = json_string_value(json_object_get(target, "architecture"));
    double count = json_number_value(json_object_get(target, "tiles"));
    struct machine_peak peak = recorded_peak(file, count);
    bool known = peak.exchange_bytes > 0;
    for (size_t i = 0; name && !known && i < sizeof(tiles) / sizeof(tiles[0]); ++i)
        if (strcmp(tiles[i].architecture, name) == 0)
            peak = (struct machine_peak){ OF_MULTIPLY_ADD * count * tiles[i].of_half,
                                          OF_MULTIPLY_ADD * count * tiles[i].of_float, count * EXCHANGE_BYTES };
    json_decref(target);
    return peak;
}

json_t *flops_peak_json(pva_file *file)
{
    struct machine_peak peak = flops_peak(file);
    return json_pack("{s:f, s:f, s:f}", "half", peak.of_half, "float", peak.of_float, "exchange", peak.exchange_bytes);
}

bool flops_recorded(pva_file *file)
{
    return query_number(file, "SELECT count(*) FROM pragma_table_info('compute_set_vertices') WHERE name = 'flops'",
                        0) > 0;
}

json_t *flops_json(pva_file *file, pop_error *error)
{
    static const struct query_part parts[] = {
        { "runs", false,
          "SELECT e.run AS id, sum(e.times * f.flops) AS flops FROM (SELECT run, program, sum(times) AS times FROM "
          "executed_times GROUP BY 1, 2) e JOIN programs p ON p.id = e.program JOIN (SELECT compute_set, sum(flops) AS "
          "flops "
          "FROM compute_set_vertices GROUP BY 1) f ON f.compute_set = p.compute_set WHERE p.type = 'OnTileExecute' "
          "GROUP BY 1" },
        { "counts", true,
          "SELECT sum(count) AS vertices, sum(CASE WHEN flops IS NULL THEN count ELSE 0 END) AS uncounted FROM "
          "compute_set_vertices" },
    };
    if (!flops_recorded(file))
        return json_null();
    json_t *json = query_parts(file, parts, sizeof(parts) / sizeof(parts[0]), error), *run;
    size_t i;
    double all = 0;
    json_array_foreach(json_object_get(json, "runs"), i, run) all += json_number_value(json_object_get(run, "flops"));
    if (json) {
        json_object_set_new(json, "flops", json_real(all));
        json_object_update(json, json_object_get(json, "counts"));
        json_object_del(json, "counts");
        json_object_set_new(json, "peak", flops_peak_json(file));
    }
    return json;
}
