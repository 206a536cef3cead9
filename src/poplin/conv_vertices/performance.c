/* SPDX-License-Identifier: Apache-2.0 */
/* Each formula counts the instructions of Poplibs' assembly vertex: supervisor cycles, and a worker's cycles times the
 * number of contexts. */
#include "poplin/conv_vertices/performance.h"

struct extent {
    uint64_t max, min;
};
static void extend(struct extent *e, uint64_t cycles)
{
    e->max = cycles > e->max ? cycles : e->max;
    e->min = cycles < e->min ? cycles : e->min;
}
/* The supervisor waits for the slowest worker; if all workers are quick, its own cycles count. */
static uint64_t run_all(struct extent e, unsigned workers, unsigned own)
{
    uint64_t slow = workers * e.max, quick = workers * e.min + own;
    return slow > quick ? slow : quick;
}

/* Loading the coefficients of all conv units.  The published costs of release 1.2's planner follow if each unit loads
 * once; release 0.9.40 counted the four loads of a pass, that of 2021 counts 32 bytes for each unit: 16 halves or 8
 * floats. */
static uint64_t weight_load(const struct amp_work *amp)
{
    if (amp->release == POP_POPLIBS_2021)
        return (uint64_t)amp->num_conv_units * 32 / amp->coeff_bytes_per_cycle;
    return (uint64_t)amp->conv_input_load * amp->num_conv_units * (amp->float_inputs ? 4 : 2) /
           amp->coeff_bytes_per_cycle;
}
static uint64_t core_loop(const struct amp_work *amp)
{
    return (amp->float_inputs ? 8u : 4u) / (amp->num_conv_units == 4 ? 2 : 1);
}

/* ---- ConvPartial1x1Out ---- */

static uint64_t worker_1x1_2021(const struct amp_work *amp, uint64_t n, bool zero)
{
    uint64_t loops = n > 3 ? core_loop(amp) * (n - 3) : 0;
    if (amp->float_inputs) {
        static const unsigned few[] = { 24, 47, 46, 46 };
        return few[n < 3 ? n : 3] + loops + (zero && n ? 2 + (amp->num_conv_units == 16 ? 8 : 4) * n : 0);
    }
    if (amp->float_partials || amp->num_conv_units == 16) {
        static const unsigned few[] = { 20, 31, 40 };
        return (n < 3 ? few[n] + (zero ? 2 : 4) : (zero ? 38 : 40) + loops) - 10; /* without `retained` below */
    }
    static const unsigned few[] = { 24, 39, 40, 41 };
    return few[n < 3 ? n : 3] + loops + (zero && n ? 2 + 2 * n : 0);
}
static uint64_t worker_1x1(const struct amp_work *amp, uint64_t n, bool zero)
{
    if (amp->release == POP_POPLIBS_2021)
        return worker_1x1_2021(amp, n, zero);
    uint64_t loops = n > 3 ? core_loop(amp) * (n - 3) : 0;
    if (amp->float_inputs) {
        static const unsigned few[] = { 24, 47, 46, 46 };
        return few[n < 3 ? n : 3] + loops + (zero && n ? (n == 1 ? 2 : 2 + 4 * n) : 0);
    }
    if (amp->float_partials) {
        static const unsigned few[2][4] = { { 15, 29, 31, 30 }, { 12, 25, 27, 27 } }; /* `retained` below excluded */
        return few[zero][n < 3 ? n : 3] + loops;
    }
    static const unsigned few[] = { 24, 39, 40, 41 };
    return few[n < 3 ? n : 3] + loops + (zero && n ? 2 + 2 * n : 0);
}

