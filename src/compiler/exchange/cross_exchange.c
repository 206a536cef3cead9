/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/exchange/copy_parts.h"
#include "compiler/exchange/exchange.h"

#include "target/exchange_cost.h"

/* Traffic of one replica's tiles, and the flows between all IPUs of the device. */
struct cross {
    struct compiler *c;
    struct owners *owners;
    uint64_t *sent, *received; /* by tile */
    uint64_t *between;         /* of the current part, by IPU of the sender, IPU of the receiver */
    VEC(struct exchange_load) flows;
};

static void add_parts(struct cross *cross, const struct view *source, const struct view *destination)
{
    const pop_target *target = &cross->c->store->target;
    uint64_t element = pop_type_size((pop_type)source->type);
    struct copy_parts parts;
    copy_parts_begin(&parts, cross->owners, source, destination);
    while (copy_parts_next(&parts)) {
        uint32_t receiver = parts.receiver, sender = parts.sender == HOME_EVERYWHERE ? receiver : parts.sender;
        uint64_t bytes = parts.count * element;
        cross->sent[sender] += bytes;
        cross->received[receiver] += bytes;
        cross->between[sender / target->tiles_per_ipu * target->num_ipus + receiver / target->tiles_per_ipu] += bytes;
    }
}

/* Adds a flow between every pair of replicas. */
static void add_flows(struct cross *cross, const int32_t *senders)
{
    const pop_store *store = cross->c->store;
    uint32_t ipus = store->target.num_ipus;
    for (uint32_t r = 0; r < store->replicas; ++r)
        for (uint32_t i = 0; i < ipus * ipus; ++i)
            if (cross->between[i] && (uint32_t)senders[r] != r)
                *vec_push(&cross->flows) = (struct exchange_load){ .source = (uint32_t)senders[r] * ipus + i / ipus,
                                                                   .destination = r * ipus + i % ipus,
                                                                   .bytes = cross->between[i] };
}

static void add_part(struct cross *cross, const struct view *source, const struct view *destination,
                     const int32_t *senders)
{
    uint32_t ipus = cross->c->store->target.num_ipus;
    memset(cross->between, 0, (size_t)ipus * ipus * sizeof(*cross->between));
    add_parts(cross, source, destination);
    add_flows(cross, senders);
}

uint32_t cross_exchange(struct compiler *c, struct owners *owners, const struct program_node *n)
{
    const pop_store *store = c->store;
    unsigned tiles = pop_target_num_tiles(&store->target), ipus = store->target.num_ipus;
    pop_target device = store->target;
    char name[TABLES_NAME];
    if (store->replicas < 2 || !n->source->elements)
        return NONE;
    struct cross cross = { .c = c, .owners = owners };
    cross.sent = mem_zero(tiles, sizeof(*cross.sent));
    cross.received = mem_zero(tiles, sizeof(*cross.received));
    cross.between = mem_zero((size_t)ipus * ipus, sizeof(*cross.between));
    for (size_t i = 0; i < n->operands.count; i += 2)
        add_part(&cross, n->operands.data[i], n->operands.data[i + 1], n->values.data + i / 2 * store->replicas);
    if (!n->operands.count)
        add_part(&cross, n->source, n->destination, n->values.data);
    device.num_ipus = store->device_ipus;
    uint64_t cycles = cost_global_exchange(&device, cross.flows.data, cross.flows.count);
    uint32_t index =
        tables_exchange(c, EXCHANGES_GLOBAL, tables_name(name, store_name(store, n->name), "GlobalExchange"));
    for (uint32_t t = 0; t < tiles; ++t)
        if (cross.sent[t] || cross.received[t])
            tables_flow(c, EXCHANGES_GLOBAL,
                        (struct model_flow){ t, 1, cross.sent[t], cross.received[t], cycles, 0, 0 });
    free(cross.sent);
    free(cross.received);
    free(cross.between);
    vec_free(&cross.flows);
    return index;
}
