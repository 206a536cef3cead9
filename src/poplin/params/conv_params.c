/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of convolutions: sizes, checks, canonical form, order.  One table of fields is used to compare, write and
 * read them. */
#include "poplin/params/call_log.h"
#include "poplin/params/params.h"

poplin_input_transform poplin_input_transform_none(void)
{
    poplin_input_transform none = { 0 };
    for (size_t d = 0; d < POPLIN_MAX_FIELD_DIMS; ++d)
        none.dilation[d] = 1;
    return none;
}
poplin_output_transform poplin_output_transform_none(void)
{
    poplin_output_transform none = { 0 };
    for (size_t d = 0; d < POPLIN_MAX_FIELD_DIMS; ++d)
        none.stride[d] = 1;
    return none;
}

poplin_conv_params poplin_conv_params_make(pop_type input_type, pop_type output_type, size_t batch_size,
                                           pop_shape input_field_shape, pop_shape kernel_shape, size_t input_channels,
                                           size_t output_channels, size_t num_conv_groups)
{
    poplin_conv_params params;
    memset(&params, 0, sizeof(params));
    params.input_type = input_type;
    params.output_type = output_type;
    params.batch_size = batch_size;
    params.num_field_dims = input_field_shape.rank == kernel_shape.rank ? input_field_shape.rank : SIZE_MAX;
    for (size_t d = 0; d < POPLIN_MAX_FIELD_DIMS && d < input_field_shape.rank; ++d)
        params.input_field_shape[d] = input_field_shape.dims[d];
    for (size_t d = 0; d < POPLIN_MAX_FIELD_DIMS && d < kernel_shape.rank; ++d)
        params.kernel_shape[d] = kernel_shape.dims[d];
    params.input_channels_per_conv_group = input_channels;
    params.output_channels_per_conv_group = output_channels;
    params.num_conv_groups = num_conv_groups;
    params.input_transform = params.kernel_transform = poplin_input_transform_none();
    params.output_transform = poplin_output_transform_none();
    return params;
}

/* ---- sizes ---- */

static size_t truncated(size_t size, unsigned lower, unsigned upper)
{
    return size > (size_t)lower + upper ? size - lower - upper : 0;
}
static size_t transformed(size_t size, const poplin_input_transform *t, size_t d)
{
    size_t left = truncated(size, t->truncation_lower[d], t->truncation_upper[d]);
    return (left ? (left - 1) * params_distance(t->dilation[d]) + 1 : 0) + t->padding_lower[d] + t->padding_upper[d];
}
size_t poplin_conv_truncated_input_size(const poplin_conv_params *p, size_t d)
{
    return truncated(p->input_field_shape[d], p->input_transform.truncation_lower[d],
                     p->input_transform.truncation_upper[d]);
}
size_t poplin_conv_transformed_input_size(const poplin_conv_params *p, size_t d)
{
    return transformed(p->input_field_shape[d], &p->input_transform, d);
}
size_t poplin_conv_truncated_kernel_size(const poplin_conv_params *p, size_t d)
{
    return truncated(p->kernel_shape[d], p->kernel_transform.truncation_lower[d],
                     p->kernel_transform.truncation_upper[d]);
}
size_t poplin_conv_transformed_kernel_size(const poplin_conv_params *p, size_t d)
{
    return transformed(p->kernel_shape[d], &p->kernel_transform, d);
}
size_t poplin_conv_untransformed_output_size(const poplin_conv_params *p, size_t d)
{
    size_t input = poplin_conv_transformed_input_size(p, d), kernel = poplin_conv_transformed_kernel_size(p, d);
    return kernel && input >= kernel ? input - kernel + 1 : 0;
}
size_t poplin_conv_output_size(const poplin_conv_params *p, size_t d)
{
    const poplin_output_transform *t = &p->output_transform;
    size_t left =
        truncated(poplin_conv_untransformed_output_size(p, d), t->truncation_lower[d], t->truncation_upper[d]);
    return poplibs_ceil_div(left, params_distance(t->stride[d])) + t->padding_lower[d] + t->padding_upper[d];
}

