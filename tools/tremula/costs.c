/* SPDX-License-Identifier: Apache-2.0 */
#include "costs.h"

#include <poplar/memory.h>
#include <poplar/text.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The sum of a kind of cycles over all tiles. */
static double tile_cycles(const pop_profile_value *execution, const char *const *kinds, size_t count)
{
    const pop_profile_value *all = pop_profile_path(execution, "simulation.tileCycles");
    double sum = 0;
    for (size_t i = 0; i < count; ++i)
        sum += pop_profile_sum(pop_profile_get(all, kinds[i]));
    return sum;
}

static void read_shares(const session *s, costs *c)
{
    static const char *const exchange[] = { "doExchange", "globalExchange", "streamCopy" }, *const kinds[] = {
        "compute", "copy", "sync"
    };
    pop_profile_value execution = { 0 };
    pop_error error;
    if (pop_engine_execution_profile(s->engine, &execution, &error) != POP_OK)
        return;
    double compute = tile_cycles(&execution, kinds, 2), sync = tile_cycles(&execution, kinds + 2, 1),
           exchanged = tile_cycles(&execution, exchange, 3), all = compute + sync + exchanged;
    if (all > 0) {
        c->compute = compute / all;
        c->exchange = exchanged / all;
        c->sync = sync / all;
    }
    pop_profile_free(&execution);
}

pop_status read_costs(const session *s, costs *c, pop_error *error)
{
    *c = (costs){ .per_tile = s->target->bytes_per_tile };
    pop_profile_value graph = { 0 };
    if (pop_engine_cycles(s->engine, &c->cycles, error) != POP_OK ||
        pop_engine_graph_profile(s->engine, &graph, error) != POP_OK)
        return error->status;
    const pop_profile_value *tiles = pop_profile_path(&graph, "memory.byTile.total"),
                            *needed = pop_profile_path(&graph, "memory.byTile.totalIncludingGaps");
    for (size_t i = 0; i < pop_profile_size(tiles); ++i) {
        uint64_t bytes = pop_profile_as_uint(pop_profile_at(tiles, i)),
                 with_gaps = pop_profile_as_uint(pop_profile_at(needed, i));
        c->fullest = bytes > c->fullest ? bytes : c->fullest;
        c->needed = with_gaps > c->needed ? with_gaps : c->needed;
        c->all += bytes;
    }
    c->seconds = s->target->tile_clock_frequency > 0 ? (double)c->cycles.total / s->target->tile_clock_frequency : 0;
    pop_profile_free(&graph);
    read_shares(s, c);
    return POP_OK;
}

/* ---- nodes ---- */

struct row {
    const char *name, *op;
    double cycles, flops;
    size_t weight_bytes, output_bytes, length;
    unsigned ipu;
};

/* The node whose name a step's name begins with: the longest one, as a name may begin with another. */
static struct row *find_row(struct row *rows, size_t count, const char *step)
{
    struct row *best = NULL;
    for (size_t i = 0; i < count; ++i) {
        size_t length = rows[i].length;
        if (strncmp(rows[i].name, step, length) == 0 && (step[length] == '/' || !step[length]) &&
            (!best || best->length < length))
            best = &rows[i];
    }
    return best;
}

static int by_cycles(const void *a, const void *b)
{
    double x = ((const struct row *)a)->cycles, y = ((const struct row *)b)->cycles;
    return (x < y) - (x > y);
}

static struct row *list_rows(const session *s, size_t *count)
{
    tremula_onnx_node_cost cost;
    *count = 0;
    while (tremula_onnx_node(s->model, *count, &cost))
        ++*count;
    struct row *rows = pop_memory_resize(NULL, *count + 1, sizeof(*rows));
    for (size_t i = 0; tremula_onnx_node(s->model, i, &cost); ++i)
        rows[i] = (struct row){ .name = cost.name,
                                .op = cost.operator_name,
                                .flops = cost.flops,
                                .weight_bytes = cost.weight_bytes,
                                .output_bytes = cost.output_bytes,
                                .length = strlen(cost.name),
                                .ipu = cost.ipu };
    return rows;
}