/* The loop of a worker over n positions of 8-bit inputs. */
static uint64_t loop_quarter(uint64_t n)
{
    static const unsigned few[] = { 4, 18, 23 };
    return n < 3 ? few[n] : 27 + 4 * (n - 3);
}
static uint64_t cycles_1x1_quarter(const struct amp_work *amp, const unsigned *worker_elements)
{
    struct extent adding = { 0, UINT64_MAX }, zeroing = adding;
    for (unsigned i = 0; i < amp->num_workers; ++i) {
        uint64_t cycles = 17 + loop_quarter(worker_elements[i]);
        extend(&adding, cycles);
        extend(&zeroing, cycles - (worker_elements[i] ? 5 : 0));
    }
    uint64_t w = amp->num_workers, load = weight_load(amp);
    uint64_t first = 14 * w + 11 + 6 * w + load + run_all(zeroing, amp->num_workers, 14),
             next = 11 * w + 6 + 6 * w + load + run_all(adding, amp->num_workers, 14);
    uint64_t groups = amp->out_groups * (6 * w + 10 + first + (amp->in_groups - 1) * next);
    return 46 + amp->conv_groups * (2 * w + 9 + groups);
}

uint64_t cycles_1x1(const struct amp_work *amp, const unsigned *worker_elements)
{
    struct extent adding = { 0, UINT64_MAX }, zeroing = adding;
    if (amp->quarter_inputs)
        return cycles_1x1_quarter(amp, worker_elements);
    for (unsigned w = 0; w < amp->num_workers; ++w) {
        extend(&adding, worker_1x1(amp, worker_elements[w], false));
        extend(&zeroing, worker_1x1(amp, worker_elements[w], true));
    }
    uint64_t passes = poplibs_ceil_div(amp->out_chans_per_group, amp->num_conv_units), load = weight_load(amp);
    uint64_t add = amp->out_groups * (19 + passes * (6 + load + run_all(adding, amp->num_workers, 14)));
    uint64_t first = amp->out_groups * (19 + passes * (7 + load + run_all(zeroing, amp->num_workers, 14)));
    /* Data that workers keep from call to call are stored once. */
    bool keeps =
        !amp->float_inputs && (amp->float_partials || (amp->release == POP_POPLIBS_2021 && amp->num_conv_units == 16));
    uint64_t retained = keeps ? 10 + 2 * ((uint64_t)amp->in_groups * amp->conv_groups - 1) : 0;
    return 50 + amp->num_workers * retained + amp->conv_groups * (12 + (amp->in_groups - 1) * (16 + add) + 11 + first);
}

static uint64_t worker_0940(const struct amp_work *amp, uint64_t n, bool zero)
{
    uint64_t loops = n > 3 ? core_loop(amp) * (n - 3) : 0;
    static const unsigned few_float[] = { 28, 50, 50, 50 }, few_half[] = { 28, 41, 42, 43 };
    uint64_t cycles = (amp->float_inputs ? few_float : few_half)[n < 3 ? n : 3] + loops;
    if (!zero || !n)
        return cycles;
    if (amp->float_inputs)
        return cycles + 2 + 8 * n;
    return cycles + (amp->float_partials ? 2 + 4 * n : 4 + 2 * n);
}
uint64_t cycles_1x1_0940(const struct amp_work *amp, const unsigned *worker_elements)
{
    struct extent adding = { 0, UINT64_MAX }, zeroing = adding;
    for (unsigned w = 0; w < amp->num_workers; ++w) {
        extend(&adding, worker_0940(amp, worker_elements[w], false));
        extend(&zeroing, worker_0940(amp, worker_elements[w], true));
    }
    uint64_t passes = poplibs_ceil_div(amp->out_chans_per_group, amp->num_conv_units), load = 4 * weight_load(amp);
    uint64_t add = amp->out_groups * (18 + passes * (6 + load + run_all(adding, amp->num_workers, 14)));
    uint64_t first = amp->out_groups * (18 + passes * (6 + load + run_all(zeroing, amp->num_workers, 14)));
    return 50 + amp->conv_groups * (11 + (amp->in_groups - 1) * (13 + add) + 10 + first);
}

/* ---- ConvPartialnx1 ---- */

