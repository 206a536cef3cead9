/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/dump/dump_image.h"

#include <inttypes.h>

void dump_lower(const struct compiler *c, const struct pass_results *r, struct str *out)
{
    static const char *const names[] = {
#define IMAGE_OP(constant, run) #constant,
#include "image/ops.def"
#undef IMAGE_OP
    };
    for (size_t i = 0; i < c->image->programs.count; ++i)
        str_format(out, "program %zu: op %" PRIu32 "\n", i, c->image->programs.data[i]);
    for (size_t i = 0; i < c->image->ops.count; ++i) {
        const struct image_op *op = &c->image->ops.data[i];
        str_format(out, "op %zu %s %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu64, i, names[op->kind], op->a, op->b,
                   op->c, op->d);
        if (r->lower->op_node.data[i] != NONE)
            str_format(out, " of node %" PRIu32, r->lower->op_node.data[i]);
        str_add(out, "\n");
    }
    for (size_t i = 0; i < c->image->copies.count; ++i) {
        const struct image_copy *copy = &c->image->copies.data[i];
        str_format(out, "copy %zu: %" PRIu64 " bytes in %" PRIu32 " moves\n", i, copy->bytes, copy->moves);
    }
}

void dump_vertices(const struct compiler *c, const struct pass_results *r, struct str *out)
{
    const struct image *image = c->image;
    for (size_t s = 0; s < image->sets.count; ++s) {
        const struct image_set *set = &image->sets.data[s];
        str_format(out, "set %zu '%s': %" PRIu64 " vertices, %" PRIu64 " bytes of scratch\n", s,
                   image_string(image, set->name), set->vertices, set->scratch_bytes);
        for (uint32_t g = set->first_group; g < set->first_group + set->groups; ++g) {
            const struct image_group *group = &image->groups.data[g];
            str_format(out,
                       "  group %" PRIu32 " '%s': %" PRIu64 " vertices, states at %" PRIu64 ", stride %" PRIu64 "\n", g,
                       store_name(c->store, c->store->types.data[r->order->groups.data[g].type].name), group->count,
                       group->states, group->stride);
        }
        for (uint64_t i = set->first_gather; i < set->first_gather + set->gathers; ++i) {
            const struct image_gather *gather = &image->gathers.data[i];
            str_format(out, "  gather of vertex %" PRIu32 ": %" PRIu64 " bytes at %" PRIu64, gather->vertex_in_set,
                       gather->bytes, gather->scratch);
            if (gather->before)
                str_format(out, ", copy %" PRIu32 " before", gather->before - 1);
            if (gather->after)
                str_format(out, ", copy %" PRIu32 " after", gather->after - 1);
            if (gather->last_vertex != gather->vertex_in_set)
                str_format(out, ", in a run up to vertex %" PRIu32, gather->last_vertex);
            str_add(out, "\n");
        }
    }
}

void dump_emit(const struct compiler *c, const struct pass_results *r, struct str *out)
{
    const struct image *image = c->image;
    (void)r;
    for (size_t i = 0; i < image->initials.count; ++i)
        str_format(out, "initial value at %" PRIu64 ": %" PRIu64 " bytes, %" PRIu64 " times\n",
                   image->initials.data[i].offset, image->initials.data[i].bytes, image->initials.data[i].times);
    for (size_t i = 0; i < image->reads.count; ++i)
        str_format(out, "host read '%s': copy %" PRIu32 "\n", image_string(image, image->reads.data[i].name),
                   image->reads.data[i].copy);
    for (size_t i = 0; i < image->writes.count; ++i)
        str_format(out, "host write '%s': copy %" PRIu32 "\n", image_string(image, image->writes.data[i].name),
                   image->writes.data[i].copy);
    for (size_t i = 0; i < image->streams.count; ++i)
        str_format(out, "stream '%s': %" PRIu64 " elements\n", image_string(image, image->streams.data[i].name),
                   image->streams.data[i].elements);
    for (size_t i = 0; i < image->remotes.count; ++i)
        str_format(out, "remote buffer '%s': %" PRIu64 " elements, %" PRIu64 " rows\n",
                   image_string(image, image->remotes.data[i].name), image->remotes.data[i].elements,
                   image->remotes.data[i].repeats);
    for (size_t i = 0; i < image->host_functions.count; ++i)
        str_format(out, "host function '%s'\n", image_string(image, image->host_functions.data[i].name));
}
