/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/dump/dump_graph.h"

#include <inttypes.h>

static const char *set_name(const struct compiler *c, uint32_t set)
{
    return store_name(c->store, c->store->sets.data[set].name);
}

static void add_node(const struct compiler *c, uint32_t node, struct str *out)
{
    const struct program_node *n = c->store->programs.data[node];
    str_format(out, "node %" PRIu32 " %s '%s'", node, program_kind_name((enum program_kind)n->kind),
               store_name(c->store, n->name));
}

void dump_use(const struct compiler *c, const struct pass_results *r, struct str *out)
{
    for (size_t i = 0; i < r->use->finished.count; ++i) {
        uint32_t node = r->use->finished.data[i];
        add_node(c, node, out);
        str_format(out, ": in %" PRIu32 " places\n", r->use->references[node]);
    }
    for (size_t s = 0; s < r->use->sets.count; ++s)
        str_format(out, "set %zu '%s'\n", s, set_name(c, r->use->sets.data[s]));
}

void dump_check(const struct compiler *c, const struct pass_results *r, struct str *out)
{
    static const char *const uses[] = {
        [VARIABLE_UNUSED] = "unused", [VARIABLE_MAPPED] = "mapped", [VARIABLE_GAPS] = "mapped in part"
    };
    for (uint32_t v = 0; v < c->store->variables.count; ++v)
        str_format(out, "variable %" PRIu32 " '%s': %s\n", v, variable_name(c, v), uses[r->check->variable_use[v]]);
    str_format(out, "%" PRIu64 " vertices; floating-point behaviour %s\n", r->check->vertex_count,
               r->check->behaves ? "obeyed" : "fixed");
}

static void add_vertices(const uint32_t *vertices, uint64_t count, struct str *out)
{
    for (uint64_t i = 0; i < count; ++i)
        str_format(out, " %" PRIu32, vertices[i]);
    str_add(out, "\n");
}

void dump_sets(const struct compiler *c, const struct pass_results *r, struct str *out)
{
    for (size_t s = 0; s < r->sets->sets.count; ++s) {
        const struct used_set *set = &r->sets->sets.data[s];
        str_format(out, "set %zu '%s': vertices", s, set_name(c, set->set));
        add_vertices(r->sets->vertices + set->first, set->count, out);
    }
}

static void add_group(const struct compiler *c, const struct order_result *order, const struct vertex_group *group,
                      struct str *out)
{
    uint64_t at = group->first;
    str_format(out, "  type '%s'\n", store_name(c->store, c->store->types.data[group->type].name));
    for (size_t i = group->first_span; i < group->first_span + group->spans; ++i) {
        str_format(out, "    tile %" PRIu32 ": vertices", order->spans.data[i].tile);
        add_vertices(order->vertices + at, order->spans.data[i].count, out);
        at += order->spans.data[i].count;
    }
}

void dump_order(const struct compiler *c, const struct pass_results *r, struct str *out)
{
    for (size_t s = 0; s < r->order->sets.count; ++s) {
        const struct used_set *set = &r->order->sets.data[s];
        str_format(out, "set %zu '%s'\n", s, set_name(c, set->set));
        for (uint32_t g = 0; g < set->groups; ++g)
            add_group(c, r->order, &r->order->groups.data[set->first_group + g], out);
    }
}

void dump_storage(const struct compiler *c, const struct pass_results *r, struct str *out)
{
    for (uint32_t v = 0; v < c->store->variables.count; ++v)
        if (r->storage->offset[v] != NO_STORAGE)
            str_format(out, "variable %" PRIu32 " '%s': %" PRIu64 " elements of %zu bytes at %" PRIu64 "\n", v,
                       variable_name(c, v), c->store->variables.data[v].elements, variable_element_bytes(c, v),
                       r->storage->offset[v]);
    str_format(out, "%" PRIu64 " bytes\n", c->image->storage_bytes);
}

void dump_blocks(const struct compiler *c, const struct pass_results *r, struct str *out)
{
    for (uint32_t node = 0; r->blocks->of && node < c->store->programs.count; ++node) {
        if (!r->blocks->of[node] && !r->blocks->flush[node])
            continue;
        add_node(c, node, out);
        str_format(out, ":%s%s\n", r->blocks->of[node] ? " block" : "", r->blocks->flush[node] ? " flushes" : "");
    }
    str_format(out, "%" PRIu32 " bytes of records on a tile\n", r->blocks->buffer);
}

void dump_outline(const struct compiler *c, const struct pass_results *r, struct str *out)
{
    for (size_t i = 0; i < r->use->finished.count; ++i) {
        uint32_t node = r->use->finished.data[i], same = r->outline->same[node];
        add_node(c, node, out);
        if (same != node)
            str_format(out, ": the same as node %" PRIu32 "\n", same);
        else
            str_format(out, ": in %" PRIu32 " places\n", r->outline->references[node]);
    }
}