/* ---- checks ---- */

/* Extents of tensors have 32 bits, and sums of them must not overflow. */
enum { MAX_ELEMENTS = INT32_MAX };
static bool too_large(const poplin_conv_params *p, size_t d, char *text, size_t size)
{
    const char *what = NULL;
    size_t seen = p->input_field_shape[d];
    if (seen > MAX_ELEMENTS)
        what = "the input";
    else if ((seen = p->kernel_shape[d]) > MAX_ELEMENTS)
        what = "the kernel";
    else if ((seen = poplin_conv_transformed_input_size(p, d)) > MAX_ELEMENTS)
        what = "the transformed input";
    else if ((seen = poplin_conv_transformed_kernel_size(p, d)) > MAX_ELEMENTS)
        what = "the transformed kernel";
    else if ((seen = poplin_conv_output_size(p, d)) > MAX_ELEMENTS)
        what = "the output";
    if (what)
        snprintf(text, size, "field dimension %zu of %s has %zu elements; at most %d are allowed", d, what, seen,
                 MAX_ELEMENTS);
    return what;
}

static bool wrong_dim(const poplin_conv_params *p, size_t d, char *text, size_t size)
{
    const poplin_input_transform *in = &p->input_transform, *kernel = &p->kernel_transform;
    const poplin_output_transform *out = &p->output_transform;
    if (!in->dilation[d] || !kernel->dilation[d] || !out->stride[d])
        snprintf(text, size, "%s of field dimension %zu is 0; it must be at least 1",
                 !out->stride[d]    ? "the output's stride"
                 : !in->dilation[d] ? "the input's dilation"
                                    : "the kernel's dilation",
                 d);
    else if ((size_t)in->truncation_lower[d] + in->truncation_upper[d] > p->input_field_shape[d])
        snprintf(text, size, "field dimension %zu of the input has %zu elements, but %u and %u are truncated", d,
                 p->input_field_shape[d], in->truncation_lower[d], in->truncation_upper[d]);
    else if ((size_t)kernel->truncation_lower[d] + kernel->truncation_upper[d] > p->kernel_shape[d])
        snprintf(text, size, "field dimension %zu of the kernel has %zu elements, but %u and %u are truncated", d,
                 p->kernel_shape[d], kernel->truncation_lower[d], kernel->truncation_upper[d]);
    else if (poplin_conv_transformed_kernel_size(p, d) < 1 ||
             poplin_conv_transformed_input_size(p, d) < poplin_conv_transformed_kernel_size(p, d))
        snprintf(text, size,
                 "field dimension %zu: the kernel has %zu elements after its transform, the input has %zu; the kernel "
                 "must have at least 1 and at most as many as the input",
                 d, poplin_conv_transformed_kernel_size(p, d), poplin_conv_transformed_input_size(p, d));
    else if ((size_t)out->truncation_lower[d] + out->truncation_upper[d] > poplin_conv_untransformed_output_size(p, d))
        snprintf(text, size, "field dimension %zu of the output has %zu elements, but %u and %u are truncated", d,
                 poplin_conv_untransformed_output_size(p, d), out->truncation_lower[d], out->truncation_upper[d]);
    else
        return too_large(p, d, text, size);
    return true;
}

pop_status params_wrong(const poplin_conv_params *p, char *text, size_t size)
{
    pop_status status = POP_POPLAR_ERROR;
    if (!p)
        snprintf(text, size, "the convolution's parameters are NULL");
    else if (p->num_field_dims > POPLIN_MAX_FIELD_DIMS)
        snprintf(text, size, "field and kernel must have the same number of dimensions, from 0 to %d",
                 POPLIN_MAX_FIELD_DIMS);
    else if (p->input_type != POP_HALF && p->input_type != POP_FLOAT && p->input_type != POP_QUARTER)
        status = POP_TYPE_ERROR,
        snprintf(text, size, "the input's type is %s; it must be half, float or quarter", pop_type_name(p->input_type));
    else if (p->input_type == POP_QUARTER && p->output_type != POP_HALF)
        status = POP_TYPE_ERROR, snprintf(text, size, "the output's type is %s; with quarter operands it must be half",
                                          pop_type_name(p->output_type));
    else if (p->output_type != POP_HALF && p->output_type != POP_FLOAT)
        status = POP_TYPE_ERROR,
        snprintf(text, size, "the output's type is %s; it must be half or float", pop_type_name(p->output_type));
    else {
        for (size_t d = 0; d < p->num_field_dims; ++d)
            if (wrong_dim(p, d, text, size))
                return POP_POPLAR_ERROR;
        return POP_OK;
    }
    return status;
}

