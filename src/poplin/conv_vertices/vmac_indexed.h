/* SPDX-License-Identifier: Apache-2.0 */
/* poplin::ConvPartialVerticalMac<half,float,LIMITED,4>: template of conv_vmac_vertices.c. */
#define VMAC(name) POPLIBS_JOIN(name##_, INDEX_TAG)

/* Adds the items of all workers for one group of input channels. */
static inline void VMAC(vmac_items)(const half *in, const half *weights, float *partials, const INDEX *list,
                                    unsigned workers, unsigned elements, struct vmac_steps step)
{
    for (unsigned w = 0; w < workers; ++w, partials += elements)
        for (unsigned left = *list++; left; --left, list += 4)
            vmac_dot(in + LANES * (size_t)list[2], weights + LANES * (size_t)list[1],
                     partials + LANES * (size_t)list[0], list[3] + 1u, step);
}

#define VMAC_OF(T, field, i) ((T *const *)(const void *)(field).data)[i]
VERTEX_OF(POP_SUPERVISOR_VERTEX, VMAC(Vmac), "poplin::ConvPartialVerticalMac<half,float," LIMITED ",4>", VMAC_FIELDS)
{
    struct vmac_steps step = { (size_t)LANES * (size_t)v->in_stride, (size_t)LANES * v->weights_stride };
    size_t all = (size_t)v->num_workers * v->out_elements;
    for (unsigned g = 0; g < v->conv_groups; ++g) {
        memset(v->partials.data, 0, all * sizeof(float));
        for (unsigned i = g * v->in_groups; i < (g + 1) * v->in_groups; ++i)
            VMAC(vmac_items)
        (VMAC_OF(const half, v->in, i), VMAC_OF(const half, v->weights, i), v->partials.data, v->worklists.data,
         v->num_workers, v->out_elements, step);
        vmac_reduce(v->partials.data, VMAC_OF(float, v->out, g), v->out_elements, v->num_workers);
    }
}
POP_CONSTRAINT(VMAC(Vmac), "elem(**in) != elem(**weights)");
#undef VMAC
#undef VMAC_OF
