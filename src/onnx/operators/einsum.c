/* SPDX-License-Identifier: Apache-2.0 */
/* Einsum of one or two operands: sums over letters of the first alone, then a grouped product of matrices.  Letters of
 * both operands and the result are groups, those of both and not the result are summed by the product, those of one are
 * its rows or columns. */
#include "onnx/build/build.h"

#include <poplin/mat_mul.h>
#include <popops/reduce.h>
#include <string.h>

enum { LETTERS = 64 };

/* An operand or the result: its letters, one for each dimension; dimensions of an ellipsis have characters from 1 on.
 */
struct term {
    char letters[TREMULA_ONNX_MAX_RANK + 1];
    size_t count;
    pop_tensor tensor;
};

static bool has(const struct term *t, char letter)
{
    return memchr(t->letters, letter, t->count);
}

/* Reads a term up to a comma or an arrow; rank is that of the operand, or of all operands' ellipsis for the result. */
static const char *read_term(onnx_builder *b, const char *text, size_t rank, size_t ellipsis, struct term *t)
{
    size_t named = 0;
    for (const char *at = text; *at && *at != ',' && *at != '-'; ++at)
        named += (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z');
    size_t covered = rank == SIZE_MAX ? ellipsis : rank >= named ? rank - named : 0;
    for (; *text && *text != ',' && *text != '-'; ++text) {
        if (*text == ' ')
            continue;
        bool dots = strncmp(text, "...", 3) == 0;
        if (t->count + (dots ? covered : 1) > TREMULA_ONNX_MAX_RANK) {
            onnx_complain(b, "its equation has too many letters");
            return text;
        }
        for (size_t i = 0; i < covered && dots; ++i)
            t->letters[t->count++] = (char)(1 + ellipsis - covered + i);
        if (dots)
            text += 2;
        else
            t->letters[t->count++] = *text;
    }
    if (rank != SIZE_MAX && t->count != rank)
        onnx_complain(b, "a term of its equation has %zu letters for an operand of rank %zu", t->count, rank);
    return text;
}

/* A letter that occurs twice in an operand takes the diagonal. */
static void take_diagonals(onnx_builder *b, struct term *t)
{
    for (size_t i = 0; i < t->count; ++i)
        for (size_t j = i + 1; j < t->count && onnx_ok(b);) {
            if (t->letters[i] != t->letters[j]) {
                ++j;
                continue;
            }
            size_t extent = pop_tensor_dim(t->tensor, i);
            pop_tensor *list = onnx_new(b->arena, extent + 1, sizeof(*list));
            for (size_t k = 0; k < extent; ++k) {
                pop_tensor row = pop_tensor_slice_at(b->where, t->tensor, k, k + 1, (unsigned)i);
                row = pop_tensor_slice_at(b->where, row, k, k + 1, (unsigned)j);
                list[k] = pop_tensor_squeeze_at(b->where, row, POP_DIMS((unsigned)j));
            }
            t->tensor = pop_tensor_concat_at(b->where, (pop_tensors){ extent, list }, (unsigned)i);
            memmove(t->letters + j, t->letters + j + 1, t->count - j - 1);
            --t->count;
        }
}

/* Sums over letters that neither the other operand nor the result has. */
static void sum_own(onnx_builder *b, struct term *t, const struct term *other, const struct term *out)
{
    unsigned dims[TREMULA_ONNX_MAX_RANK];
    size_t count = 0, kept = 0;
    for (size_t i = 0; i < t->count; ++i) {
        if (has(out, t->letters[i]) || has(other, t->letters[i]))
            t->letters[kept++] = t->letters[i];
        else
            dims[count++] = (unsigned)i;
    }
    popops_reduce_params params = { .op = POPOPS_ADD };
    t->count = kept;
    if (count && onnx_ok(b))
        t->tensor = popops_reduce_at(b->where, b->graph, t->tensor, POP_TYPE_NULL, (pop_dims){ count, dims }, params,
                                     b->program, b->name, POP_NO_OPTIONS);
}

/* t with its dimensions in the order of letters. */
static pop_tensor arrange(onnx_builder *b, const struct term *t, const char *letters, size_t count)
{
    unsigned order[TREMULA_ONNX_MAX_RANK];
    for (size_t i = 0; i < count; ++i)
        order[i] = (unsigned)((const char *)memchr(t->letters, letters[i], t->count) - t->letters);
    return onnx_permute(b, t->tensor, order);
}

enum role { GROUP, SUMMED, OWN }; /* in both and the result; in both alone; in one alone */

/* Appends the letters of t with a role beside u, and their sizes to dims (NULL: not wanted); returns the sizes'
 * product. */
static size_t collect(const struct term *t, const struct term *u, const struct term *out, enum role role, char *letters,
                      size_t *count, size_t *dims, size_t *rank)
{
    size_t product = 1;
    for (size_t i = 0; i < t->count; ++i) {
        enum role own = !has(u, t->letters[i]) ? OWN : has(out, t->letters[i]) ? GROUP : SUMMED;
        if (own != role)
            continue;
        letters[(*count)++] = t->letters[i];
        product *= pop_tensor_dim(t->tensor, i);
        if (dims)
            dims[(*rank)++] = pop_tensor_dim(t->tensor, i);
    }
    return product;
}

static void multiply(onnx_builder *b, const struct term *x, const struct term *y, const struct term *out,
                     struct term *result)
{
    char left[LETTERS], right[LETTERS], all[LETTERS];
    size_t num_left = 0, num_right = 0, whole = 0, dims[2 * TREMULA_ONNX_MAX_RANK], rank = 0;
    size_t groups = collect(x, y, out, GROUP, all, &whole, dims, &rank);
    memcpy(left, all, whole);
    memcpy(right, all, whole);
    num_left = num_right = whole;
    size_t rows = collect(x, y, out, OWN, left, &num_left, dims, &rank);
    memcpy(all + whole, left + whole, num_left - whole);
    whole = num_left;
    size_t depth = collect(x, y, out, SUMMED, left, &num_left, NULL, NULL);
    memcpy(right + num_right, left + whole, num_left - whole); /* in the same order */
    num_right += num_left - whole;
    size_t before = num_right, columns = collect(y, x, out, OWN, right, &num_right, dims, &rank);
    memcpy(all + whole, right + before, num_right - before);
    whole += num_right - before;
    if (num_left != x->count || num_right != y->count || rank > TREMULA_ONNX_MAX_RANK) {
        onnx_complain(b, "its equation is not supported");
        return;
    }
    pop_tensor p = onnx_reshape(b, arrange(b, x, left, num_left), POP_SHAPE(groups, rows, depth)),
               q = onnx_reshape(b, arrange(b, y, right, num_right), POP_SHAPE(groups, depth, columns));
    if (!onnx_ok(b))
        return;
    pop_tensor product = poplin_mat_mul_grouped_at(b->where, b->graph, p, q, b->program, pop_tensor_type(p), b->name,
                                                   onnx_poplin_options(b), b->cache);
    if (onnx_ok(b))
        result->tensor = onnx_reshape(b, product, (pop_shape){ rank, dims });
    result->count = whole;
    memcpy(result->letters, all, whole);
}

/* Without an arrow the result has the letters that occur once, in alphabetical order, after those of an ellipsis. */
static void default_result(const struct term terms[2], size_t count, struct term *out)
{
    for (int letter = 1; letter < 127; ++letter) {
        size_t uses = 0;
        for (size_t i = 0; i < count; ++i)
            for (size_t j = 0; j < terms[i].count; ++j)
                uses += terms[i].letters[j] == letter;
        if ((uses == 1 || (uses && letter <= TREMULA_ONNX_MAX_RANK)) && out->count < TREMULA_ONNX_MAX_RANK)
            out->letters[out->count++] = (char)letter;
    }
}

static bool build_einsum(onnx_builder *b)
{
    struct term terms[2] = { { .count = 0 } }, out = { .count = 0 }, result = { .count = 0 };
    size_t count = onnx_num_inputs(b), ellipsis = 0;
    const char *text = onnx_text(b, "equation", "");
    if (count < 1 || count > 2)
        return onnx_complain(b, "it has %zu operands; 1 or 2 are supported", count);
    const char *start = text;
    for (size_t i = 0; i < count; ++i) { /* an operand's own ellipsis may be longer than the other's */
        size_t named = 0, dots = 0;
        for (; *start && *start != ',' && *start != '-'; ++start) {
            named += *start != '.' && *start != ' ';
            dots += *start == '.';
        }
        start += *start == ',';
        size_t covered = dots && onnx_rank_of(b, i) > named ? onnx_rank_of(b, i) - named : 0;
        ellipsis = covered > ellipsis ? covered : ellipsis;
    }
    for (size_t i = 0; i < count && onnx_ok(b); ++i) {
        terms[i].tensor = onnx_tensor(b, i);
        text = read_term(b, text, onnx_rank_of(b, i), ellipsis, &terms[i]);
        text += *text == ',';
        take_diagonals(b, &terms[i]);
    }
    const char *arrow = strstr(text, "->");
    if (arrow && onnx_ok(b))
        read_term(b, arrow + 2, SIZE_MAX, ellipsis, &out);
    else
        default_result(terms, count, &out);
    if (!onnx_ok(b))
        return false;
    for (size_t i = 0; i < count; ++i)
        sum_own(b, &terms[i], count == 2 ? &terms[1 - i] : &out, &out);
    result = terms[0];
    if (count == 2 && onnx_ok(b))
        multiply(b, &terms[0], &terms[1], &out, &result);
    for (size_t i = 0; i < out.count && onnx_ok(b); ++i)
        if (!has(&result, out.letters[i]) || out.count != result.count)
            return onnx_complain(b, "its equation is not supported");
    return onnx_ok(b) && onnx_give_like(b, arrange(b, &result, out.letters, out.count));
}

const onnx_operator onnx_einsum_operators[] = {
    { ONNX_ROW("Einsum", 12), build_einsum, NULL, 0, NULL },
    { { 0 }, NULL, NULL, 0, NULL },
};
