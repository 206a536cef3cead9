/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about a tensor's shape and regions, and its text. */
#include "graph/view/tensor.h"
#include "graph/view/tensor_form.h"
#include "graph/view/view.h"

#include "base/str.h"

#include <inttypes.h>
#include <stdio.h>

bool pop_tensor_valid(pop_tensor t)
{
    return t.store != NULL;
}

pop_type pop_tensor_type(pop_tensor t)
{
    return t.store ? (pop_type)t.type : POP_TYPE_NULL;
}

size_t pop_tensor_rank(pop_tensor t)
{
    return t.store ? t.rank : 0;
}

size_t pop_tensor_dim(pop_tensor t, size_t dim)
{
    if (!t.store || dim >= t.rank)
        return 0;
    if (t.form & FORM_WIDE) {
        struct unpacked v;
        tensor_unpack(&v, t);
        return unpacked_extent(&v, (unsigned)dim);
    }
    unsigned first = 0;
    size_t extent = 1;
    for (size_t i = 0; i < dim; ++i)
        first += t.run[i];
    for (unsigned i = 0; i < t.run[dim]; ++i)
        extent *= t.digit[first + i].extent;
    return extent;
}

size_t pop_tensor_num_elements(pop_tensor t)
{
    if (!t.store || (t.form & FORM_EMPTY))
        return 0;
    size_t elements = 1;
    if (t.form & FORM_WIDE) {
        struct unpacked v;
        tensor_unpack(&v, t);
        for (unsigned i = 0; i < v.digits; ++i)
            elements *= v.digit[i].extent;
        return elements;
    }
    for (unsigned i = 0; i < t.digits; ++i)
        elements *= t.digit[i].extent;
    return elements;
}

size_t pop_tensor_shape(pop_tensor t, size_t *dims, size_t capacity)
{
    size_t rank = pop_tensor_rank(t);
    if (!rank)
        return 0;
    struct unpacked v;
    tensor_unpack(&v, t);
    for (size_t i = 0; i < rank && i < capacity; ++i)
        dims[i] = unpacked_extent(&v, (unsigned)i);
    return rank;
}

static void add_shape(struct str *s, pop_tensor t)
{
    size_t dims[MAX_RANK], rank = pop_tensor_shape(t, dims, MAX_RANK);
    str_add(s, "{");
    for (size_t i = 0; i < rank; ++i)
        str_format(s, "%s%zu", i ? "," : "", dims[i]);
    str_add(s, "}");
}

static size_t give_text(struct str *s, char *buffer, size_t size)
{
    size_t length = s->length;
    if (size)
        snprintf(buffer, size, "%s", str_text(s));
    str_free(s);
    return length;
}

size_t pop_tensor_shape_to_string(pop_tensor t, char *buffer, size_t size)
{
    struct str s = { 0 };
    add_shape(&s, t);
    return give_text(&s, buffer, size);
}

struct run_text {
    pop_store *store;
    struct str *s;
    unsigned runs;
};

/* Long lists end in "...". */
static bool add_run(const struct run *run, void *context)
{
    enum { MAX_RUNS = 100 };
    struct run_text *text = context;
    if (text->runs == MAX_RUNS) {
        str_add(text->s, ",...");
        return false;
    }
    str_add(text->s, text->runs++ ? "," : " ");
    const char *name = store_name(text->store, text->store->variables.data[run->variable].name);
    if (name[0])
        str_add(text->s, name);
    else
        str_format(text->s, "#%" PRIu32, run->variable);
    str_format(text->s, "[%" PRIu64 ":%" PRIu64 "]", run->offset, run->offset + run->count);
    return true;
}

size_t pop_tensor_to_string(pop_tensor t, char *buffer, size_t size)
{
    struct str s = { 0 };
    str_add(&s, pop_type_name(pop_tensor_type(t)));
    if (t.store) {
        str_add(&s, " ");
        add_shape(&s, t);
        struct run_text text = { t.store, &s, 0 };
        tensor_each_run(t, add_run, &text);
    }
    return give_text(&s, buffer, size);
}

bool pop_tensor_is_contiguous(pop_tensor t)
{
    struct run run;
    return tensor_single_run(t, &run);
}

struct query_regions {
    VEC(pop_variable_interval) list;
};

static bool add_region(const struct run *run, void *context)
{
    struct query_regions *regions = context;
    *vec_push(&regions->list) = (pop_variable_interval){ run->variable, { run->offset, run->offset + run->count } };
    return true;
}

size_t pop_tensor_var_regions(pop_tensor t, pop_variable_interval **out)
{
    struct query_regions regions = { 0 };
    tensor_each_run(t, add_region, &regions);
    *out = regions.list.data;
    return regions.list.count;
}

size_t pop_tensor_contiguous_regions(pop_tensor t, pop_interval **out)
{
    pop_variable_interval *regions;
    size_t count = pop_tensor_var_regions(t, &regions), at = 0;
    *out = count ? mem_alloc(count * sizeof(**out)) : NULL;
    for (size_t i = 0; i < count; ++i) {
        size_t end = at + regions[i].interval.end - regions[i].interval.begin;
        (*out)[i] = (pop_interval){ at, end };
        at = end;
    }
    free(regions);
    return count;
}

void pop_interval_lists_free(pop_interval_lists *lists)
{
    if (!lists)
        return;
    free(lists->first);
    free(lists->intervals);
    *lists = (pop_interval_lists){ 0 };
}