bool params_valid(const struct call *call, const poplin_conv_params *params)
{
    char text[400];
    pop_status status = params_wrong(params, text, sizeof(text));
    return status == POP_OK || call_fail(call, status, "%s", text);
}

pop_status poplin_conv_params_validate_at(pop_where where, const poplin_conv_params *params, pop_error *error)
{
    POPLIBS_CALL(NULL, log_written(params, log_params));
    char text[400];
    pop_status status = params_wrong(params, text, sizeof(text));
    return status == POP_OK ? POP_OK : call_set_error(call, error, status, text);
}

/* ---- the canonical form ---- */

static void canonical_input(poplin_input_transform *t, size_t d, size_t size)
{
    size_t left = truncated(size, t->truncation_lower[d], t->truncation_upper[d]);
    if (left <= 1)
        t->dilation[d] = 1;
    if (transformed(size, t, d) <= 1)
        t->flip[d] = false;
}

poplin_conv_params poplin_conv_params_canonicalize(const poplin_conv_params *params)
{
    poplin_conv_params p = *params;
    for (size_t d = 0; d < params_dims(&p); ++d) {
        poplin_output_transform *out = &p.output_transform;
        out->stride[d] = params_distance(out->stride[d]);
        size_t kept =
            truncated(poplin_conv_untransformed_output_size(&p, d), out->truncation_lower[d], out->truncation_upper[d]);
        if (kept) { /* elements after the last strided one are truncated */
            out->truncation_upper[d] += (unsigned)((kept - 1) % out->stride[d]);
            if (kept <= out->stride[d])
                out->stride[d] = 1;
            /* padding that only truncated outputs use is removed */
            poplin_input_transform *in = &p.input_transform;
            unsigned *first = in->flip[d] ? &in->padding_upper[d] : &in->padding_lower[d];
            unsigned *last = in->flip[d] ? &in->padding_lower[d] : &in->padding_upper[d];
            unsigned lower = *first < out->truncation_lower[d] ? *first : out->truncation_lower[d];
            unsigned upper = *last < out->truncation_upper[d] ? *last : out->truncation_upper[d];
            *first -= lower, out->truncation_lower[d] -= lower;
            *last -= upper, out->truncation_upper[d] -= upper;
        }
        canonical_input(&p.input_transform, d, p.input_field_shape[d]);
        canonical_input(&p.kernel_transform, d, p.kernel_shape[d]);
    }
    return p;
}

/* ---- all fields ---- */

#define FIELD(name, kind, member)                                                                                      \
    {                                                                                                                  \
        name, kind, offsetof(poplin_conv_params, member)                                                               \
    }
#define TRANSFORM(name, member)                                                                                        \
    FIELD(name "TruncationLower", UNSIGNEDS, member.truncation_lower),                                                 \
        FIELD(name "TruncationUpper", UNSIGNEDS, member.truncation_upper)
#define INPUT_TRANSFORM(name, member)                                                                                  \
    TRANSFORM(name, member), FIELD(name "Dilation", UNSIGNEDS, member.dilation),                                       \
        FIELD(name "PaddingLower", UNSIGNEDS, member.padding_lower),                                                   \
        FIELD(name "PaddingUpper", UNSIGNEDS, member.padding_upper), FIELD(name "Flip", FLAGS, member.flip)

