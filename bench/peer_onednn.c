/* SPDX-License-Identifier: Apache-2.0 */
#include "peer_onednn.h"

#ifdef BENCH_HAS_ONEDNN
#include <dlfcn.h>
#include <oneapi/dnnl/dnnl.h>
#include <stdlib.h>
#include <string.h>

/* The functions of the library that are used. */
#define FUNCTIONS(EACH)                                                                                                \
    EACH(dnnl_engine_create)                                                                                           \
    EACH(dnnl_stream_create)                                                                                           \
    EACH(dnnl_memory_desc_init_by_tag)                                                                                 \
    EACH(dnnl_convolution_forward_desc_init)                                                                           \
    EACH(dnnl_primitive_desc_create)                                                                                   \
    EACH(dnnl_primitive_desc_query_md)                                                                                 \
    EACH(dnnl_primitive_create)                                                                                        \
    EACH(dnnl_memory_create)                                                                                           \
    EACH(dnnl_memory_get_data_handle)                                                                                  \
    EACH(dnnl_memory_desc_get_size)                                                                                    \
    EACH(dnnl_primitive_execute)                                                                                       \
    EACH(dnnl_stream_wait)

static struct {
#define POINTER(name) __typeof__(name) *name;
    FUNCTIONS(POINTER)
} dnnl;

static bool load(void)
{
    static bool loaded, tried;
    if (tried)
        return loaded;
    tried = true;
    setenv("OMP_NUM_THREADS", "1", 1); /* read when the library's threads are made */
    void *library = dlopen("libdnnl.so.2", RTLD_NOW);
    loaded = library != NULL;
#define FIND(name) loaded = loaded && (*(void **)(void *)&dnnl.name = dlsym(library, #name)) != NULL;
    FUNCTIONS(FIND)
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
/* Groups are not compared. What it makes lives as long as the process: the row's own. */
struct peer_conv *peer_conv_create(const struct conv_shape *s)
{
    static dnnl_engine_t engine;
    if (s->groups || !load() || (!engine && dnnl.dnnl_engine_create(&engine, dnnl_cpu, 0) != dnnl_success))
        return NULL;
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
    dnnl_primitive_desc_t primitive;
    struct peer_conv *conv = calloc(1, sizeof(*conv));
    if (!conv ||
        dnnl.dnnl_convolution_forward_desc_init(&desc, dnnl_forward_inference, dnnl_convolution_direct, &in, &weights,
                                                NULL, &sums, strides, lower, upper) != dnnl_success ||
        dnnl.dnnl_primitive_desc_create(&primitive, &desc, NULL, engine, NULL) != dnnl_success ||
        dnnl.dnnl_primitive_create(&conv->primitive, primitive) != dnnl_success ||
        dnnl.dnnl_stream_create(&conv->stream, engine, dnnl_stream_default_flags) != dnnl_success) {
        free(conv);
        return NULL;
    }
    conv->arguments[0] = (dnnl_exec_arg_t){ DNNL_ARG_SRC, new_memory(engine, primitive, dnnl_query_src_md) };
    conv->arguments[1] = (dnnl_exec_arg_t){ DNNL_ARG_WEIGHTS, new_memory(engine, primitive, dnnl_query_weights_md) };
    conv->arguments[2] = (dnnl_exec_arg_t){ DNNL_ARG_DST, new_memory(engine, primitive, dnnl_query_dst_md) };
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

struct peer_conv *peer_conv_create(const struct conv_shape *shape)
{
    (void)shape;
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