/* Cycles for data that a worker keeps from one kernel position to the next. */
static uint64_t retained_nx1(const struct amp_work *amp)
{
    return amp->release == POP_POPLIBS_2021 ? 6 : 4;
}
/* Two elements are counted as release 1.2's planner does, whose published costs then follow. */
static uint64_t worker_nx1(const struct amp_work *amp, const struct worklist *list)
{
    uint64_t cycles = 17 + (amp->float_partials ? 0 : 1);
    for (size_t i = 0; i < list->count; ++i) {
        uint64_t n = list->items[i];
        if (n < 3) {
            static const unsigned few_float[] = { 17, 33, 40 }, few_half[] = { 17, 29, 29 };
            cycles += amp->float_inputs ? few_float[n] : few_half[n];
        } else
            cycles += (amp->float_inputs ? 45u : 34u) + core_loop(amp) * (n - 3);
    }
    return cycles - retained_nx1(amp);
}

/* One kernel position, for all output channels of a group. */
static uint64_t position_nx1(const struct nx1_work *nx1, const struct worklist *lists)
{
    const struct amp_work *amp = &nx1->amp;
    unsigned h = nx1->filter_height;
    uint64_t passes = poplibs_ceil_div(amp->out_chans_per_group, amp->num_conv_units), rows = h == 1   ? 15
                                                                                              : h == 2 ? 46
                                                                                              : h == 4 ? 60
                                                                                                       : 20u * h;
    struct extent e = { 0, UINT64_MAX };
    for (unsigned w = 0; w < amp->num_workers; ++w)
        extend(&e, worker_nx1(amp, &lists[w]));
    uint64_t load = weight_load(amp);
    if (amp->release == POP_POPLIBS_2021 && h == 4 && load > 8)
        load /= 2;
    return 12 + passes * (load + rows + 3 + run_all(e, amp->num_workers, 9));
}

/* A kernel position of 8-bit inputs. */
static uint64_t position_quarter(const struct amp_work *amp, const struct worklist *lists)
{
    struct extent e = { 0, UINT64_MAX };
    for (unsigned w = 0; w < amp->num_workers; ++w) {
        uint64_t cycles = 18 - retained_nx1(amp);
        for (size_t i = 0; i < lists[w].count; ++i)
            cycles += 16 + loop_quarter(lists[w].items[i]);
        extend(&e, cycles);
    }
    return run_all(e, amp->num_workers, 9);
}
/* The source counts two loads of weights for a row of the kernel, whatever its length, and no zeroing of partials,
 * which is counted here as that of half inputs. */
static uint64_t cycles_nx1_quarter(const struct nx1_work *nx1, const struct worklist *worker_lists)
{
    const struct amp_work *amp = &nx1->amp;
    uint64_t w = amp->num_workers, rows = nx1->kernel_outer, positions = rows * nx1->kernel_inner,
             inner = rows * (5 * w + 3 + (9 * w + 13 + 6 * w) + 2 * weight_load(amp) +
                             (nx1->kernel_inner - 1) * (7 * w + 8 + 6 * w));
    for (uint64_t k = 0; k < (nx1->same_lists ? 1 : positions); ++k)
        inner += (nx1->same_lists ? positions : 1) * position_quarter(amp, &worker_lists[k * amp->num_workers]);
    return 83 + nx1->output_zeroing +
           amp->conv_groups * (5 * w + 7 + amp->out_groups * (8 * w + 10 + amp->in_groups * (8 * w + 13 + inner)));
}

uint64_t cycles_nx1(const struct nx1_work *nx1, const struct worklist *worker_lists)
{
    const struct amp_work *amp = &nx1->amp;
    if (amp->quarter_inputs)
        return cycles_nx1_quarter(nx1, worker_lists);
    uint64_t groups = amp->conv_groups, inner = 14 * (uint64_t)nx1->kernel_outer;
    uint64_t positions = (uint64_t)nx1->kernel_outer * nx1->kernel_inner;
    if (nx1->same_lists)
        inner += positions * position_nx1(nx1, worker_lists);
    else
        for (uint64_t k = 0; k < positions; ++k)
            inner += position_nx1(nx1, &worker_lists[k * amp->num_workers]);
    uint64_t zeroing =
        groups * (17 * (uint64_t)amp->out_groups + 6 * ((uint64_t)amp->out_groups - 1) + 1) + 6 * (groups - 1) + 1;
    return (amp->release == POP_POPLIBS_2021 ? 103 : 101) +
           amp->num_workers * (retained_nx1(amp) + (amp->float_inputs ? 9u : 10u)) + zeroing + nx1->output_zeroing +
           groups * (16 + amp->in_groups * (14 + amp->out_groups * (14 + inner)));
}

