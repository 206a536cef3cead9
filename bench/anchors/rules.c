/* SPDX-License-Identifier: Apache-2.0 */
/* Figures that follow from the rules of target/ only. */
#include "anchors.h"
#include "patterns.h"

#include "target/copy_cost.h"
#include "target/cost.h"

#include <stdio.h>

static pop_target chip(const char *name)
{
    pop_error error = { 0 };
    pop_target target;
    anchor_must(pop_target_create_ipu(1, name, &target, &error), &error);
    return target;
}

struct spread {
    uint64_t max, sum;
};
static struct spread spread_of(const uint64_t *cycles, uint32_t tiles)
{
    struct spread spread = { 0 };
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        spread.max = cycles[tile] > spread.max ? cycles[tile] : spread.max;
        spread.sum += cycles[tile];
    }
    return spread;
}

void anchors_exchange(void)
{
    pop_target one = chip("ipu1");
    uint64_t cycles[MK1_TILES], data;
    struct spread spread;
    anchor_part("Exchange within an IPU, Mk1: one function of positions and words", ANCHOR_PUBLISHED);
    data = pattern_broadcast(&one, cycles);
    spread = spread_of(cycles, MK1_TILES);
    anchor("one word from tile 0 to all: longest tile", 120, (double)spread.max, 0, NULL);
    anchor_tenth("  mean", 103.9, (double)spread.sum / MK1_TILES);
    anchor_tenth("  balance, %", 86.6, 100.0 * (double)spread.sum / (MK1_TILES * (double)spread.max));
    anchor("  total data", 2432, (double)data, 0, NULL);
    data = pattern_convolution(&one, cycles);
    spread = spread_of(cycles, CONV_TILES);
    anchor("392 tiles receive 128 words and send 32: longest tile", 169, (double)spread.max, 0, NULL);
    anchor("  tile 391", 169, (double)cycles[391], 0, NULL);
    anchor("  mean", 146.4, (double)spread.sum / CONV_TILES, 0.5,
           "waiting for senders is spread by an inferred order of messages");
    anchor("  balance, %", 86.6, 100.0 * (double)spread.sum / (CONV_TILES * (double)spread.max), 0.5, "as the mean");
    anchor("  total data", 125440, (double)data, 0, NULL);
    pattern_halo(&one, cycles);
    spread = spread_of(cycles, MK1_TILES);
    anchor("302 words from near neighbours: longest tile", 332.5, (double)spread.max, 1,
           "published is an average over steps; where the words came from is inferred");
}

static double equal_workers(const pop_target *target, unsigned count, uint64_t estimate)
{
    struct cost_tile tile = cost_tile_start(target);
    for (unsigned i = 0; i < count; ++i)
        cost_tile_worker(&tile, estimate);
    return (double)cost_tile_cycles(&tile);
}

/* The terms of the estimate of tutorial 7 (anchors/README.md). */
static void tutorial_terms(const char *name, unsigned split, const double *published)
{
    enum { ROWS = 10000, COLUMNS = 1000 };
    pop_target target = chip(name);
    unsigned tiles = target.tiles_per_ipu, segment = (COLUMNS + split - 1) / split, rows = (ROWS + tiles - 1) / tiles;
    double compute = equal_workers(&target, (ROWS * split + tiles - 1) / tiles, 5 + (segment + 1) / 2);
    double reduce = equal_workers(&target, rows, 5 + (split + 1) / 2);
    double exchange = segment * 4 / target.exchange_bytes_per_cycle,
           reduce_exchange = rows * split * 4 / target.exchange_bytes_per_cycle;
    char figure[80];
    snprintf(figure, sizeof(figure), "tutorial 7's estimate, %s, split %u: dot products", name, split);
    anchor(figure, published[0], compute, 0, NULL);
    anchor("  words of the vector", published[1], exchange, 0, NULL);
    anchor("  words of partial sums", published[2], reduce_exchange, 0, NULL);
    anchor("  reduction", published[3], reduce, 0, NULL);
    anchor("  sum", published[4], compute + exchange + reduce_exchange + reduce, 0, NULL);
}

void anchors_compute(void)
{
    pop_target one = chip("ipu1");
    anchor_part("Compute", ANCHOR_PUBLISHED);
    tutorial_terms("ipu1", 5, (const double[]){ 4410, 200, 45, 96, 4751 });
    tutorial_terms("ipu2", 7, (const double[]){ 3696, 143, 49, 108, 3996 });
    anchor("a worker with an estimate of 100, alone on its tile", 600, equal_workers(&one, 1, 100), 0, NULL);
    anchor("63 copies of one word (poplar_rt::ShortMemcpy), active cycles", 4536,
           63 * (double)copy_vertex_for(&one, &(struct copy_shape){ .bytes = 4, .pieces = 1, .alignment = 4 }).cycles,
           0, NULL);
    anchor("14,592 strided copies of 100 words, active cycles", 11688192,
           14592 * (double)copy_vertex_for(
                       &one, &(struct copy_shape){ .bytes = 400, .pieces = 100, .alignment = 4, .scatters = true })
                       .cycles,
           0, NULL);
    anchor("8 KiB copied by the supervisor", 1308,
           (double)copy_vertex_for(&one, &(struct copy_shape){ .bytes = 8192, .pieces = 1, .alignment = 8 }).cycles, 0,
           NULL);
}

void anchors_host(void)
{
    pop_target one = chip("ipu1"), two = chip("ipu2");
    anchor_part("Host exchange", ANCHOR_PUBLISHED);
    anchor("4 bytes in 1 packet, Mk1", 7, (double)cost_host_exchange(&one, 4, cost_host_packets(4)), 0, NULL);
    anchor("8 bytes in 2 packets, Mk1", 9, (double)cost_host_exchange(&one, 8, 2), 0, NULL);
    anchor("50,244 bytes in 404 packets, Mk1", 10700, (double)cost_host_exchange(&one, 50244, 404), 0, NULL);
    anchor("packets of a row of 800 bytes", 2, (double)cost_host_packets(800), 0, NULL);
    anchor("packets of 128 bytes", 1, (double)cost_host_packets(128), 0, NULL);
    anchor("40,044,000 bytes in 110,000 packets, Mk1", 8184787, (double)cost_host_exchange(&one, 40044000, 110000), 0.1,
           "published is an average over tiles; packets are inferred");
    anchor("40,044,000 bytes, Mk2", 6663550.8, (double)cost_host_exchange(&two, 40044000, 110000), 0.1,
           "published is an average over tiles");
    anchor("most bytes of one stream copy", 128.0 * 1024 * 1024, (double)COST_STREAM_MAX, 0, NULL);
}