enum kind { TYPE, SIZE, SIZES, UNSIGNEDS, FLAGS };
static const struct params_field {
    const char *name;
    enum kind kind;
    size_t offset;
} fields[] = {
    FIELD("inputType", TYPE, input_type),
    FIELD("outputType", TYPE, output_type),
    FIELD("batchSize", SIZE, batch_size),
    FIELD("numConvGroups", SIZE, num_conv_groups),
    FIELD("inputChannelsPerConvGroup", SIZE, input_channels_per_conv_group),
    FIELD("outputChannelsPerConvGroup", SIZE, output_channels_per_conv_group),
    FIELD("inputFieldShape", SIZES, input_field_shape), /* the first list determines the number of dimensions */
    FIELD("kernelShape", SIZES, kernel_shape),
    INPUT_TRANSFORM("input", input_transform),
    INPUT_TRANSFORM("kernel", kernel_transform),
    TRANSFORM("output", output_transform),
    FIELD("outputStride", UNSIGNEDS, output_transform.stride),
    FIELD("outputPaddingLower", UNSIGNEDS, output_transform.padding_lower),
    FIELD("outputPaddingUpper", UNSIGNEDS, output_transform.padding_upper),
};
enum { FIELDS = sizeof(fields) / sizeof(fields[0]) };

static size_t value_of(const poplin_conv_params *p, const struct params_field *field, size_t i)
{
    const char *at = (const char *)p + field->offset;
    switch (field->kind) {
    case TYPE:
        return *(const pop_type *)(const void *)at;
    case SIZE:
        return *(const size_t *)(const void *)at;
    case SIZES:
        return ((const size_t *)(const void *)at)[i];
    case UNSIGNEDS:
        return ((const unsigned *)(const void *)at)[i];
    case FLAGS:
        break;
    }
    return ((const bool *)(const void *)at)[i];
}
static void set_value(poplin_conv_params *p, const struct params_field *field, size_t i, size_t value)
{
    char *at = (char *)p + field->offset;
    switch (field->kind) {
    case TYPE:
        *(pop_type *)(void *)at = (pop_type)value;
        return;
    case SIZE:
        *(size_t *)(void *)at = value;
        return;
    case SIZES:
        ((size_t *)(void *)at)[i] = value;
        return;
    case UNSIGNEDS:
        ((unsigned *)(void *)at)[i] = (unsigned)value;
        return;
    case FLAGS:
        ((bool *)(void *)at)[i] = value != 0;
    }
}
static size_t count_of(const poplin_conv_params *p, const struct params_field *field)
{
    return field->kind < SIZES ? 1 : poplibs_min(p->num_field_dims, POPLIN_MAX_FIELD_DIMS);
}

int poplin_conv_params_compare(const poplin_conv_params *a, const poplin_conv_params *b)
{
    if (a->num_field_dims != b->num_field_dims)
        return a->num_field_dims < b->num_field_dims ? -1 : 1;
    for (size_t f = 0; f < FIELDS; ++f)
        for (size_t i = 0; i < count_of(a, &fields[f]); ++i) {
            size_t left = value_of(a, &fields[f], i), right = value_of(b, &fields[f], i);
            if (left != right)
                return left < right ? -1 : 1;
        }
    return 0;
}
bool poplin_conv_params_equal(const poplin_conv_params *a, const poplin_conv_params *b)
{
    return poplin_conv_params_compare(a, b) == 0;
}
uint64_t poplin_conv_params_hash(const poplin_conv_params *p)
{
    uint64_t hash = p->num_field_dims + UINT64_C(1469598103934665603);
    for (size_t f = 0; f < FIELDS; ++f)
        for (size_t i = 0; i < count_of(p, &fields[f]); ++i) {
            hash = (hash ^ value_of(p, &fields[f], i)) * UINT64_C(1099511628211);
            hash ^= hash >> 29;
        }
    return hash;
}

/* ---- text ---- */