/* Cycles of each step, given to the node that it belongs to; the rest is input, output and control.  Returns all of
 * them: waiting is no step. */
static double add_steps(const pop_profile_value *steps, struct row *rows, size_t count, double *rest)
{
    double all = 0;
    for (size_t i = 0; i < pop_profile_size(steps); ++i) {
        const pop_profile_value *step = pop_profile_at(steps, i);
        double cycles = pop_profile_as_double(pop_profile_get(step, "cycles"));
        struct row *row = find_row(rows, count, pop_profile_as_string(pop_profile_get(step, "name")));
        *(row ? &row->cycles : rest) += cycles;
        all += cycles;
    }
    return all;
}

static void print_remainder(double cycles, double total, const char *what)
{
    put("%12.0f %6.1f%% %12s %10s %10s  %s\n", cycles, total > 0 ? cycles / total * 100 : 0, "", "", "", what);
}

static void print_rows(struct row *rows, size_t count, size_t wanted, double total, double batches)
{
    if (count)
        qsort(rows, count, sizeof(*rows), by_cycles);
    put("%12s %7s %12s %10s %10s  node\n", "cycles", "share", "FLOP", "weights", "output");
    double others = 0;
    for (size_t i = 0; i < count && i < wanted; ++i)
        put("%12.0f %6.1f%% %12.0f %10zu %10zu  %s (%s)\n", rows[i].cycles,
            total > 0 ? rows[i].cycles / total * 100 : 0, rows[i].flops * batches, rows[i].weight_bytes,
            rows[i].output_bytes, rows[i].name, rows[i].op);
    for (size_t i = wanted; i < count; ++i)
        others += rows[i].cycles;
    if (count > wanted)
        print_remainder(others, total, "the other nodes");
}

/* What each IPU does for a batch; with many batches the slowest decides. */
static void print_stages(const struct row *rows, size_t count, const session *s, double total)
{
    double most = 0, sum = 0, batches = s->batches > 1 ? (double)s->batches : 1;
    unsigned ipus = s->target->num_ipus;
    for (unsigned ipu = 0; ipu < ipus; ++ipu) {
        double cycles = 0, weights = 0;
        size_t nodes = 0;
        for (size_t i = 0; i < count; ++i)
            if (rows[i].ipu == ipu) {
                cycles += rows[i].cycles / batches;
                weights += (double)rows[i].weight_bytes;
                ++nodes;
            }
        put("  IPU %u: %zu nodes, %.0f cycles a batch, %.4g MB of weights\n", ipu, nodes, cycles, weights / 1e6);
        most = cycles > most ? cycles : most;
        sum += cycles;
    }
    if (most <= 0)
        return;
    put("  balance %.0f %%: a batch passes the IPUs in %.0f cycles, and the slowest has it for %.0f\n",
        sum / most / ipus * 100, sum, most);
    if (s->batches > 1)
        put("  %zu batches, each IPU busy with another one: %.0f cycles each, measured from the first to the last\n",
            s->batches, total / batches);
    else
        put("  with many batches, each IPU busy with another one, about %.0f cycles each: --batches N measures it\n",
            most);
}

