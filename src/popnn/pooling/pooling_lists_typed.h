/* SPDX-License-Identifier: Apache-2.0 */
/* popnn::MaxPoolingWorkList<T> and related vertices: template of pooling_vertices.c, included by pooling_typed.h. */

/* Computes a worker's part of a row: accumulates its work items for a run of output elements at a time. gives: items
 * give gradients to output elements where `of` equals `largest`. */
INLINE void TYPED(fold_items)(const struct pool_list *list, const T *in, const T *of, const T *largest, T *out,
                              enum fold fold, bool gives, float start)
{
    int channels = list->channels, step = RUN / channels;
    float acc[RUN];
    for (int x = 0; x < list->length; x += step) {
        int n = pool_min(step, list->length - x);
        for (int i = 0; i < n * channels; ++i)
            acc[i] = start;
        for (size_t i = 0; i < list->items.size; i += POOL_ITEM_SIZE) {
            const unsigned short *item = list->items.data + i;
            int shift = item[0] - x, first = pool_max(pool_ceil_div(-shift, list->out_step), 0);
            int end = pool_min(pool_ceil_div(n - shift, list->out_step), item[2] + 1);
            int run = list->out_step == 1 && list->in_step == 1 ? pool_max(end - first, 1) : 1;
            for (int at = first; at < end; at += run) {
                ptrdiff_t from = (ptrdiff_t)(list->from + item[1] + at * list->in_step) * channels;
                ptrdiff_t to = (ptrdiff_t)(shift + at * list->out_step) * channels;
                if (gives)
                    TYPED(give_run)
                (acc + to, in + from, of + (ptrdiff_t)x * channels + to, largest + from, run * channels, 1.0f, true);
                else TYPED(fold_run)(acc + to, in + from, NULL, run * channels, fold);
            }
        }
        for (int i = 0; i < n * channels; ++i)
            out[(ptrdiff_t)x * channels + i] = (T)acc[i];
    }
}

/* Folds all groups of the rows of all workers. */
INLINE void TYPED(fold_lists)(const struct pool_lists *lists, const T *const *in, const T *const *of,
                              const T *const *largest, T *out, size_t size, enum fold fold, bool gives, float start)
{
    int elements = (int)size / (lists->channels * lists->groups), rows = lists->ends[lists->workers - 1], row = 0;
    for (size_t worker = 0; worker < lists->workers; ++worker)
        for (; row < lists->ends[worker]; ++row) {
            const unsigned short *base = lists->bases + 2 * (ptrdiff_t)row;
            const struct pool_list list = {
                lists->rows[row], base[1],        (row + 1 < rows ? base[2] : elements) - base[0],
                lists->channels,  lists->in_step, lists->out_step
            };
            ptrdiff_t at = (ptrdiff_t)base[0] * lists->channels, group_size = (ptrdiff_t)elements * lists->channels;
            for (int g = 0; g < lists->groups; ++g)
                TYPED(fold_items)
            (&list, in[g], gives ? of[g] + at : NULL, gives ? largest[g] : NULL, out + g * group_size + at, fold, gives,
             start);
        }
}

/* startPos: the end of each worker's rows; offsetBase: the first output and input element of each row; workList: for
 * each element of the window that overlaps the row, an offset in the output, one in the input and the number of
 * elements minus one. */
#define LIST_FIELDS                                                                                                    \
    POP_STATE(POP_VECTOR(unsigned short)) startPos;                                                                    \
    POP_STATE(POP_VECTOR(unsigned short, ONE_PTR)) offsetBase;                                                         \
    POP_STATE(POP_VECTORS(unsigned short, ONE_PTR, SPAN)) workList;                                                    \
    unsigned short numChans, numGroups, inStride, outStride;
#define LISTS                                                                                                          \
    {                                                                                                                  \
        v->startPos.size, v->startPos.data, v->offsetBase.data, (const struct pool_items *)(void *)v->workList.data,   \
            v->numChans, v->numGroups, v->inStride, v->outStride                                                       \
    }

POP_SUPERVISOR_VERTEX(TYPED(MaxList))
{
    POP_OUTPUT(POP_VECTOR(T)) out;
    POP_INPUT(POP_VECTORS(T, ONE_PTR, ONE_PTR)) in;
    LIST_FIELDS
};
POP_VERTEX_NAME(TYPED(MaxList), "popnn::MaxPoolingWorkList<" T_NAME ">");
POP_CONSTRAINT(TYPED(MaxList), "elem(**in) != elem(*out)");
COMPUTE(MaxList)
{
    const struct pool_lists lists = LISTS;
    TYPED(fold_lists)(&lists, ROWS(in), NULL, NULL, v->out.data, v->out.size, MAX, false, LOWEST);
}

POP_SUPERVISOR_VERTEX(TYPED(SumList))
{
    POP_OUTPUT(POP_VECTOR(T)) out;
    POP_INPUT(POP_VECTORS(T, ONE_PTR, ONE_PTR)) in;
    LIST_FIELDS
};
POP_VERTEX_NAME(TYPED(SumList), "popnn::SumPoolingWorkList<" T_NAME ">");
POP_CONSTRAINT(TYPED(SumList), "elem(**in) != elem(*out)");
COMPUTE(SumList)
{
    const struct pool_lists lists = LISTS;
    TYPED(fold_lists)(&lists, ROWS(in), NULL, NULL, v->out.data, v->out.size, SUM, false, 0.0f);
}

POP_SUPERVISOR_VERTEX(TYPED(MaxGradList))
{
    POP_OUTPUT(POP_VECTOR(T)) out;
    POP_INPUT(POP_VECTORS(T, ONE_PTR, ONE_PTR)) in;
    POP_INPUT(POP_VECTORS(T, ONE_PTR, ONE_PTR)) pooled;
    POP_INPUT(POP_VECTORS(T, ONE_PTR, ONE_PTR)) gradient;
    LIST_FIELDS
};
POP_VERTEX_NAME(TYPED(MaxGradList), "popnn::MaxPoolingGradWorkList<" T_NAME ">");
POP_CONSTRAINT(TYPED(MaxGradList), "elem(**in) != elem(*out)");
COMPUTE(MaxGradList)
{
    const struct pool_lists lists = LISTS;
    TYPED(fold_lists)(&lists, ROWS(gradient), ROWS(in), ROWS(pooled), v->out.data, v->out.size, SUM, true, 0.0f);
}
#undef LIST_FIELDS
#undef LISTS