size_t poplin_conv_params_to_text(const poplin_conv_params *p, char *buffer, size_t size)
{
    struct params_text text = { buffer, size, 0 };
    params_text_add(&text, "Params:\n");
    for (size_t f = 0; f < FIELDS; ++f) {
        params_text_add(&text, "        %-27s", fields[f].name);
        if (fields[f].kind == TYPE)
            params_text_add(&text, "%s", pop_type_name((pop_type)value_of(p, &fields[f], 0)));
        else if (fields[f].kind == SIZE)
            params_text_add(&text, "%zu", value_of(p, &fields[f], 0));
        else
            for (size_t i = 0; i < count_of(p, &fields[f]); ++i)
                params_text_add(&text, "%s%zu%s", i ? "," : "{", value_of(p, &fields[f], i),
                                i + 1 == count_of(p, &fields[f]) ? "}" : "");
        params_text_add(&text, "\n");
    }
    return text.length;
}

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t\r\n");
}
/* Reads a field's value; NULL if the text is not one. */
static const char *read_value(const char *at, poplin_conv_params *p, const struct params_field *field)
{
    char *end;
    if (field->kind == TYPE) {
        char word[32];
        size_t length = strcspn(at, " \t\r\n");
        snprintf(word, sizeof(word), "%.*s", (int)length, at);
        pop_type type = pop_type_by_name(word);
        set_value(p, field, 0, (size_t)type);
        return type == POP_TYPE_NULL ? NULL : at + length;
    }
    if (field->kind == SIZE) {
        set_value(p, field, 0, strtoull(at, &end, 10));
        return end == at ? NULL : end;
    }
    size_t count = 0;
    if (*at != '{')
        return NULL;
    do {
        ++at;
        unsigned long long value = strtoull(at, &end, 10);
        if (end == at || count == POPLIN_MAX_FIELD_DIMS)
            return NULL;
        set_value(p, field, count++, value);
        at = end;
    } while (*at == ',');
    if (field->offset == offsetof(poplin_conv_params, input_field_shape))
        p->num_field_dims = count;
    return *at == '}' && count == p->num_field_dims ? at + 1 : NULL;
}

pop_status poplin_conv_params_from_text_at(pop_where where, const char *text, poplin_conv_params *params, size_t *used,
                                           pop_error *error)
{
    POPLIBS_CALL(NULL, text);
    poplin_conv_params p =
        poplin_conv_params_make(POP_FLOAT, POP_FLOAT, 1, (pop_shape){ 0 }, (pop_shape){ 0 }, 1, 1, 1);
    const char *start = skip_blanks(text), *at = start, *rest = start;
    if (strncmp(at, "Params:", 7) == 0)
        rest = at += 7;
    for (;;) {
        at = skip_blanks(rest);
        size_t length = strcspn(at, " \t\r\n{"), f = 0;
        while (f < FIELDS && (strlen(fields[f].name) != length || strncmp(fields[f].name, at, length) != 0))
            ++f;
        if (f == FIELDS)
            break;
        const char *next = read_value(skip_blanks(at + length), &p, &fields[f]);
        if (!next) {
            char words[160];
            snprintf(words, sizeof(words), "'%s' has an invalid value", fields[f].name);
            return call_set_error(call, error, POP_PARSE_ERROR, words);
        }
        rest = next;
    }
    if (rest == start) {
        char words[160];
        snprintf(words, sizeof(words), "'%.40s' is not a field of a convolution's parameters", at);
        return call_set_error(call, error, POP_PARSE_ERROR, words);
    }
    *params = p;
    if (used)
        *used = (size_t)(rest - text);
    return POP_OK;
}

size_t conv_params_text(const poplin_conv_params *params, char *buffer, size_t size)
{
    struct params_text text = { buffer, size, 0 };
    params_text_add(&text, "%zu x (%zu", params->num_conv_groups, params->batch_size);
    for (size_t d = 0; d < params_dims(params); ++d)
        params_text_add(&text, "x%zu", params->input_field_shape[d]);
    params_text_add(&text, "x%zu) -> %zu, kernel", params->input_channels_per_conv_group,
                    params->output_channels_per_conv_group);
    for (size_t d = 0; d < params_dims(params); ++d)
        params_text_add(&text, "%c%zu", d ? 'x' : ' ', params->kernel_shape[d]);
    params_text_add(&text, ", %s -> %s", pop_type_name(params->input_type), pop_type_name(params->output_type));
    return text.length;
}