uint64_t cycles_zero(unsigned num_workers, unsigned groups, unsigned elements, bool float_partials,
                     unsigned vector_width)
{
    uint64_t own = poplibs_ceil_div(elements, num_workers);
    return num_workers * (uint64_t)groups * (poplibs_ceil_div(own, vector_width) + (float_partials ? 14 - 9 : 15 - 10));
}

/* ---- ConvPartialHorizontalMac ---- */

uint64_t cycles_horizontal_mac(const struct mac_work *mac, const struct worklist *worker_lists)
{
    uint64_t n = mac->in_chans_per_group, dot, steps = mac->out_chans_per_group;
    if (mac->float_inputs)
        dot = n % 2 ? 7 + 2 * n : 7 + n;
    else if (mac->float_partials)
        dot = n % 4 ? 7 + n : 7 + n / 4;
    else
        dot = n % 4 ? 12 + n : 11 + n / 4, steps = steps / 2;
    /* The estimate of 2021 halves the number of output steps of half partials at each item: 1 for the first, then 0. */
    bool fades = mac->release == POP_POPLIBS_2021 && !mac->float_inputs && !mac->float_partials;
    uint64_t first = fades ? steps * dot : 0; /* cycles for each element of the first item */
    steps = fades ? 0 : steps;
    struct extent e = { 0, UINT64_MAX };
    for (unsigned w = 0; w < mac->num_workers; ++w) {
        uint64_t cycles = 0, once = 16;
        unsigned lists = mac->same_lists ? 1 : mac->kernel_size;
        for (unsigned k = 0; k < lists; ++k) {
            const struct worklist *list = &worker_lists[k * mac->num_workers + w];
            cycles += 16;
            for (size_t i = 0; i < list->count; ++i) {
                cycles += list->items[i] ? 19 + list->items[i] * (7 + steps * dot) : 7;
                once += list->items[i] * first;
                first = list->items[i] ? 0 : first;
            }
        }
        extend(&e, once + (mac->same_lists ? mac->kernel_size : 1) * cycles);
    }
    uint64_t inner = mac->num_workers * e.max;
    return (mac->float_inputs ? 58u : 63u) + mac->num_workers * 9 +
           mac->conv_groups * (23 + mac->in_groups * (15 + mac->out_groups * (10 + inner)));
}

/* ---- ConvPartialVerticalMac ---- */

uint64_t cycles_vmac_item(uint64_t n)
{
    return 15 + 5 + 2 * n - 2; /* two cycles for each position but the first */
}
uint64_t cycles_vmac(const struct vmac_work *vmac)
{
    uint64_t items = vmac->num_workers * (6 + vmac->slowest_items), others = vmac->num_workers - 1,
             own = poplibs_ceil_div(vmac->out_elements, vmac->num_workers);
    uint64_t zeroing = 4 + vmac->out_elements + 32, reduction = 10 + (9 + 2 * others) * own / 4;
    return 100 + vmac->conv_groups * (zeroing + vmac->in_groups * (24 + items) + reduction);
}

/* ---- ConvPartial1x4SLIC ---- */

/* With several convolutions, workers first spread their coefficients over a block-diagonal matrix. */
static uint64_t load_slic(const struct slic_work *slic)
{
    if (slic->conv_groups_per_group == 1)
        return 18 + 16;
    return 15 + slic->num_workers * (slic->conv_groups_per_group == 4 ? 10u : 14u) + 6 + 16;
}
/* Rows shorter than the pipeline take as long as the pipeline.  If the units compute two output channels at a time, the
 * loop runs twice, with all coefficients loaded before.  These assumptions reproduce the published plan for four input
 * channels (AMP) and the published speed of layers with one channel a group (SLIC). */
