/* SPDX-License-Identifier: Apache-2.0 */
#include "peer_onednn.h"

#ifdef BENCH_HAS_ONEDNN
#include <oneapi/dnnl/dnnl_version.h>
#endif

/* The interface of descriptors was removed in version 3. */
#if defined(BENCH_HAS_ONEDNN) && DNNL_VERSION_MAJOR == 2
#include <dlfcn.h>
#include <oneapi/dnnl/dnnl.h>
#include <stdlib.h>
#include <string.h>

/* The library's functions used here. */
static struct {
    __typeof__(dnnl_engine_create) *dnnl_engine_create;
    __typeof__(dnnl_stream_create) *dnnl_stream_create;
    __typeof__(dnnl_memory_desc_init_by_tag) *dnnl_memory_desc_init_by_tag;
    __typeof__(dnnl_convolution_forward_desc_init) *dnnl_convolution_forward_desc_init;
    __typeof__(dnnl_convolution_backward_data_desc_init) *dnnl_convolution_backward_data_desc_init;
    __typeof__(dnnl_convolution_backward_weights_desc_init) *dnnl_convolution_backward_weights_desc_init;
    __typeof__(dnnl_primitive_desc_create) *dnnl_primitive_desc_create;
    __typeof__(dnnl_primitive_desc_query_md) *dnnl_primitive_desc_query_md;
    __typeof__(dnnl_primitive_create) *dnnl_primitive_create;
    __typeof__(dnnl_memory_create) *dnnl_memory_create;
    __typeof__(dnnl_memory_get_data_handle) *dnnl_memory_get_data_handle;
    __typeof__(dnnl_memory_desc_get_size) *dnnl_memory_desc_get_size;
    __typeof__(dnnl_primitive_execute) *dnnl_primitive_execute;
    __typeof__(dnnl_stream_wait) *dnnl_stream_wait;
} dnnl;

static bool load(void)
{
    static bool loaded, tried;
    if (tried)
        return loaded;
    tried = true;
    void *library = dlopen("libdnnl.so.2", RTLD_NOW), *found = library ? dlsym(library, "omp_set_num_threads") : NULL;
    void (*set_threads)(int);
    memcpy(&set_threads, &found, sizeof(found));
    if (found)
        set_threads(1); /* OMP_NUM_THREADS has no effect here: OpenMP read it when this program was loaded */
    const struct {
        const char *name;
        void *to;
    } functions[] = {
        { "dnnl_engine_create", &dnnl.dnnl_engine_create },
        { "dnnl_stream_create", &dnnl.dnnl_stream_create },
        { "dnnl_memory_desc_init_by_tag", &dnnl.dnnl_memory_desc_init_by_tag },
        { "dnnl_convolution_forward_desc_init", &dnnl.dnnl_convolution_forward_desc_init },
        { "dnnl_convolution_backward_data_desc_init", &dnnl.dnnl_convolution_backward_data_desc_init },
        { "dnnl_convolution_backward_weights_desc_init", &dnnl.dnnl_convolution_backward_weights_desc_init },
        { "dnnl_primitive_desc_create", &dnnl.dnnl_primitive_desc_create },
        { "dnnl_primitive_desc_query_md", &dnnl.dnnl_primitive_desc_query_md },
        { "dnnl_primitive_create", &dnnl.dnnl_primitive_create },
        { "dnnl_memory_create", &dnnl.dnnl_memory_create },
        { "dnnl_memory_get_data_handle", &dnnl.dnnl_memory_get_data_handle },
        { "dnnl_memory_desc_get_size", &dnnl.dnnl_memory_desc_get_size },
        { "dnnl_primitive_execute", &dnnl.dnnl_primitive_execute },
        { "dnnl_stream_wait", &dnnl.dnnl_stream_wait },
    };
    loaded = library != NULL;
    for (size_t i = 0; loaded && i < sizeof(functions) / sizeof(functions[0]); ++i) {
        found = dlsym(library, functions[i].name);
        memcpy(functions[i].to, &found, sizeof(found));
        loaded = found != NULL;
    }
    return loaded;
}

struct peer_conv {
    dnnl_stream_t stream;
    dnnl_primitive_t primitive;
    dnnl_exec_arg_t arguments[3];
};