pop_status print_costs(const session *s, size_t wanted, pop_error *error)
{
    costs c;
    if (read_costs(s, &c, error) != POP_OK)
        return error->status;
    double total = (double)c.cycles.total;
    put("%.0f cycles, %.3g ms at %.4g GHz; of all tiles' cycles %.0f %% compute, %.0f %% exchange, %.0f %% wait\n",
        total, c.seconds * 1e3, s->target->tile_clock_frequency / 1e9, c.compute * 100, c.exchange * 100, c.sync * 100);
    put("memory: %.4g MB of %.4g MB on %u tiles; the fullest tile has %.4g of %.4g KB%s\n", (double)c.all / 1e6,
        (double)pop_target_memory_bytes(s->target) / 1e6, pop_target_num_tiles(s->target), (double)c.fullest / 1e3,
        (double)c.per_tile / 1e3, c.needed > c.per_tile ? "" : ": the model fits");
    if (c.needed > c.per_tile)
        print_shortage(s, &c);
    pop_profile_value execution = { 0 };
    if (pop_engine_execution_profile(s->engine, &execution, error) != POP_OK)
        return error->status;
    size_t count;
    double rest = 0;
    struct row *rows = list_rows(s, &count);
    double steps = add_steps(pop_profile_path(&execution, "simulation.steps"), rows, count, &rest);
    double batches = s->batches > 1 ? (double)s->batches : 1, flops = 0;
    for (size_t i = 0; i < count; ++i)
        flops += rows[i].flops * batches;
    if (c.seconds > 0)
        put("arithmetic: %.4g GFLOP, %.4g TFLOP/s\n", flops / 1e9, flops / c.seconds / 1e12);
    if (s->target->num_ipus > 1)
        print_stages(rows, count, s, total);
    print_rows(rows, count, wanted, total, batches);
    print_remainder(rest, total, "inputs, outputs and what belongs to no node");
    if (total >= steps) /* several IPUs work on different steps at once */
        print_remainder(total - steps, total, "synchronisation, and waiting for the host");
    pop_memory_free(rows);
    pop_profile_free(&execution);
    return POP_OK;
}

enum { MAX_IPUS = 64 };

/* How many IPUs would do, at least `ipus`: the fullest tile, which is `full` of its memory, goes down with the largest
 * share.  0: a node is too large for any number. */
static unsigned needed_ipus(const session *s, unsigned ipus, double full)
{
    double now = tremula_onnx_largest_share(s->model, s->target->num_ipus);
    for (; ipus <= MAX_IPUS && now > 0; ++ipus)
        if (full * tremula_onnx_largest_share(s->model, ipus) / now <= 1)
            return ipus;
    return 0;
}

/* The node that holds most, and what all of them have of weights. */
static const struct row *find_largest(const struct row *rows, size_t count, size_t *weights)
{
    const struct row *worst = NULL;
    *weights = 0;
    for (size_t i = 0; i < count; ++i) {
        *weights += rows[i].weight_bytes;
        if (!worst || rows[i].weight_bytes + rows[i].output_bytes > worst->weight_bytes + worst->output_bytes)
            worst = &rows[i];
    }
    return worst;
}

void print_shortage(const session *s, const costs *c)
{
    size_t count, weights;
    struct row *rows = list_rows(s, &count);
    const struct row *worst = find_largest(rows, count, &weights);
    double full = (double)c->fullest, capacity = (double)c->per_tile;
    bool half = s->build_options.count && strcmp(s->build_options.list[0].value, "half") == 0;
    unsigned now = s->target->num_ipus, ipus = needed_ipus(s, now + 1, full / capacity),
             ipus_in_half = half ? 0 : needed_ipus(s, now, full / 2 / capacity);
    put("the model does not fit: the fullest tile lacks %.4g KB; of %.4g MB that it needs in all, %.4g MB are "
        "weights\n",
        ((double)c->needed - capacity) / 1e3, (double)c->all / 1e6, (double)weights / 1e6);
    if (worst)
        put("  the largest node is '%s' (%s): %.4g MB of weights, %.4g MB of output\n", worst->name, worst->op,
            (double)worst->weight_bytes / 1e6, (double)worst->output_bytes / 1e6);
    if (ipus)
        put("  by what the nodes hold, --ipus %u would do", ipus);
    else
        put("  that node is too large for an IPU, however many there are");
    if (ipus_in_half == now)
        put("; so would --type half");
    else if (ipus_in_half && ipus_in_half < (ipus ? ipus : MAX_IPUS + 1))
        put("; in half (--type half) --ipus %u", ipus_in_half);
    put("\n");
    pop_memory_free(rows);
}