static uint64_t row_slic(const struct slic_work *slic, uint64_t n)
{
    uint64_t loop = slic->stride == 1 ? (n > 5 ? n - 5 : 0) : n > 3 ? 2 * (n - 3) : 0;
    return 15 + slic->passes * loop;
}

/* Release of 2021.  With two chains and half partials two output channels are added up in a buffer, and put together
 * by the supervisor. */
static bool slic_in_halves(const struct slic_work *slic)
{
    return slic->passes == 2 && !slic->float_partials;
}
static uint64_t row_slic_2021(const struct slic_work *slic, uint64_t n, bool zeroing)
{
    bool halves = slic_in_halves(slic);
    if (slic->stride > 1)
        return n < 3 ? 10 + (n == 1 ? 3 : 5) : 15 + 2 * (n - 3);
    if (n >= (halves ? 6 : 5))
        return 15 + (n - 5) + (halves && !zeroing ? 3 : 0);
    if (zeroing)
        return 13 + (n > 1 ? n : 0);
    return n == 1 ? 13 : 7 + 11 + (n - 1); /* filling and emptying the pipeline takes 11, whatever the length */
}
static uint64_t pass_slic_2021(const struct slic_work *slic, const struct worklist *lists, bool zeroing)
{
    bool halves = slic_in_halves(slic);
    uint64_t slowest = 0, outputs = 0;
    for (unsigned w = 0; w < slic->num_workers; ++w) {
        uint64_t cycles = 2 + (halves ? 2 : 3) + 12 + (halves ? 1 + 2 : 0);
        for (size_t i = 0; i < lists[w].count; ++i) {
            uint64_t n = lists[w].items[i], row = row_slic_2021(slic, n, zeroing) - (slic->float_partials ? 1 : 0);
            cycles += (halves ? 9 : 10) + (zeroing ? 1 : 0) + (slic->float_partials ? 3 : 0) + slic->passes * row;
            outputs += n;
        }
        slowest = cycles > slowest ? cycles : slowest;
    }
    return slic->num_workers * slowest + (halves && zeroing ? 2 + 2 * outputs : 0);
}
static uint64_t slic_2021(const struct slic_work *slic, const struct worklist *lists)
{
    bool halves = slic_in_halves(slic);
    uint64_t groups = slic->conv_group_groups, kernels = slic->sub_kernels, together = slic->conv_groups_per_group;
    uint64_t load = 16 + (together == 1 ? 18 : 9 + 6 + slic->num_workers * (together == 4 ? 10 : 12) + 6);
    return (halves ? 25 : 28) + (halves ? 12 : 15) * groups + 6 * (groups - 1) + 1 +
           (load + (halves ? 0 : 3) + 2 + (halves ? 0 : 1) + 13) * kernels + 6 * (kernels - 1) + 1 +
           groups * pass_slic_2021(slic, lists, true) + groups * (kernels - 1) * pass_slic_2021(slic, lists, false);
}

uint64_t cycles_slic(const struct slic_work *slic, const struct worklist *worker_lists)
{
    uint64_t slowest = 0, max = 0, groups = slic->conv_group_groups;
    if (slic->release == POP_POPLIBS_2021)
        return slic_2021(slic, worker_lists);
    for (unsigned w = 0; w < slic->num_workers; ++w) {
        uint64_t cycles = 17, outputs = 0;
        for (size_t i = 0; i < worker_lists[w].count; ++i) {
            cycles += row_slic(slic, worker_lists[w].items[i]);
            outputs += worker_lists[w].items[i];
        }
        slowest = cycles > slowest ? cycles : slowest;
        max = outputs > max ? outputs : max;
    }
    /* Two passes write their output channels to separate places; one more pass merges them. */
    uint64_t merge = slic->passes > 1 ? slic->num_workers * (2 + 2 * max) : 0;
    uint64_t sub_kernel = load_slic(slic) + slic->num_workers * slowest + 22 + 6;
    return (slic->float_partials ? 28 : 25) +
           groups * ((slic->float_partials ? 15 : 12) + slic->sub_kernels * sub_kernel + merge) + (groups - 1) * 6;
}

