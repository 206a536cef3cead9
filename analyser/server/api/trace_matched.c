/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of two reports that match: the same execution, in order, of a program with the same name and kind. */
#include "trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 10000 };

/* A step of one report or of both; UINT32_MAX: the other report has none. */
struct pair {
    uint32_t step[2];
    uint32_t label; /* of the programs of both */
    double cycles[2];
    uint8_t kind;
};
typedef VEC(struct pair) pair_list;

/* Programs of both reports by name and kind. */
struct names {
    struct intern texts;
    uint32_t *of[2]; /* by program: id of its name and kind */
};

static void add_report(struct names *names, int side, const struct lod *lod)
{
    struct str key = { 0 };
    names->of[side] = mem_zero(lod->programs + 1, sizeof(*names->of[side]));
    for (uint32_t i = 0; i < lod->programs; ++i) {
        char *name = lod_name(lod, lod->of_program[i].leaf);
        key.length = 0;
        str_format(&key, "%c%s", 'A' + lod->of_program[i].kind, name);
        names->of[side][i] = intern_add(&names->texts, key.text);
        free(name);
    }
    str_free(&key);
}

/* The cycles of the tile that takes longest, of all IPUs. */
static double cycles_of(const struct lod *lod, uint64_t step)
{
    uint64_t most = 0;
    for (unsigned ipu = 0; ipu < lod->ipus; ++ipu)
        most = lod_figure(lod, step, ipu)->cycles > most ? lod_figure(lod, step, ipu)->cycles : most;
    return (double)most;
}

static double change_of(const struct pair *pair)
{
    return fabs(pair->cycles[1] - pair->cycles[0]);
}

static int by_change(const void *left, const void *right)
{
    double a = change_of(left), b = change_of(right);
    const struct pair *x = left, *y = right;
    if (a != b)
        return a < b ? 1 : -1;
    uint32_t first = x->step[0] < x->step[1] ? x->step[0] : x->step[1],
             second = y->step[0] < y->step[1] ? y->step[0] : y->step[1];
    return (first > second) - (first < second);
}

/* Pairs the steps of all programs with one name. */
static void match(pair_list *pairs, const struct lod *const lods[2], const struct names *names)
{
    size_t count = names->texts.names.count;
    struct {
        uint32_t next, end;
    } * group[2];
    uint32_t *order[2];
    for (int side = 0; side < 2; ++side) { /* counting sort by name, in the order of steps */
        group[side] = mem_zero(count + 1, sizeof(*group[side]));
        order[side] = mem_zero(lods[side]->steps + 1, sizeof(*order[side]));
        for (uint64_t i = 0; i < lods[side]->steps; ++i)
            ++group[side][names->of[side][lods[side]->program[i]]].end;
        for (size_t i = 0, at = 0; i < count; ++i) {
            uint32_t size = group[side][i].end;
            group[side][i].next = group[side][i].end = (uint32_t)at;
            at += size;
        }
        for (uint64_t i = 0; i < lods[side]->steps; ++i)
            order[side][group[side][names->of[side][lods[side]->program[i]]].end++] = (uint32_t)i;
    }
    for (size_t name = 0; name < count; ++name)
        for (;;) {
            struct pair pair = { .step = { UINT32_MAX, UINT32_MAX }, .label = (uint32_t)name };
            for (int side = 0; side < 2; ++side)
                if (group[side][name].next < group[side][name].end) {
                    pair.step[side] = order[side][group[side][name].next++];
                    pair.cycles[side] = cycles_of(lods[side], pair.step[side]);
                    pair.kind = lod_kind(lods[side], pair.step[side]);
                }
            if (pair.step[0] == UINT32_MAX && pair.step[1] == UINT32_MAX)
                break;
            *vec_push(pairs) = pair;
        }
    for (int side = 0; side < 2; ++side) {
        free(group[side]);
        free(order[side]);
    }
}

static void answer_pairs(const pair_list *pairs, size_t rows, const struct names *names, struct answer *answer)
{
    static const char *const steps[] = { "stepA", "stepB" }, *const cycles[] = { "cyclesA", "cyclesB" };
    uint32_t *numbers = mem_zero(rows + 1, sizeof(*numbers));
    double *reals = mem_zero(rows + 1, sizeof(*reals));
    const char **texts = mem_zero(rows + 1, sizeof(*texts));
    unsigned char *kind = mem_zero(rows + 1, 1);
    for (int side = 0; side < 2; ++side) {
        for (size_t i = 0; i < rows; ++i) {
            numbers[i] = pairs->data[i].step[side];
            reals[i] = pairs->data[i].cycles[side];
        }
        answer_column(answer, steps[side], COLUMN_U32, numbers, rows);
        answer_column(answer, cycles[side], COLUMN_F64, reals, rows);
    }
    for (size_t i = 0; i < rows; ++i) {
        kind[i] = pairs->data[i].kind;
        texts[i] = intern_text(&names->texts, pairs->data[i].label) + 1; /* without its kind */
    }
    answer_column(answer, "kind", COLUMN_U8, kind, rows);
    answer_texts(answer, "name", texts, rows);
    free(numbers);
    free(reals);
    free(texts);
    free(kind);
}

/* The matched steps, the largest difference first; with side= and step= only the pair of that step. */
pop_status trace_matched(const struct request *request, struct answer *answer, pop_error *error)
{
    const struct lod *lods[2];
    uint64_t side, step;
    for (unsigned i = 0; i < 2; ++i) {
        lods[i] = lod_at(request, i, error);
        if (!lods[i])
            return error->status;
    }
    if (!request_uint(request, "side", 0, &side, error) || !request_uint(request, "step", UINT32_MAX, &step, error))
        return error->status;
    struct names names = { 0 };
    pair_list pairs = { 0 };
    for (int i = 0; i < 2; ++i)
        add_report(&names, i, lods[i]);
    match(&pairs, lods, &names);
    json_t *meta = json_pack("{s:I, s:I, s:I}", "pairs", (json_int_t)pairs.count, "stepsA", (json_int_t)lods[0]->steps,
                             "stepsB", (json_int_t)lods[1]->steps);
    if (step != UINT32_MAX) {
        size_t kept = 0;
        for (size_t i = 0; i < pairs.count; ++i)
            if (pairs.data[i].step[side == 1] == step)
                pairs.data[kept++] = pairs.data[i];
        pairs.count = kept;
    }
    if (pairs.count)
        qsort(pairs.data, pairs.count, sizeof(*pairs.data), by_change);
    answer_pairs(&pairs, pairs.count < MOST_ROWS ? pairs.count : MOST_ROWS, &names, answer);
    answer_meta(answer, meta);
    vec_free(&pairs);
    intern_free(&names.texts);
    free(names.of[0]);
    free(names.of[1]);
    return POP_OK;
}