static dnnl_memory_t new_memory(dnnl_engine_t engine, const_dnnl_primitive_desc_t primitive, dnnl_query_t which)
{
    dnnl_memory_t memory = NULL;
    void *data;
    const dnnl_memory_desc_t *desc = dnnl.dnnl_primitive_desc_query_md(primitive, which, 0);
    dnnl.dnnl_memory_create(&memory, desc, engine, DNNL_MEMORY_ALLOCATE);
    dnnl.dnnl_memory_get_data_handle(memory, &data);
    memset(data, 0, dnnl.dnnl_memory_desc_get_size(desc));
    return memory;
}
/* The descriptor of a pass; false if oneDNN has none.  A gradient's is made with that of its forward pass. */
static bool describe(dnnl_engine_t engine, const struct conv_shape *s, enum conv_pass pass,
                     dnnl_primitive_desc_t *primitive)
{
    int64_t n = (int64_t)s->batch, field = (int64_t)s->field, inputs = (int64_t)s->inputs,
            outputs = (int64_t)s->outputs, kernel = (int64_t)s->kernel, out = (field + s->stride - 1) / s->stride;
    dnnl_dims_t in_dims = { n, inputs, field, field }, weight_dims = { outputs, inputs, kernel, kernel },
                out_dims = { n, outputs, out, out }, strides = { s->stride, s->stride },
                lower = { kernel / 2, kernel / 2 };
    int64_t reach = (out - 1) * (int64_t)s->stride + kernel - field - kernel / 2;
    dnnl_dims_t upper = { reach, reach };
    dnnl_memory_desc_t in, weights, sums;
    dnnl.dnnl_memory_desc_init_by_tag(&in, 4, in_dims, dnnl_f32, dnnl_format_tag_any);
    dnnl.dnnl_memory_desc_init_by_tag(&weights, 4, weight_dims, dnnl_f32, dnnl_format_tag_any);
    dnnl.dnnl_memory_desc_init_by_tag(&sums, 4, out_dims, dnnl_f32, dnnl_format_tag_any);
    dnnl_convolution_desc_t desc;
    dnnl_primitive_desc_t forward;
    dnnl_prop_kind_t kind = pass == CONV_FORWARD ? dnnl_forward_inference : dnnl_forward_training;
    if (dnnl.dnnl_convolution_forward_desc_init(&desc, kind, dnnl_convolution_direct, &in, &weights, NULL, &sums,
                                                strides, lower, upper) != dnnl_success ||
        dnnl.dnnl_primitive_desc_create(&forward, &desc, NULL, engine, NULL) != dnnl_success)
        return false;
    *primitive = forward;
    if (pass == CONV_FORWARD)
        return true;
    dnnl_status_t status = pass == CONV_INPUT_GRADIENT
                               ? dnnl.dnnl_convolution_backward_data_desc_init(&desc, dnnl_convolution_direct, &in,
                                                                               &weights, &sums, strides, lower, upper)
                               : dnnl.dnnl_convolution_backward_weights_desc_init(
                                     &desc, dnnl_convolution_direct, &in, &weights, NULL, &sums, strides, lower, upper);
    return status == dnnl_success &&
           dnnl.dnnl_primitive_desc_create(primitive, &desc, NULL, engine, forward) == dnnl_success;
}
/* Groups are not compared. Its objects live as long as the process, which is the row's own. */
struct peer_conv *peer_conv_create(const struct conv_shape *s, enum conv_pass pass)
{
    static const struct {
        int argument;
        dnnl_query_t memory;
    } operands[CONV_PASSES][3] = { { { DNNL_ARG_SRC, dnnl_query_src_md },
                                     { DNNL_ARG_WEIGHTS, dnnl_query_weights_md },
                                     { DNNL_ARG_DST, dnnl_query_dst_md } },
                                   { { DNNL_ARG_DIFF_SRC, dnnl_query_diff_src_md },
                                     { DNNL_ARG_WEIGHTS, dnnl_query_weights_md },
                                     { DNNL_ARG_DIFF_DST, dnnl_query_diff_dst_md } },
                                   { { DNNL_ARG_SRC, dnnl_query_src_md },
                                     { DNNL_ARG_DIFF_WEIGHTS, dnnl_query_diff_weights_md },
                                     { DNNL_ARG_DIFF_DST, dnnl_query_diff_dst_md } } };
    static dnnl_engine_t engine;
    if (s->groups || !load() || (!engine && dnnl.dnnl_engine_create(&engine, dnnl_cpu, 0) != dnnl_success))
        return NULL;
    dnnl_primitive_desc_t primitive;
    struct peer_conv *conv = calloc(1, sizeof(*conv));
    if (!conv || !describe(engine, s, pass, &primitive) ||
        dnnl.dnnl_primitive_create(&conv->primitive, primitive) != dnnl_success ||
        dnnl.dnnl_stream_create(&conv->stream, engine, dnnl_stream_default_flags) != dnnl_success) {
        free(conv);
        return NULL;
    }
    for (size_t i = 0; i < 3; ++i)
        conv->arguments[i] =
            (dnnl_exec_arg_t){ operands[pass][i].argument, new_memory(engine, primitive, operands[pass][i].memory) };
    return conv;
}
bool peer_conv_run(struct peer_conv *conv)
{
    return dnnl.dnnl_primitive_execute(conv->primitive, conv->stream, 3, conv->arguments) == dnnl_success &&
           dnnl.dnnl_stream_wait(conv->stream) == dnnl_success;
}
void peer_conv_destroy(struct peer_conv *conv)
{
    free(conv);
}

#else

struct peer_conv *peer_conv_create(const struct conv_shape *shape, enum conv_pass pass)
{
    (void)shape, (void)pass;
    return NULL;
}
bool peer_conv_run(struct peer_conv *conv)
{
    (void)conv;
    return false;
}
void peer_conv_destroy(struct peer_conv *conv)
{
    (void)conv;
}
#endif