/* ---- OuterProduct, reductions, casts ---- */

uint64_t cycles_outer_product(bool is_float, unsigned width, unsigned num_channels, unsigned chans_per_group)
{
    uint64_t groups = poplibs_ceil_div(num_channels, chans_per_group), c = chans_per_group;
    if (is_float)
        return 25 + groups * (11 + width * (c % 2 == 0 && c >= 6 ? 6 + (c - 6) / 2 : 10 + 2 * c));
    return 25 + groups * (10 + width * (c % 4 == 0 && c >= 12 ? 6 + (c - 12) / 4 : 10 + 5 * c / 2));
}

/* Outputs are cut into blocks of a vector, the rest into one block for each power of two. */
static uint64_t reduce_blocks_2021(const struct reduction_work *r, uint64_t outputs)
{
    uint64_t width = r->float_partials ? 4 : 8, left = outputs % width, blocks = outputs / width;
    uint64_t block =
        3 * (uint64_t)r->num_partials + (r->float_partials ? (r->float_out ? 7 : 6) : (r->float_out ? 9 : 8));
    for (uint64_t rest = left; rest; rest &= rest - 1)
        ++blocks;
    uint64_t rounds = blocks / r->num_workers, odd = 0;
    if (blocks % r->num_workers && left)
        odd = 2 * (uint64_t)r->num_partials + (r->float_partials ? 13 : 11);
    else if (blocks % r->num_workers)
        ++rounds;
    return r->num_workers * (32 + rounds * block + odd);
}

enum { SINGLE_INPUT_SHARE = 16 }; /* of a tile's memory */
bool reduces_single_input(const pop_target *target, uint64_t outputs, uint64_t depth, bool float_partials)
{
    uint64_t element = target->memory_element_bytes,
             bytes = depth > 1 ? (depth - 1) * outputs * (float_partials ? 4 : 2) : 0;
    if (target->poplibs_release != POP_POPLIBS_2021 || !bytes || !element || outputs % (float_partials ? 4 : 8))
        return false;
    return poplibs_ceil_div(bytes, element) * element < target->bytes_per_tile / SINGLE_INPUT_SHARE;
}

uint64_t cycles_reduce_add(const struct reduction_work *r, uint64_t outputs)
{
    uint64_t p = r->num_partials, width = r->float_partials ? 4 : 8;
    if (r->single_input) {
        uint64_t each = (r->fast ? 1 : 2) * p + (r->float_partials ? (r->float_out ? 8 : 7) : (r->float_out ? 10 : 9));
        return 33 + r->num_workers * (20 + each * poplibs_ceil_div(outputs / width, r->num_workers));
    }
    if (r->release == POP_POPLIBS_2021)
        return reduce_blocks_2021(r, outputs);
    /* Pairs that do not fill a block count as a block; an odd element is a loop of its own, which runs in place of the
     * last incomplete round of blocks. */
    uint64_t block = 3 * p + (r->float_partials ? (r->float_out ? 7 : 6) : (r->float_out ? 9 : 8)),
             odd = 2 * p + (r->float_partials ? 13 : 11);
    uint64_t blocks = poplibs_ceil_div(outputs / 2 * 2, width), cycles = 32 + block * (blocks / r->num_workers);
    return r->num_workers * (cycles + (outputs % 2 ? odd : blocks % r->num_workers ? block : 0));
}

uint64_t cycles_cast(unsigned num_workers, uint64_t elements, bool float_in, bool float_out)
{
    uint64_t own = poplibs_ceil_div(elements, num_workers);
    uint64_t loads = poplibs_ceil_div(own, float_in ? 2 : 4), stores = poplibs_ceil_div(own, float_out ? 2 : 4);
    return num_workers * (26 + (loads > stores ? loads : stores));
}
